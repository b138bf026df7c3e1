import Regnum

/// How much a system needs a package.
enum Priority: String, PersistableEnum {
    case optional, required, important, standard, extra
}

/// A package of the index; or a name that only other packages mention, which is a virtual package
/// where somebody provides it, and a missing one else.
final class Package: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var version: String?
    @Persisted(indexed: true) var section: String
    @Persisted var priority: Priority
    @Persisted var installedKiB: Int?
    @Persisted var summary: String
    /// What it is, in words: its architecture, section and priority.
    @Persisted var tags: MutableSet<String>
    /// The other fields of the index, by their names.
    @Persisted var fields: Map<String, String>
    @Persisted var dependencies: List<Dependency>
    @Persisted var provides: MutableSet<Package>
    @Persisted(originProperty: "provides") var providers: LinkingObjects<Package>
    @Persisted(originProperty: "alternatives") var requirements: LinkingObjects<Dependency>

    var isReal: Bool { version != nil }
}

/// What a package asks for: any one of the alternatives will do.
final class Dependency: EmbeddedObject {
    @Persisted var text: String
    @Persisted var alternatives: List<Package>
    /// Which versions will do, ">= 2.35", by the names of alternatives; keys have no dots, so that
    /// they are written as `%2E`.
    @Persisted var versions: Map<String, String>
    @Persisted(originProperty: "dependencies") var owner: LinkingObjects<Package>
}
