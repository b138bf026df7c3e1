import Regnum

extension Realm {
    /// Stores an index as a graph, in one transaction.
    func load(_ index: PackageIndex) async throws {
        try await write { tx in
            var packages: [String: Package] = [:]
            packages.reserveCapacity(index.underestimatedCount * 3 / 2)
            for line in index {
                let package = Package(line)
                try tx.add(package)
                packages[line.name] = package
            }

            /// Returns the package with a name, creating it if it doesn't exist.
            func package(_ name: String) throws -> Package {
                if let known = packages[name] { return known }
                let package = Package()
                package.name = name
                try tx.add(package)
                packages[name] = package
                return package
            }

            for line in index {
                let origin = try package(line.name)
                let dependencies = try line.requirements.map { requirement in
                    let dependency = Dependency()
                    dependency.text = requirement.text
                    dependency.alternatives.append(
                        objectsIn: try requirement.alternatives.map(package))
                    for (name, version) in requirement.versions {
                        let key = name.contains(".") ? name.replacing(".", with: "%2E") : name
                        dependency.versions[key] = version
                    }
                    return dependency
                }
                origin.dependencies.append(objectsIn: dependencies)
                origin.provides.insert(objectsIn: try line.provides.map(package))
            }
        }
    }
}

extension Package {
    convenience init(_ line: IndexLine) {
        self.init()
        name = line.name
        version = line.version
        section = line.section
        priority = line.priority
        installedKiB = line.installedKiB
        summary = line.summary
        tags.insert(objectsIn: line.tags)
        for (field, value) in line.fields { fields[field] = value }
    }
}
