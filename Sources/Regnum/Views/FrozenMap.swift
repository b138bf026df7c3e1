internal import RegnumEngine

/// A map as it was in one snapshot: a value that can be sent and kept.
///
///     let scores = person.scores               // FrozenMap<String, Int>
///     print(scores["chess"] ?? 0, scores.keys)
///
/// A map of objects has frozen objects as values: `FrozenMap<String, Frozen<Dog>?>`. Entries come
/// in ascending order of their keys' UTF-8 bytes.
public struct FrozenMap<Key: MapKey, Value: Sendable>: Sendable {
    let table: FrozenTable
    /// Where the map is, nil while there is none.
    private let place: OwnedList?
    private let property: Int
    /// The value of an entry, a row of a hidden class.
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
    public var count: Int { place.map { table.mapCount($0) } ?? 0 }

    /// Whether there are no entries.
    public var isEmpty: Bool { count == 0 }

    /// The value of a key, nil if there is no such entry.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: Key) -> Value? {
        guard let place else { return nil }
        let entry = table.checked { table.snapshot.root.entry(key._text, of: place) }
        return entry.map { decode($0, place.list.target) }
    }

    /// The keys, ascending.
    ///
    /// - Complexity: O(n).
    public var keys: [Key] { stored.map { Key._make($0.key) } }

    /// The values, in the order of ``keys``.
    ///
    /// - Complexity: O(n).
    public var values: [Value] { stored.map { value($0.entry) } }

    /// The entries as a plain dictionary.
    ///
    /// - Complexity: O(n).
    public var dictionary: [Key: Value] {
        Dictionary(map { ($0.key, $0.value) }) { _, last in last }
    }

    private var stored: [(key: String, entry: ObjectKey)] {
        place.map { table.entries($0) } ?? []
    }

    private func value(_ entry: ObjectKey) -> Value {
        guard let place else { preconditionFailure("A map that is not there has no entries.") }
        return decode(entry, place.list.target)
    }
}

extension FrozenMap: Sequence {
    /// Walks the entries in the order of their keys.
    ///
    /// - Complexity: O(n) for the first, then O(1).
    public func makeIterator() -> IndexingIterator<[SingleMapEntry<Key, Value>]> {
        stored.map { SingleMapEntry(key: Key._make($0.key), value: value($0.entry)) }
            .makeIterator()
    }

    public var underestimatedCount: Int { count }

    /// The entries as pairs, in the order of the keys.
    public func asKeyValueSequence() -> some Sequence<(key: Key, value: Value)> {
        lazy.map { (key: $0.key, value: $0.value) }
    }

    /// Whether the condition holds for one of the entries.
    ///
    /// - Complexity: O(n).
    public func contains(
        where condition: (_ key: Key, _ value: Value) throws -> Bool
    ) rethrows -> Bool {
        for entry in self where try condition(entry.key, entry.value) { return true }
        return false
    }
}

extension FrozenMap: Equatable where Value: Equatable {
    /// Whether both have the same keys with equal values, wherever they come from.
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
            hasher.combine(MapKeyText(entry.key))
            hasher.combine(value(entry.entry))
        }
    }
}

extension FrozenMap: Encodable where Value: Encodable {
    /// Encodes the entries by their keys, nil as null.
    public func encode(to encoder: any Encoder) throws {
        try ReadScope.run {
            var container = encoder.container(keyedBy: MapCodingKey.self)
            for entry in self {
                let key = MapCodingKey(stringValue: entry.key._text)
                try container.encode(entry.value, forKey: key)
            }
        }
    }
}

extension FrozenMap: CustomStringConvertible {
    /// The entries with their keys, line by line; at most 100.
    public var description: String {
        let name = "FrozenMap<\(Key.self), \(Value.self)>"
        return ReadScope.describe(name) {
            var printer = ObjectPrinter()
            printer.print(map { (key: $0.key._text, value: unwrapped($0.value)) }, name)
            return printer.text
        }
    }
}

extension FrozenMap {
    /// The objects of the map that meet a condition, in the order of its keys, each once for each
    /// of its keys.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
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
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<Key, Value: ScalarValue & MapValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, Value>>
    ) -> FrozenMap<Key, Value> {
        let (table, row, property) = mapPlace(keyPath)
        return table.frozenMap(table.mapPlace(row, property), property)
    }

    /// The objects of a map.
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> FrozenMap<Key, Frozen<T>?> {
        let (table, row, property) = mapPlace(keyPath)
        return table.frozenMap(table.mapPlace(row, property), property)
    }

    /// The values of a map of any type.
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<Key>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, AnyRealmValue>>
    ) -> FrozenMap<Key, FrozenAnyValue> {
        let (table, row, property) = mapPlace(keyPath)
        return table.frozenAnyMap(table.mapPlace(row, property), property)
    }

    private func mapPlace<Key, Value>(
        _ keyPath: KeyPath<Model, Map<Key, Value>>
    ) -> (FrozenTable, ObjectKey, Int) {
        switch table.meaning(of: keyPath, row) {
        case .property(let index): return (table, row, index)
        case .computed:
            return table.compute(Model.self, row) { model in
                guard let map = model[keyPath: keyPath].handle else {
                    fatalError(
                        "\(keyPath.text) of a Frozen<\(Model.self)> gave a map that is not stored: a "
                            + "computed property of a frozen object can give maps of its realm.")
                }
                return (table.other(map.binding.schema.type), map.row, map.property)
            }
        }
    }
}

extension Map where Value: ScalarValue & Sendable {
    /// The map as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the map of an object that was added or deleted in this
    ///   transaction, and for an unmanaged one.
    /// - Precondition: the body is running.
    public func freeze() throws(Realm.Error) -> FrozenMap<Key, Value> {
        let (table, map, property) = try startPlace()
        return table.frozenMap(map, property)
    }
}

extension Map {
    /// The map as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the map of an object that was added or deleted in this
    ///   transaction, and for an unmanaged one.
    /// - Precondition: the body is running.
    public func freeze<T: ObjectBase>() throws(Realm.Error) -> FrozenMap<Key, Frozen<T>?>
    where Value == T? {
        let (table, map, property) = try startPlace()
        return table.frozenMap(map, property)
    }

    fileprivate func startPlace() throws(Realm.Error) -> (FrozenTable, OwnedList?, Int) {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged Map<\(Key.self), \(Value.self)> was to be frozen: only maps of a realm "
                    + "can be.")
        }
        let (table, nested) = try handle.startTable("map")
        return (
            table, nested ?? table.mapPlace(handle.row, handle.property), handle.property
        )
    }
}

extension Map where Value == AnyRealmValue {
    /// The map as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the map of an object that was added or deleted in this
    ///   transaction, for one that was assigned to a value of any type in it, and for an unmanaged
    ///   one.
    /// - Precondition: the body is running.
    public func freeze() throws(Realm.Error) -> FrozenMap<Key, FrozenAnyValue> {
        let (table, map, property) = try startPlace()
        return table.frozenAnyMap(map, property)
    }
}
