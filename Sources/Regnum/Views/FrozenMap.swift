internal import RegnumEngine

/// A map as it was in one snapshot: a value that can be sent and kept.
///
///     let scores = person.scores               // FrozenMap<String, Int>
///     print(scores["chess"] ?? 0, scores.keys)
///
/// A map of objects has frozen objects as values: `FrozenMap<String, Frozen<Dog>?>`. Entries come in
/// ascending order of their keys' UTF-8 bytes.
public struct FrozenMap<Key: MapKey, Value: Sendable>: Sendable {
    let table: FrozenTable
    /// The object whose map it is, nil while there is none.
    let row: ObjectKey?
    let property: Int
    private let decode: @Sendable (RegnumEngine.Value) -> Value

    init(
        _ table: FrozenTable, row: ObjectKey?, _ property: Int,
        _ decode: @escaping @Sendable (RegnumEngine.Value) -> Value
    ) {
        self.table = table
        self.row = row
        self.property = property
        self.decode = decode
    }

    /// The version of the snapshot.
    public var version: UInt64 { table.snapshot.root.version }

    /// The number of entries.
    ///
    /// - Complexity: O(log n).
    public var count: Int { row.map { table.mapCount($0, property) } ?? 0 }

    /// Whether there are no entries.
    public var isEmpty: Bool { count == 0 }

    /// The value of a key, nil if there is no such entry.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: Key) -> Value? {
        row.flatMap { table.mapValue($0, property, key._text) }.map(decode)
    }

    /// The keys, ascending.
    ///
    /// - Complexity: O(n).
    public var keys: [Key] { stored.map { Key._make($0.key) } }

    /// The values, in the order of ``keys``.
    ///
    /// - Complexity: O(n).
    public var values: [Value] { stored.map { decode($0.value) } }

    /// The entries as a plain dictionary.
    ///
    /// - Complexity: O(n).
    public var dictionary: [Key: Value] {
        Dictionary(map { ($0.key, $0.value) }) { _, last in last }
    }

    private var stored: [(key: String, value: RegnumEngine.Value)] {
        row.map { table.map($0, property) } ?? []
    }
}

extension FrozenMap: Sequence {
    /// Walks the entries in the order of their keys.
    ///
    /// - Complexity: O(n) for the first, then O(1).
    public func makeIterator() -> IndexingIterator<[SingleMapEntry<Key, Value>]> {
        stored.map { SingleMapEntry(key: Key._make($0.key), value: decode($0.value)) }
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
                    && left.decode(a.value) == right.decode(b.value)
            }
    }
}

extension FrozenMap: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        for entry in stored {
            hasher.combine(MapKeyText(entry.key))
            hasher.combine(decode(entry.value))
        }
    }
}

extension FrozenMap: Encodable where Value: Encodable {
    /// Encodes the entries by their keys, nil as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MapCodingKey.self)
        for entry in self {
            try container.encode(entry.value, forKey: MapCodingKey(stringValue: entry.key._text))
        }
    }
}

extension FrozenMap: CustomStringConvertible {
    /// The entries with their keys, line by line; at most 100.
    public var description: String {
        var printer = ObjectPrinter()
        printer.print(
            map { (key: $0.key._text, value: unwrapped($0.value)) },
            "FrozenMap<\(Key.self), \(Value.self)>")
        return printer.text
    }
}

extension FrozenMap {
    /// The objects of the map that meet a condition, each once under however many keys, in order of
    /// creation: their keys are not told.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> FrozenResults<T> where Value == Frozen<T>? {
        let schema = table.schema
        let plan = row.map { schema.plan(ofMap: schema.properties[property], T.self, row: $0) }
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
        return table.frozenMap(row, property)
    }

    /// The objects of a map.
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> FrozenMap<Key, Frozen<T>?> {
        let (table, row, property) = mapPlace(keyPath)
        return table.frozenMap(row, property)
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
                        "\(keyPath) of a Frozen<\(Model.self)> gave a map that is not stored: a "
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
    /// - Throws: `.invalidInput` for the map of an object that was added in this transaction, and for
    ///   an unmanaged one.
    /// - Precondition: the object of the map was not deleted, and the body is running.
    public func freeze() throws(Realm.Error) -> FrozenMap<Key, Value> {
        let (table, map) = try startTable()
        return table.frozenMap(map.row, map.property)
    }
}

extension Map {
    /// The map as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the map of an object that was added in this transaction, and for
    ///   an unmanaged one.
    /// - Precondition: the object of the map was not deleted, and the body is running.
    public func freeze<T: ObjectBase>() throws(Realm.Error) -> FrozenMap<Key, Frozen<T>?>
    where Value == T? {
        let (table, map) = try startTable()
        return table.frozenMap(map.row, map.property)
    }

    private func startTable() throws(Realm.Error) -> (FrozenTable, _ManagedList) {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged Map<\(Key.self), \(Value.self)> was to be frozen: only maps of a realm "
                    + "can be.")
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property,
            what: "map \(handle.name) of an object")
        return (table, handle)
    }
}
