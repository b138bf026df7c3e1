internal import RegnumEngine

extension Map: Persistable {
    public static var _property: _PropertyType {
        switch Value._property.shape {
        case .link(let type): _PropertyType(shape: .map(.object(type)))
        case .scalar(let storage): _PropertyType(shape: .map(.scalar(storage)))
        default: preconditionFailure("The values of a map must be values or links.")
        }
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static var _persistedForm: any Persistable.Type {
        (Value._persistedForm as? any MapValue.Type)?.map(Key.self) ?? Self.self
    }

    public static func _makeDefault() -> Map { Map() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Map {
        if let managed = _ManagedList.of(object, column) { return Map(managed) }
        let map = Map()
        if let sample = recordedSample(Value.self, of: object) {
            map.entries = UnmanagedMapEntries(sample: sample)
        }
        return map.recorded(by: object)
    }

    /// Replaces the entries with those of this map. Assigning an object's own map changes nothing.
    public func _write(to object: ObjectBase, _ column: Int32) {
        let target = Map._managedValue(object, column)
        if let managed, let other = target.managed, managed.isSame(as: other) { return }
        target.assign(map { ($0.key._text, $0.value) })
    }

    public static func _assigned(_ new: Map, over current: Map?) -> Map {
        let map = current ?? Map()
        if map !== new { map.assign(new.map { ($0.key._text, $0.value) }) }
        return map
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .map(self)) }

    public static func _make(_ content: _PropertyContent) -> Map? {
        if case .map(let map) = content.content { map as? Map } else { nil }
    }
}

/// A collection of entries, which is never treated as a list, even if it is empty.
protocol KeyedCollection {}

/// A type-erased map.
protocol UnmanagedMap: UnmanagedCollection, KeyedCollection {
    /// The contents of the map in ascending key order.
    var contents: [MapEntry] { get }
    /// Converts content to a value of this type of map; returns `nil` if it cannot
    /// hold it, and for `nil`.
    static func value(_ content: _PropertyContent) -> Any?
    /// Returns an empty map of this type.
    static func makeEmpty() -> any UnmanagedMap
    /// Turns the map into an accessor of the stored map that was created from it.
    func bind(to managed: _ManagedList)
    /// Replaces all entries with the given contents, each key once. If the map cannot hold the
    /// value of one, returns its position and changes nothing.
    func replaceAll(with contents: [MapEntry]) -> Int?
    /// The entries with their values in their Swift types; `nil` values are `nil`.
    var anyEntries: [(key: String, value: Any?)] { get }
}

extension Map: UnmanagedMap {
    static func content(of instance: AnyObject) -> _PropertyContent.Content {
        .map(unsafeDowncast(instance, to: Map.self))  // the declared type of the field
    }

    static var elementType: Any.Type { Value.self }

    static func makeEmpty() -> any UnmanagedMap { Map() }

    static func value(_ content: _PropertyContent) -> Any? {
        Value._make(content).flatMap { unwrapped($0) }
    }

    var contents: [MapEntry] {
        guard isManaged else {
            let keys = entries.keys
            let contents = Value._contents(ofValues: entries.values).contents
            return entries.ascendingPositions.map {
                MapEntry(key: keys[$0].wrappedValue, content: contents[$0])
            }
        }
        return map { MapEntry(key: $0.key._text, content: $0.value._content().content) }
    }

    var anyEntries: [(key: String, value: Any?)] {
        map { ($0.key._text, unwrapped($0.value)) }
    }

    func replaceAll(with contents: [MapEntry]) -> Int? {
        var new: [(key: String, value: Value)] = []
        new.reserveCapacity(contents.count)
        for (position, entry) in contents.enumerated() {
            guard let value = Value._make(_PropertyContent(content: entry.content)) else {
                return position
            }
            new.append((entry.key, value))
        }
        assign(new)
        return nil
    }

    func bind(to managed: _ManagedList) {
        guard self.managed == nil else { return }
        self.managed = managed
        entries = UnmanagedMapEntries()
    }
}

extension Map: Encodable where Value: Encodable {
    /// Encodes the entries as a keyed container; `nil` as null.
    ///
    /// - Throws: `.invalidValue` for keys with different bytes that are equal as Swift strings.
    public func encode(to encoder: any Encoder) throws {
        if let key = EqualKeys.first(in: keys.lazy.map(\._text)) {
            var error = Realm.Error.equalKeys(key)
            error.className = managed?.binding.tableName
            error.property = managed.map { $0.binding.schema.properties[$0.property].name }
            throw error
        }
        var container = encoder.container(keyedBy: NameCodingKey.self)
        for entry in self {
            try container.encode(entry.value, forKey: NameCodingKey(stringValue: entry.key._text))
        }
    }
}

extension Map: Decodable where Value: Decodable {
    /// Creates an unmanaged map from a keyed container.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: NameCodingKey.self)
        for key in container.allKeys {
            entries.set(
                try container.decode(Value.self, forKey: key), key.stringValue)
        }
    }
}

/// The name of a property, or the key of a map, as a coding key.
struct NameCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension MapValue {
    fileprivate static func map<Key: MapKey>(_ key: Key.Type) -> any Persistable.Type {
        Map<Key, Self>.self
    }
}
