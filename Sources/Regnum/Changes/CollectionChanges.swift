internal import RegnumEngine

/// An element of a collection's change stream.
public enum CollectionChange<Model: ObjectBase>: Sendable {
    /// The collection when the iteration started. Delivered exactly once, as the first element,
    /// except by streams that resume from a cursor.
    case initial(FrozenResults<Model>)
    /// The current collection and its changes since the previous element. Never empty.
    case update(FrozenResults<Model>, ChangeSet<Model>)
}

extension CollectionChange {
    /// The current collection.
    public var collection: FrozenResults<Model> {
        switch self {
        case .initial(let collection), .update(let collection, _): collection
        }
    }

    /// The cursor for resuming after this element.
    public var cursor: ChangeCursor { collection.cursor }
}

/// The changes of a collection of objects. See ``Changes`` for how streams start, merge and end.
public typealias CollectionChanges<Model: ObjectBase> = Changes<CollectionChange<Model>>

extension StreamRequest {
    /// The changes of a collection of objects.
    fileprivate func collectionChanges<Model>() -> CollectionChanges<Model> {
        Changes(request: self) { element in
            switch element {
            case .initial(let place): (.initial(self.results(place)), nil)
            case .update(let old, _, let new, let change, let origins, let trace):
                (
                    .update(
                        self.results(new),
                        ChangeSet(
                            origins: origins, trace: trace, change: change, request: self,
                            oldTable: old, newTable: new.table)), nil
                )
            }
        }
    }

    private func results<Model>(_ place: StreamPlace) -> FrozenResults<Model> {
        FrozenResults(
            place.table, plan: plan.with(place.result.plan), tree: place.result.tree)
    }
}

extension LiveResults {
    /// The changes of the collection, starting with its state when the iteration begins. Equivalent
    /// to `changes(depth: 3)`.
    public var changes: CollectionChanges<Model> { changes() }

    /// Returns the changes of the collection.
    ///
    /// - Parameters:
    ///   - depth: The number of links, lists of objects and embedded objects through which a change
    ///     of another object counts as a modification of an object of the collection. 0 means only
    ///     its own properties and lists. Inverses aren't followed.
    ///   - policy: The handling of commits that arrive while the consumer is busy.
    ///   - cursor: The position to resume from; `nil` starts with the current collection. Streams
    ///     that resume from a cursor have no `.initial`; their first element reports the changes
    ///     since the cursor.
    ///   - origins: The `origin:` labels of the commits to skip, such as the consumer's own. Their
    ///     changes appear in no element: the next element is relative to a collection that already
    ///     includes them, so changes that other commits make before and after them are delivered in
    ///     separate elements.
    ///
    /// The stream throws `.invalidInput` if `depth` is negative.
    public func changes(
        depth: Int = 3, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> CollectionChanges<Model> {
        request(
            entry.schema.filter(of: Model.self, depth: Swift.max(depth, 0)), policy, cursor,
            origins,
            problem: .negativeDepth(depth, entry.schema.name)
        ).collectionChanges()
    }

    /// Returns the changes of the collection, counting an object as modified only if one of the
    /// given properties changed: `[\.text, \.author?.name]`. A path through links, lists and
    /// inverses matches a change of any property along the path. A path that ends at a link or list
    /// matches only changes of the link or list itself, not of the objects in it. Insertions and
    /// deletions are always reported. An empty array is equivalent to `changes(depth: 3)`.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> CollectionChanges<Model> {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        return request(entry.schema.filter(keyPaths), policy, cursor, origins).collectionChanges()
    }

    /// Returns the changes of the collection for key paths given as strings:
    /// `["text", "author.name"]`. Otherwise behaves like the function with key
    /// paths.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property; the error names
    ///   the property and the class reached.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) throws(Realm.Error) -> CollectionChanges<Model> {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        return request(try entry.schema.filter(of: Model.self, keyPaths), policy, cursor, origins)
            .collectionChanges()
    }

    /// Returns the changes of the collection for the property of a projected collection.
    func changes(
        projecting keyPath: PartialKeyPath<Model>, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>
    ) -> CollectionChanges<Model> {
        request(entry.schema.filter(projecting: keyPath), policy, cursor, origins)
            .collectionChanges()
    }

    private func request(
        _ filter: KeyPathFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>,
        problem: Realm.Error? = nil
    ) -> StreamRequest {
        StreamRequest(
            realm: realm, entry: entry, otherEntry: ownerEntry, place: place,
            plan: _plan.with(_plan.plan, problem: problem),
            owner: owner, filter: filter, policy: policy, since: cursor, excluded: origins)
    }
}
