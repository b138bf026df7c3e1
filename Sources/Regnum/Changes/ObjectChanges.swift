internal import RegnumEngine

/// An element of an object's change stream.
public enum ObjectChange<Model: ObjectBase>: Sendable {
    /// The object when the iteration started, or `nil` if it didn't exist. Delivered exactly once,
    /// as the first element, except by streams that resume from a cursor.
    case initial(Frozen<Model>?)
    /// An object with the primary key was added.
    case inserted(Frozen<Model>)
    /// The named properties of the object were set, its lists changed, or something else changed
    /// that the stream was asked to follow.
    case changed(old: Frozen<Model>, new: Frozen<Model>, properties: [String])
    /// The object was deleted. The value is the object in the last version that the stream examined
    /// before the deletion, which may be later than that of the previous element.
    case deleted(Frozen<Model>)
}

/// The changes of the object with a primary key.
///
/// The stream follows the key: after `.deleted` it keeps waiting for an object with the key to be
/// added. An object that was deleted and added again between two elements is reported as both, in
/// that order. See ``Changes`` for how streams start, merge and end.
public typealias ObjectChanges<Model: ObjectBase> = Changes<ObjectChange<Model>>

extension StreamRequest {
    /// The changes of an object.
    fileprivate func objectChanges<Model>() -> ObjectChanges<Model> {
        Changes(request: self) { element in
            switch element {
            case .initial(let place):
                (.initial(place.result.tree.first.map { Frozen(place.table, row: $0) }), nil)
            case .update(let old, _, let new, let change, _):
                self.objectChange(change, old, new.table)
            }
        }
    }

    private func objectChange<Model>(
        _ change: ResultChange, _ old: FrozenTable, _ new: FrozenTable
    ) -> (ObjectChange<Model>, (() -> ObjectChange<Model>)?) {
        let inserted = change.insertedKeys.first.map { Frozen<Model>(new, row: $0) }
        if let key = change.deletedKeys.first {
            return (
                .deleted(Frozen(old, row: key)), inserted.map { object in { .inserted(object) } }
            )
        }
        if let inserted { return (.inserted(inserted), nil) }
        guard let row = change.modified.first else {
            preconditionFailure("A delivered change can't be empty.")
        }
        let changed = ObjectChange<Model>.changed(
            old: Frozen(old, row: row.key), new: Frozen(new, row: row.key),
            properties: propertyNames(row.mark, new))
        return (changed, nil)
    }
}

extension Live {
    /// The changes of the object's own properties and lists, starting with its state when the
    /// iteration begins.
    public var changes: ObjectChanges<Model> { changes() }

    /// Returns the changes of the object.
    ///
    /// - Parameters:
    ///   - depth: The number of links, lists of objects and embedded objects through which a change
    ///     of another object counts as a change of this one. Inverses aren't followed.
    ///   - policy: The handling of commits that arrive while the consumer is busy.
    ///   - cursor: The position to resume from; `nil` starts with the current object.
    ///
    /// The stream throws `.invalidInput` if `depth` is negative.
    public func changes(
        depth: Int = 0, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> ObjectChanges<Model> {
        request(
            entry.schema.filter(of: Model.self, depth: Swift.max(depth, 0)), policy, cursor,
            problem: .negativeDepth(depth, entry.schema.name)
        ).objectChanges()
    }

    /// Returns the changes of the given properties of the object; see
    /// ``LiveResults/changes(keyPaths:policy:since:)``. An empty array is equivalent to
    /// `changes(depth: 0)`.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil
    ) -> ObjectChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return request(entry.schema.filter(keyPaths), policy, cursor).objectChanges()
    }

    /// Returns the changes of properties given as strings: `["name", "dog.name"]`. Otherwise
    /// behaves like `changes(keyPaths:policy:since:)` with key paths.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property; the error names
    ///   the property and the class reached.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) throws(Realm.Error) -> ObjectChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return request(try entry.schema.filter(of: Model.self, keyPaths), policy, cursor)
            .objectChanges()
    }

    private func request(
        _ filter: KeyPathFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        problem: Realm.Error? = nil
    ) -> StreamRequest {
        let plan = QueryPlan(
            tableName: entry.schema.name,
            predicate: .compare(keyProperty.reference, .equal, key))
        return StreamRequest(
            realm: realm, entry: entry, place: place,
            plan: _Plan(plan: plan, problem: problem), filter: filter, policy: policy,
            since: cursor)
    }
}
