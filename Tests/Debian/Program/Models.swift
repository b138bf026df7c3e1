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
    @Persisted var dependencies: List<Dependency>
    @Persisted var provides: List<Package>
    @Persisted(originProperty: "provides") var providers: LinkingObjects<Package>
    @Persisted(originProperty: "alternatives") var requirements: LinkingObjects<Dependency>

    var isReal: Bool { version != nil }
}

/// What a package asks for: any one of the alternatives will do.
final class Dependency: EmbeddedObject {
    @Persisted var text: String
    @Persisted var alternatives: List<Package>
    @Persisted(originProperty: "dependencies") var owner: LinkingObjects<Package>
}
