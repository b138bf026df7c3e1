internal import RegnumEngine
internal import RegnumStore

/// One element of a collection's stream.
public enum CollectionChange<Model: Object>: Sendable {
    /// The collection when the iteration started: always the first element, and there once.
    case initial(FrozenResults<Model>)
    /// The collection now, and how it came from the one delivered before. Never empty.
    case update(FrozenResults<Model>, ChangeSet<Model>)
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
/// change set; nothing is buffered for it, and no writer waits. Commits that change nothing in the
/// collection, taken together, are not delivered. A query through links or lists follows the classes
/// that it asks about: an object enters or leaves when another one changes.
///
/// The sequence ends normally when the task is cancelled or the realm is closed. It throws
/// `.schemaMismatch` or `.invalidInput` at the first element if the class does not fit what is
/// stored or an operand of the query is of another realm, and `.closed` if the realm is closed when the iteration starts.
public struct CollectionChanges<Model: Object>: AsyncSequence, Sendable {
    public typealias Element = CollectionChange<Model>
    public typealias Failure = Realm.Error

    private let results: LiveResults<Model>

    init(_ results: LiveResults<Model>) {
        self.results = results
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(results)
    }

    /// Holds the version and the result that were delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let state: State

        fileprivate init(_ results: LiveResults<Model>) {
            state = State(results)
        }

        /// The next change, waited for; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CollectionChange<Model>? {
            try await state.next(isolation: actor)
        }
    }

    /// The state of one iteration. Confined to the iterator's task.
    private final class State {
        private let results: LiveResults<Model>
        private let follower: CommitFollower
        /// The classes whose commits can change the collection or its objects.
        private let tableNames: Set<String>
        /// The class at the version delivered last.
        private var table: FrozenTable
        /// The result at that version, nil before the first element.
        private var tree: ResultTree?
        private var isFinished = false
        private let wasClosed: Bool

        init(_ results: LiveResults<Model>) {
            self.results = results
            wasClosed = results.realm.coordinator.isClosed
            tableNames = results._plan.plan.dependencies.union(results.entry.schema.contentNames)
            follower = CommitFollower(results.realm, tableNames: tableNames)
            table = Self.table(results, follower.root)
        }

        private static func table(
            _ results: LiveResults<Model>, _ root: DatabaseRoot
        ) -> FrozenTable {
            let place = CallPlace(file: #fileID, line: #line)
            return FrozenTable(
                SnapshotCore(realm: results.realm, root: root, place: place), results.entry)
        }

        func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CollectionChange<Model>? {
            guard !isFinished else { return nil }
            do throws(Realm.Error) {
                if let change = try await pull(isolation: actor) { return change }
            } catch {
                finish()
                throw error
            }
            finish()
            return nil
        }

        private func finish() {
            isFinished = true
            follower.cancel()
        }

        private func pull(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> CollectionChange<Model>? {
            guard var tree else { return try begin() }
            while let step = try await follower.next(isolation: actor) {
                guard step.concerns(tableNames) else {
                    table = Self.table(results, step.new)
                    continue
                }
                var delta = step.delta(results.entry.schema.name)
                let lists = ListEdits(step, delta, tableName: results.entry.schema.name)
                delta.addModified(lists.lists.keys)
                let (newTree, change) = try advance(tree, step, delta)
                try results.realm.checkDelivery(of: step.new)
                let newTable = Self.table(results, step.new)
                let oldTable = table
                tree = newTree
                self.tree = newTree
                table = newTable
                if change.isEmpty { continue }
                let collection = FrozenResults<Model>(
                    newTable, plan: results._plan, tree: newTree)
                let changeSet = ChangeSet<Model>(
                    change, lists: lists, from: oldTable, to: newTable,
                    origins: step.origins(tableNames))
                return .update(collection, changeSet)
            }
            return nil
        }

        private func begin() throws(Realm.Error) -> CollectionChange<Model>? {
            if Task.isCancelled { return nil }
            if wasClosed { throw Realm.Error.closed(results.realm.configuration.name) }
            if let problem = table.mismatch ?? results._plan.problem { throw problem }
            do throws(StoreError) {
                let found = try results._plan.plan.evaluate(follower.root)
                tree = found
                return .initial(FrozenResults(table, plan: results._plan, tree: found))
            } catch {
                throw Realm.Error(error)
            }
        }

        private func advance(
            _ tree: ResultTree, _ step: CommitStep, _ delta: MergedDelta
        ) throws(Realm.Error) -> (ResultTree, ResultChange) {
            do throws(StoreError) {
                return try results._plan.plan.advance(
                    tree, from: step.old, to: step.new, delta: delta)
            } catch {
                throw Realm.Error(error)
            }
        }
    }
}
