internal import RegnumEngine
internal import RegnumStore

/// Sets properties of rows of which only the stored schema is known, and makes rows.
///
/// A call that throws leaves the transaction as it was, but for rows that nothing leads to any more:
/// those are deleted again.
struct DynamicWriter {
    let store: DynamicStore
    let transaction: EngineTransaction

    init(_ store: DynamicStore, _ transaction: EngineTransaction) {
        self.store = store
        self.transaction = transaction
    }

    /// The place of a property, for sentences.
    private struct Name {
        let className: String
        let property: String
        let type: String

        func wrong(_ value: Any?) -> Realm.Error {
            Realm.Error(
                .invalidValue,
                "\(className).\(property) is of type \(type) and cannot hold \(told(value)).",
                className: className, property: property)
        }
    }

    private func name(_ property: String, _ table: TableKey) -> Name {
        let schema = transaction.schema
        let stored = schema.tables[Int(table.rawValue)]
        return Name(
            className: stored.name, property: property,
            type: stored.swiftName(ofProperty: property, in: schema) ?? "nothing")
    }

    // MARK: Properties

    func assign(
        _ value: Any?, to property: DynamicProperty, of table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        switch property {
        case .column(let column):
            let (stored, made) = try content(of: value, for: column, of: table)
            do throws(StoreError) {
                try transaction.set(table, row, column.key, stored)
            } catch {
                discard(made)
                throw Realm.Error(error)
            }
        case .list(let list):
            let place = DynamicPlace(store: store, table: table, row: row, list: list)
            if list.kind == .map {
                try replaceAll(place, withEntries: value)
            } else {
                guard let values = value.map({ unwrapped($0) }) ?? nil else {
                    return try replaceAll(place, with: [])
                }
                guard let elements = Self.elements(of: values) else {
                    throw name(list.name, table).wrong(value)
                }
                try replaceAll(place, with: elements)
            }
        }
    }

    /// A row that was made for a link.
    private typealias Made = (table: TableKey, row: ObjectKey)

    private func discard(_ made: Made?) {
        if let made { transaction.delete(made.table, made.row) }
    }

    /// What a column gets for a value.
    private func content(
        of value: Any?, for column: ColumnSchema, of table: TableKey
    ) throws(Realm.Error) -> (value: Value, made: Made?) {
        let name = name(column.name, table)
        guard let value = value.flatMap({ unwrapped($0) }) else {
            guard column.isOptional else { throw name.wrong(nil) }
            return (.null, nil)
        }
        if let target = column.linkTarget {
            let (row, isNew) = try self.row(for: value, of: target, name)
            let stored = Value.int(Int64(bitPattern: row.rawValue))
            return (stored, isNew ? (target, row) : nil)
        }
        return (try scalar(value, column, name), nil)
    }

    /// What a column of values gets; one of values of any type a value or an object.
    private func scalar(
        _ value: Any, _ column: ColumnSchema, _ name: Name
    ) throws(Realm.Error) -> Value {
        guard column.type == .any else {
            let storage = _StorageType(
                column.type, isOptional: column.isOptional, isFloat: column.meaning == .float)
            guard let stored = storage.engineValue(of: value) else { throw name.wrong(value) }
            return stored
        }
        if let object = value as? DynamicObject, object.store.core === store.core {
            let isOwned = transaction.schema.tables[Int(object.table.rawValue)].kind.isOwned
            guard !isOwned, transaction.contains(object.table, object.row) else {
                throw name.wrong(object)
            }
            return AnyContent.link(object.table, object.row).value
        }
        if let any = value as? AnyRealmValue {
            guard let plain = any.plain else { throw name.wrong(value) }
            return plain
        }
        guard let stored = (value as? any ScalarValue)?.engineValue,
            let content = AnyContent(stored, isFloat: value is Float)
        else { throw name.wrong(value) }
        return content.value
    }

    // MARK: Objects

    /// The row that is linked to for a value: that of an object of the class, or a new one.
    private func row(
        for value: Any, of target: TableKey, _ name: Name
    ) throws(Realm.Error) -> (row: ObjectKey, isNew: Bool) {
        let schema = transaction.schema.tables[Int(target.rawValue)]
        let isOwned = schema.kind.isOwned
        let persisted = (value as? any FailableCustomPersistable)?.persistableValue
        switch persisted ?? value {
        case let object as DynamicObject:
            guard !object.isInvalidated, object.store.core === store.core else {
                throw Realm.Error(
                    .invalidValue,
                    "\(name.className).\(name.property) was given a \(schema.name) that was deleted or "
                        + "is of another transaction.", className: name.className,
                    property: name.property)
            }
            if object.table == target, !isOwned {
                guard transaction.contains(target, object.row) else {
                    throw Realm.Error(
                        .invalidValue,
                        "\(name.className).\(name.property) was given a \(schema.name) that was "
                            + "deleted.", className: name.className, property: name.property)
                }
                return (object.row, false)
            }
            guard isOwned else { throw name.wrong("a \(object.className)") }
            let known = store.properties(of: target)
            let values = object.values.filter { known[$0.key] != nil }
            return (try make(target, values), true)
        case let object as ObjectBase:
            return try self.row(for: object._storedObject, of: target, schema, name)
        case let values as [String: Any?]:
            return (try make(target, values), true)
        case let values as [String: Any]:
            return (try make(target, values), true)
        default:
            throw name.wrong(value)
        }
    }

    private func row(
        for object: ObjectBase, of target: TableKey, _ table: TableSchema, _ name: Name
    ) throws(Realm.Error) -> (row: ObjectKey, isNew: Bool) {
        let schema = ClassSchema.of(type(of: object))
        guard schema.name == table.name, !object.isInvalidated else { throw name.wrong(object) }
        if !table.kind.isOwned, let binding = object._binding, binding.core === store.core {
            return (ObjectKey(rawValue: object._row), false)
        }
        guard table.kind.isOwned else {
            throw Realm.Error(
                .invalidInput,
                "\(name.className).\(name.property) was given a \(schema.name) that is not of this "
                    + "transaction: add it first, or give a dictionary.",
                className: name.className, property: name.property)
        }
        var values: [String: Any?] = [:]
        for property in schema.properties where property.isStored {
            values[property.storedName] = property.field.dynamicValue(
                in: object, at: property.offset)
        }
        return (try make(target, values), true)
    }

    /// Makes a row with values by name; what is not given has its default.
    func make(_ table: TableKey, _ values: [String: Any?]) throws(Realm.Error) -> ObjectKey {
        let schema = transaction.schema.tables[Int(table.rawValue)]
        var first = schema.columns.map(\.defaultValue)
        // what older rows read may be another value than what the program's new objects begin with
        if let known = store.core.realm.knownEntry(named: schema.name) {
            for property in known.schema.properties where property.isColumn {
                guard let column = schema.column(named: property.storedName),
                    column.type == property.type, column.isOptional || !property.defaultValue.isNull
                else { continue }
                first[Int(column.key.rawValue)] = property.defaultValue
            }
        }
        var later: [(value: Any?, property: DynamicProperty)] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let property = try store.property(key, of: table)
            if case .column(let column) = property, column.linkTarget == nil {
                first[Int(column.key.rawValue)] = try content(of: value, for: column, of: table)
                    .value
            } else {
                later.append((value, property))
            }
        }
        let row: ObjectKey
        do throws(StoreError) {
            row = try transaction.insert(table, first)
        } catch {
            throw Realm.Error(error)
        }
        do throws(Realm.Error) {
            for (value, property) in later { try assign(value, to: property, of: table, row) }
        } catch {
            transaction.delete(table, row)
            throw error
        }
        return row
    }

    // MARK: Collections

    /// The rows of new elements: of values always new, of objects as `row(for:of:)` gives them.
    private func rows(
        for values: [Any?], in place: DynamicPlace
    ) throws(Realm.Error) -> (rows: [ObjectKey], made: [Made]) {
        let name = name(place.list.name, place.table)
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        var rows: [ObjectKey] = []
        var made: [Made] = []
        rows.reserveCapacity(values.count)
        do throws(Realm.Error) {
            if target.kind == .elements, let column = target.columns.first {
                for value in try stored(values, column, place, name) {
                    rows.append(try insert([value], into: target.key))
                    made.append((target.key, rows[rows.count - 1]))
                }
            } else {
                for value in values {
                    guard let value = value.flatMap({ unwrapped($0) }) else {
                        throw name.wrong(nil)
                    }
                    let (row, isNew) = try self.row(for: value, of: target.key, name)
                    rows.append(row)
                    if isNew { made.append((target.key, row)) }
                }
                if place.list.kind == .set { rows = Set(rows).sorted() }
            }
        } catch {
            for row in made { discard(row) }
            throw error
        }
        return (rows, made)
    }

    /// Elements as they are stored; of a set in order, each once.
    private func stored(
        _ values: [Any?], _ column: ColumnSchema, _ place: DynamicPlace, _ name: Name
    ) throws(Realm.Error) -> [Value] {
        var stored: [Value] = []
        for value in values {
            guard let value = value.flatMap({ unwrapped($0) }) else {
                guard column.isOptional else { throw name.wrong(nil) }
                stored.append(.null)
                continue
            }
            stored.append(try scalar(value, column, name))
        }
        guard place.list.kind == .set else { return stored }
        stored.sort { Value.compare($0, $1) < 0 }
        var unique: [Value] = []
        for value in stored {
            if let last = unique.last, Value.compare(last, value) == 0 { continue }
            unique.append(value)
        }
        return unique
    }

    private func insert(
        _ values: [Value], into table: TableKey
    ) throws(Realm.Error) -> ObjectKey {
        do throws(StoreError) {
            return try transaction.insert(table, values)
        } catch {
            throw Realm.Error(error)
        }
    }

    private func insert(
        _ rows: [ObjectKey], made: [Made], at position: Int, in place: DynamicPlace
    ) throws(Realm.Error) {
        if rows.isEmpty { return }
        do throws(StoreError) {
            try transaction.insertIntoList(
                place.table, place.row, place.list.key, at: position, rows)
        } catch {
            for row in made { discard(row) }
            throw Realm.Error(error)
        }
    }

    func insert(_ value: Any?, into place: DynamicPlace, at position: Int) throws(Realm.Error) {
        let (rows, made) = try rows(for: [value], in: place)
        try insert(rows, made: made, at: position, in: place)
    }

    func remove(_ range: Range<Int>, from place: DynamicPlace) {
        if range.isEmpty { return }
        transaction.removeFromList(place.table, place.row, place.list.key, range)
    }

    func replaceAll(_ place: DynamicPlace, with values: [Any?]) throws(Realm.Error) {
        let (rows, made) = try rows(for: values, in: place)
        remove(0..<transaction.listCount(place.table, place.row, place.list.key), from: place)
        try insert(rows, made: made, at: 0, in: place)
    }

    private func replaceAll(
        _ place: DynamicPlace, withEntries value: Any?
    ) throws(Realm.Error) {
        var entries: [(key: String, value: Any?)]
        switch value.flatMap({ unwrapped($0) }) {
        case nil: entries = []
        case let map as DynamicMap: entries = map.map { ($0.key, $0.value) }
        case let map as any UnmanagedMap: entries = map.anyEntries.map { ($0.key, $0.value) }
        case let values as [String: Any?]: entries = values.map { ($0.key, $0.value) }
        case let values as [String: Any]: entries = values.map { ($0.key, $0.value) }
        default: throw name(place.list.name, place.table).wrong(value)
        }
        entries.sort { MapKeyText.precedes($0.key, $1.key) }
        var rows: [ObjectKey] = []
        do throws(Realm.Error) {
            for (key, value) in entries { rows.append(try entry(key, value, place)) }
        } catch {
            for row in rows { transaction.delete(place.list.target, row) }
            throw error
        }
        remove(0..<transaction.listCount(place.table, place.row, place.list.key), from: place)
        try insert(rows, made: rows.map { (place.list.target, $0) }, at: 0, in: place)
    }

    /// The row of a map's entry.
    private func entry(
        _ key: String, _ value: Any?, _ place: DynamicPlace
    ) throws(Realm.Error) -> ObjectKey {
        let name = name(place.list.name, place.table)
        if let problem = Realm.Error.mapKey(key, name.className, name.property) { throw problem }
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let (stored, made) = try content(of: value, for: target.columns[0], of: target.key)
        do throws(Realm.Error) {
            return try insert([stored, .string(key)], into: target.key)
        } catch {
            discard(made)
            throw error
        }
    }

    func set(_ value: Any?, forKey key: String, in place: DynamicPlace) throws(Realm.Error) {
        let (position, isThere) = place.position(ofKey: key)
        guard isThere,
            let entry = transaction.listElement(
                place.table, place.row, place.list.key, at: position)
        else {
            let row = try entry(key, value, place)
            return try insert([row], made: [(place.list.target, row)], at: position, in: place)
        }
        let column = transaction.schema.tables[Int(place.list.target.rawValue)].columns[0]
        try assign(value, to: .column(column), of: place.list.target, entry)
    }

    /// What a list takes its elements from.
    private static func elements(of value: Any) -> [Any?]? {
        if let array = value as? [Any?] { return array }
        if let array = value as? [Any] { return array }
        if value is String || value is [AnyHashable: Any] || value is any UnmanagedMap
            || value is DynamicMap || value is any ScalarValue
        {
            return nil
        }
        guard let sequence = value as? any Sequence else { return nil }
        return array(sequence)
    }

    private static func array(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 as Any } }
}

extension DynamicObject {
    /// All properties as they are read.
    var values: [String: Any?] {
        store.properties(of: table).mapValues { store.read($0, table, row) }
    }
}

extension PropertySchema {
    /// The name under which the property is stored.
    var storedName: String { columnName }
}
