internal import RegnumEngine

extension ChangeSet: CustomStringConvertible {
    /// The positions, the version and the origins, on one line.
    public var description: String {
        "ChangeSet<\(Model.self)>(deletions: \(deletions), insertions: \(insertions), "
            + "modifications: \(modifications), newModifications: \(newModifications), "
            + "version: \(version), origins: \(origins))"
    }
}

extension ValueChangeSet: CustomStringConvertible {
    /// The positions, the version and the origins, on one line.
    public var description: String {
        "ValueChangeSet<\(Value.self)>(deletions: \(deletions), insertions: \(insertions), "
            + "modifications: \(modifications), newModifications: \(newModifications), "
            + "version: \(version), origins: \(origins))"
    }
}

extension MapChangeSet: CustomStringConvertible {
    /// The keys, the version and the origins, on one line.
    public var description: String {
        "MapChangeSet<\(Value.self)>(deletions: \(deletions), insertions: \(insertions), "
            + "modifications: \(modifications), version: \(version), origins: \(origins))"
    }
}

extension ObjectChange: CustomStringConvertible {
    /// The kind of change and the object's description; for a modification, the new object and the
    /// names of the changed properties.
    public var description: String {
        switch self {
        case .initial(let object?): "initial: \(object)"
        case .initial(nil): "initial: none"
        case .inserted(let object): "inserted: \(object)"
        case .changed(_, let new, let properties): "changed \(properties): \(new)"
        case .deleted(let object): "deleted: \(object)"
        }
    }
}

extension SortOrder: CustomStringConvertible {
    /// The direction and the stored names of the properties on the path, as in
    /// `ascending(dog.name)` or `ascending(prices['EUR'])`.
    public var description: String {
        var path = ""
        var isElement = false
        /// Adds a name, unless it is the value column of a list's element or a map's entry.
        func add(_ name: String) {
            if isElement, name == "value" { return }
            path += path.isEmpty ? name : ".\(name)"
        }
        for hop in term.column.hops {
            add(hop.holder?.wrappedValue ?? hop.name)
            path += hop.choice ?? ""
            isElement = hop.choice != nil
        }
        add(term.column.name)
        return "\(term.ascending ? "ascending" : "descending")(\(path))"
    }
}
