internal import RegnumEngine

/// A handle on the objects that a query finds: `current` is its value now, `changes` its stream.
///
///     let general = realm.objects(Message.self).where { $0.room == "general" }
///     print(general.current.count)
///     for try await change in general.changes { … }
///
/// The handle costs nothing and holds no data.
public struct LiveResults<Model: Object>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    public let _plan: _Plan

    init(_ realm: RealmCore, _ entry: ClassEntry, plan: _Plan) {
        self.realm = realm
        self.entry = entry
        self._plan = plan
    }

    /// The objects found in the newest published version. After `close()` the last one.
    ///
    /// - Complexity: O(1): the query is evaluated at first use.
    public var current: FrozenResults<Model> {
        let place = CallPlace(file: #fileID, line: #line)
        return FrozenResults(FrozenTable(realm.snapshot(place), entry), plan: _plan)
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

    /// The changes of the collection, from its state when the iteration starts.
    public var changes: CollectionChanges<Model> { CollectionChanges(self) }
}

extension LiveResults: Queryable {
    public func _with(_ plan: _Plan) -> LiveResults {
        LiveResults(realm, entry, plan: plan)
    }
}
