internal import RegnumEngine

/// An entry of a ``Map``.
public struct SingleMapEntry<Key: MapKey, Value> {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value
}

extension SingleMapEntry: Equatable where Value: Equatable {}
extension SingleMapEntry: Hashable where Value: Hashable {}
extension SingleMapEntry: Sendable where Value: Sendable {}

extension Map: Sequence {
    public typealias Element = SingleMapEntry<Key, Value>

    /// Returns an iterator over the current entries in key order. The loop may modify the
    /// map: entries that it removes are skipped, and entries that it sets are returned
    /// with their new values.
    public func makeIterator() -> MapIterator<Key, Value> {
        guard let managed else { return MapIterator(nil, sortedEntries) }
        return MapIterator(managed.frozen, [])
    }

    /// The entries of an unmanaged map in key order.
    var sortedEntries: [SingleMapEntry<Key, Value>] {
        let (keys, values) = (entries.keys, entries.values)
        return entries.ascendingPositions.map {
            SingleMapEntry(key: Key._make(keys[$0].wrappedValue), value: values[$0])
        }
    }
}

extension Sequence {
    /// Returns the entries of a map as pairs, in key order.
    ///
    ///     for (city, park) in dog.favoriteParksByCity.asKeyValueSequence() { … }
    public func asKeyValueSequence<Key, Value>() -> some Sequence<(key: Key, value: Value)>
    where Element == SingleMapEntry<Key, Value> {
        lazy.map { (key: $0.key, value: $0.value) }
    }

    /// Returns whether any entry of a map satisfies the condition.
    ///
    /// - Complexity: O(n).
    public func contains<Key, Value>(
        where condition: (_ key: Key, _ value: Value) throws -> Bool
    ) rethrows -> Bool where Element == SingleMapEntry<Key, Value> {
        for entry in self where try condition(entry.key, entry.value) { return true }
        return false
    }
}

/// An iterator over the entries that a ``Map`` had when the loop started.
public struct MapIterator<Key: MapKey, Value: MapValue>: IteratorProtocol {
    private let managed: _ManagedList?
    private let rows: [SingleMapEntry<Key, Value>]
    private let count: Int
    private var position = 0

    init(_ managed: _ManagedList?, _ entries: [SingleMapEntry<Key, Value>]) {
        self.managed = managed
        rows = entries
        count = managed?.count ?? entries.count
    }

    public mutating func next() -> SingleMapEntry<Key, Value>? {
        while position < count {
            defer { position += 1 }
            guard let managed else { return rows[position] }
            guard let row = managed.key(at: position), let key = managed.mapKey(row),
                let value: Value = managed.mapValue(row)
            else { continue }
            return SingleMapEntry(key: Key._make(key), value: value)
        }
        return nil
    }
}

extension Map: Equatable {
    /// Returns whether both maps belong to the same property of the same object or, for unmanaged
    /// maps, whether they have the same keys with the same values.
    public static func == (left: Map, right: Map) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (.some(let a), .some(let b)): return a.isSame(as: b)
        case (nil, nil):
            return left.entries.count == right.entries.count
                && zip(left.entries.keys, left.entries.values).allSatisfy { key, value in
                    right.entries[key.wrappedValue].map { areSame(value, $0) } ?? false
                }
        default: return false
        }
    }

    private static func areSame(_ a: Value, _ b: Value) -> Bool {
        switch (a._content().content, b._content().content) {
        case (.value(let a), .value(let b)): a == b
        case (.any(let a), .any(let b)): AnyRealmValue._areSame(a, b)
        case (.link(let a?), .link(let b?)):
            // a projected type creates an embedded object at each access
            (Value.self as? any ScalarValue.Type)?._embeddedClass != nil
                ? a.hasSameMembers(as: b) : a.isSameObject(as: b)
        case (.link(nil), .link(nil)): true
        case (.value, _), (.any, _), (.link, _): false
        case (.tree, _), (.list, _), (.map, _), (.linkingObjects, _):
            preconditionFailure("A map can only hold values and objects.")
        }
    }
}
