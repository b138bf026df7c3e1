internal import RegnumEngine

/// One element of the stream of a map.
public enum MapChange<Key: MapKey, Value: Sendable>: Sendable {
    /// The map when the iteration started: the first element, and there once. A stream that goes on
    /// from a cursor has none.
    case initial(FrozenMap<Key, Value>)
    /// The map now, and how it came from the one before. Never empty.
    case update(FrozenMap<Key, Value>, MapChangeSet<Key, Value>)
}

/// The changes of a map. ``CollectionChanges`` says how streams start, merge and end.
public struct MapChanges<Key: MapKey, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = MapChange<Key, Value>
    public typealias Failure = Realm.Error

    private let request: StreamRequest
    private let map: LiveMap<Key, Value>

    init(_ request: StreamRequest, _ map: LiveMap<Key, Value>) {
        self.request = request
        self.map = map
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(request, map)
    }

    /// Holds the version that was delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stream: CollectionStream
        private let map: LiveMap<Key, Value>

        fileprivate init(_ request: StreamRequest, _ map: LiveMap<Key, Value>) {
            stream = CollectionStream(request)
            self.map = map
        }

        /// The next change, waited for; nil at the end.
        public mutating func next() async throws(Realm.Error) -> MapChange<Key, Value>? {
            try await next(isolation: #isolation)
        }

        /// As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> MapChange<Key, Value>? {
            guard let element = try await stream.next(isolation: actor) else { return nil }
            return change(element)
        }

        // apart: what it needs on the way is not kept by the tasks that wait
        @inline(never)
        private func change(_ element: StreamElement) -> MapChange<Key, Value> {
            switch element {
            case .initial(let place): return .initial(map.map(place.table))
            case .update(let table, _, let new, let change, let origins):
                let after = map.map(new.table)
                return .update(
                    after,
                    MapChangeSet(
                        change, old: map.map(table), new: after, map.entriesName, origins: origins))
            }
        }
    }
}

/// How a map changed since the last element of its stream, told by its keys.
///
/// A key whose entry was removed and made again is both in `deletions` and in `insertions`, unless
/// several commits are merged in which the entry is new at the end of each. When the object that the
/// map belongs to is deleted, all keys are deletions.
public struct MapChangeSet<Key: MapKey, Value: Sendable>: Sendable {
    /// The keys that were removed, ascending.
    public let deletions: [Key]
    /// The keys that are new, ascending.
    public let insertions: [Key]
    /// The keys whose value was set, also to an equal one, or whose object was modified or deleted,
    /// ascending.
    public let modifications: [Key]
    /// The map before.
    public let old: FrozenMap<Key, Value>
    /// The version that the new map shows.
    public var version: UInt64 { new.version }
    /// As ``ChangeSet/origins``.
    public let origins: [String]
    /// Where to go on from after this change set.
    public var cursor: ChangeCursor { ChangeCursor(new.table.snapshot.root) }

    private let new: FrozenMap<Key, Value>

    init(
        _ change: ResultChange, old: FrozenMap<Key, Value>, new: FrozenMap<Key, Value>,
        _ entriesName: String, origins: [String]
    ) {
        func keys(_ rows: some Sequence<ObjectKey>, _ table: FrozenTable) -> [Key] {
            let schema = table.snapshot.root.schema
            guard let entries = schema.table(named: entriesName)?.key else { return [] }
            return rows.map { table.mapKey($0, entries) }.sorted(by: MapKeyText.precedes)
                .map { Key._make($0) }
        }
        deletions = keys(change.deletedKeys, old.table)
        insertions = keys(change.insertedKeys, new.table)
        modifications = keys(change.modified.map(\.key), new.table)
        self.old = old
        self.new = new
        self.origins = origins
    }

    /// The values at ``deletions``, as the old map had them.
    ///
    /// - Complexity: O(deletions x log² n).
    public var deleted: [Value] { deletions.compactMap { old[$0] } }

    /// The values at ``insertions``.
    ///
    /// - Complexity: O(insertions x log² n).
    public var inserted: [Value] { insertions.compactMap { new[$0] } }

    /// The values at ``modifications``, before and after.
    ///
    /// - Complexity: O(modifications x log² n).
    public var modified: [(old: Value, new: Value)] {
        modifications.compactMap { key in
            guard let before = old[key], let after = new[key] else { return nil }
            return (before, after)
        }
    }
}
