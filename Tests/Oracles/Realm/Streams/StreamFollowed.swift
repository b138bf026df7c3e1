import Regnum
import RegnumSimulation

/// The collection that a stream follows: how it is opened, and the same in plain Swift.
struct StreamFollowed<Row: StreamModel>: Sendable {
    let name: String
    let owner: MirrorOwner?
    /// Whether it has an order of its own that commits edit, like a list.
    let isList: Bool
    let filter: MirrorFilter
    let interest: MirrorInterest
    let entries: @Sendable (MirrorWorld) -> [MirrorEntry]
    /// The values that determine the position of a row.
    let sortValues: @Sendable (MirrorWorld, MirrorRow) -> [MirrorValue]
    let open: @Sendable (Realm, ChangePolicy, ChangeCursor?) throws -> CollectionChanges<Row>

    init<Model>(
        _ source: StreamSource<Model>, _ query: StreamQuery<Model>, _ filter: MirrorFilter,
        name: String,
        open:
            @escaping @Sendable (Realm, ChangePolicy, ChangeCursor?) throws ->
            CollectionChanges<Row>
    ) {
        self.name = name
        self.filter = filter
        self.open = open
        owner = source.owner
        isList = source.isList && query.sorts.isEmpty && query.distinct == nil
        entries = { query.select($0, source.plain($0)) }
        sortValues = { query.sortValues($0, $1) }
        var own = source.own
        if case .table = own, let route = query.route { own = .value(route.property, route.value) }
        interest = MirrorInterest(
            kind: Model.mirrorClass,
            linked: query.classes.union(filter.classes(Model.mirrorClass)),
            own: own, owner: source.owner)
    }
}

extension StreamFollowed where Row: StreamQueried {
    init(_ source: StreamSource<Row>, _ query: StreamQuery<Row>, _ filter: StreamFilter<Row>) {
        self.init(
            source, query, filter.mirror, name: "\(query.name) of \(source.name), \(filter.name)",
            open: { realm, policy, cursor in
                let results = query.live(source.live(realm))
                switch filter {
                case .deep(3) where policy == .coalesce && cursor == nil: return results.changes
                case .deep(let depth):
                    return results.changes(depth: depth, policy: policy, since: cursor)
                case .paths(let paths, isTyped: true):
                    let keyPaths = paths.compactMap { $0.typed?() }
                    return results.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                case .paths(let paths, isTyped: false):
                    let keyPaths = paths.map(\.text)
                    return try results.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                }
            })
    }
}
