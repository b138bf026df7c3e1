internal import RegnumEngine

/// A handle on the objects that a query finds: `current` is its value now, `changes` its stream.
///
///     let general = realm.objects(Message.self).where { $0.room == "general" }
///     print(general.current.count)
///     for try await change in general.changes { … }
///
/// Lists and inverses of a live object are handles of this kind too:
///
///     let messages = realm.object(Room.self, forPrimaryKey: "general").messages
///
/// They are empty while there is no such object. The handle costs nothing and holds no data.
public struct LiveResults<Model: ObjectBase>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    /// Where the handle was made, which is shown as the place of what it holds.
    let place: CallPlace
    public let _plan: _Plan
    /// Whose list or inverse it is, nil for the objects of a class.
    let owner: CollectionOwner?

    init(
        _ realm: RealmCore, _ entry: ClassEntry, _ place: CallPlace, plan: _Plan,
        owner: CollectionOwner? = nil
    ) {
        self.realm = realm
        self.entry = entry
        self.place = place
        self._plan = plan
        self.owner = owner
    }

    /// The objects found in the newest published version. After `close()` the last one.
    ///
    /// - Complexity: O(1): the query is evaluated at first use.
    ///
    /// In the body of a write to the realm, which sees what it has changed, this fails the
    /// transaction with `.invalidInput`: ask `tx.objects`.
    public var current: FrozenResults<Model> {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "objects(_:)"), entry)
        guard let owner else { return FrozenResults(table, plan: _plan) }
        let plan = owner.plan(_plan.plan, at: table.snapshot.root)
        return FrozenResults(table, plan: _Plan(plan: plan, problem: _plan.problem))
    }

    /// The number of objects now. Evaluates the query each time: take ``current`` for several
    /// questions to the same version. The same goes for `first`, `last` and subscripts.
    public var count: Int { current.count }

    /// Whether there are no objects now.
    public var isEmpty: Bool { current.isEmpty }

    /// The first object now, nil if there is none.
    public var first: Frozen<Model>? { current.first }

    /// The last object now, nil if there is none.
    public var last: Frozen<Model>? { current.last }

    /// The object at a position now.
    ///
    /// - Precondition: `0 <= position < count`, at the moment of the call: take ``current`` to use
    ///   several positions of the same version.
    public subscript(position: Int) -> Frozen<Model> { current[position] }

    /// The objects at a range of positions now. Finds and sorts those before its end, not the others.
    ///
    /// - Precondition: the range lies within `0..<count`, at the moment of the call.
    public subscript(bounds: Range<Int>) -> Slice<FrozenResults<Model>> { current[bounds] }

    /// The first position of an object now, nil if it is not there: see
    /// ``FrozenResults/index(of:)``.
    public func index(of object: Frozen<Model>) -> Int? { current.index(of: object) }

    /// Whether an object is among these now: see ``FrozenResults/contains(_:)``.
    public func contains(_ object: Frozen<Model>) -> Bool { current.contains(object) }

    /// The objects at some positions now, in the order of those.
    ///
    /// - Precondition: each is within `0..<count`, at the moment of the call.
    public func objects(at positions: some Sequence<Int>) -> [Frozen<Model>] {
        current.objects(at: positions)
    }

    /// The first objects now. Finds and sorts no more than those.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenResults<Model>> {
        current.prefix(maxLength)
    }
}

extension LiveResults: Queryable {
    public func _with(_ plan: _Plan) -> LiveResults {
        LiveResults(realm, entry, place, plan: plan, owner: owner)
    }
}

extension LiveResults: CustomStringConvertible {
    /// The class, the number of objects now, and the first hundred of them.
    public var description: String { "Live\(current.description.dropFirst(6))" }
}
