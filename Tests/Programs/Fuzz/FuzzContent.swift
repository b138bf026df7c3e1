import RegnumStore
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

/// A few rows of every type, with lists, links and long values; identical each time.
struct FuzzContent {
    private(set) var root: DatabaseRoot
    private var generator = SeededRandom(7)
    private var nextID: Int64 = 0
    private static let everything = TableKey(rawValue: 0)
    private static let part = TableKey(rawValue: 1)

    init() throws {
        root = .makeEmpty()
        _ = try commit { transaction, _ in
            _ = try transaction.addTable(name: Everything.name, columns: Everything.columns)
            _ = try transaction.addTable(
                name: "Part",
                columns: [ColumnDefinition(name: "text", type: .string, isIndexed: true)])
            _ = try transaction.addList(
                FuzzContent.everything, name: "parts", target: FuzzContent.part)
            _ = try transaction.addColumn(
                FuzzContent.everything, .link(name: "part", to: FuzzContent.part))
        }
    }

    private mutating func commit(
        _ body: (EngineTransaction, inout FuzzContent) throws -> Void
    ) throws -> Commit {
        let transaction = EngineTransaction(base: root, origin: "me")
        try body(transaction, &self)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        root = commit.root
        return commit
    }

    mutating func insert(_ count: Int) throws {
        _ = try commit { transaction, content in
            for _ in 0..<count { try content.insertRow(transaction) }
        }
    }

    private mutating func insertRow(_ transaction: EngineTransaction) throws {
        nextID += 1
        let length = generator.oneIn(8) ? 5000 : generator.below(40)
        let part = try transaction.insert(
            FuzzContent.part, [.string(String(repeating: "x", count: length))])
        let row = try transaction.insert(
            FuzzContent.everything,
            Everything.row(nextID, &generator) + [.int(Int64(part.rawValue))])
        try transaction.insertIntoList(
            FuzzContent.everything, row, ListKey(rawValue: 0), at: 0, [part])
    }

    /// Makes a commit with every kind of operation on rows.
    mutating func change() throws -> Commit {
        try commit { transaction, content in
            let rows = transaction.keys(FuzzContent.everything)
            transaction.delete(FuzzContent.everything, rows[3])
            for row in rows[5..<9] {
                try transaction.set(
                    FuzzContent.everything, row,
                    ColumnKey(rawValue: UInt16(Everything.columns.count)), .null)
                let count = transaction.listCount(
                    FuzzContent.everything, row, ListKey(rawValue: 0))
                transaction.removeFromList(
                    FuzzContent.everything, row, ListKey(rawValue: 0), 0..<count)
            }
            for _ in 0..<3 { try content.insertRow(transaction) }
        }
    }
}
