internal import RegnumEngine

/// An element of an object's change stream.
public enum ObjectChange<Model: ObjectBase>: Sendable {
    /// The object when the iteration started, or `nil` if it didn't exist. Delivered exactly once,
    /// as the first element, except by streams that resume from a cursor.
    case initial(Frozen<Model>?)
    /// An object with the primary key was added.
    case inserted(Frozen<Model>)
    /// The named properties of the object were set, its lists changed, or something else that the
    /// stream follows changed.
    case changed(old: Frozen<Model>, new: Frozen<Model>, properties: [String])
    /// The object was deleted. The value is the object in the last version that the stream examined
    /// before the deletion, which may be later than that of the previous element.
    case deleted(Frozen<Model>)
}

/// The changes of an object.
///
/// The stream of a primary key follows the key: after `.deleted` it keeps waiting for an object
/// with the key to be added. An object that was deleted and added again between two elements is
/// reported as both, in that order. See ``Changes`` for how streams start, merge and end.
public typealias ObjectChanges<Model: ObjectBase> = Changes<ObjectChange<Model>>

extension StreamRequest {
    /// The changes of an object.
    fileprivate func objectChanges<Model>() -> ObjectChanges<Model> {
        Changes(request: self) { element in
            switch element {
            case .initial(let place):
                (.initial(place.result.tree.first.map { Frozen(place.table, row: $0) }), nil)
            case .update(let old, _, let new, let change, _, _):
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
    ///   - origins: The labels of the commits to skip; see
    ///     ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    ///
    /// The stream throws `.invalidInput` if `depth` is negative.
    public func changes(
        depth: Int = 0, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> ObjectChanges<Model> {
        request(
            entry.schema.filter(of: Model.self, depth: Swift.max(depth, 0)), policy, cursor,
            origins,
            problem: .negativeDepth(depth, entry.schema.name)
        ).objectChanges()
    }

    /// Returns the changes of the given properties of the object. Paths match changes as in
    /// ``LiveResults/changes(keyPaths:policy:since:excludingOrigins:)``. An empty array is
    /// equivalent to `changes(depth: 0)`.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> ObjectChanges<Model> {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        return request(entry.schema.filter(keyPaths), policy, cursor, origins).objectChanges()
    }

    /// Returns the changes of properties given as strings: `["name", "dog.name"]`. Otherwise
    /// behaves like the function with key paths.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property; the error names
    ///   the property and the class reached.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) throws(Realm.Error) -> ObjectChanges<Model> {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        return request(try entry.schema.filter(of: Model.self, keyPaths), policy, cursor, origins)
            .objectChanges()
    }

    private func request(
        _ filter: KeyPathFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>,
        problem: Realm.Error? = nil
    ) -> StreamRequest {
        var plan = QueryPlan(tableName: entry.schema.name)
        var owner: CollectionOwner?
        switch identity {
        case .key(let key): plan.predicate = .compare(keyProperty.reference, .equal, key)
        case .owner(let known): owner = known
        }
        return StreamRequest(
            realm: realm, entry: entry, place: place, plan: _Plan(plan: plan, problem: problem),
            owner: owner, filter: filter, policy: policy, since: cursor, excluded: origins)
    }
}
