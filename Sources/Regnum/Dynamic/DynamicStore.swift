internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

/// The state that dynamic objects read from: the transaction or, in a migration, the state before
/// it.
///
/// Confined to the transaction's body, like its objects.
final class DynamicStore {
    let core: TransactionCore
    /// The state before the migration, for its old objects; `nil` to read what the transaction
    /// sees.
    let old: DatabaseRoot?
    /// The classes whose objects a migration works on, by name; `nil` outside of one. Their
    /// properties have their Swift names, and are those that the program declares.
    let declared: [StoredText: ClassSchema]?
    private let replaying: () -> Bool
    private var known: (schemaID: UInt64, tables: [TableKey: Properties]) = (0, [:])

    typealias Properties = [StoredText: DynamicProperty]

    init(
        _ core: TransactionCore, old: DatabaseRoot? = nil,
        declared: [StoredText: ClassSchema]? = nil,
        isReplaying: @escaping () -> Bool = { false }
    ) {
        self.core = core
        self.old = old
        self.declared = declared
        replaying = isReplaying
    }

    /// Whether a resumed migration is repeating calls that were completed earlier. The state
    /// already contains all changes made between them, which must not be made twice.
    var isReplaying: Bool { replaying() }

    /// Traps if the body has returned.
    func requireLive(_ call: StaticString) {
        guard case .ended = core.state else { return }
        fatalError(
            "DynamicObject.\(call) was used after the body of the transaction at \(core.place) had "
                + "returned: objects are valid only inside it.")
    }

    var schema: DatabaseSchema {
        if let old { return old.schema }
        guard let schema = core.schema else {
            preconditionFailure("A dynamic object outlived its transaction.")
        }
        return schema
    }

    /// Returns the running write. Throws for old objects and in a read.
    func writing(_ name: @autoclosure () -> String) throws(Realm.Error) -> EngineTransaction {
        if old != nil {
            throw Realm.Error(
                .invalidInput,
                "\(name()) was changed: the old objects of a migration are read-only. Change the "
                    + "new one.")
        }
        guard let transaction = core.writing else {
            throw Realm.Error(
                .invalidInput,
                "\(name()) was changed in the read at \(core.place): "
                    + "objects can only be changed in a write.")
        }
        return transaction
    }

    /// The state that is read; `nil` after the body.
    var view: (any DatabaseView)? { old ?? core.view }

    func contains(_ table: TableKey, _ row: ObjectKey) -> Bool {
        view?.contains(table, row) ?? false
    }

    func value(_ table: TableKey, _ row: ObjectKey, _ column: ColumnKey) -> Value? {
        view?.value(table, row, column)
    }

    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        view?.list(table, row, list) ?? []
    }

    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        view?.listElement(table, row, list, at: position)
    }

    func count(_ table: TableKey) -> Int { view?.count(table) ?? 0 }

    func keys(_ table: TableKey, from key: ObjectKey, limit: Int) -> [ObjectKey] {
        view?.keys(table, from: key, limit: limit) ?? []
    }

    /// Returns the key of the row at a position in `0..<count`.
    func key(_ table: TableKey, at position: Int) -> ObjectKey {
        view?.key(table, at: position) ?? ObjectKey(rawValue: 0)
    }

    // MARK: Schema

    /// Returns the properties of a class by name.
    func properties(of table: TableKey) -> Properties {
        let schema = schema
        if known.schemaID != schema.id { known = (schema.id, [:]) }
        if let found = known.tables[table] { return found }
        var properties: Properties = [:]
        let stored = schema.tables[Int(table.rawValue)]
        if let declared = declared?[StoredText(stored.name)] {
            for property in declared.properties where property.isStored {
                if let column = stored.column(named: property.columnName) {
                    properties[StoredText(property.name)] = .column(column)
                } else if let list = stored.list(named: property.columnName) {
                    properties[StoredText(property.name)] = .list(list)
                }
            }
        } else {
            for column in stored.columns where !column.isDropped {
                properties[StoredText(column.name)] = .column(column)
            }
            // items of values of any type are part of those values
            for list in stored.lists where !list.isDropped && list.name.itemsProperty == nil {
                properties[StoredText(list.name)] = .list(list)
            }
        }
        known.tables[table] = properties
        return properties
    }

    /// Returns the name of a property as used here.
    func name(of property: PropertySchema) -> String {
        declared == nil ? property.columnName : property.name
    }

    func name(of table: TableKey) -> String { stored(table)?.name ?? "DynamicObject" }

    /// `nil` for a class whose creation a savepoint has rolled back.
    func stored(_ table: TableKey) -> TableSchema? {
        let tables = schema.tables
        return Int(table.rawValue) < tables.count ? tables[Int(table.rawValue)] : nil
    }

    /// Returns a class of objects, embedded or not; `nil` for hidden and dropped ones.
    func table(named name: String) -> TableSchema? {
        guard let table = schema.table(named: name), table.kind != .elements, !table.isDropped
        else { return nil }
        return table
    }

    func property(_ name: String, of table: TableKey) throws(Realm.Error) -> DynamicProperty {
        let properties = properties(of: table)
        if let found = properties[StoredText(name)] { return found }
        let className = self.name(of: table)
        if let inverse = inverse(name, of: className) {
            try requireOrigin(of: inverse, in: table)
            return .inverse(inverse)
        }
        if let unstored = try unstored(name, of: className) { return .unstored(unstored) }
        throw .unknownProperty(
            name, of: className, with: properties.keys.sorted().map(\.wrappedValue))
    }

    // MARK: Values

    /// Returns a property's value as a Swift value.
    func read(_ property: DynamicProperty, _ table: TableKey, _ row: ObjectKey) -> Any? {
        switch property {
        case .column(let column):
            guard let value = value(table, row, column.key) else { return nil }
            return any(value, column, table, row)
        case .inverse(let inverse):
            guard case .linkingObjects(let type) = inverse.shape else { return nil }
            return DynamicLinkingObjects(
                self, row, of: table, originClass: ClassSchema.of(type).name,
                property: inverse.originColumnName ?? "", name: inverse.name)
        case .unstored(let property):
            return unstoredValue(property, table, row)
        case .list(let list):
            let place = DynamicPlace(store: self, table: table, row: row, list: list)
            switch list.kind {
            case .list: return DynamicList(place)
            case .set: return DynamicMutableSet(place)
            case .map: return DynamicMap(place)
            }
        }
    }

    /// Returns a column's value as a Swift value.
    ///
    /// - Parameter level: The number of lists and dictionaries of any type that contain it.
    func any(
        _ value: Value, _ column: ColumnSchema, _ table: TableKey, _ row: ObjectKey, level: Int = 0
    ) -> Any? {
        if let target = column.linkTarget {
            return value.linkedObject.flatMap { object(target, $0) }
        }
        let content = value.anyContent
        switch content {
        case .link(let target, let key):
            return core.attempt { () throws(Realm.Error) in try schema.anyTarget(target).key }
                .flatMap { object($0, key) }
        case .list, .dictionary:
            guard let items = items(of: column, table) else {
                core.fail(.missingItems(name(of: table), column.name))
                return nil
            }
            if schema.tables[Int(table.rawValue)].kind == .elements,
                let problem = view?.ownershipProblem(of: row, in: table, level: level + 1)
            {
                core.fail(.naming(problem, in: schema))
                return nil
            }
            let place = DynamicPlace(
                store: self, table: table, row: row, list: items,
                slot: DynamicPlace.Slot(column: column.key, value: value), level: level + 1)
            if case .list = content { return DynamicList(place) }
            return DynamicMap(place)
        default: return value.anyValue(as: column.scalarType)
        }
    }

    /// Returns the target of a link. A link to a missing row, which only a damaged file contains,
    /// fails the transaction.
    private func object(_ table: TableKey, _ row: ObjectKey) -> DynamicObject? {
        if contains(table, row) { return DynamicObject(self, table, row) }
        core.fail(.missingRow(name(of: table)))
        return nil
    }

    /// Returns the list with the contents of a column of any type.
    func items(of column: ColumnSchema, _ table: TableKey) -> ListSchema? {
        schema.tables[Int(table.rawValue)]
            .list(named: PropertySchema.anyItemsName(of: column.name))
    }

    /// Returns an element of a list by its row: a value or an object.
    func element(_ place: DynamicPlace, _ key: ObjectKey) -> Any? {
        guard let list = place.stored else { return nil }  // the transaction has failed
        let target = schema.tables[Int(list.target.rawValue)]
        guard target.kind == .elements, let column = target.columns.first else {
            if !contains(target.key, key) { place.failMissing(key) }
            return DynamicObject(self, target.key, key)
        }
        guard let value = value(target.key, key, column.key) else {
            place.failMissing(key)
            return nil
        }
        return any(value, column, target.key, key, level: place.level)
    }

    // MARK: Loops

    /// Returns the elements of rows, for loops. `element` returns `nil` for a deleted row.
    func loopElements<Element>(
        _ rows: [ObjectKey], _ element: @escaping (ObjectKey) -> Element?
    ) -> _TakenElements<Element> {
        _TakenElements(count: rows.count) { [self] position in
            requireLive("makeIterator")
            return element(rows[position])
        }
    }

    /// Returns the objects of rows, for loops.
    func objects(_ table: TableKey, _ rows: [ObjectKey]) -> _TakenElements<DynamicObject> {
        loopElements(rows) { [self] in contains(table, $0) ? DynamicObject(self, table, $0) : nil }
    }
}

/// A property of a stored class.
enum DynamicProperty {
    case column(ColumnSchema)
    case list(ListSchema)
    /// Declared by the program, not stored.
    case inverse(PropertySchema)
    /// Declared by the program and not stored yet.
    case unstored(PropertySchema)
}
