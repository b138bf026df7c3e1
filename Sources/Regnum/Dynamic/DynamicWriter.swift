internal import RegnumEngine
internal import RegnumStore

/// Sets properties of rows of which only the stored schema is known, and makes rows.
///
/// A call that throws leaves the transaction as it was, but for rows that nothing leads to any more:
/// those are deleted again.
struct DynamicWriter {
    let store: DynamicStore
    let transaction: EngineTransaction
    /// The rows that objects were copied to, so that a graph is copied as what it is.
    let copies = Copies()
    /// How many dictionaries and arrays of properties the values lie in that are stored.
    var level = 0

    init(_ store: DynamicStore, _ transaction: EngineTransaction) {
        self.store = store
        self.transaction = transaction
    }

    /// The place of a property, for sentences.
    struct Name {
        let className: String
        let property: String
        let type: String

        /// - Parameter position: which element of a collection it is.
        func wrong(_ value: Any?, at position: ValuePath.Position? = nil) -> Realm.Error {
            var error = Realm.Error(
                .invalidValue,
                "\(className).\(property) is of type \(type) and cannot hold \(told(value)).",
                className: className, property: property)
            error.valuePath = position.map { ValuePath(nil, property, $0).text }
            return error
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

    /// The converted value of a property, with the rows created for it.
    enum Prepared {
        case column(ColumnSchema, Value, Made?)
        case any(ColumnSchema, AnyTree)
        /// Elements or entries in the place of those that are there.
        case elements(DynamicPlace, rows: [ObjectKey], made: [Made])
        /// Members that join those that are there.
        case members(DynamicPlace, SetMembers)
        /// Entries that join those that are there, with their keys.
        case entries(DynamicPlace, [(key: String, row: ObjectKey)])
    }

    /// Gives a property of a row a value in the place of what it has.
    func assign(
        _ value: Any?, to property: DynamicProperty, of table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        try store(try prepare(value, for: property, of: table, row), in: table, row)
    }

    /// Converts a value.
    ///
    /// - Parameter adds: whether the elements of a set or map join those that are there.
    func prepare(
        _ value: Any?, for property: DynamicProperty, of table: TableKey, _ row: ObjectKey,
        adds: Bool = false
    ) throws(Realm.Error) -> Prepared {
        switch property {
        case .inverse(let inverse):
            let className = store.name(of: table)
            throw Realm.Error(
                .invalidInput,
                "\(className).\(inverse.name) cannot be assigned to: it follows from the property "
                    + "\"\(inverse.originProperty ?? "")\" of the other class.",
                className: className, property: inverse.name)
        case .unstored:
            let stored = try store.stored(property, of: table, in: transaction)
            return try prepare(value, for: stored, of: table, row, adds: adds)
        case .column(let column) where column.type == .any:
            return .any(column, try anyTree(value, name(column.name, table)))
        case .column(let column):
            let (stored, made) = try content(of: value, for: column, of: table)
            if column.linkTarget == nil {
                do throws(StoreError) {
                    try transaction.check(table, column.key, stored)
                } catch {
                    throw .naming(error, in: transaction.schema)
                }
            }
            return .column(column, stored, made)
        case .list(let list):
            let place = DynamicPlace(store: store, table: table, row: row, list: list)
            let value = value.flatMap { unwrapped($0) }
            if list.kind == .map {
                let entries = try entries(of: value, in: place)
                if adds, value != nil { return .entries(place, entries) }
                return .elements(
                    place, rows: entries.map(\.row),
                    made: entries.map { (place.list.target, $0.row) })
            }
            guard let value else { return .elements(place, rows: [], made: []) }
            guard let elements = Self.elements(of: value) else {
                throw name(list.name, table).wrong(value)
            }
            if adds, list.kind == .set { return .members(place, try members(elements, place)) }
            let (rows, made) = try rows(for: elements, in: place)
            return .elements(place, rows: rows, made: made)
        }
    }

    /// Stores what a property gets.
    func store(
        _ prepared: Prepared, in table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        switch prepared {
        case .column(let column, let value, let made):
            do throws(StoreError) {
                try transaction.set(table, row, column.key, value)
            } catch {
                discard(made)
                throw .naming(error, in: transaction.schema)
            }
        case .any(let column, let tree):
            try assign(tree, to: column, of: table, row)
        case .elements(let place, let rows, let made):
            try replaceAll(place, rows: rows, made: made)
        case .members(let place, let members):
            do throws(StoreError) {
                try place.storedSet(transaction).add(members)
            } catch {
                throw .naming(error, in: transaction.schema)
            }
        case .entries(let place, let entries):
            for (key, entry) in entries { try put(entry, forKey: key, in: place) }
        }
    }

    /// Deletes the rows that were made for what is not stored.
    func discard(_ prepared: Prepared) {
        switch prepared {
        case .column(_, _, let made): discard(made)
        case .elements(_, _, let made): for row in made { discard(row) }
        case .entries(let place, let entries):
            for entry in entries { discard((place.list.target, entry.row)) }
        case .any, .members: break
        }
    }

    /// A row that was made for a link.
    typealias Made = (table: TableKey, row: ObjectKey)

    func discard(_ made: Made?) {
        if let made { transaction.delete(made.table, made.row) }
    }

    /// What a column gets for a value.
    ///
    /// - Parameter position: which entry of a map the column is of.
    func content(
        of value: Any?, for column: ColumnSchema, of table: TableKey,
        at position: ValuePath.Position? = nil
    ) throws(Realm.Error) -> (value: Value, made: Made?) {
        let name = name(column.name, table)
        guard let value = value.flatMap({ unwrapped($0) }) else {
            guard column.isOptional else { throw name.wrong(nil, at: position) }
            return (.null, nil)
        }
        if let target = column.linkTarget {
            let (row, isNew) = try self.row(for: value, of: target, name, at: position)
            let stored = Value.int(Int64(bitPattern: row.rawValue))
            return (stored, isNew ? (target, row) : nil)
        }
        return (try scalar(value, column, name, at: position), nil)
    }

    /// What a column of values gets.
    func scalar(
        _ value: Any, _ column: ColumnSchema, _ name: Name, at position: ValuePath.Position?
    ) throws(Realm.Error) -> Value {
        let storage = _StorageType(
            column.type, isOptional: column.isOptional, isFloat: column.meaning == .float)
        guard let stored = storage.engineValue(of: value) else {
            throw name.wrong(value, at: position)
        }
        let declared = store.core.realm.knownEntry(named: name.className)?.schema
            .valueType(ofStored: name.property, column.type)
        if let declared, !declared.hasValue(for: stored) {
            throw Realm.Error(
                .invalidValue,
                "\(name.className).\(name.property) is declared as \(declared.name) and cannot hold "
                    + "\(told(value)).", className: name.className, property: name.property)
        }
        return stored
    }
}
