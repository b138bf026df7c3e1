internal import RegnumEngine
internal import RegnumStore

/// The parameters of a stream.
///
/// A class, because iterators, change sets and suspended tasks share it.
final class StreamRequest: Sendable {
    let realm: RealmCore
    /// The class of the objects; for a list of values or a map, the class of the objects that own
    /// it.
    let entry: ClassEntry
    /// The class of the owner of a list or inverse of objects; for a map of objects, and for values
    /// that are stored as embedded objects, the class of these objects.
    let otherEntry: ClassEntry?
    /// Where the stream's handle was created.
    let place: CallPlace
    let plan: _Plan
    let query: StreamQuery
    /// For each key path of the filter, the position of its first property.
    let firstProperties: [Int]
    let policy: ChangePolicy
    let since: ChangeCursor?
    /// The names reported for the filter's key paths; `nil` for those of their first properties.
    let names: ProjectedNames?
    /// Whether elements need the previous result. Otherwise results are edited in place.
    let keepsOld: Bool

    init(
        realm: RealmCore, entry: ClassEntry, otherEntry: ClassEntry? = nil, place: CallPlace,
        plan: _Plan, query: StreamQuery, firstProperties: [Int], names: ProjectedNames? = nil,
        policy: ChangePolicy,
        since: ChangeCursor?, keepsOld: Bool = false
    ) {
        self.otherEntry = otherEntry
        self.names = names
        self.keepsOld = keepsOld
        self.realm = realm
        self.entry = entry
        self.place = place
        self.plan = plan
        self.query = query
        self.firstProperties = firstProperties
        self.policy = policy
        self.since = since
    }

    /// Returns the class at a version.
    func table(_ root: DatabaseRoot) -> FrozenTable {
        FrozenTable(SnapshotCore(realm: realm, root: root, place: place), entry)
    }

    /// Throws the mismatch, at a version, of a class that the stream reads: that of the objects,
    /// that of the owner of a collection, and those that conditions and sorts lead to. Key paths
    /// are followed by name, so the classes along them are checked only if a newer program has
    /// changed the schema.
    func checkClasses(at root: DatabaseRoot) throws(Realm.Error) {
        let schema = root.schema
        var classes = plan.plan.linkedDependencies
        if schema.version > realm.configuration.schemaVersion,
            case .paths(let paths) = query.filter
        {
            for path in paths { classes.formUnion(path.linkedClasses) }
        }
        let mismatch =
            entry.mapping(in: schema).mismatch ?? otherEntry?.mapping(in: schema).mismatch
            ?? realm.mismatch(of: classes, from: entry.schema, in: schema)
        if let mismatch { throw mismatch }
    }

    /// Returns the names of a mark's properties, in order of declaration, inverses last.
    func propertyNames(_ mark: RowMarks.Mark, _ table: FrozenTable) -> [String] {
        guard case .paths = query.filter else {
            return table.propertyNames(mark.columns.columns, lists: mark.lists)
        }
        if let names { return names.names(mark.paths.map { $0 }) }
        let properties = Set(mark.paths.map { firstProperties[$0] })
        let (stored, inverses) = (
            properties.filter { table.schema.properties[$0].isStored },
            properties.filter { !table.schema.properties[$0].isStored }
        )
        return (stored.sorted() + inverses.sorted()).map { table.schema.properties[$0].name }
    }
}

extension Realm.Error {
    /// The error of a stream with a negative depth; `nil` for other depths.
    static func negativeDepth(_ depth: Int, _ className: String) -> Realm.Error? {
        depth >= 0
            ? nil
            : Realm.Error(
                .invalidInput, "The depth of a stream can't be negative: \(depth).",
                className: className)
    }
}

extension ChangePath {
    /// The classes that have the properties of the path, except the first one.
    fileprivate var linkedClasses: [StoredText] {
        let linked = hops.map { StoredText($0.target) }
        guard case .backlinks(_, let target) = last else { return linked }
        return linked + [target]
    }
}

/// The version and the result that a stream delivered last.
struct StreamPlace: Sendable {
    let table: FrozenTable
    let result: MaintainedResult

    var root: DatabaseRoot { table.snapshot.root }
}

/// One element of a stream, before it is converted to the public types.
enum StreamElement {
    case initial(StreamPlace)
    /// Includes the previous result, if the stream keeps it.
    case update(
        from: FrozenTable, old: MaintainedResult?, to: StreamPlace, ResultChange, origins: [String])
}
