import RegnumSimulation
import RegnumStore
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

/// Random content for checkpoints: every type, nulls, long and large values, deletions, and columns
/// added later.
struct CheckpointContent {
    private(set) var root: DatabaseRoot
    var generator: SeededRandom
    private var nextID: Int64 = 0

    init(_ generator: SeededRandom) throws {
        root = .makeEmpty()
        self.generator = generator
        try commit { transaction, _ in
            _ = try transaction.addTable(name: Everything.name, columns: Everything.columns)
            _ = try transaction.addTable(
                name: "Text",
                columns: [
                    ColumnDefinition(name: "string", type: .string, isOptional: true),
                    ColumnDefinition(name: "data", type: .data),
                    ColumnDefinition(name: "name", type: .string, isIndexed: true),
                ])
            for table in [CheckpointContent.everything, CheckpointContent.text] {
                _ = try transaction.addList(
                    table, name: "texts", target: CheckpointContent.text)
            }
            let part = try transaction.addTable(name: "Part", kind: .embedded, columns: [])
            for table in [CheckpointContent.everything, CheckpointContent.text, part] {
                _ = try transaction.addColumn(
                    table, .link(name: "text", to: CheckpointContent.text))
                _ = try transaction.addColumn(table, .link(name: "part", to: part))
            }
        }
    }

    /// Changes lists of some rows, mostly of the first ones, so that these span several leaves.
    private mutating func changeLists(_ transaction: EngineTransaction) throws {
        let list = ListKey(rawValue: 0)
        let targets = transaction.keys(CheckpointContent.text)
        for table in [CheckpointContent.everything, CheckpointContent.text] {
            let rows = transaction.keys(table)
            if rows.isEmpty || targets.isEmpty { continue }
            for _ in 0..<8 {
                let row = rows[generator.below(generator.oneIn(2) ? rows.count : 1)]
                let count = transaction.listCount(table, row, list)
                let position = generator.below(count + 1)
                if generator.oneIn(4), position < count {
                    transaction.removeFromList(table, row, list, position..<position + 1)
                } else {
                    let keys = (0..<1 + generator.below(90)).map { _ in
                        targets[generator.below(targets.count)]
                    }
                    try transaction.insertIntoList(table, row, list, at: position, keys)
                }
            }
        }
    }

    static let everything = TableKey(rawValue: 0)
    static let text = TableKey(rawValue: 1)

    /// Continues from another root with the same content.
    mutating func move(to other: DatabaseRoot) { root = other }

    mutating func commit(
        _ body: (EngineTransaction, inout CheckpointContent) throws -> Void
    ) throws {
        let transaction = EngineTransaction(base: root)
        try body(transaction, &self)
        root = try transaction.commit(timestampMicroseconds: 0).root
    }

    mutating func insertEverything(_ count: Int) throws {
        try commit { transaction, content in
            for _ in 0..<count {
                content.nextID += 1
                _ = try transaction.insert(
                    CheckpointContent.everything,
                    Everything.row(content.nextID, &content.generator))
            }
        }
    }

    mutating func insertText(_ count: Int) throws {
        try commit { transaction, content in
            for _ in 0..<count {
                _ = try transaction.insert(
                    CheckpointContent.text,
                    [
                        content.generator.oneIn(5) ? .null : .string(content.text()),
                        .data(Array(content.text().utf8)), .string(content.text()),
                    ])
            }
        }
    }

    private mutating func text() -> String {
        let length =
            switch generator.below(40) {
            case 0: 4097 + generator.below(9000)
            case 1, 2: 4000 + generator.below(97)
            case 3..<15: 13 + generator.below(200)
            default: generator.below(13)
            }
        let letter = ["a", "é", "z", "\u{1F600}"][generator.below(4)]
        return String(repeating: letter, count: length / letter.utf8.count)
    }

    mutating func change(_ count: Int) throws {
        try commit { transaction, content in
            try content.changeLists(transaction)
            for table in [CheckpointContent.everything, CheckpointContent.text] {
                let keys = transaction.keys(table)
                if keys.isEmpty { continue }
                let columns = transaction.schema.tables[table.index].columns
                for _ in 0..<count {
                    let key = keys[content.generator.below(keys.count)]
                    guard transaction.contains(table, key) else { continue }
                    if content.generator.oneIn(3) {
                        transaction.delete(table, key)
                        continue
                    }
                    let column = columns[content.generator.below(columns.count)]
                    if column.isPrimaryKey { continue }
                    if let target = column.linkTarget {
                        try content.link(transaction, table, key, column.key, target)
                        continue
                    }
                    let value: Value =
                        table == CheckpointContent.text && column.type == .string
                        ? .string(content.text())
                        : content.generator.value(column.type, isOptional: column.isOptional)
                    try transaction.set(table, key, column.key, value)
                }
            }
        }
    }

    private mutating func link(
        _ transaction: EngineTransaction, _ table: TableKey, _ key: ObjectKey,
        _ column: ColumnKey, _ target: TableKey
    ) throws {
        var row: ObjectKey?
        if target == CheckpointContent.text {
            let rows = transaction.keys(target)
            if !rows.isEmpty { row = rows[generator.below(rows.count)] }
        } else if !generator.oneIn(4) {
            let inner = try transaction.insert(target, [])
            row = try transaction.insert(target, [.null, .int(Int64(inner.rawValue))])
        }
        let value = row.map { Value.int(Int64($0.rawValue)) } ?? .null
        try transaction.set(table, key, column, value)
    }

    mutating func delete(_ table: TableKey, _ range: Range<UInt64>) throws {
        try commit { transaction, _ in
            for key in range { transaction.delete(table, ObjectKey(rawValue: key)) }
        }
    }

    mutating func addColumn() throws {
        try commit { transaction, content in
            let name = "later\(transaction.schema.tables[1].columns.count)"
            let type = ValueType.plain[content.generator.below(8)]
            _ = try transaction.addColumn(
                CheckpointContent.text,
                ColumnDefinition(
                    name: name, type: type, isOptional: content.generator.oneIn(2),
                    isIndexed: type.canBeIndexed))
        }
    }
}
