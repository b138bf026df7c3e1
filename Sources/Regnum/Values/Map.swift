internal import RegnumEngine

/// A dictionary from strings to values or optional objects, used as a property of a model.
///
///     final class Dog: Object {
///         @Persisted var name: String
///         @Persisted var favoriteParksByCity: Map<String, String>
///         @Persisted var friends: Map<String, Dog?>
///     }
///     dog.favoriteParksByCity["New York"] = "Domino Park"
///
/// The map of an unmanaged object wraps a dictionary. When the object is added to a realm, the map
/// is stored, and the same instance becomes an accessor of the stored map, confined to the
/// transaction body like its object. Entries are ordered by the UTF-8 bytes of their keys.
///
/// A key may be empty, but cannot contain `.` or start with `$`: percent-encode such keys (`%2E`,
/// `%24`). Setting an invalid key in a managed map fails the transaction; an unmanaged map with an
/// invalid key cannot be added to a realm.
///
/// When an object in the map is deleted, its key is kept with the value `nil`. A map of embedded
/// objects owns them: objects that are removed or replaced are deleted.
///
/// Using a managed map after the transaction body has returned, or changing it in a read
/// transaction, traps. Using the map of a deleted object, or setting a value that cannot be stored,
/// fails the transaction.
public final class Map<Key: MapKey, Value: MapValue> {
    /// The stored map; `nil` for an unmanaged map.
    var managed: _ManagedList?
    /// The entries of an unmanaged map.
    var entries = UnmanagedMapEntries<Value>()

    /// Creates an empty unmanaged map.
    public init() {}

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    /// Whether the map's owner was deleted, its transaction has ended, or the ``AnyRealmValue``
    /// that contained it was replaced. `false` for an unmanaged map.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the map belongs to a managed object.
    public var isManaged: Bool { managed != nil }

    // MARK: Reading

    /// The number of entries.
    ///
    /// - Complexity: O(log n).
    public var count: Int { managed?.count ?? entries.count }

    /// Whether the map is empty.
    public var isEmpty: Bool { count == 0 }

    /// The keys, in ascending order of their UTF-8 bytes.
    ///
    /// - Complexity: O(n log n).
    public var keys: [Key] {
        guard let managed else { return sortedEntries.map(\.key) }
        return managed.keys.compactMap { managed.mapKey($0).map { Key._make($0) } }
    }

    /// The values, in the order of ``keys``.
    ///
    /// - Complexity: O(n log n).
    public var values: [Value] { map(\.value) }

    /// The value for a key, or `nil` if there is no such entry. The setter stores a value, which
    /// counts as a change even if the value is equal; setting `nil` removes the entry.
    ///
    /// In a map of optional values, `map[key] = nil` removes the entry, and `map[key] = .some(nil)`
    /// stores `nil`. An unmanaged object is added to the realm.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: Key) -> Value? {
        get {
            guard let managed else { return entries[key._text] ?? entries.sample }
            guard let row = managed.search(key._text).row else { return nil }
            return managed.mapValue(row)
        }
        set {
            guard let newValue else { return removeObject(for: key) }
            updateValue(newValue, forKey: key)
        }
    }

    /// Returns the value for a key, like the subscript.
    public func object(forKey key: Key) -> Value? { self[key] }

    // MARK: Changes

    /// Stores a value under a key, replacing any existing value.
    ///
    /// - Complexity: O(log² n).
    public func updateValue(_ value: Value, forKey key: Key) {
        if let managed {
            managed.setEntry(key._text, value._content().content)
        } else {
            entries.set(value, key._text)
        }
    }

    /// Sets the value for a key, like the subscript: `nil` removes the entry.
    public func setValue(_ value: Value?, forKey key: Key) { self[key] = value }

    /// Removes the entry for a key, if there is one. An object remains in the realm; an embedded
    /// object is deleted.
    ///
    /// - Complexity: O(log² n).
    public func removeObject(for key: Key) {
        if let managed {
            managed.removeEntry(key._text)
        } else {
            entries.remove(key._text)
        }
    }

    /// Removes all entries. Objects remain in the realm; embedded objects are deleted.
    ///
    /// - Complexity: O(n log n).
    public func removeAll() {
        if let managed {
            managed.remove(0..<managed.count)
        } else {
            entries = UnmanagedMapEntries()
        }
    }

    /// Stores the entries of a sequence. For keys that already exist, stores the result of calling
    /// `combine` with the existing and the new value.
    ///
    /// - Complexity: O(m log² n) for m entries.
    public func merge(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in other {
            updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
        }
    }

    /// Stores the entries of another map. For keys that already exist, stores the result of calling
    /// `combine` with the existing and the new value.
    ///
    /// - Complexity: O(m log² n) for m entries.
    public func merge(
        _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Stores the entries of a dictionary, combining values of existing keys.
    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Replaces all entries. Each key must occur only once.
    func assign(_ new: [(key: String, value: Value)]) {
        if let managed {
            managed.assign(new.map { MapEntry(key: $0.key, content: $0.value._content().content) })
        } else {
            entries = UnmanagedMapEntries()
            for (key, value) in new { entries.set(value, key) }
        }
    }
}

@available(*, unavailable, message: "a map is confined to a transaction: use a snapshot")
extension Map: Sendable {}

/// The entries of an unmanaged map, in no particular order.
struct UnmanagedMapEntries<Value: MapValue> {
    /// The keys, at the indices of their values.
    private var numbers = Numbering<StoredText>()
    private(set) var values: [Value] = []

    var count: Int { values.count }
    var keys: [StoredText] { numbers.keys }

    /// - Complexity: O(1).
    subscript(key: String) -> Value? { numbers[StoredText(key)].map { values[$0] } }

    /// - Complexity: O(1).
    mutating func set(_ value: Value, _ key: String) {
        let key = StoredText(key)
        if let number = numbers[key] {
            values[number] = value
        } else {
            numbers.append(key)
            values.append(value)
        }
    }

    /// - Complexity: O(1).
    mutating func remove(_ key: String) {
        guard let number = numbers[StoredText(key)] else { return }
        numbers.remove(at: number)
        values.swapAt(number, values.count - 1)
        values.removeLast()
    }

    /// The value for all other keys; `nil` except in the map of a recorder.
    private(set) var sample: Value?

    init() {}

    /// Creates the entries of a recorder's map: one, whose value is also that of all other keys.
    init(sample: Value) {
        self.sample = sample
        set(sample, "")
    }

    /// The indices of the entries in ascending key order.
    var ascendingPositions: [Int] {
        values.count < 2
            ? Array(values.indices)
            : values.indices.sorted { keys[$0] < keys[$1] }
    }
}

/// A type that can be the key of a ``Map``; only `String` conforms.
///
/// The requirements are underscored: do not conform your own types.
public protocol MapKey: Hashable, Sendable {
    /// The text of the key.
    var _text: String { get }
    /// Returns the key with the given text.
    static func _make(_ text: String) -> Self
}

extension String: MapKey {
    public var _text: String { self }
    public static func _make(_ text: String) -> String { text }
}

/// A type that a ``Map`` can hold: scalar types, their optionals, and optional model classes.
public protocol MapValue: Persistable {
    /// Returns the values in type-erased form.
    static func _contents(ofValues values: [Self]) -> _ElementContents
}

extension MapValue {
    // A protocol requirement, so that each type gets its own specialization.
    public static func _contents(ofValues values: [Self]) -> _ElementContents {
        _ElementContents(contents: values.map { $0._content().content })
    }
}

extension Optional: MapValue where Wrapped: OptionalPersistable {}

/// A map entry, independent of the type of its value.
struct MapEntry {
    let key: String
    let content: _PropertyContent.Content
}
