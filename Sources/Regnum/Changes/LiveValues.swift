internal import RegnumEngine

/// A live handle to a list or set of values of an object: `current` is its current value, and
/// `changes` is a stream of its changes.
///
///     let tags = realm.object(Person.self, forPrimaryKey: 7).tags
///     for try await change in tags.changes { … }
///
/// The collection is empty while the object doesn't exist. The handle is cheap and holds no data.
public struct LiveValues<Element: ScalarValue & Sendable>: Sendable {
    let realm: RealmCore
    /// The class of the object.
    let entry: ClassEntry
    /// The call site that created the handle, reported as the place of its snapshots.
    let place: CallPlace
    let plan: QueryPlan
    let owner: CollectionOwner

    /// The values in the newest published version. After `close()`, those in the last version.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.object(_:forPrimaryKey:)` there.
    public var current: FrozenValues<Element> {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry)
        return FrozenValues(
            FrozenQuery(
                table, table.plan(plan, of: owner), problem: table.mismatch(of: owner)))
    }

    /// The current number of values. Use ``current`` to read several properties of one version.
    public var count: Int { current.count }

    /// Whether there are currently no values.
    public var isEmpty: Bool { current.isEmpty }

    /// The changes of the collection, starting with its state when the iteration begins.
    public var changes: ValueChanges<Element> { changes() }

    /// Returns the changes of the collection.
    ///
    /// - Parameters:
    ///   - policy: The handling of commits that arrive while the consumer is busy.
    ///   - cursor: The position to resume from; `nil` starts with the current collection.
    ///   - origins: The labels of the commits to skip; see
    ///     ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> ValueChanges<Element> {
        let filter = embedded.map { ChangeFilter.values(of: $0) } ?? .deep(0)
        return StreamRequest(
            realm: realm, entry: entry,
            otherEntry: embedded.map { realm.entry(for: $0.type) }, place: place,
            plan: _Plan(plan: plan), owner: owner, filter: KeyPathFilter(filter: filter),
            dependencies: embedded.map { $0.dependencies(filter) } ?? [], policy: policy,
            since: cursor, excluded: origins, keepsOld: true
        ).valueChanges()
    }

    /// The embedded class, if the values are of a projected type that is stored as embedded
    /// objects.
    private var embedded: ClassSchema? {
        entry.schema.properties.lazy.compactMap(\.shape.objectType).map { ClassSchema.of($0) }
            .first { equalUTF8($0.name, plan.tableName) }
    }
}
