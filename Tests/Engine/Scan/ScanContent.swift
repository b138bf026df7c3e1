import RegnumEngine
import RegnumSimulation

@testable import EngineOracle

/// One class whose rows tests can change freely: keys increase from 0 in order of insertion.
struct ScanContent {
    private(set) var root = DatabaseRoot.empty
    private let table: TableKey

    init(_ name: String, _ columns: [ColumnDefinition]) {
        table = TableKey(rawValue: 0)
        change { transaction in
            _ = try transaction.addTable(name: name, columns: columns)
        }
    }

    mutating func insert(_ rows: [[Value]]) {
        change { [table] transaction in
            for row in rows { _ = try transaction.insert(table, row) }
        }
    }

    /// No effect if the row was removed.
    mutating func set(_ key: UInt64, _ column: Int, _ value: Value) {
        guard root.contains(table, ObjectKey(rawValue: key)) else { return }
        change { [table] transaction in
            try transaction.set(
                table, ObjectKey(rawValue: key), ColumnKey(rawValue: UInt16(column)), value)
        }
    }

    mutating func remove(_ key: UInt64) {
        change { [table] in $0.delete(table, ObjectKey(rawValue: key)) }
    }

    /// Uses the transaction's root without a commit, whose limits these tests exceed.
    private mutating func change(_ body: (EngineTransaction) throws -> Void) {
        let transaction = EngineTransaction(base: root)
        do {
            try body(transaction)
            root = try transaction.commit(
                timestampMicroseconds: 0, maximumBodyByteCount: .max
            ).root
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
