import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Malformed records throw; they never trap or allocate memory that they don't fill.
@Suite struct CommitRecordTests {
    /// Returns a history with every kind of operation and value: base roots with the records that
    /// follow them.
    private func makeRecords(
        _ generator: inout SeededRandom
    ) throws -> [(base: DatabaseRoot, commit: Commit)] {
        var records: [(base: DatabaseRoot, commit: Commit)] = []
        var root = DatabaseRoot.empty
        for step in 0..<8 {
            let transaction = EngineTransaction(base: root, origin: step % 2 == 0 ? "origin" : nil)
            if step == 0 {
                _ = try transaction.addTable(name: Everything.name, columns: Everything.columns)
                _ = try transaction.addTable(
                    name: "Other",
                    columns: [ColumnDefinition(name: "n", type: .int, isOptional: true)])
            }
            let table = TableKey(rawValue: 0)
            if step == 4 {
                _ = try transaction.addColumn(
                    table, ColumnDefinition(name: "added", type: .string, isIndexed: true))
            }
            for key in transaction.keys(table) where generator.oneIn(3) {
                if generator.oneIn(3) {
                    transaction.delete(table, key)
                } else {
                    let index = 1 + generator.below(Everything.columns.count - 1)
                    let column = Everything.columns[index]
                    let value = generator.value(column.type, isOptional: column.isOptional)
                    try transaction.set(table, key, ColumnKey(rawValue: UInt16(index)), value)
                }
            }
            if step == 2 {
                _ = try transaction.addList(table, name: "self", target: table)
                _ = try transaction.addList(
                    table, name: "others", target: TableKey(rawValue: 1))
            }
            if step >= 2 { try changeLists(transaction, table, &generator) }
            for id in 0..<3 {
                _ = try transaction.insert(
                    table, Everything.row(Int64(step * 10 + id), &generator))
                _ = try transaction.insert(TableKey(rawValue: 1), [.null])
            }
            let commit = try commitAndReplay(transaction)
            records.append((root, commit))
            root = commit.root
        }
        return records
    }

    private func changeLists(
        _ transaction: EngineTransaction, _ table: TableKey, _ generator: inout SeededRandom
    ) throws {
        let rows = transaction.keys(table)
        if rows.isEmpty { return }
        for number in 0..<8 {
            let list = ListKey(rawValue: UInt16(number % 2))
            let targets = number % 2 == 0 ? rows : transaction.keys(TableKey(rawValue: 1))
            let row = rows[generator.below(rows.count)]
            let count = transaction.listCount(table, row, list)
            let position = generator.below(count + 1)
            if position < count, generator.oneIn(2) {
                transaction.removeFromList(table, row, list, position..<position + 1)
            } else {
                let keys = (0...generator.below(3)).map { _ in
                    targets[generator.below(targets.count)]
                }
                try transaction.insertIntoList(table, row, list, at: position, keys)
            }
        }
    }

    /// Returns the result of decoding arbitrary bytes.
    private func attempt(_ body: [UInt8], _ base: DatabaseRoot) -> StoreError.Code? {
        do throws(StoreError) {
            let (root, _) = try CommitRecord.apply(body, to: base)
            // Accepted content is consistent enough to be read completely.
            _ = root.stateHash()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func everyFlippedBitIsRefusedOrReadsAsAnotherValidRecord() throws {
        var generator = SeededRandom("CommitRecordTests.everyFlippedBit")
        var refused = 0
        var accepted = 0
        for (base, commit) in try makeRecords(&generator) {
            for position in commit.body.indices {
                for bit in 0..<8 {
                    var body = commit.body
                    body[position] ^= 1 << UInt8(bit)
                    switch attempt(body, base) {
                    case nil: accepted += 1
                    case .invalidDatabase?, .unsupportedFormat?: refused += 1
                    case let code?: Issue.record("unexpected code \(code)")
                    }
                    if position < 8 { expectEqual(attempt(body, base), .invalidDatabase) }
                }
            }
        }
        print("flipped bits: \(refused) refused, \(accepted) accepted as a different valid record")
        expectTrue(refused > 0)
    }

    @Test func everyTruncationIsRefusedOrEndsBetweenOperations() throws {
        var generator = SeededRandom("CommitRecordTests.everyTruncation")
        for (base, commit) in try makeRecords(&generator) {
            for count in commit.body.indices {
                let code = attempt(Array(commit.body[..<count]), base)
                expectTrue(code == nil || code == .invalidDatabase)
                if count < 17 { expectEqual(code, .invalidDatabase) }
            }
            expectEqual(attempt(commit.body + [0], base), .unsupportedFormat)
            expectEqual(attempt(commit.body + [5, 0], base), .invalidDatabase)
        }
    }

    @Test func randomBytesAreRefused() throws {
        var generator = SeededRandom("CommitRecordTests.randomBytes")
        let records = try makeRecords(&generator)
        for _ in 0..<20_000 {
            let (base, commit) = records[generator.below(records.count)]
            // A valid prefix, so that decoding gets beyond the version.
            let start = 16 + generator.below(max(1, commit.body.count - 16))
            var body = Array(commit.body[..<(generator.oneIn(4) ? 16 : start)])
            for _ in 0..<generator.below(64) {
                body.append(UInt8(generator.oneIn(2) ? generator.below(8) : generator.below(256)))
            }
            let code = attempt(body, base)
            expectTrue(code == nil || code == .invalidDatabase || code == .unsupportedFormat)
        }
    }

    @Test func recordsOfAnotherVersionAreRefused() throws {
        var generator = SeededRandom("CommitRecordTests.recordsOfAnotherVersion")
        let records = try makeRecords(&generator)
        for (base, _) in records {
            for (other, commit) in records where other.version != base.version {
                expectEqual(attempt(commit.body, base), .invalidDatabase)
            }
        }
    }

    @Test func aFewBytesCannotClaimMuchMemory() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int, isOptional: true)])
        _ = try transaction.insert(table, [.null])
        let base = try commitAndReplay(transaction).root
        var body: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9)
        // A run that inserts 2^34 rows of null from key 1 on.
        body += [5, 0, 0x80, 0x80, 0x80, 0x80, 0x40, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F, 1, 2]
        expectEqual(attempt(body, base), .invalidDatabase)
    }

    @Test func operationsOutOfOrderAreRefused() throws {
        let transaction = EngineTransaction(base: .empty)
        for name in ["A", "B"] {
            let table = try transaction.addTable(
                name: name, columns: [ColumnDefinition(name: "n", type: .int)])
            for _ in 0..<3 { _ = try transaction.insert(table, [.int(1)]) }
        }
        let base = try commitAndReplay(transaction).root
        let start: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9)
        func delete(_ table: UInt8, _ key: UInt8) -> [UInt8] { [3, table, 1, key, 0] }
        func set(_ table: UInt8, _ key: UInt8) -> [UInt8] { [4, table, 0, 1, key, 0, 0, 4] }
        func insert(_ table: UInt8, _ key: UInt8) -> [UInt8] { [5, table, 1, key, 0, 1, 0, 4] }
        let addTable: [UInt8] = [1, 2, 1, 0x43, 0, 1, 1, 0x6E, 2, 0, 0, 0]
        let sound = addTable + delete(0, 1) + set(0, 0) + insert(0, 3) + set(1, 0) + insert(2, 0)
        expectNil(attempt(start + sound, base))
        let wrong = [
            set(0, 0) + delete(0, 0), delete(0, 0) + delete(0, 1), set(0, 0) + set(0, 1),
            insert(0, 3) + set(0, 3), insert(0, 3) + insert(0, 4), set(1, 0) + set(0, 0),
            set(0, 0) + addTable, insert(0, 2), set(0, 3), delete(0, 3), set(2, 0),
        ]
        for body in wrong { expectEqual(attempt(start + body, base), .invalidDatabase, "\(body)") }
    }

    @Test func listOperationsThatCannotBeAreRefused() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        let list = try transaction.addList(table, name: "l", target: table)
        for _ in 0..<4 { _ = try transaction.insert(table, [.int(1)]) }
        let keys = (0..<4).map { ObjectKey(rawValue: $0) }
        try transaction.insertIntoList(table, keys[0], list, at: 0, keys + keys)
        let base = try commitAndReplay(transaction).root
        let start: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9)
        func change(_ row: UInt8, _ splices: [UInt8]) -> [UInt8] { [8, 0, 0, 1, row, 0] + splices }
        let addList: [UInt8] = [7, 0, 1, 1, 0x6D, 0, 1]
        let sound = [
            addList, change(0, [1, 8, 0, 1, 6]), change(0, [2, 1, 2, 0, 1, 1, 1, 2]),
            [3, 0, 1, 1, 0] + change(0, [1, 6, 0, 1, 0]),
            addList + [8, 0, 1, 1, 3, 0, 1, 0, 0, 1, 0],
        ]
        for body in sound { expectNil(attempt(start + body, base), "\(body)") }
        let wrong: [[UInt8]] = [
            change(0, [1, 9, 0, 1, 0]), change(0, [1, 8, 1, 0]), change(0, [1, 0, 0, 0]),
            change(0, [0]), change(0, [2, 1, 2, 0, 0, 1, 0]), change(0, [1, 0, 0, 1, 8]),
            change(4, [1, 0, 0, 1, 0]), [8, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0], addList + addList,
            [7, 0, 0, 1, 0x6D, 0, 0], [7, 0, 1, 1, 0x6C, 0, 0], [7, 0, 1, 1, 0x6E, 0, 0],
            [7, 0, 1, 1, 0x6D, 1, 0], [7, 0, 1, 1, 0x6D, 0, 2],
            change(0, [1, 0, 1, 0]) + change(0, [1, 0, 1, 0]),
            change(0, [1, 0, 1, 0]) + [3, 0, 1, 1, 0], change(0, [1, 0, 1, 0]) + addList,
            [3, 0, 1, 1, 0] + change(0, [1, 8, 0, 1, 0]),
            [3, 0, 1, 1, 0] + change(0, [1, 0, 0, 1, 2]),
        ]
        for body in wrong { expectEqual(attempt(start + body, base), .invalidDatabase, "\(body)") }
        expectEqual(attempt(start + [7, 0, 1, 1, 0x6D, 0, 3], base), .unsupportedFormat)
    }

    @Test func linksThatCannotBeAreRefused() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(name: "A", columns: [])
        _ = try transaction.addColumn(table, .link(name: "l", to: table))
        for _ in 0..<3 { _ = try transaction.insert(table, [.null]) }
        try transaction.set(
            table, ObjectKey(rawValue: 0), ColumnKey(rawValue: 0), .int(1))
        let base = try commitAndReplay(transaction).root
        let start: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9)
        func set(_ key: UInt8, _ value: UInt8) -> [UInt8] { [4, 0, 0, 1, key, 0, 0, value] }
        func delete(_ key: UInt8) -> [UInt8] { [3, 0, 1, key, 0] }
        func add(_ flags: UInt8, _ target: UInt8) -> [UInt8] {
            [2, 0, 1, 1, 0x6D, 2, flags, 2, target]
        }
        let insert: [UInt8] = [5, 0, 1, 3, 0, 1, 0]
        let null: [UInt8] = [4, 0, 0, 1, 0, 0, 2]
        let sound = [
            set(0, 4), set(2, 6) + insert + [6], delete(1) + null, delete(0), add(21, 0),
            set(1, 0),
        ]
        for body in sound { expectNil(attempt(start + body, base), "\(body)") }
        let wrong: [[UInt8]] = [
            set(0, 6), set(0, 1), insert + [8], delete(1), delete(2) + set(0, 4), add(21, 1),
            add(20, 0), add(17, 0), add(23, 0), add(29, 0), [9, 0, 0], [9, 0, 1], [9, 1, 0],
            set(0, 4) + [9, 0, 0],
        ]
        for body in wrong { expectEqual(attempt(start + body, base), .invalidDatabase, "\(body)") }
    }

    @Test func manyNullsAreSmallInTheRecord() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int, isOptional: true)])
        for _ in 0..<10_000 { _ = try transaction.insert(table, [.null]) }
        try expectTrue(commitAndReplay(transaction).body.count < 64)
    }

    @Test func theLayoutIsTheDocumentedOne() throws {
        let transaction = EngineTransaction(base: .empty, origin: "me")
        let table = try transaction.addTable(
            name: "A",
            columns: [
                ColumnDefinition(name: "k", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "s", type: .string, isOptional: true),
            ])
        _ = try transaction.insert(table, [.int(-1), .string("hé")])
        _ = try transaction.insert(table, [.int(300), .null])
        let body = try transaction.commit(timestampMicroseconds: 258).body
        let expected: [UInt8] =
            [1, 0, 0, 0, 0, 0, 0, 0] + [2, 1, 0, 0, 0, 0, 0, 0] + [3, 0x6D, 0x65]
            + [1, 0, 1, 0x41, 0, 2] + [1, 0x6B, 2, 2, 0, 0] + [1, 0x73, 4, 1, 2]
            + [5, 0, 2, 0, 1, 2] + [0, 1, 0xD8, 0x04] + [1, 0b01, 3, 0x68, 0xC3, 0xA9]
        expectEqual(body, expected)
    }
}
