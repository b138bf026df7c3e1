internal import RegnumEngine

/// A dictionary property of a model, from strings to values, or to objects or none.
///
///     final class Dog: Object {
///         @Persisted var name: String
///         @Persisted var favoriteParksByCity: Map<String, String>
///         @Persisted var friends: Map<String, Dog?>
///     }
///     dog.favoriteParksByCity["New York"] = "Domino Park"
///
/// The map of an unmanaged object is a plain dictionary in a class. Adding the object stores the map,
/// and the very instance goes on as an accessor of what is stored, confined to the transaction body
/// like its object. Entries come in the order of their keys, which are compared by their UTF-8 bytes.
///
/// A key may be empty; it cannot contain `.` or start with `$`: such keys are percent-encoded
/// (`%2E`, `%24`). A managed map that is given another one fails the transaction; an unmanaged one
/// cannot be added.
///
/// When an object that is a value is deleted, its key stays, with nil. A map of embedded objects owns
/// them: what is removed or replaced is deleted.
///
/// Use after the body, of a deleted object's map or (for changes) in a read, ends the process with a
/// sentence; what cannot be stored fails the transaction.
public final class Map<Key: MapKey, Value: MapValue> {
    /// What is stored, nil for an unmanaged map.
    var managed: _ManagedList?
    /// The entries of an unmanaged map.
    var entries = UnmanagedMapEntries<Value>()

    /// An unmanaged map without entries.
    public init() {}

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    var handle: _ManagedList? { managed }

    /// Whether the object that the map belongs to was deleted, or its transaction is over. False for
    /// an unmanaged map.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the map is that of an object in a transaction.
    public var isManaged: Bool { managed != nil }

    // MARK: Reading

    /// The number of entries.
    ///
    /// - Complexity: O(log n).
    public var count: Int { managed?.count ?? entries.count }

    /// Whether there are no entries.
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

    /// The value of a key, nil if there is no such entry. Setting one stores it, an equal one too,
    /// which counts as a change; setting nil removes the entry.
    ///
    /// In a map of optional values `map[key] = nil` removes the entry, and `map[key] = .some(nil)` stores
    /// nil. An unmanaged object is added to the realm.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: Key) -> Value? {
        get {
            guard let managed else { return entries[key._text] }
            guard let row = managed.search(key._text).row else { return nil }
            return managed.mapValue(row)
        }
        set {
            guard let newValue else { return removeObject(for: key) }
            updateValue(newValue, forKey: key)
        }
    }

    /// As the subscript.
    public func object(forKey key: Key) -> Value? { self[key] }

    // MARK: Changes

    /// Stores a value under a key, in the place of the one that is there.
    ///
    /// - Complexity: O(log² n).
    public func updateValue(_ value: Value, forKey key: Key) {
        if let managed {
            managed.setEntry(key._text, value._content().content)
        } else {
            entries.set(value, key._text)
        }
    }

    /// As the subscript: nil removes the entry.
    public func setValue(_ value: Value?, forKey key: Key) { self[key] = value }

    /// Removes the entry of a key; nothing happens if there is none. An object stays in the realm, an
    /// embedded one does not.
    ///
    /// - Complexity: O(log² n).
    public func removeObject(for key: Key) {
        if let managed {
            managed.removeEntry(key._text)
        } else {
            entries.remove(key._text)
        }
    }

    /// Removes all entries.
    public func removeAll() {
        if let managed {
            managed.remove(0..<managed.count)
        } else {
            entries = UnmanagedMapEntries()
        }
    }

    /// Stores the entries of a sequence; for a key that is there already what `combine` makes of the
    /// value that is there and the new one.
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

    /// Stores the entries of another map; for a key that is there already what `combine` makes of the
    /// value that is there and the new one.
    ///
    /// - Complexity: O(m log² n) for m entries.
    public func merge(
        _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// As `merge` of pairs.
    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Makes the entries those of pairs, of which no two have the same key.
    func assign(_ new: [(key: String, value: Value)]) {
        if let managed {
            managed.assign(new.map { MapEntry(key: $0.key, content: $0.value._content().content) })
        } else {
            entries = UnmanagedMapEntries()
            for (key, value) in new { entries.set(value, key) }
        }
    }
}

@available(*, unavailable, message: "a map stays with its object: use a snapshot")
extension Map: Sendable {}

/// The entries of an unmanaged map, in no order that means something.
struct UnmanagedMapEntries<Value: MapValue> {
    /// The keys, at the positions of their values.
    private var numbers = Numbering<MapKeyText>()
    private(set) var values: [Value] = []

    var count: Int { values.count }
    var keys: [MapKeyText] { numbers.keys }

    /// - Complexity: O(1).
    subscript(key: String) -> Value? { numbers[MapKeyText(key)].map { values[$0] } }

    /// - Complexity: O(1).
    mutating func set(_ value: Value, _ key: String) {
        let key = MapKeyText(key)
        if let number = numbers[key] {
            values[number] = value
        } else {
            numbers.append(key)
            values.append(value)
        }
    }

    /// - Complexity: O(1).
    mutating func remove(_ key: String) {
        guard let number = numbers[MapKeyText(key)] else { return }
        numbers.remove(at: number)
        values.swapAt(number, values.count - 1)
        values.removeLast()
    }

    /// The positions of the entries, in ascending order of their keys.
    var ascendingPositions: [Int] {
        values.count < 2
            ? Array(values.indices)
            : values.indices.sorted { MapKeyText.precedes(keys[$0].text, keys[$1].text) }
    }
}

/// A type whose values can be the keys of a ``Map``: `String`.
///
/// The requirements are underscored: do not conform types of your own.
public protocol MapKey: Hashable, Sendable {
    /// The key as text.
    var _text: String { get }
    /// The key that is this text.
    static func _make(_ text: String) -> Self
}

extension String: MapKey {
    public var _text: String { self }
    public static func _make(_ text: String) -> String { text }
}

/// A type that a ``Map`` can hold: the required values, their optionals, and optionals of model classes.
public protocol MapValue: Persistable {
    /// The map of what is stored: see `Persistable._persistedForm`.
    static func _persistedMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type
    /// The values as the library handles them without knowing their type.
    static func _contents(ofValues values: [Self]) -> _ElementContents
}

extension MapValue {
    // a requirement, so that each type has code of its own for it
    public static func _contents(ofValues values: [Self]) -> _ElementContents {
        _ElementContents(contents: values.map { $0._content().content })
    }

    public static func _persistedMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type {
        Map<Key, Self>.self
    }
}

extension Optional: MapValue where Wrapped: OptionalPersistable {
    public static func _persistedMapForm<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type {
        Wrapped._optionalMapForm(key)
    }
}

/// A key, compared by its bytes: strings that are equal to Swift may be different keys.
struct MapKeyText: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: MapKeyText, right: MapKeyText) -> Bool {
        equalUTF8(left.text, right.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Whether one key comes before another one.
    static func precedes(_ left: String, _ right: String) -> Bool {
        compareUTF8(left, right) < 0
    }
}

/// An entry of a map without the type of its value.
struct MapEntry {
    let key: String
    let content: _PropertyContent.Content
}
