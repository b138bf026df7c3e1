/// A realm map, for code that accepts any map.
///
/// Implemented by ``Map``; do not conform your own types.
public protocol RealmKeyedCollection<Key, Value>: AnyObject, Sequence
where Element == SingleMapEntry<Key, Value> {
    associatedtype Key: MapKey
    associatedtype Value: MapValue

    /// The realm of the map; `nil` for an unmanaged map, or if the realm has been released.
    var realm: Realm? { get }
    /// Whether the map's owner was deleted or its transaction has ended. `false`
    /// for an unmanaged map.
    var isInvalidated: Bool { get }
    /// Whether the map belongs to a managed object.
    var isManaged: Bool { get }
    /// The number of entries.
    var count: Int { get }
    /// Whether the map is empty.
    var isEmpty: Bool { get }
    /// The keys, in ascending order of their UTF-8 bytes.
    var keys: [Key] { get }
    /// The values, in the order of ``keys``.
    var values: [Value] { get }
    /// The value for a key, or `nil` if there is no such entry. Setting `nil` removes the entry.
    subscript(key: Key) -> Value? { get set }
    /// Returns the value for a key, like the subscript.
    func object(forKey key: Key) -> Value?
    /// Sets the value for a key, like the subscript: `nil` removes the entry.
    func setValue(_ value: Value?, forKey key: Key)
    /// Stores a value under a key, replacing any existing value.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry for a key, if there is one.
    func removeObject(for key: Key)
    /// Removes all entries.
    func removeAll()
    /// Stores the entries of a sequence. For keys that already exist, stores the result of calling
    /// `combine` with the existing and the new value.
    func merge(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows
    /// Returns whether any entry satisfies the condition.
    func contains(where condition: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool
}

extension Map: RealmKeyedCollection {}
