internal import RegnumEngine

/// One element of an object's stream.
public enum ObjectChange<Model: ObjectBase>: Sendable {
    /// The object when the iteration started, nil if there was none: the first element, and there
    /// once. A stream that goes on from a cursor has none.
    case initial(Frozen<Model>?)
    /// An object with the key was added.
    case inserted(Frozen<Model>)
    /// Properties of the object were set, or its lists changed, or what else the stream was asked for:
    /// those named.
    case changed(old: Frozen<Model>, new: Frozen<Model>, properties: [String])
    /// The object was deleted: this is how it was in the element before.
    case deleted(Frozen<Model>)
}

/// What happens to the object with a primary key.
///
/// The stream follows the key: after `.deleted` it goes on waiting for an object with the key to
/// be added. An object that was deleted and added again between two elements is both, in that
/// order. For the rest ``CollectionChanges`` says how streams start, merge and end.
public struct ObjectChanges<Model: ObjectBase>: AsyncSequence, Sendable {
    public typealias Element = ObjectChange<Model>
    public typealias Failure = Realm.Error

    private let request: StreamRequest

    init(_ request: StreamRequest) {
        self.request = request
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(request)
    }

    /// Holds the version that was delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let request: StreamRequest
        private let stream: CollectionStream
        /// What is known and not delivered yet: the second half of a replacement.
        private var pending: ObjectChange<Model>?

        fileprivate init(_ request: StreamRequest) {
            self.request = request
            stream = CollectionStream(request)
        }

        /// The next change, waited for; nil at the end.
        public mutating func next() async throws(Realm.Error) -> ObjectChange<Model>? {
            try await next(isolation: #isolation)
        }

        /// As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> ObjectChange<Model>? {
            if let pending {
                self.pending = nil
                return pending
            }
            guard let element = try await stream.next(isolation: actor) else { return nil }
            return change(element)
        }

        // apart: what it needs on the way is not kept by the tasks that wait
        @inline(never)
        private mutating func change(_ element: StreamElement) -> ObjectChange<Model> {
            switch element {
            case .initial(let place):
                .initial(place.result.tree.first.map { Frozen(place.table, row: $0) })
            case .update(let old, _, let new, let change, _):
                self.element(change, old, new.table)
            }
        }

        private mutating func element(
            _ change: ResultChange, _ old: FrozenTable, _ new: FrozenTable
        ) -> ObjectChange<Model> {
            let inserted = change.insertedKeys.first.map { Frozen<Model>(new, row: $0) }
            if let key = change.deletedKeys.first {
                pending = inserted.map { .inserted($0) }
                return .deleted(Frozen(old, row: key))
            }
            if let inserted { return .inserted(inserted) }
            guard let row = change.modified.first else {
                preconditionFailure("A change that is delivered changes something.")
            }
            return .changed(
                old: Frozen(old, row: row.key), new: Frozen(new, row: row.key),
                properties: request.propertyNames(row.mark, new))
        }
    }
}

extension Live {
    /// What happens to the object, from its state when the iteration starts: changes of its own
    /// properties and lists.
    public var changes: ObjectChanges<Model> { changes() }

    /// What happens to the object.
    ///
    /// - Parameters:
    ///   - depth: through how many links, lists of objects and embedded objects the change of another
    ///     object counts as one of this. Inverses are not followed.
    ///   - policy: what happens to the commits that come while the consumer is busy.
    ///   - cursor: where to go on from, nil to start with the object as it is.
    /// - Precondition: `depth >= 0`.
    public func changes(
        depth: Int = 0, policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> ObjectChanges<Model> {
        precondition(depth >= 0, "A stream follows links to a depth of zero or more.")
        return ObjectChanges(
            request(entry.schema.filter(of: Model.self, depth: depth), policy, cursor))
    }

    /// What happens to these properties of the object: see
    /// ``LiveResults/changes(keyPaths:policy:since:)``. Without key paths it is `changes(depth: 0)`.
    ///
    /// - Precondition: the key paths name stored properties.
    public func changes(
        keyPaths: [PartialKeyPath<Model>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil
    ) -> ObjectChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return ObjectChanges(request(entry.schema.filter(keyPaths), policy, cursor))
    }

    /// As `changes(keyPaths:policy:since:)`, with the names of properties: `["name", "dog.name"]`.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a stored property; it names the
    ///   property and the class reached.
    @_disfavoredOverload
    public func changes(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) throws(Realm.Error) -> ObjectChanges<Model> {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        return ObjectChanges(
            request(try entry.schema.filter(of: Model.self, keyPaths), policy, cursor))
    }

    private func request(
        _ paths: (filter: KeyPathFilter, names: ProjectedNames?), _ policy: ChangePolicy,
        _ cursor: ChangeCursor?
    ) -> StreamRequest {
        let plan = QueryPlan(
            tableName: entry.schema.name,
            predicate: .compare(keyProperty.reference, .equal, key))
        return StreamRequest(
            realm: realm, entry: entry, place: place, plan: _Plan(plan: plan),
            query: StreamQuery(
                plan, filter: paths.filter.filter,
                declaredDependencies: entry.schema.dependencies(paths.filter.filter)),
            firstProperties: paths.filter.firstProperties, names: paths.names, policy: policy,
            since: cursor)
    }
}
