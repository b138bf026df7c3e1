import RegnumStore

/// The operations of a commit record, decoded without the rows that they change.
struct LoggedRecord {
    enum Operation {
        case delete(TableKey, [ObjectKey])
        case set(TableKey, ColumnKey, [ObjectKey], [Value])
        /// The values by column.
        case insert(TableKey, [ObjectKey], [[Value]])
        case lists(ListPlace, [(row: ObjectKey, splices: [ListSplice])])
    }

    /// The changes of rows and lists, in the order of the record.
    private(set) var operations: [Operation] = []
    /// The classes after the changes of the record.
    private(set) var schema: DatabaseSchema
    private var reader: RecordReader
    // As `RecordApplication` limits and orders the operations.
    private var deletedLeft: Int
    private var cellsLeft = Limits.maximumRecordCellCount
    private var setCellsLeft = Limits.maximumRecordCellCount
    private var lastPlace: (Int, Int, UInt8, Int) = (0, -1, 0, 0)
    private var budget = RecordBudget()
    private var lastElement: UInt64 = 0

    /// Decodes the body of a record, for classes as they were before it.
    ///
    /// - Parameter rowCount: The maximum number of rows that it can delete.
    ///
    /// Throws `invalidDatabase` if the body doesn't fit these classes or is damaged, and
    /// `unsupportedFormat` for what only newer versions know.
    init(_ body: [UInt8], _ schema: DatabaseSchema, rowCount: Int) throws(StoreError) {
        deletedLeft = rowCount
        reader = RecordReader(body)
        self.schema = schema
        _ = try reader.fixed(UInt64.self)  // version
        _ = try reader.fixed(Int64.self)  // time
        let originSize = try reader.count(max: reader.remaining + 1, "the origin's length")
        if originSize > 0 { _ = try reader.string(originSize - 1) }
        while !reader.isAtEnd { try operation() }
    }

    private mutating func operation() throws(StoreError) {
        let code = try reader.byte()
        guard let operation = CommitRecord.Operation(rawValue: code) else {
            throw .newer("A commit record has the unknown operation \(code)")
        }
        switch operation {
        case .delete, .set, .insert, .lists: break
        default: try reader.require(lastPlace.1 < 0, "a class is changed after rows were")
        }
        switch operation {
        case .schemaVersion:
            let version = try reader.varint()
            try reader.require(version > schema.version, "the schema version does not increase")
            try charge(adding: 0)
            schema = schema.at(version: version)
        case .addTable: try addTable()
        case .addColumn, .addList, .addIndex, .addFullTextIndex, .addGeoIndex:
            let table = try self.table()
            try charge(adding: operation == .addColumn || operation == .addList ? 1 : 0)
            do throws(StoreError) {
                try change(table, operation)
            } catch {
                guard error.code == .invalidInput else { throw error }
                throw reader.damaged("it changes a class in an invalid way (\(error.message))")
            }
        case .delete:
            let table = try self.table()
            try advance(to: .delete, table)
            let keys = try KeyRuns.decode(&reader, maximumCount: deletedLeft)
            deletedLeft -= keys.count
            operations.append(.delete(table.key, keys))
        case .set: try set()
        case .insert: try insert()
        case .lists: try lists()
        }
    }

    /// Reads the key of a class.
    private mutating func table() throws(StoreError) -> TableSchema {
        let index = try reader.count(max: Int(UInt32.max), "a table key")
        try reader.require(index < schema.tables.count, "an operation's class does not exist")
        return schema.tables[index]
    }

    /// Checks the order of operations: rows before lists, and then by class, kind and property.
    private mutating func advance(
        to operation: CommitRecord.Operation, _ table: TableSchema, _ property: Int = 0
    ) throws(StoreError) {
        let place = (operation == .lists ? 1 : 0, table.key.index, operation.rawValue, property)
        try reader.require(lastPlace < place, "operations are out of order")
        lastPlace = place
    }

    private mutating func charge(adding parts: Int) throws(StoreError) {
        try reader.require(
            budget.chargeSchemaChange(schema, adding: parts),
            "it changes the schema more often than a record may")
    }

    // MARK: Schema

    private mutating func addTable() throws(StoreError) {
        let index = try reader.count(max: Int(UInt32.max), "a table key")
        try reader.require(index == schema.tables.count, "a new class has the wrong key")
        let name = try reader.string()
        let kind = try reader.tableKind(of: "commit record")
        let columns = try reader.columnDefinitions(of: "commit record")
        try charge(adding: 1 + columns.count)
        do throws(StoreError) {
            try SchemaRules.check(
                newTable: name, kind, columns, isTaken: schema.table(named: name) != nil,
                tableCount: schema.tables.count)
        } catch {
            throw reader.damaged("it adds an invalid class (\(error.message))")
        }
        schema = schema.adding(name: name, kind: kind, columns: columns)
    }

    private mutating func change(
        _ table: TableSchema, _ operation: CommitRecord.Operation
    ) throws(StoreError) {
        let key = try reader.count(max: Int(UInt16.max), "a column or list key")
        let column = ColumnKey(rawValue: UInt16(key))
        switch operation {
        case .addColumn:
            try reader.require(key == table.columns.count, "a new column has the wrong key")
            let definition = try reader.columnDefinition(of: "commit record")
            try SchemaRules.check(
                newColumn: definition, in: table, tableCount: schema.tables.count)
            schema = schema.adding(definition, to: table.key)
        case .addList:
            try reader.require(key == table.lists.count, "a new list has the wrong key")
            let name = try reader.string()
            let index = try reader.count(max: Int(UInt32.max), "a table key")
            let target = TableKey(rawValue: UInt32(index))
            let kind = try reader.listKind(of: "commit record").kind
            try SchemaRules.check(
                newList: name, target: target, kind, of: table, in: schema.tables)
            schema = schema.adding(list: name, target: target, kind, to: table.key)
        case .addIndex:
            try SchemaRules.check(newIndex: column, of: table)
            schema = schema.with(table.key) { $0[column.index].isIndexed = true }
        case .addFullTextIndex:
            try SchemaRules.check(newFullTextIndex: column, of: table)
            schema = schema.with(table.key) { $0[column.index].isFullTextIndexed = true }
        default:
            let list = ListKey(rawValue: UInt16(key))
            try SchemaRules.check(newGeoIndex: list, of: table, in: schema.tables)
            schema = schema.with(table.key, list, isGeoIndexed: true)
        }
    }

    // MARK: Rows

    private mutating func set() throws(StoreError) {
        let table = try self.table()
        let index = try reader.count(max: table.columns.count - 1, "a column key")
        let column = table.columns[index]
        try advance(to: .set, table, index)
        try reader.require(!column.isPrimaryKey, "it changes a primary key")
        let keys = try KeyRuns.decode(&reader, maximumCount: setCellsLeft)
        setCellsLeft -= keys.count
        operations.append(
            .set(table.key, column.key, keys, try values(of: column, count: keys.count)))
    }

    private mutating func insert() throws(StoreError) {
        let table = try self.table()
        try advance(to: .insert, table)
        let cellsPerRow = table.columns.count + Limits.recordCellsPerRow
        let keys = try KeyRuns.decode(&reader, maximumCount: cellsLeft / cellsPerRow)
        cellsLeft -= keys.count * cellsPerRow
        let count = try reader.varint()
        try reader.require(
            count == UInt64(table.columns.count), "its rows have the wrong number of columns")
        var columns: [[Value]] = []
        columns.reserveCapacity(table.columns.count)
        for column in table.columns {
            columns.append(try values(of: column, count: keys.count))
        }
        operations.append(.insert(table.key, keys, columns))
    }

    private mutating func values(
        of column: ColumnSchema, count: Int
    ) throws(StoreError) -> [Value] {
        let values = try ColumnBlock.decode(&reader, column.type, count: count)
        try reader.require(
            budget.charge(values, of: column.type),
            "its rows have more text than a record may contain")
        let hasNull = !column.isOptional && values.contains { $0.isNull }
        try reader.require(!hasNull, "it sets a required property to nil")
        return values
    }

    private mutating func lists() throws(StoreError) {
        let table = try self.table()
        let index = try reader.count(max: Int(UInt16.max), "a list key")
        try reader.require(index < table.lists.count, "it changes a list that does not exist")
        try advance(to: .lists, table, index)
        let place = ListPlace(table: table.key, list: ListKey(rawValue: UInt16(index)))
        var changes: [(row: ObjectKey, splices: [ListSplice])] = []
        let maximumCount = reader.remaining / 4  // a change takes at least 4 bytes
        let keys = try KeyRuns.decode(&reader, maximumCount: maximumCount)
        for row in keys { changes.append((row, try splices())) }
        operations.append(.lists(place, changes))
    }

    private mutating func splices() throws(StoreError) -> [ListSplice] {
        var last = lastElement
        let maximum = Limits.maximumEntryCount
        let splices = try reader.splices(from: maximum, to: maximum) {
            (reader, _, count) throws(StoreError) in
            try reader.require(count <= reader.remaining, "the number of elements is too large")
            var keys: [ObjectKey] = []
            keys.reserveCapacity(count)
            for _ in 0..<count {
                last &+= UInt64(bitPattern: try reader.zigzag())
                keys.append(ObjectKey(rawValue: last))
            }
            return keys
        }
        lastElement = last
        return splices
    }
}
