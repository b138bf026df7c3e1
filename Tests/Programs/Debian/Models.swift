import Regnum

/// A package's importance to the system.
enum Priority: String, PersistableEnum {
    case optional, required, important, standard, extra
}

/// A package in the index, or a name that only other packages mention: a virtual package if some
/// package provides it, otherwise a missing one.
final class Package: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var version: String?
    @Persisted(indexed: true) var section: String
    @Persisted var priority: Priority
    @Persisted var installedKiB: Int?
    @Persisted var summary: String
    /// Tags for its architecture, section and priority.
    @Persisted var tags: MutableSet<String>
    /// The remaining fields of its index entry, keyed by name.
    @Persisted var fields: Map<String, String>
    @Persisted var dependencies: List<Dependency>
    @Persisted var provides: MutableSet<Package>
    @Persisted(originProperty: "provides") var providers: LinkingObjects<Package>
    @Persisted(originProperty: "alternatives") var requirements: LinkingObjects<Dependency>

    var isReal: Bool { version != nil }
}

/// A dependency of a package, satisfied by any one of its alternatives.
final class Dependency: EmbeddedObject {
    @Persisted var text: String
    @Persisted var alternatives: List<Package>
    /// The accepted versions, such as ">= 2.35", keyed by package name. Keys can't contain
    /// dots, which are written as `%2E`.
    @Persisted var versions: Map<String, String>
    @Persisted(originProperty: "dependencies") var owner: LinkingObjects<Package>
}
