internal import RegnumEngine

/// A handle on a list or set of values of the object with a primary key: `current` is its value now,
/// `changes` its stream.
///
///     let tags = realm.object(Person.self, forPrimaryKey: 7).tags
///     for try await change in tags.changes { … }
///
/// It is empty while there is no such object. The handle costs nothing and holds no data.
public struct LiveValues<Element: ScalarValue & Sendable>: Sendable {
    let realm: RealmCore
    /// The class of the object.
    let entry: ClassEntry
    /// Where the handle was made, which is shown as the place of what it holds.
    let place: CallPlace
    let plan: QueryPlan
    let owner: CollectionOwner

    init(
        _ realm: RealmCore, _ entry: ClassEntry, _ place: CallPlace, plan: QueryPlan,
        owner: CollectionOwner
    ) {
        self.realm = realm
        self.entry = entry
        self.place = place
        self.plan = plan
        self.owner = owner
    }

    /// The values in the newest published version. After `close()` the last one.
    public var current: FrozenValues<Element> {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry)
        return FrozenValues(FrozenQuery(table, owner.plan(plan, at: table.snapshot.root)))
    }

    /// The number of values now. Take ``current`` for several questions to the same version.
    public var count: Int { current.count }

    /// Whether there are no values now.
    public var isEmpty: Bool { current.isEmpty }

    /// The changes of the list, from its state when the iteration starts.
    public var changes: ValueChanges<Element> { changes() }

    /// The changes of the list.
    ///
    /// - Parameters:
    ///   - policy: what happens to the commits that come while the consumer is busy.
    ///   - cursor: where to go on from, nil to start with the list as it is.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> ValueChanges<Element> {
        let filter = ChangeFilter.deep(0)
        return ValueChanges(
            StreamRequest(
                realm: realm, entry: entry, place: place, plan: _Plan(plan: plan),
                query: StreamQuery(
                    plan, owner: owner, filter: filter,
                    declaredDependencies: embedded.map { $0.dependencies(filter) } ?? []),
                firstProperties: [], policy: policy, since: cursor, keepsOld: true))
    }

    /// The class of the embedded objects, where each is a value of a type of the program's.
    private var embedded: ClassSchema? {
        entry.schema.properties.lazy.compactMap(\.shape.objectType).map { ClassSchema.of($0) }
            .first { $0.name == plan.tableName }
    }
}
