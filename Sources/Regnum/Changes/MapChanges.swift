internal import RegnumEngine

/// An element of a map's change stream.
public enum MapChange<Key: MapKey, Value: Sendable>: Sendable {
    /// The map when the iteration started. Delivered exactly once, as the first element, except by
    /// streams that resume from a cursor.
    case initial(FrozenMap<Key, Value>)
    /// The current map and its changes since the previous element. Never empty.
    case update(FrozenMap<Key, Value>, MapChangeSet<Key, Value>)
}

/// The changes of a map. See ``Changes`` for how streams start, merge and end.
public typealias MapChanges<Key: MapKey, Value: Sendable> = Changes<MapChange<Key, Value>>

extension LiveMap {
    /// The changes of the map for a request.
    func changes(_ request: StreamRequest) -> MapChanges<Key, Value> {
        Changes(request: request) { element throws(Realm.Error) in
            try ReadScope.runThrowing { () throws(Realm.Error) in (change(element), nil) }
        }
    }

    private func change(_ element: StreamElement) -> MapChange<Key, Value> {
        switch element {
        case .initial(let place): return .initial(map(place.table))
        case .update(let table, _, let place, let change, let origins, _):
            let new = map(place.table)
            return .update(
                new,
                MapChangeSet(change, old: map(table), new: new, entriesName, origins: origins))
        }
    }
}

/// The changes of a map since the last element of its stream, by key.
///
/// A key is in both `deletions` and `insertions` if its entry in the old map was removed and a new
/// one created. If the object that owns the map is deleted, all keys are reported as deletions.
public struct MapChangeSet<Key: MapKey, Value: Sendable>: Sendable {
    /// The keys that were removed, in ascending order.
    public let deletions: [Key]
    /// The keys that were added, in ascending order.
    public let insertions: [Key]
    /// The keys whose value was set (even to an equal one), or whose object was modified or
    /// deleted, in ascending order.
    public let modifications: [Key]
    /// The previous map.
    public let old: FrozenMap<Key, Value>
    /// The version of the new map.
    public var version: UInt64 { new.version }
    /// The labels of the merged commits. See ``ChangeSet/origins``.
    public let origins: [String]
    /// The cursor for resuming after this change set.
    public var cursor: ChangeCursor { new.table.snapshot.cursor }

    private let new: FrozenMap<Key, Value>

    init(
        _ change: ResultChange, old: FrozenMap<Key, Value>, new: FrozenMap<Key, Value>,
        _ entriesName: String, origins: [String]
    ) {
        func keys(_ rows: some Sequence<ObjectKey>, _ table: FrozenTable) -> [Key] {
            let schema = table.snapshot.root.schema
            guard let entries = schema.table(named: entriesName)?.key else { return [] }
            return rows.map { table.mapKey($0, entries) }.sorted(by: StoredText.precedes)
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
    /// - Complexity: O(m log² n) for m deletions.
    public var deleted: [Value] { deletions.compactMap { old[$0] } }

    /// The values at ``insertions``.
    ///
    /// - Complexity: O(m log² n) for m insertions.
    public var inserted: [Value] { insertions.compactMap { new[$0] } }

    /// The values at ``modifications``, before and after.
    ///
    /// - Complexity: O(m log² n) for m modifications.
    public var modified: [(old: Value, new: Value)] {
        modifications.compactMap { key in
            guard let before = old[key], let after = new[key] else { return nil }
            return (before, after)
        }
    }
}
