internal import RegnumEngine

/// A map as it was in one snapshot: an immutable, `Sendable` value.
///
///     let scores = person.scores               // FrozenMap<String, Int>
///     print(scores["chess"] ?? 0, scores.keys)
///
/// The values of a map of objects are frozen objects: `FrozenMap<String, Frozen<Dog>?>`. Entries
/// are in ascending order of their keys' UTF-8 bytes.
public struct FrozenMap<Key: MapKey, Value: Sendable>: Sendable {
    let table: FrozenTable
    /// The location of the map, or `nil` if nothing was ever stored in it.
    private let place: OwnedList?
    private let property: Int
    /// Returns the value of an entry, a row of a hidden class.
    private let decode: @Sendable (_ entry: ObjectKey, _ entries: TableKey) -> Value

    init(
        _ table: FrozenTable, _ place: OwnedList?, _ property: Int,
        _ decode: @escaping @Sendable (_ entry: ObjectKey, _ entries: TableKey) -> Value
    ) {
        self.table = table
        self.place = place
        self.property = property
        self.decode = decode
    }

    /// The version of the snapshot.
    public var version: UInt64 { table.snapshot.root.version }

    /// The number of entries.
    ///
    /// - Complexity: O(log n).
    public var count: Int {
        guard let place else { return 0 }
        return table.checked {
            table.snapshot.root.listCount(place.table, place.row, place.list.key)
        }
    }

    /// Whether there are no entries.
    public var isEmpty: Bool { count == 0 }

    /// The value for a key, or `nil` if there is no such entry.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: Key) -> Value? {
        guard let place else { return nil }
        let entry = table.checked { table.snapshot.root.entry(key._text, of: place) }
        return entry.map { decode($0, place.list.target) }
    }

    /// The keys, in ascending order of their UTF-8 bytes.
    ///
    /// - Complexity: O(n).
    public var keys: [Key] { stored.map { Key._make($0.key) } }

    /// The values, in the order of ``keys``.
    ///
    /// - Complexity: O(n).
    public var values: [Value] { stored.map { value($0.entry) } }

    /// The entries as a dictionary.
    ///
    /// Fails the read with `.invalidValue` if keys with different bytes are equal as Swift strings
    /// (see ``Snapshot/read(_:)``).
    ///
    /// - Complexity: O(n).
    public var dictionary: [Key: Value] {
        checkKeys()
        return Dictionary(map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Fails the read if two of the keys are equal as Swift strings.
    private func checkKeys() {
        let isProperty = place?.table == table.mapping.table?.key
        table.checkKeys(stored.lazy.map(\.key), isProperty ? place?.row : nil, property)
    }

    private var stored: [(key: String, entry: ObjectKey)] {
        place.map { table.entries($0) } ?? []
    }

    private func value(_ entry: ObjectKey) -> Value {
        guard let place else { preconditionFailure("A map without a location has no entries.") }
        return decode(entry, place.list.target)
    }
}

extension FrozenMap: Sequence {
    /// Returns an iterator over the entries in the order of their keys.
    ///
    /// - Complexity: O(n) for the first entry, then O(1).
    public func makeIterator() -> IndexingIterator<[SingleMapEntry<Key, Value>]> {
        stored.map { SingleMapEntry(key: Key._make($0.key), value: value($0.entry)) }
            .makeIterator()
    }
}

extension FrozenMap: KeyedCollection {}

extension FrozenMap: Equatable where Value: Equatable {
    /// Returns whether both maps have the same keys with equal values, even if they are from
    /// different snapshots or objects.
    public static func == (left: FrozenMap, right: FrozenMap) -> Bool {
        let (mine, theirs) = (left.stored, right.stored)
        return mine.count == theirs.count
            && zip(mine, theirs).allSatisfy { a, b in
                a.key.utf8.elementsEqual(b.key.utf8)
                    && left.value(a.entry) == right.value(b.entry)
            }
    }
}

extension FrozenMap: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        for entry in stored {
            hasher.combine(StoredText(entry.key))
            hasher.combine(value(entry.entry))
        }
    }
}

extension FrozenMap: Encodable where Value: Encodable {
    /// Encodes the entries as a keyed container, `nil` as null.
    ///
    /// - Throws: `.invalidValue` for keys with different bytes that are equal as Swift strings; the
    ///   errors of ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try ReadScope.run {
            checkKeys()
            var container = encoder.container(keyedBy: NameCodingKey.self)
            for entry in self {
                let key = NameCodingKey(stringValue: entry.key._text)
                try container.encode(entry.value, forKey: key)
            }
        }
    }
}

extension FrozenMap: CustomStringConvertible {
    /// The entries with their keys, one per line, at most 100.
    public var description: String {
        let name = "FrozenMap<\(Key.self), \(Value.self)>"
        return ReadScope.describe(name) {
            ObjectPrinter.text {
                $0.print(entries: map { (key: $0.key._text, value: unwrapped($0.value)) }, name)
            }
        }
    }
}

extension FrozenMap {
    /// Returns the objects of the map that match a condition, in the order of the map's keys. An
    /// object occurs once for each of its keys.
    ///
    /// - Complexity: O(1). Nothing is evaluated before the result is used.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> FrozenResults<T> where Value == Frozen<T>? {
        let schema = table.schema
        let plan = place.map {
            schema.plan(ofMap: schema.properties[property], T.self, row: $0.row)
        }
        let nothing = QueryPlan(
            tableName: ClassSchema.of(T.self).name, predicate: .constant(false))
        return FrozenResults(table.other(T.self), plan: _Plan(plan: plan ?? nothing))
            .where(condition)
    }
}

// MARK: From objects

extension Frozen {
    /// The values of a map.
    public subscript<Key, Value: ScalarValue & MapValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, Value>>
    ) -> FrozenMap<Key, Value> {
        let (table, row, property) = collectionPlace(keyPath)
        return table.frozenMap(table.mapPlace(row, property), property)
    }

    /// The objects of a map.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> FrozenMap<Key, Frozen<T>?> {
        let (table, row, property) = collectionPlace(keyPath)
        return table.frozenMap(table.mapPlace(row, property), property)
    }

    /// The values of a map of `AnyRealmValue`.
    public subscript<Key>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, AnyRealmValue>>
    ) -> FrozenMap<Key, FrozenAnyValue> {
        let (table, row, property) = collectionPlace(keyPath)
        return table.frozenAnyMap(table.mapPlace(row, property), property)
    }
}

extension Map where Value: ScalarValue & Sendable {
    /// Returns the map as it was at the start of the transaction, as a `Sendable` value.
    ///
    /// - Throws: `.invalidInput` for the map of an object that was added or deleted in this
    ///   transaction, and for an unmanaged map.
    /// - Precondition: The body is running.
    public func freeze() throws(Realm.Error) -> FrozenMap<Key, Value> {
        let (table, map, property) = try startPlace()
        return table.frozenMap(map, property)
    }
}

extension Map {
    /// Returns the map as it was at the start of the transaction, like `freeze()` for values.
    public func freeze<T: ObjectBase>() throws(Realm.Error) -> FrozenMap<Key, Frozen<T>?>
    where Value == T? {
        let (table, map, property) = try startPlace()
        return table.frozenMap(map, property)
    }

    fileprivate func startPlace() throws(Realm.Error) -> (FrozenTable, OwnedList?, Int) {
        let map = try managed.required("\(Self.self)")
        let (table, nested) = try map.startTable("map")
        return (table, nested ?? table.mapPlace(map.row, map.property), map.property)
    }
}

extension Map where Value == AnyRealmValue {
    /// Returns the map as it was at the start of the transaction, like `freeze()` for other values.
    ///
    /// - Throws: `.invalidInput` also for a map that was assigned to an `AnyRealmValue` in this
    ///   transaction.
    public func freeze() throws(Realm.Error) -> FrozenMap<Key, FrozenAnyValue> {
        let (table, map, property) = try startPlace()
        return table.frozenAnyMap(map, property)
    }
}
