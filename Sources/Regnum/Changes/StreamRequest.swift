internal import RegnumEngine
internal import RegnumStore

/// What a stream is asked for.
///
/// An object, for it is part of what iterators, change sets and suspended tasks hold.
final class StreamRequest: Sendable {
    let realm: RealmCore
    /// The class of the objects; of a list of values, of the objects that have it.
    let entry: ClassEntry
    /// Where the handle was made that was asked for the stream.
    let place: CallPlace
    let plan: _Plan
    let query: StreamQuery
    /// By position of a path of the filter, the property that it begins with.
    let firstProperties: [Int]
    let policy: ChangePolicy
    let since: ChangeCursor?
    /// How the paths of the filter are told; nil by the properties that they begin with.
    let names: ProjectedNames?
    /// Whether elements need the result before them: else it is edited in place.
    let keepsOld: Bool

    init(
        realm: RealmCore, entry: ClassEntry, place: CallPlace, plan: _Plan,
        query: StreamQuery, firstProperties: [Int], names: ProjectedNames? = nil,
        policy: ChangePolicy,
        since: ChangeCursor?, keepsOld: Bool = false
    ) {
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

    /// The class at a version.
    func table(_ root: DatabaseRoot) -> FrozenTable {
        FrozenTable(SnapshotCore(realm: realm, root: root, place: place), entry)
    }

    /// What the stream waits for.
    func interest(at root: DatabaseRoot) -> Interest {
        query.interest(at: root, isSteady: policy == .everyCommit)
    }

    /// The names of the properties of a mark, in order of declaration, inverses last.
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

/// Where a stream stands: what it delivered last.
struct StreamPlace: Sendable {
    let table: FrozenTable
    let result: MaintainedResult

    var root: DatabaseRoot { table.snapshot.root }
}

/// One step of a stream, before it has the types of its elements.
enum StreamElement {
    case initial(StreamPlace)
    /// With the result before it, if the stream keeps that.
    case update(
        from: FrozenTable, old: MaintainedResult?, to: StreamPlace, ResultChange, origins: [String])
}
