internal import RegnumEngine

/// One element of a collection's stream.
public enum CollectionChange<Model: ObjectBase>: Sendable {
    /// The collection when the iteration started: the first element, and there once. A stream that
    /// goes on from a cursor has none.
    case initial(FrozenResults<Model>)
    /// The collection now, and how it came from the one before. Never empty.
    case update(FrozenResults<Model>, ChangeSet<Model>)
}

extension CollectionChange {
    /// The collection now.
    public var collection: FrozenResults<Model> {
        switch self {
        case .initial(let collection), .update(let collection, _): collection
        }
    }

    /// Where to go on from after this element.
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
/// Each iteration starts at the version published when it begins and holds its own place. It
/// *pulls*: a consumer that takes its time gets the changes of all commits meanwhile as one exact
/// change set, unless its ``ChangePolicy`` says otherwise; no writer waits. Commits that change
/// nothing in the collection, taken together, are not delivered. Streams of the same query share
/// its result; a commit costs what it changed, not what the collection holds.
///
/// The sequence ends normally when the task is cancelled or the realm is closed. At the first element
/// it throws `.schemaMismatch` or `.invalidInput` if the class does not fit what is stored,
/// `.invalidQuery` if an operand is of another realm, `.closed` if the realm is closed, and for a
/// cursor `.historyTrimmed` or `.invalidInput` (another realm, or a version that the realm does not
/// have).
/// Later it throws what keeps this process from reading the realm, and `.historyTrimmed` where
/// ``ChangePolicy/everyCommit`` cannot be kept. `Docs/OBSERVATION.md` has all of it.
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

    /// Holds the version and the result that were delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let request: StreamRequest
        private let stream: CollectionStream

        fileprivate init(_ request: StreamRequest) {
            self.request = request
            stream = CollectionStream(request)
        }

        /// The next change, waited for; nil at the end.
        public mutating func next() async throws(Realm.Error) -> CollectionChange<Model>? {
            try await next(isolation: #isolation)
        }

        /// As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CollectionChange<Model>? {
            guard let element = try await stream.next(isolation: actor) else { return nil }
            return change(element)
        }

        // apart: what it needs on the way is not kept by the tasks that wait
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
    /// The changes of the collection, from its state when the iteration starts: `changes(depth: 3)`.
    public var changes: CollectionChanges<Model> { changes() }

    /// The changes of the collection.
    ///
    /// - Parameters:
    ///   - depth: through how many links, lists of objects and embedded objects the change of another
    ///     object makes one of the collection count as modified. 0: its own properties and lists
    ///     only. Inverses are not followed.
    ///   - policy: what happens to the commits that come while the consumer is busy.
    ///   - cursor: where to go on from, nil to start with the collection as it is. Streams from a
    ///     cursor have no `.initial`; their first element tells what changed since.
    /// - Precondition: `depth >= 0`.
    public func changes(
        depth: Int = 3, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> CollectionChanges<Model> {
        precondition(depth >= 0, "A stream follows links to a depth of zero or more.")
        return CollectionChanges(
            request(entry.schema.filter(of: Model.self, depth: depth), policy, cursor))
    }

    /// The changes of the collection, where an object counts as modified only if one of these
    /// properties was: `[\.text, \.author?.name]`. A path through links, lists and inverses is hit by
    /// a change of any property on the way; one that ends at a link or list by that alone, not by
    /// what the objects there have. Insertions and deletions are told anyhow. Without key paths it is
    /// `changes(depth: 3)`.
    ///
    /// - Precondition: the key paths name stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil
    ) -> CollectionChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return CollectionChanges(request(entry.schema.filter(keyPaths), policy, cursor))
    }

    /// As `changes(keyPaths:policy:since:)`, with the names of properties: `["text", "author.name"]`.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a stored property; it names the
    ///   property and the class reached.
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
        _ cursor: ChangeCursor?
    ) -> StreamRequest {
        StreamRequest(
            realm: realm, entry: entry, place: place, plan: _plan,
            query: StreamQuery(
                _plan.plan, owner: owner, filter: paths.filter.filter,
                declaredDependencies: entry.schema.dependencies(paths.filter.filter)),
            firstProperties: paths.filter.firstProperties, names: paths.names, policy: policy,
            since: cursor)
    }
}
