import Foundation
import Regnum

/// The graph's classes in a later version, and the migration to them: packages get numbers as keys,
/// a version becomes an embedded object, "contrib/net" becomes two properties.
enum LaterIndex {
    final class Package: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted(indexed: true) var name: String
        @Persisted var version: PackageVersion?
        @Persisted(indexed: true) var area: String
        @Persisted var section: String
        @Persisted var priority: Priority
        @Persisted var sizeKiB: Int?
        @Persisted var summary: String
        @Persisted var dependencies: List<Dependency>
    }

    /// A version like `1:2.35-1`: the epoch, the upstream version and the Debian revision.
    final class PackageVersion: EmbeddedObject {
        @Persisted var epoch: Int
        @Persisted var upstream: String
        @Persisted var revision: String?

        /// Splits a version into its parts.
        static func parts(_ text: String) -> [String: Any?] {
            var rest = text[...]
            var epoch = 0
            if let colon = rest.firstIndex(of: ":"), let number = Int(rest[..<colon]) {
                epoch = number
                rest = rest[rest.index(after: colon)...]
            }
            var revision: String?
            if let dash = rest.lastIndex(of: "-") {
                revision = String(rest[rest.index(after: dash)...])
                rest = rest[..<dash]
            }
            return ["epoch": epoch, "upstream": String(rest), "revision": revision]
        }
    }

    final class Dependency: EmbeddedObject {
        @Persisted var text: String
        @Persisted var alternatives: List<Package>
    }

    static let types: [ObjectBase.Type] = [
        Package.self, PackageVersion.self, Dependency.self,
    ]

    static let migration: MigrationBlock = { migration, _ in
        try migration.renameProperty(onType: "Package", from: "installedKiB", to: "sizeKiB")
        try migration.enumerateObjects(ofType: "Package") { old, new in
            guard let old, let new, let position = migration.position else { return }
            new["number"] = position + 1
            if let version = old["version"] as? String {
                new["version"] = PackageVersion.parts(version)
            }
            let section = old["section"] as? String ?? ""
            let parts = section.split(separator: "/", maxSplits: 1)
            new["area"] = parts.count == 2 ? String(parts[0]) : "main"
            new["section"] = parts.last.map { String($0) } ?? ""
        }
    }

    static func configuration(_ directory: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: directory)), objectTypes: types)
        configuration.schemaVersion = 1
        configuration.migration = migration
        return configuration
    }
}
