import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A failure found by a random test.
struct OracleFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Throws a failure with `text` unless the condition holds.
func require(_ holds: Bool, _ text: @autoclosure () -> String) throws {
    if !holds { throw OracleFailure(text()) }
}

/// Throws unless `body` throws an error with that code.
func refuses(_ code: StoreError.Code, _ body: () throws(StoreError) -> Void) throws {
    do throws(StoreError) {
        try body()
    } catch {
        return try require(error.code == code, "throws \(error.code), not \(code)")
    }
    throw OracleFailure("\(code) was not thrown")
}

/// The reads that are compared.
protocol RowReader: DatabaseView {
    func keys(_ table: TableKey) -> [ObjectKey]
}

extension DatabaseRoot: RowReader {}
extension EngineTransaction: RowReader {}

extension OracleDatabase {
    /// Throws the first difference in content.
    ///
    /// - Parameter maximumRowCount: In larger classes only this many rows are compared, chosen by
    ///   the generator.
    func compare(
        _ reader: some RowReader, maximumRowCount: Int, _ generator: inout SeededRandom
    ) throws {
        try require(
            reader.schema.tables.map(\.name) == tables.map(\.name),
            "the classes are \(reader.schema.tables.map(\.name))")
        for (index, table) in tables.enumerated() {
            let schema = reader.schema.tables[index]
            try require(
                schema.kind == TableKind(table.kind)
                    && schema.columns.map(\.definition)
                        == table.columns.map { ColumnDefinition($0) },
                "\(table.name): the columns differ")
            try table.compare(reader, schema.key, maximumRowCount: maximumRowCount, &generator)
            try require(
                schema.lists.map(\.name) == table.lists.map(\.name)
                    && schema.lists.map { Int($0.target.rawValue) } == table.lists.map(\.target),
                "\(table.name): the lists differ")
            try compareBacklinks(reader, index, &generator)
        }
        let absent = TableKey(rawValue: UInt32(tables.count))
        try require(
            reader.count(absent) == 0 && reader.keys(absent).isEmpty,
            "a class that does not exist has rows")
    }
}

extension OracleDatabase {
    /// Compares the backlinks of some rows, including deleted ones.
    private func compareBacklinks(
        _ reader: some RowReader, _ index: Int, _ generator: inout SeededRandom
    ) throws {
        let table = tables[index]
        for (list, schema) in table.lists.enumerated() {
            for target in someRows(schema.target, &generator) {
                let found = reader.backlinks(
                    of: ObjectKey(rawValue: target), through: ListKey(rawValue: UInt16(list)),
                    of: TableKey(rawValue: UInt32(index)))
                let owners = table.owners(of: target, list)
                try require(
                    found.map(\.rawValue) == owners,
                    "\(table.name).\(schema.name): the backlinks of \(target) are "
                        + "\(found.map(\.rawValue)), not \(owners)")
            }
        }
        for (column, schema) in table.columns.enumerated() {
            guard let target = schema.link else { continue }
            for row in someRows(target, &generator) {
                let found = reader.backlinks(
                    of: ObjectKey(rawValue: row), through: ColumnKey(rawValue: UInt16(column)),
                    of: TableKey(rawValue: UInt32(index)))
                let origins = table.origins(of: row, column)
                try require(
                    found.map(\.rawValue) == origins,
                    "\(table.name).\(schema.name): the backlinks of \(row) are "
                        + "\(found.map(\.rawValue)), not \(origins)")
            }
        }
    }

    private func someRows(_ table: Int, _ generator: inout SeededRandom) -> [UInt64] {
        let keys = tables[table].keys
        var chosen = (0..<min(8, keys.count)).map { _ in generator.oneOf(keys) }
        chosen.append(generator.next() % (tables[table].nextKey + 2))
        return chosen
    }
}

extension OracleTable {
    private func compareLists(
        _ reader: some RowReader, _ table: TableKey, _ key: UInt64, _ lists: [[UInt64]]
    ) throws {
        let row = ObjectKey(rawValue: key)
        for (index, elements) in lists.enumerated() {
            let list = ListKey(rawValue: UInt16(index))
            let found = reader.list(table, row, list).map(\.rawValue)
            try require(
                found == elements,
                "\(name): row \(key), list \(index) is \(found), not \(elements)")
            let middle = elements.count / 2
            try require(
                reader.listCount(table, row, list) == elements.count
                    && reader.listElement(table, row, list, at: elements.count) == nil
                    && reader.listElement(table, row, list, at: middle)?.rawValue
                        == (elements.isEmpty ? nil : elements[middle]),
                "\(name): row \(key), list \(index): count or positions are wrong")
        }
    }

    fileprivate func compare(
        _ reader: some RowReader, _ table: TableKey, maximumRowCount: Int,
        _ generator: inout SeededRandom
    ) throws {
        try require(
            reader.count(table) == keys.count,
            "\(name): count is \(reader.count(table)), not \(keys.count)")
        let found = reader.keys(table)
        try require(
            found.count == keys.count && zip(found, keys).allSatisfy { $0.rawValue == $1 },
            "\(name): the keys are \(found.map(\.rawValue)), not \(keys)")
        var chosen = keys
        if keys.count > maximumRowCount {
            chosen = (0..<maximumRowCount).map { _ in generator.oneOf(keys) }
        }
        for key in chosen { try compareRow(reader, table, key) }
        for key in [nextKey, nextKey + 1, nextKey + 5_000, .max] + gaps(&generator) {
            let value = reader.value(
                table, ObjectKey(rawValue: key), ColumnKey(rawValue: 0))
            try require(value == nil, "\(name): the row \(key) has a value but doesn't exist")
        }
        if let primaryKey {
            let number = generator.below(70)
            let value = SeededRandom.primaryKey(columns[primaryKey].type, number)
            let owner = reader.find(table, primaryKey: Value(value))?.rawValue
            try require(
                owner == owners[value],
                "\(name): find(\(value)) is \(text(owner)), not \(text(owners[value]))")
        }
    }

    /// Keys of deleted rows.
    private func gaps(_ generator: inout SeededRandom) -> [UInt64] {
        guard nextKey > 0 else { return [] }
        return (0..<3).map { _ in generator.next() % nextKey }.filter { rows[$0] == nil }
    }

    private func compareRow(_ reader: some RowReader, _ table: TableKey, _ key: UInt64) throws {
        guard let row = rows[key] else { return }
        for (column, value) in row.values.enumerated() {
            let read = reader.value(
                table, ObjectKey(rawValue: key), ColumnKey(rawValue: UInt16(column)))
            guard let read, OracleValue(read) == value else {
                let text = read.map { "\(OracleValue($0))" } ?? "absent"
                throw OracleFailure(
                    "\(name): row \(key), \(columns[column].name) is \(text), not \(value)")
            }
        }
        try compareLists(reader, table, key, row.lists)
        if let primaryKey {
            let value = row.values[primaryKey]
            let owner = reader.find(table, primaryKey: Value(value))?.rawValue
            try require(
                owner == key, "\(name): find(\(value)) is \(text(owner)), not \(key)")
        }
        if let root = reader as? DatabaseRoot, let call = EngineAdapter.contentVersion {
            let version = call(root, table, ObjectKey(rawValue: key))
            try require(
                version == row.version,
                "\(name): row \(key) has the version \(text(version)), not \(row.version)")
        }
    }

    private func text(_ key: UInt64?) -> String { key.map { "\($0)" } ?? "nil" }
}

extension OracleDatabase {
    /// Compares a root: its version, content and positions, and the results of its indexes.
    func compare(
        root: DatabaseRoot, maximumRowCount: Int, _ generator: inout SeededRandom
    ) throws {
        try require(root.version == version, "the version is \(root.version), not \(version)")
        try compare(root, maximumRowCount: maximumRowCount, &generator)
        for (index, table) in tables.enumerated() where !table.keys.isEmpty {
            let tableKey = TableKey(rawValue: UInt32(index))
            for _ in 0..<4 {
                let position = generator.below(table.keys.count)
                let key = root.key(tableKey, at: position).rawValue
                try require(
                    key == table.keys[position],
                    "\(table.name): key(at: \(position)) is \(key), not \(table.keys[position])")
            }
            for (column, definition) in table.columns.enumerated() {
                guard definition.isIndexed || definition.isPrimaryKey else { continue }
                guard let row = table.rows[generator.oneOf(table.keys)] else { continue }
                let query = OracleQuery(
                    tableName: table.name,
                    predicate: .compare(
                        OracleReference(definition), .equal, row.values[column]))
                try compare(query, root)
            }
        }
    }

    /// Compares the result of a query.
    func compare(_ query: OracleQuery, _ root: DatabaseRoot) throws {
        let expected = query.evaluate(self)
        let plan = QueryPlan(query)
        try compare(try plan.evaluate(root).map(\.rawValue), expected, query)
        let count = try plan.count(root)
        try require(
            count == expected.count, "\(query): counts \(count), not \(expected.count)")
    }

    func compare(_ found: [UInt64], _ expected: [UInt64], _ query: OracleQuery) throws {
        try require(found == expected, "\(query): gives \(found), not \(expected)")
    }
}

/// Throws unless the summary matches the definition.
func compareSummary(
    _ summary: CommitSummary, _ expected: [Int: OracleDelta], version: UInt64,
    origin: String?, _ names: [String], _ what: String
) throws {
    try require(
        summary.version == version && summary.origin == origin,
        "\(what): version \(summary.version), origin \(summary.origin ?? "nil")")
    var found: [Int: OracleDelta] = [:]
    for (table, delta) in summary.tables {
        found[Int(table.rawValue)] = OracleDelta(delta)
        let keys = [delta.inserted, delta.deleted, delta.modified.map(\.key)]
        try require(keys.allSatisfy { $0 == $0.sorted() }, "\(what): keys are out of order")
        try require(
            delta.table == table && delta.tableName == names[Int(table.rawValue)],
            "\(what): class names are wrong")
    }
    try require(found == expected, "\(what): \(found), not \(expected)")
}
