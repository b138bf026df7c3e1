import RegnumEngine
import RegnumSimulation
import RegnumStore

@testable import EngineOracle

/// Counts the effects on a simulated disk from now on.
final class EffectCounter: Sendable {
    private let counts = Guarded<[EffectKind: Int]>([:])

    init(_ disk: SimFileSystem) {
        disk.onEffect = { [self] kind, _ in counts.withLock { $0[kind, default: 0] += 1 } }
    }

    func count(_ kind: EffectKind) -> Int { counts.withLock { $0[kind, default: 0] } }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
}

/// The class of the benchmarks, with rows.
struct PeopleTable {
    private let coordinator: Coordinator

    private static let columns = [
        ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
        ColumnDefinition(name: "name", type: .string),
        ColumnDefinition(name: "age", type: .int),
        ColumnDefinition(name: "score", type: .double),
        ColumnDefinition(name: "city", type: .string),
        ColumnDefinition(name: "note", type: .string),
    ]

    init(_ coordinator: Coordinator, count: Int) async throws {
        self.coordinator = coordinator
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try transaction.addTable(name: "Person", columns: Self.columns)
        for id in 0..<count { _ = try transaction.insert(table, Self.person(id)) }
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
    }

    /// 12 characters of name, 6 of city, 40 of note.
    static func person(_ id: Int) -> [Value] {
        [
            .int(Int64(id)), .string("name of some"), .int(Int64(id % 100)),
            .double(Double(id) / 7), .string("city\(10 + id % 90)"),
            .string("forty characters of note about a person."),
        ]
    }

    /// Returns the bytes of the record body that one commit appends.
    func appended(
        _ durability: Durability, _ body: (EngineTransaction, TableKey) throws -> Void
    ) async throws -> UInt64 {
        let before = coordinator.statistics.appendedByteCount
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        if let table = transaction.schema.table(named: "Person")?.key {
            try body(transaction, table)
        }
        let commit = try transaction.commit(timestampMicroseconds: 1_700_000_000_000_000)
        try await coordinator.commit(turn, commit, durability: durability)
        return coordinator.statistics.appendedByteCount - before
    }
}
