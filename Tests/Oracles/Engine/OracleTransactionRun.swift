import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// One transaction, step by step on the oracle and, where present, on the engine. Without the
/// engine it is how a process follows a transaction of another process.
struct OracleTransactionRun {
    var oracle: OracleTransaction
    let engine: EngineTransaction?
    /// The engine's savepoints, parallel to the oracle's.
    private var savepoints: [Any] = []
    /// Roots taken inside the transaction, with their expected content.
    private var inside: [(root: DatabaseRoot, database: OracleDatabase)] = []
    let log: OracleLog

    init(_ base: OracleDatabase, _ engine: EngineTransaction?, _ log: OracleLog) {
        oracle = OracleTransaction(base)
        self.engine = engine
        self.log = log
    }

    private static let maximumTableCount = 5
    private static let maximumColumnCount = 80
    private static let maximumRowCount = 12_000

    mutating func run(_ step: OracleStep) throws {
        var generator = SeededRandom(step.seed)
        switch step.kind {
        case .addTable: return try addTable(&generator)
        case .savepoint: return savepoint()
        case .rollBack: return rollBack(&generator)
        case .compare: return try compare(&generator)
        case .holdInside:
            if let engine { inside.append((engine.root, oracle.database)) }
            return
        default: break
        }
        if oracle.tables.isEmpty { try addTable(&generator) }
        let table = generator.below(oracle.tables.count)
        switch step.kind {
        case .addColumn: try addColumn(table, &generator)
        case .insert: try insert(table, number: nil, &generator)
        case .insertMany:
            let count = 2 + generator.below(20)
            try insert(table, count: min(count, step.maximumRowCount), &generator)
        case .insertBulk:
            let count = 300 + generator.below(2_200)
            try insert(table, count: min(count, step.maximumRowCount), &generator)
        case .set: try set(table, &generator)
        case .setSame: try setSame(table, &generator)
        case .setMany:
            let count = 2 + generator.below(30)
            for _ in 0..<min(count, step.maximumRowCount) { try set(table, &generator) }
        case .delete: delete(table, key(table, &generator).map { [$0] } ?? [])
        case .deleteMany:
            delete(table, someRows(table, &generator).prefix(step.maximumRowCount))
        case .deleteCluster:
            delete(table, clusterRows(table, &generator).prefix(step.maximumRowCount))
        case .insertTaken: try insertTaken(table, &generator)
        case .setRefused: try setRefused(table, &generator)
        case .addLink: try addLink(table, &generator)
        case .addIndex: try addIndex(table, &generator)
        case .setLink: try setLink(table, &generator)
        case .linkRefused: try refuseLinks(table, &generator)
        case .addList: try addList(table, &generator)
        case .listInsert, .listInsertMany, .listRemove, .listSet, .listMove, .listRefused:
            try editList(step, &generator)
        case .query: try query(table, &generator)
        default: break
        }
    }

    /// Checks what must hold before the end, whether committed or not.
    func finish(_ generator: inout SeededRandom) throws {
        for (root, database) in inside {
            try database.compare(root: root, maximumRowCount: 50, &generator)
        }
        if let engine {
            try require(
                engine.hasChanges == oracle.hasChanges,
                "hasChanges is \(engine.hasChanges), not \(oracle.hasChanges)")
        }
    }

    func tableKey(_ table: Int) -> TableKey { TableKey(rawValue: UInt32(table)) }

    private func key(_ table: Int, _ generator: inout SeededRandom) -> UInt64? {
        let keys = oracle.tables[table].keys
        return keys.isEmpty ? nil : generator.oneOf(keys)
    }

    // MARK: Schema

    private mutating func addTable(_ generator: inout SeededRandom) throws {
        guard oracle.tables.count < Self.maximumTableCount else { return }
        let name = "T\(oracle.tables.count)"
        var columns = generator.columns()
        let kind: OracleKind = generator.oneOf([.object, .object, .object, .embedded, .elements])
        if generator.oneIn(2) {
            columns += links(1 + generator.below(2), from: columns.count, &generator)
        }
        if kind == .elements, columns.isEmpty {
            if let engine {
                try refuses(.invalidInput) { () throws(StoreError) in
                    _ = try engine.addTable(name: name, kind: .elements, columns: [])
                }
            }
            columns = [generator.column(named: generator.columnName(0), canBePrimaryKey: false)]
        }
        log.add("addTable \(name) \(kind) \(columns.map(\.text))")
        let key = try engine?.addTable(
            name: name, kind: TableKind(kind), columns: columns.map { ColumnDefinition($0) })
        try require(
            key == nil || key == tableKey(oracle.tables.count),
            "addTable returned the key \(String(describing: key))")
        oracle.addTable(name, kind, columns)
    }

    private mutating func addColumn(_ table: Int, _ generator: inout SeededRandom) throws {
        let count = oracle.tables[table].columns.count
        guard count < Self.maximumColumnCount else { return }
        let name = generator.columnName(count)
        try addColumn(table, generator.column(named: name, canBePrimaryKey: false))
    }

    mutating func addColumn(_ table: Int, _ column: OracleColumn) throws {
        let count = oracle.tables[table].columns.count
        log.add("addColumn \(oracle.tables[table].name) \(column.text)")
        let key = try engine?.addColumn(tableKey(table), ColumnDefinition(column))
        try require(
            key == nil || key == ColumnKey(rawValue: UInt16(count)),
            "addColumn returned the key \(String(describing: key))")
        oracle.addColumn(table, column)
    }

    // MARK: Rows

    private mutating func insert(
        _ table: Int, count: Int, _ generator: inout SeededRandom
    ) throws {
        guard oracle.tables[table].keys.count < Self.maximumRowCount else { return }
        var linkable = OracleLinkable()
        for _ in 0..<count {
            // Mostly new numbers.
            let isNew = !generator.oneIn(20)
            let number = isNew ? 100 + Int(oracle.tables[table].nextKey) : generator.below(100)
            try insert(table, row(table, number: number, &linkable, &generator))
        }
    }

    private mutating func insert(
        _ table: Int, number: Int?, _ generator: inout SeededRandom
    ) throws {
        var linkable = OracleLinkable()
        try insert(table, row(table, number: number, &linkable, &generator))
    }

    private mutating func insert(_ table: Int, _ given: [OracleValue]) throws {
        let name = oracle.tables[table].name
        let columns = oracle.tables[table].columns
        let all = given + columns[given.count...].map(\.defaultValue)
        let key = oracle.insert(table, all)
        log.add("insert \(name) \(given) -> \(key.map { "row \($0)" } ?? "duplicate")")
        guard let engine else { return }
        let values = given.map { Value($0) }
        if let key {
            // Row by row, or value by value.
            let found =
                key % 3 > 0
                ? try engine.insert(tableKey(table), values)
                : try insert(all.map { Value($0) }, engine.insertion(tableKey(table)))
            try require(
                found.rawValue == key, "\(name): a new row got the key \(found.rawValue)")
        } else {
            try refuses(.duplicatePrimaryKey) { () throws(StoreError) in
                _ = try engine.insert(tableKey(table), values)
            }
        }
    }

    func insert(
        _ values: [Value], _ row: RowInsertion
    ) throws(StoreError) -> ObjectKey {
        row.begin()
        for (column, value) in values.enumerated() {
            if case .int(let number) = value {
                row.put(number, column)
            } else {
                row.put(value, column)
            }
        }
        return try row.end()
    }

    private mutating func insertTaken(_ table: Int, _ generator: inout SeededRandom) throws {
        let state = oracle.tables[table]
        guard let primaryKey = state.primaryKey, let taken = key(table, &generator),
            let value = state.rows[taken]?.values[primaryKey]
        else { return }
        var linkable = OracleLinkable()
        var row = row(table, number: nil, &linkable, &generator)
        row += state.columns[row.count...].map(\.defaultValue)
        row[primaryKey] = value
        try insert(table, row)
    }

    private mutating func set(_ table: Int, _ generator: inout SeededRandom) throws {
        let columns = oracle.tables[table].columns
        guard let key = key(table, &generator), !columns.isEmpty else { return }
        try set(table, key, generator.below(columns.count), &generator)
    }

    mutating func set(
        _ table: Int, _ key: UInt64, _ column: Int, _ generator: inout SeededRandom
    ) throws {
        let schema = oracle.tables[table].columns[column]
        if schema.isPrimaryKey { return }
        var value = generator.value(of: schema)
        if let target = schema.link {
            var linkable = OracleLinkable()
            value = linkable.draw(target, oracle.database, &generator)
        }
        try set(table, key, column, value)
    }

    private mutating func setSame(_ table: Int, _ generator: inout SeededRandom) throws {
        let columns = oracle.tables[table].columns
        guard let key = key(table, &generator), !columns.isEmpty else { return }
        let column = generator.below(columns.count)
        guard !columns[column].isPrimaryKey,
            let value = oracle.tables[table].rows[key]?.values[column]
        else { return }
        try set(table, key, column, value)
    }

    private mutating func set(
        _ table: Int, _ key: UInt64, _ column: Int, _ value: OracleValue
    ) throws {
        let schema = oracle.tables[table]
        log.add("set \(schema.name) row \(key) \(schema.columns[column].name) = \(value)")
        try engine?.set(
            tableKey(table), ObjectKey(rawValue: key), ColumnKey(rawValue: UInt16(column)),
            Value(value))
        oracle.set(table, key, column, value)
    }

    /// Tries to set the primary key, null in a required column, and a value of another type.
    private mutating func setRefused(_ table: Int, _ generator: inout SeededRandom) throws {
        let columns = oracle.tables[table].columns
        guard let engine, let key = key(table, &generator), !columns.isEmpty else { return }
        let column = generator.below(columns.count)
        var value = Value.null
        if columns[column].isPrimaryKey {
            value = Value(SeededRandom.primaryKey(columns[column].type, 7))
        } else if columns[column].isOptional {
            value = columns[column].type == .bool ? .int(1) : .bool(true)
        }
        try refuses(.invalidValue) { () throws(StoreError) in
            try engine.set(
                tableKey(table), ObjectKey(rawValue: key),
                ColumnKey(rawValue: UInt16(column)), value)
        }
    }

    private mutating func delete(_ table: Int, _ keys: some Collection<UInt64>) {
        guard let first = keys.first else { return }
        log.add("delete \(oracle.tables[table].name), \(keys.count) rows from \(first)")
        if first % 3 == 0 {
            engine?.delete(tableKey(table), keys.map { ObjectKey(rawValue: $0) })
        } else {
            for key in Array(keys) {
                engine?.delete(tableKey(table), ObjectKey(rawValue: key))
            }
        }
        oracle.delete(table, Set(keys))
        // No effect the second time.
        engine?.delete(tableKey(table), ObjectKey(rawValue: first))
    }

    /// Returns a run of rows, or all of them.
    private func someRows(_ table: Int, _ generator: inout SeededRandom) -> ArraySlice<UInt64> {
        let keys = oracle.tables[table].keys
        guard !keys.isEmpty else { return [] }
        let start = generator.oneIn(4) ? 0 : generator.below(keys.count)
        let count = generator.oneIn(4) ? keys.count : 1 + generator.below(30)
        return keys[start..<min(start + count, keys.count)]
    }

    /// Returns the rows of one or two clusters of 1,024 keys, sometimes all but one.
    private func clusterRows(_ table: Int, _ generator: inout SeededRandom) -> ArraySlice<UInt64> {
        let state = oracle.tables[table]
        guard let key = key(table, &generator) else { return [] }
        let start = state.position(of: key / 1_024 * 1_024)
        let end = state.position(of: (key / 1_024 + 1 + UInt64(generator.below(2))) * 1_024)
        return state.keys[min(start + generator.below(2), end)..<end]
    }

    // MARK: Savepoints

    private mutating func savepoint() {
        guard let calls = EngineAdapter.savepoints, oracle.savepointCount < 6 else { return }
        log.add("savepoint \(oracle.savepointCount)")
        if let engine { savepoints.append(calls.take(engine)) }
        oracle.savepoint()
    }

    private mutating func rollBack(_ generator: inout SeededRandom) {
        guard let calls = EngineAdapter.savepoints, oracle.savepointCount > 0 else { return }
        let newest = oracle.savepointCount - 1
        let index = generator.oneIn(2) ? newest : generator.below(newest + 1)
        log.add("roll back to savepoint \(index)")
        inside = []
        if let engine {
            calls.rollBack(engine, savepoints[index])
            savepoints.removeSubrange((index + 1)...)
        }
        oracle.rollback(to: index)
    }

    // MARK: Reading

    private func compare(_ generator: inout SeededRandom) throws {
        log.add("compare inside the transaction")
        guard let engine else { return }
        try oracle.database.compare(engine, maximumRowCount: 200, &generator)
        try oracle.database.compare(root: engine.root, maximumRowCount: 50, &generator)
    }

    private func query(_ table: Int, _ generator: inout SeededRandom) throws {
        let query = generator.query(oracle.tables[table])
        log.add("query \(query)")
        guard let engine else { return }
        try oracle.database.compare(query, engine.root)
        let found = try QueryPlan(query).evaluate(engine).map(\.rawValue)
        try oracle.database.compare(found, query.evaluate(oracle.database), query)
    }
}

extension OracleColumn {
    var text: String {
        let flags = [
            isOptional ? "?" : "", isPrimaryKey ? " key" : "", isIndexed ? " indexed" : "",
            link.map { " link to T\($0)" } ?? "",
        ]
        return "\(name): \(type)\(flags.joined()) = \(defaultValue)"
    }
}

/// A textual log of a sequence, kept only when it will be read.
final class OracleLog {
    private(set) var lines: [String] = []
    private let isKept: Bool
    private let isPrinted: Bool

    init(isKept: Bool, isPrinted: Bool = false) {
        self.isKept = isKept
        self.isPrinted = isPrinted
    }

    func add(_ line: @autoclosure () -> String) {
        guard isKept || isPrinted else { return }
        lines.append(line())
        if isPrinted { print(lines[lines.count - 1]) }
    }
}
