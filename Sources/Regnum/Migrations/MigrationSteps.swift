internal import RegnumEngine
internal import RegnumStore

/// The steps that change the stored schema to that of the program: before, in and after the block
/// of a migration. They commit nothing.
final class MigrationSteps {
    private(set) var transaction: EngineTransaction
    /// The version of the new schema.
    let version: UInt64
    /// The classes of the program, in no particular order.
    let classes: [ClassSchema]
    /// Properties whose form has changed. Their old values are stored under another name until the
    /// end.
    private(set) var aside: [(table: TableKey, name: String)] = []
    /// New names that the program doesn't have, from renaming in several steps.
    private(set) var intermediate: [(className: String, name: String)] = []
    private(set) var droppedTables: [TableKey] = []

    /// The state in addition to the schema of the transaction.
    struct State: Codable {
        var asideTables: [UInt32]
        var asideNames: [String]
        var intermediate: [[String]]
        var dropped: [UInt32]

        /// Returns whether the state can have been saved with a schema of that many classes.
        func isPossible(tableCount: Int) -> Bool {
            (asideTables + dropped).allSatisfy { Int($0) < tableCount }
        }
    }

    var state: State {
        State(
            asideTables: aside.map(\.table.rawValue), asideNames: aside.map(\.name),
            intermediate: intermediate.map { [$0.className, $0.name] },
            dropped: droppedTables.map(\.rawValue))
    }

    /// Restores the state that was saved with a transaction.
    func resume(_ state: State) {
        aside = zip(state.asideTables, state.asideNames).map { (TableKey(rawValue: $0), $1) }
        intermediate = state.intermediate.compactMap { names in
            names.count == 2 ? (names[0], names[1]) : nil
        }
        droppedTables = state.dropped.map { TableKey(rawValue: $0) }
    }

    /// Continues in a transaction that replaces the previous one.
    func move(to other: EngineTransaction) { transaction = other }

    init(_ transaction: EngineTransaction, _ types: [ObjectBase.Type], version: UInt64) {
        self.transaction = transaction
        self.version = version
        classes = ClassSchema.reachable(from: types.map { ClassSchema.of($0) }) { $0.targetType }
    }

    func isDeclared(_ className: String) -> Bool {
        classes.contains { equalUTF8($0.name, className) }
    }

    func table(_ schema: ClassSchema) -> TableSchema? {
        transaction.schema.table(named: schema.name)
    }

    // MARK: Before the block

    /// Whether values would be lost unless a block copies them.
    var losesValues: Bool {
        classes.contains { schema in
            guard let table = table(schema), transaction.count(table.key) > 0 else { return false }
            // objects without an owner are deleted; asymmetric ones are removed once delivered
            if schema.isEmbedded, table.kind != .embedded { return true }
            if schema.isAsymmetric, table.kind != .asymmetric { return true }
            return schema.properties.contains { form(of: $0, in: table) == .other }
        }
    }

    private enum Form { case missing, same, becomesOptional, other }

    /// Returns how the stored form of a property relates to the declared one.
    private func form(of property: PropertySchema, in table: TableSchema) -> Form {
        let name = property.columnName
        guard property.isStored, table.column(named: name) != nil || table.list(named: name) != nil
        else { return .missing }
        if table.stores(property.shape, as: name, in: transaction.schema) { return .same }
        guard case .scalar(let storage) = property.shape,
            let column = table.column(named: name)
        else { return .other }
        return isWidening(column, storage) ? .becomesOptional : .other
    }

    private func isWidening(_ column: ColumnSchema, _ storage: _StorageType) -> Bool {
        column.linkTarget == nil && !column.isOptional && storage.isOptional
            && column.scalarType == storage.scalar
    }

    /// Adds what is new, and sets aside what has changed.
    func prepare() throws(Realm.Error) {
        for schema in classes {
            guard let table = table(schema) else { continue }
            // until the end, when they are owned or passed on
            if table.kind != schema.tableKind { transaction.setKind(table.key, .object) }
            try demotePrimaryKey(of: table.key)
            for property in schema.properties {
                switch form(of: property, in: table) {
                case .missing, .same: break
                case .becomesOptional: try makeOptional(property, of: table.key)
                case .other: try setAside(property.columnName, of: table.key)
                }
            }
            for property in schema.properties {
                guard case .scalar = property.shape,
                    self.table(schema)?.column(named: property.columnName) == nil
                else { continue }
                _ = try addColumn(property, to: table.key)
            }
        }
        let new = classes.filter { table($0) == nil }
        try engine { () throws(StoreError) in
            for schema in classes {
                try SchemaGrowth.addTable(schema, transaction, addsIndexes: true)
            }
            for schema in classes { try SchemaGrowth.addReferences(schema, transaction) }
        }
        for schema in new {
            if let table = table(schema) { try demotePrimaryKey(of: table.key) }
        }
    }

    /// Makes the primary key an ordinary property until the end.
    private func demotePrimaryKey(of table: TableKey) throws(Realm.Error) {
        let schema = transaction.schema.tables[Int(table.rawValue)]
        guard schema.primaryKey != nil else { return }
        let indexed = schema.columns.filter(\.hasIndex).map(\.key)
        try engine { () throws(StoreError) in
            try transaction.setKeys(table, primaryKey: nil, indexed: Set(indexed))
        }
    }

    private func addColumn(
        _ property: PropertySchema, to table: TableKey
    ) throws(Realm.Error) -> ColumnKey {
        var definition = property.definition
        definition.isIndexed = definition.isIndexed || definition.isPrimaryKey
        definition.isPrimaryKey = false
        return try engine { () throws(StoreError) in
            try transaction.addColumn(table, definition)
        }
    }

    /// Makes a required property optional, keeping its values.
    private func makeOptional(_ property: PropertySchema, of table: TableKey) throws(Realm.Error) {
        let name = property.columnName
        guard let column = stored(table).column(named: name) else { return }
        try engine { () throws(StoreError) in
            try transaction.rename(table, column.key, to: DroppedName.aside(aside.count))
        }
        let added = try addColumn(property, to: table)
        transaction.move(table, column.key, to: added)
    }

    private func setAside(_ name: String, of table: TableKey) throws(Realm.Error) {
        let other = DroppedName.aside(aside.count)
        try rename(name, to: other, of: table)
        aside.append((table, other))
    }

    func stored(_ table: TableKey) -> TableSchema {
        transaction.schema.tables[Int(table.rawValue)]
    }

    private func rename(
        _ name: String, to other: String, of table: TableKey
    ) throws(Realm.Error) {
        let schema = stored(table)
        try engine { () throws(StoreError) in
            guard let column = schema.column(named: name) else {
                guard let list = schema.list(named: name) else { return }
                return try transaction.rename(table, list.key, to: other)
            }
            try transaction.rename(table, column.key, to: other)
            if let items = items(of: column, schema) {
                try transaction.rename(
                    table, items.key, to: PropertySchema.anyItemsName(of: other))
            }
        }
    }

    func drop(_ name: String, of table: TableKey) {
        let schema = stored(table)
        if let column = schema.column(named: name) {
            if let items = items(of: column, schema) { transaction.drop(table, items.key) }
            transaction.drop(table, column.key)
        } else if let list = schema.list(named: name) {
            transaction.drop(table, list.key)
        }
    }

    /// Returns the list with the contents of a column of any type.
    private func items(of column: ColumnSchema, _ table: TableSchema) -> ListSchema? {
        guard column.type == .any else { return nil }
        return table.list(named: PropertySchema.anyItemsName(of: column.name))
    }

    // MARK: In the block

    func dropsTable(_ table: TableKey) { droppedTables.append(table) }

    /// See `Migration.renameProperty`.
    func rename(_ className: String, _ old: String, _ new: String) throws(Realm.Error) {
        func refusal(_ message: String) -> Realm.Error {
            Realm.Error(
                .invalidInput, "\(className).\(old) cannot be renamed to \(new): \(message)",
                className: className, property: old)
        }
        guard let table = transaction.schema.table(named: className), !table.isDropped else {
            throw refusal("the realm has no class \(className).")
        }
        guard let schema = classes.first(where: { equalUTF8($0.name, className) }) else {
            throw refusal("the program declares no class \(className).")
        }
        if equalUTF8(old, new) { throw refusal("the names are the same.") }
        guard Self.isName(old),
            let type = table.swiftName(ofProperty: old, in: transaction.schema)
        else { throw refusal("the stored class has no property \(old).") }
        if schema.property(storedAs: old) != nil {
            throw refusal("the program still declares a property \(old).")
        }
        let property = schema.property(storedAs: new)
        let isSame =
            property.map { table.stores($0.shape, as: old, in: transaction.schema) } ?? true
        if schema.hasInverse(new) { throw refusal("\(new) is not a stored property.") }
        if let property {
            if !isSame {
                guard case .scalar(let storage) = property.shape,
                    let column = table.column(named: old), isWidening(column, storage)
                else {
                    throw refusal(
                        "it is stored as \(type), and \(new) is of type "
                            + "\(property.shape.swiftName). Copy the values instead.")
                }
            }
        } else {
            let isAny = table.column(named: old)?.type == .any
            let maximumByteCount =
                isAny ? Limits.maximumAnyNameByteCount : Limits.maximumColumnNameByteCount
            guard Self.isName(new), !new.isEmpty else {
                throw refusal("a property cannot have that name.")
            }
            guard new.utf8.count <= maximumByteCount else {
                throw refusal(
                    "that name has \(new.utf8.count) bytes; it can have at most "
                        + "\(maximumByteCount).")
            }
            intermediate.append((className, new))
        }
        forgetIntermediate(className, old)
        drop(new, of: table.key)  // added for it, or renamed by the block before
        try rename(old, to: new, of: table.key)
        if let property, !isSame {
            try makeOptional(property, of: table.key)
        }
    }

    /// Returns whether a name can be that of a property, rather than one that the library derives
    /// from a property's name.
    private static func isName(_ name: String) -> Bool {
        !DroppedName.isDropped(name) && name.itemsProperty == nil
    }

    /// See `Migration.deleteProperty`.
    func deleteProperty(_ className: String, _ name: String) throws(Realm.Error) {
        guard let table = transaction.schema.table(named: className), !table.isDropped,
            Self.isName(name),
            table.column(named: name) != nil || table.list(named: name) != nil
        else {
            throw Realm.Error(
                .invalidInput, "\(className).\(name) is not stored and cannot be deleted.",
                className: className, property: name)
        }
        if let schema = classes.first(where: { equalUTF8($0.name, className) }),
            schema.property(storedAs: name) != nil
        {
            throw Realm.Error(
                .invalidInput,
                "\(className).\(name) cannot be deleted: the program still declares it.",
                className: className, property: name)
        }
        forgetIntermediate(className, name)
        drop(name, of: table.key)
    }

    /// Forgets a name that the program doesn't declare, which is no longer a mistake once the
    /// property has been renamed again or deleted.
    private func forgetIntermediate(_ className: String, _ name: String) {
        intermediate.removeAll {
            equalUTF8($0.className, className) && equalUTF8($0.name, name)
        }
    }
}

extension ClassSchema {
    /// Returns the property that is stored under a name. Inverses aren't stored: a stored property
    /// with the name of an inverse belongs to other programs.
    func property(storedAs name: String) -> PropertySchema? {
        properties.first { $0.isStored && equalUTF8($0.columnName, name) }
    }

    /// Whether the program declares an inverse with a name.
    fileprivate func hasInverse(_ name: String) -> Bool {
        properties.contains { !$0.isStored && equalUTF8($0.columnName, name) }
    }
}
