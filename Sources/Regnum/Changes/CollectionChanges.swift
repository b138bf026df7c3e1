internal import RegnumEngine

/// One element of a collection's stream.
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

/// The changes of a collection, as they are committed by any process.
///
///     for try await change in realm.objects(Message.self).sorted(by: \.sentAt).changes {
///         switch change {
///         case .initial(let messages): show(messages)
///         case .update(let messages, let delta): update(messages, delta)
///         }
///     }
///
/// Each iteration starts at the version that is published when it begins, and has its own position.
/// It *pulls*: a slow consumer gets the changes of all commits in between as one exact change set,
/// unless its ``ChangePolicy`` says otherwise, and no writer waits for it. If the merged commits
/// have no net effect on the collection, nothing is delivered. Streams of the same query share its
/// result; the cost of a commit depends on what it changed, not on the size of the collection.
///
/// The sequence ends normally when the task is cancelled or the realm is closed. The first element
/// throws `.schemaMismatch` or `.invalidInput` if a class that the stream reads doesn't match the
/// stored schema, `.invalidQuery` if an operand belongs to another realm, `.closed` if the realm is
/// closed and, for a cursor, `.historyTrimmed` or `.invalidInput` (a cursor of another realm, or of
/// a version that the realm doesn't have). Later elements throw errors that keep this process from
/// reading the realm, `.schemaMismatch` once a newer program has changed what the stream reads, and
/// `.historyTrimmed` if ``ChangePolicy/everyCommit`` can't be fulfilled. See `Docs/OBSERVATION.md`
/// for details.
public struct CollectionChanges<Model: ObjectBase>: AsyncSequence, Sendable {
    public typealias Element = CollectionChange<Model>
    public typealias Failure = Realm.Error

    private let request: StreamRequest

    init(_ request: StreamRequest) {
        self.request = request
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(request)
    }

    /// An iterator that holds the version and the result that were delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let request: StreamRequest
        private let stream: CollectionStream

        fileprivate init(_ request: StreamRequest) {
            self.request = request
            stream = CollectionStream(request)
        }

        /// Waits for the next change. Returns `nil` at the end.
        public mutating func next() async throws(Realm.Error) -> CollectionChange<Model>? {
            try await next(isolation: #isolation)
        }

        /// Like ``next()``, with an explicit isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CollectionChange<Model>? {
            guard let element = try await stream.next(isolation: actor) else { return nil }
            return change(element)
        }

        // not inlined, so that its locals aren't part of the frames of suspended tasks
        @inline(never)
        private func change(_ element: StreamElement) -> CollectionChange<Model> {
            switch element {
            case .initial(let place): return .initial(results(place))
            case .update(let old, _, let new, let change, let origins):
                let changeSet = ChangeSet<Model>(
                    change, request, from: old, to: new.table, origins: origins)
                return .update(results(new), changeSet)
            }
        }

        private func results(_ place: StreamPlace) -> FrozenResults<Model> {
            let plan = _Plan(plan: place.result.plan, problem: request.plan.problem)
            return FrozenResults(place.table, plan: plan, tree: place.result.tree)
        }
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
    ///
    /// The stream throws `.invalidInput` if `depth` is negative.
    public func changes(
        depth: Int = 3, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> CollectionChanges<Model> {
        CollectionChanges(
            request(
                entry.schema.filter(of: Model.self, depth: Swift.max(depth, 0)), policy, cursor,
                problem: .negativeDepth(depth, entry.schema.name)))
    }

    /// Returns the changes of the collection, where an object counts as modified only if one of
    /// these properties changed: `[\.text, \.author?.name]`. A path through links, lists and
    /// inverses matches a change of any property along the path. A path that ends at a link or list
    /// matches only changes of the link or list itself, not of the objects in it. Insertions and
    /// deletions are always reported. An empty array is equivalent to `changes(depth: 3)`.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil
    ) -> CollectionChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return CollectionChanges(request(entry.schema.filter(keyPaths), policy, cursor))
    }

    /// Like `changes(keyPaths:policy:since:)`, with the names of properties: `["text",
    /// "author.name"]`.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property; the error names
    ///   the property and the class reached.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) throws(Realm.Error) -> CollectionChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return CollectionChanges(
            request(try entry.schema.filter(of: Model.self, keyPaths), policy, cursor))
    }

    private func request(
        _ paths: (filter: KeyPathFilter, names: ProjectedNames?), _ policy: ChangePolicy,
        _ cursor: ChangeCursor?, problem: Realm.Error? = nil
    ) -> StreamRequest {
        StreamRequest(
            realm: realm, entry: entry, ownerEntry: ownerEntry, place: place,
            plan: _Plan(plan: _plan.plan, problem: _plan.problem ?? problem),
            query: StreamQuery(
                _plan.plan, owner: owner, filter: paths.filter.filter,
                declaredDependencies: entry.schema.dependencies(paths.filter.filter)),
            firstProperties: paths.filter.firstProperties, names: paths.names, policy: policy,
            since: cursor)
    }
}
