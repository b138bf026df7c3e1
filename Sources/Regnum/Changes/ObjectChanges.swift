internal import RegnumEngine

/// One element of an object's stream.
public enum ObjectChange<Model: Object>: Sendable {
    /// The object when the iteration started, nil if there was none: always the first element.
    case initial(Frozen<Model>?)
    /// An object with the key was added.
    case inserted(Frozen<Model>)
    /// Properties of the object were set, or its lists changed: those named.
    case changed(old: Frozen<Model>, new: Frozen<Model>, properties: [String])
    /// The object was deleted: this is how it last was.
    case deleted(Frozen<Model>)
}

/// What happens to the object with a primary key.
///
/// The stream follows the key: after `.deleted` it goes on waiting for an object with the key to
/// be added. An object that was deleted and added again between two elements is both, in that
/// order. For the rest ``CollectionChanges`` says how streams start, merge and end.
public struct ObjectChanges<Model: Object>: AsyncSequence, Sendable {
    public typealias Element = ObjectChange<Model>
    public typealias Failure = Realm.Error

    private let live: Live<Model>

    init(_ live: Live<Model>) {
        self.live = live
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(live)
    }

    /// Holds the version that was delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let state: State

        fileprivate init(_ live: Live<Model>) {
            state = State(live)
        }

        /// The next change, waited for; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> ObjectChange<Model>? {
            try await state.next(isolation: actor)
        }
    }

    /// The state of one iteration. Confined to the iterator's task.
    private final class State {
        private let live: Live<Model>
        private let follower: CommitFollower
        private var table: FrozenTable
        private let wasClosed: Bool
        private var hasBegun = false
        private var isFinished = false
        /// What is known and not delivered yet: the second half of a replacement.
        private var pending: ObjectChange<Model>?

        init(_ live: Live<Model>) {
            self.live = live
            wasClosed = live.realm.coordinator.isClosed
            follower = CommitFollower(live.realm, tableNames: live.entry.schema.contentNames)
            table = Self.table(live, follower.root)
        }

        private static func table(_ live: Live<Model>, _ root: DatabaseRoot) -> FrozenTable {
            let place = CallPlace(file: #fileID, line: #line)
            return FrozenTable(
                SnapshotCore(realm: live.realm, root: root, place: place), live.entry)
        }

        func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> ObjectChange<Model>? {
            if isFinished { return nil }
            if let pending {
                self.pending = nil
                return pending
            }
            do throws(Realm.Error) {
                if let change = try await pull(isolation: actor) { return change }
            } catch {
                finish()
                throw error
            }
            finish()
            return nil
        }

        private func pull(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> ObjectChange<Model>? {
            guard hasBegun else {
                hasBegun = true
                return try begin()
            }
            while let step = try await follower.next(isolation: actor) {
                let change = changes(of: step)
                try live.realm.checkDelivery(of: step.new)
                if let change { return change }
            }
            return nil
        }

        private func finish() {
            isFinished = true
            follower.cancel()
        }

        private func begin() throws(Realm.Error) -> ObjectChange<Model>? {
            if Task.isCancelled { return nil }
            if wasClosed { throw Realm.Error.closed(live.realm.configuration.name) }
            if let mismatch = table.mismatch { throw mismatch }
            return .initial(table.find(live.key).map { Frozen(table, row: $0) })
        }

        /// What a step means for the object; nil if nothing.
        private func changes(of step: CommitStep) -> ObjectChange<Model>? {
            let oldTable = table
            let newTable = Self.table(live, step.new)
            table = newTable
            let old = oldTable.find(live.key)
            let new = newTable.find(live.key)
            switch (old, new) {
            case (nil, nil):
                return nil
            case (nil, .some(let row)):
                return .inserted(Frozen(newTable, row: row))
            case (.some(let row), nil):
                return .deleted(Frozen(oldTable, row: row))
            case (.some(let old), .some(let new)) where old != new:
                pending = .inserted(Frozen(newTable, row: new))
                return .deleted(Frozen(oldTable, row: old))
            case (.some(let row), .some):
                let isSet = oldTable.contentVersion(row) != newTable.contentVersion(row)
                if !isSet, live.entry.schema.hasOnlyValues { return nil }
                let properties = properties(of: row, oldTable, newTable, step)
                guard isSet || !properties.isEmpty else { return nil }
                return .changed(
                    old: Frozen(oldTable, row: row), new: Frozen(newTable, row: row),
                    properties: properties)
            }
        }

        /// The properties that were set and the lists that changed, or, where that is no longer
        /// known, those that differ.
        private func properties(
            of row: ObjectKey, _ old: FrozenTable, _ new: FrozenTable, _ step: CommitStep
        ) -> [String] {
            let name = live.entry.schema.name
            if step.summaries != nil {
                let delta = step.delta(name)
                let columns = delta.modified.first { $0.key == row }?.columns.columns ?? []
                let lists = ListEdits(step, delta, tableName: name)
                return new.propertyNames(columns, lists: lists[row])
            }
            let properties = live.entry.schema.properties
            return properties.indices.filter { index in
                if case .list = properties[index].shape {
                    return !new.hasSameList(index, row, old)
                }
                return old.value(row, index) != new.value(row, index)
            }.map { properties[$0].name }
        }
    }
}
