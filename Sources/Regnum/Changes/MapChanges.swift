internal import RegnumEngine

/// One element of the stream of a map.
public enum MapChange<Key: MapKey, Value: Sendable>: Sendable {
    /// The map when the iteration started. Delivered exactly once, as the first element, except by
    /// streams that resume from a cursor.
    case initial(FrozenMap<Key, Value>)
    /// The current map and its changes since the previous element. Never empty.
    case update(FrozenMap<Key, Value>, MapChangeSet<Key, Value>)
}

/// The changes of a map. See ``CollectionChanges`` for how streams start, merge and end.
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

    /// An iterator that holds the version that was delivered last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stream: CollectionStream
        private let map: LiveMap<Key, Value>

        fileprivate init(_ request: StreamRequest, _ map: LiveMap<Key, Value>) {
            stream = CollectionStream(request)
            self.map = map
        }

        /// Waits for the next change. Returns `nil` at the end.
        public mutating func next() async throws(Realm.Error) -> MapChange<Key, Value>? {
            try await next(isolation: #isolation)
        }

        /// Like ``next()``, with an explicit isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> MapChange<Key, Value>? {
            guard let element = try await stream.next(isolation: actor) else { return nil }
            do throws(Realm.Error) {
                return try ReadScope.runThrowing { () throws(Realm.Error) in change(element) }
            } catch {
                stream.finish()
                throw error
            }
        }

        // not inlined, so that its locals aren't part of the frames of suspended tasks
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

/// The changes of a map since the last element of its stream, by key.
///
/// A key whose entry was removed and created again is in both `deletions` and `insertions`, unless
/// several commits are merged, each of which ended with a new entry. If the object that owns the
/// map is deleted, all keys are deletions.
public struct MapChangeSet<Key: MapKey, Value: Sendable>: Sendable {
    /// The keys that were removed, ascending.
    public let deletions: [Key]
    /// The keys that were added, ascending.
    public let insertions: [Key]
    /// The keys whose value was set (even to an equal one), or whose object was modified or
    /// deleted, ascending.
    public let modifications: [Key]
    /// The previous map.
    public let old: FrozenMap<Key, Value>
    /// The version of the new map.
    public var version: UInt64 { new.version }
    /// The labels of the merged commits. See ``ChangeSet/origins``.
    public let origins: [String]
    /// The cursor for resuming after this change set.
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

    /// The values at ``deletions``, from the old map.
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
