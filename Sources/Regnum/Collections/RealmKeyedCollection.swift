/// What the maps of a realm have in common, for code that takes any of them.
///
/// The library conforms ``Map``; do not conform types of your own.
public protocol RealmKeyedCollection<Key, Value>: AnyObject, Sequence
where Element == SingleMapEntry<Key, Value> {
    associatedtype Key: MapKey
    associatedtype Value: MapValue

    /// The realm of the map: nil for an unmanaged one, and where nobody holds the realm any more.
    var realm: Realm? { get }
    /// Whether the object that the map belongs to was deleted, or its transaction is over. False for
    /// an unmanaged map.
    var isInvalidated: Bool { get }
    /// Whether the map is that of an object in a transaction.
    var isManaged: Bool { get }
    /// The number of entries.
    var count: Int { get }
    /// Whether there are no entries.
    var isEmpty: Bool { get }
    /// The keys, in ascending order of their UTF-8 bytes.
    var keys: [Key] { get }
    /// The values, in the order of ``keys``.
    var values: [Value] { get }
    /// The value of a key, nil if there is no such entry. Setting nil removes the entry.
    subscript(key: Key) -> Value? { get set }
    /// As the subscript.
    func object(forKey key: Key) -> Value?
    /// As the subscript: nil removes the entry.
    func setValue(_ value: Value?, forKey key: Key)
    /// Stores a value under a key, in the place of the one that is there.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry of a key; nothing happens if there is none.
    func removeObject(for key: Key)
    /// Removes all entries.
    func removeAll()
    /// Stores the entries of a sequence; for a key that is there already what `combine` makes of the
    /// value that is there and the new one.
    func merge(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows
    /// Whether the condition holds for one of the entries.
    func contains(where condition: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool
}

extension Map: RealmKeyedCollection {}
