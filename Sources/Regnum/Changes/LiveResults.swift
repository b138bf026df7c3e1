internal import RegnumEngine

/// A live handle to the results of a query: `current` is their current value, and `changes` is a
/// stream of their changes.
///
///     let general = realm.objects(Message.self).where { $0.room == "general" }
///     print(general.current.count)
///     for try await change in general.changes { … }
///
/// Lists and inverses of a live object are also of this type:
///
///     let messages = realm.object(Room.self, forPrimaryKey: "general").messages
///
/// Such a handle is empty while the object doesn't exist. The handle is cheap and holds no data.
public struct LiveResults<Model: ObjectBase>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    /// The call site that created the handle, reported as the place of its snapshots.
    let place: CallPlace
    public let _plan: _Plan
    /// The owner of the list or inverse; `nil` for the objects of a class.
    var owner: CollectionOwner?
    /// The class of the owner.
    var ownerEntry: ClassEntry?

    /// The matching objects in the newest published version. After `close()`, those in the last
    /// version.
    ///
    /// - Complexity: O(1). The query is evaluated when it is first used.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.objects` there.
    public var current: FrozenResults<Model> {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "objects(_:)"), entry)
        guard let owner, let ownerEntry else { return FrozenResults(table, plan: _plan) }
        let owners = FrozenTable(table.snapshot, ownerEntry)
        let plan = owners.plan(_plan.plan, of: owner)
        return FrozenResults(table, plan: _plan.with(plan, problem: owners.mismatch(of: owner)))
    }

    /// The current number of objects. Evaluates the query on each access; use ``current`` to read
    /// several properties of one version. The same applies to `first`, `last` and subscripts.
    public var count: Int { current.count }

    /// Whether there are currently no objects.
    public var isEmpty: Bool { current.isEmpty }

    /// The first of the current objects, or `nil` if there are none.
    public var first: Frozen<Model>? { current.first }

    /// The last of the current objects, or `nil` if there are none.
    public var last: Frozen<Model>? { current.last }

    /// The object that is currently at a position.
    ///
    /// - Precondition: `0 <= position < count` at the time of the call. Use ``current`` to access
    ///   several positions of the same version.
    public subscript(position: Int) -> Frozen<Model> { current[position] }

    /// The objects that are currently in a range of positions. Finds and sorts only as many objects
    /// as needed.
    ///
    /// - Precondition: The range is within `0..<count` at the time of the call.
    public subscript(bounds: Range<Int>) -> Slice<FrozenResults<Model>> { current[bounds] }

    /// Returns a page of the current objects: the first ones or, with the cursor of another page,
    /// those that follow it. See ``FrozenResults/page(after:limit:)``.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(Realm.Error) -> ResultsPage<Frozen<Model>> {
        try read { (current) throws(Realm.Error) in try current.page(after: cursor, limit: limit) }
    }

    /// Returns up to `limit` of the current objects, the most relevant to the full-text searches of
    /// the query first. See ``FrozenResults/mostRelevant(limit:)``.
    public func mostRelevant(
        limit: Int
    ) throws(Realm.Error) -> [SearchHit<Frozen<Model>>] {
        try read { (current) throws(Realm.Error) in try current.mostRelevant(limit: limit) }
    }

    /// Passes the current results to a function that throws. Also throws the errors of finding the
    /// owner, which ``current`` can't throw.
    private func read<Answer>(
        _ body: (FrozenResults<Model>) throws(Realm.Error) -> Answer
    ) throws(Realm.Error) -> Answer {
        try ReadScope.runThrowing { () throws(Realm.Error) in try body(current) }
    }

    /// Returns the current position of the first occurrence of an object, or `nil` if there is
    /// none. See ``FrozenResults/index(of:)``.
    public func index(of object: Frozen<Model>) -> Int? { current.index(of: object) }

    /// Returns whether the current results contain an object. See ``FrozenResults/contains(_:)``.
    public func contains(_ object: Frozen<Model>) -> Bool { current.contains(object) }

    /// Returns the objects that are currently at the given positions, in the order of the
    /// positions.
    ///
    /// - Precondition: All positions are in `0..<count` at the time of the call.
    public func objects(at positions: some Sequence<Int>) -> [Frozen<Model>] {
        current.objects(at: positions)
    }

    /// Returns up to `maxLength` objects from the start of the current results. Finds and sorts
    /// only as many objects as needed.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenResults<Model>> {
        current.prefix(maxLength)
    }
}

extension LiveResults: Queryable {
    public func _with(_ plan: _Plan) -> LiveResults {
        LiveResults(
            realm: realm, entry: entry, place: place, _plan: plan, owner: owner,
            ownerEntry: ownerEntry)
    }
}
