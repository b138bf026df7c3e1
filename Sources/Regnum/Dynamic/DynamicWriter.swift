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
    struct Name {
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

    func name(_ property: String, _ table: TableKey) -> Name {
        let schema = transaction.schema
        let stored = schema.tables[Int(table.rawValue)]
        // what lies in a value of any type is told by that
        let property = property.itemsProperty ?? property
        if stored.kind == .elements, let owner = schema.owner(of: table) {
            // and elements by the property that they are part of
            return name(owner.property, owner.table)
        }
        return Name(
            className: stored.name, property: property,
            type: stored.swiftName(ofProperty: property, in: schema) ?? "nothing")
    }

    // MARK: Properties

    func assign(
        _ value: Any?, to property: DynamicProperty, of table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        switch property {
        case .inverse(let inverse):
            let className = store.name(of: table)
            throw Realm.Error(
                .invalidInput,
                "\(className).\(inverse.name) cannot be assigned to: it follows from the property "
                    + "\"\(inverse.originProperty ?? "")\" of the other class.",
                className: className, property: inverse.name)
        case .column(let column) where column.type == .any:
            try assign(any: value, to: column, of: table, row)
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
    typealias Made = (table: TableKey, row: ObjectKey)

    func discard(_ made: Made?) {
        if let made { transaction.delete(made.table, made.row) }
    }

    /// What a column gets for a value.
    func content(
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

    /// What a column of values gets.
    func scalar(
        _ value: Any, _ column: ColumnSchema, _ name: Name
    ) throws(Realm.Error) -> Value {
        let storage = _StorageType(
            column.type, isOptional: column.isOptional, isFloat: column.meaning == .float)
        guard let stored = storage.engineValue(of: value) else { throw name.wrong(value) }
        return stored
    }

    // MARK: Objects

    /// The row that is linked to for a value: that of an object of the class, or a new one.
    func row(
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
            if case .column(let column) = property, column.linkTarget == nil, column.type != .any {
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
