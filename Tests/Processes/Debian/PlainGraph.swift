import Foundation
import RegnumTestSupport

/// The graph of an index in dictionaries, parsed by code that shares nothing with the program's.
struct PlainGraph {
    /// The dependencies of each package of the index: the text of each entry, its alternatives, and
    /// the conditions on their versions, by names without dots.
    var requirements: [String: [Requirement]] = [:]
    /// Ascending.
    var tags: [String: [String]] = [:]
    var fields: [String: [String: String]] = [:]
    var provided: [String: [String]] = [:]
    /// The packages that depend on a name, in any alternative.
    var askers: [String: Set<String>] = [:]
    /// The packages that provide a name.
    var providers: [String: Set<String>] = [:]
    /// All names that the index mentions.
    var names: Set<String> = []

    struct Requirement {
        let text: String
        let names: [String]
        let versions: [String: String]
    }

    init(_ index: DebianIndex) {
        for line in index.text.utf8.split(separator: 10).dropFirst() {
            let fields = String(Substring(line)).components("\t")
            let name = fields[0]
            names.insert(name)
            requirements[name] = fields[7].components(", ").filter { !$0.isEmpty }.map { entry in
                Requirement(
                    text: entry, names: entry.components(" | ").map(Self.bareName),
                    versions: Self.versions(entry))
            }
            tags[name] = Set([fields[2], fields[3], fields[4]])
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            // Empty fields of a line are omitted.
            self.fields[name] = [
                "Architecture": fields[2], "Size": fields[6], "Recommends": fields[8],
            ]
            .filter { !$0.value.isEmpty }
            provided[name] = fields[9].components(", ").filter { !$0.isEmpty }.map(Self.bareName)
            for other in requirements[name]!.flatMap(\.names) {
                askers[other, default: []].insert(name)
                names.insert(other)
            }
            for other in provided[name]! {
                providers[other, default: []].insert(name)
                names.insert(other)
            }
        }
    }

    /// Returns the names of all packages that depend on a package, directly or indirectly.
    func dependents(of name: String) -> Set<String> {
        var found: Set<String> = []
        var front: Set<String> = [name]
        while !front.isEmpty {
            var next: Set<String> = []
            for package in front {
                next.formUnion(askers[package] ?? [])
                for virtual in provided[package] ?? [] { next.formUnion(askers[virtual] ?? []) }
            }
            front = next.subtracting(found)
            found.formUnion(front)
        }
        return found
    }

    private static func versions(_ entry: String) -> [String: String] {
        var versions: [String: String] = [:]
        for alternative in entry.components(" | ") {
            let parts = alternative.components(" (")
            guard parts.count == 2 else { continue }
            let name = bareName(alternative).components(".").joined(separator: "%2E")
            versions[name] = String(parts[1].dropLast())
        }
        return versions
    }

    /// Returns "libc6 (>= 2.34)" or "python3:any" without what follows the name.
    private static func bareName(_ entry: String) -> String {
        let name = entry.components(" (")[0]
        return name.components(":")[0]
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        components(separatedBy: separator)
    }
}
