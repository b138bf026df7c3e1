import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Transactions against a dictionary; the record of every commit is also applied to its base.
@Suite struct TransactionTests {
    private struct Oracle {
        var rows: [ObjectKey: [Value]] = [:]
        var versions: [ObjectKey: UInt64] = [:]
        var columns = Everything.columns

        func agrees(with root: DatabaseRoot, _ table: TableKey) -> Bool {
            guard root.count(table) == rows.count, root.keys(table) == rows.keys.sorted() else {
                return false
            }
            for (key, values) in rows {
                guard root.contentVersion(table, key) == versions[key] else { return false }
                for (index, value) in values.enumerated() {
                    let column = ColumnKey(rawValue: UInt16(index))
                    guard root.value(table, key, column) == value else { return false }
                }
                guard root.find(table, primaryKey: values[0]) == key else { return false }
            }
            return true
        }
    }

    @Test func agreeWithADictionaryAndTheirRecordsLeadToTheSameRoot() throws {
        var generator = SeededRandom("TransactionTests.agreeWithADictionary")
        for _ in 0..<15 { try runHistory(&generator) }
    }

    private func runHistory(_ generator: inout SeededRandom) throws {
        let first = EngineTransaction(base: .empty, origin: "setup")
        let table = try first.addTable(name: Everything.name, columns: Everything.columns)
        var root = try commitAndReplay(first).root
        var oracle = Oracle()
        var snapshots: [(DatabaseRoot, UInt64, Oracle)] = []
        for _ in 0..<60 {
            let base = root
            let hash = base.stateHash()
            let before = oracle
            let transaction = EngineTransaction(
                base: base, origin: generator.oneIn(3) ? "origin \u{E9}" : nil)
            let stepCount = generator.oneIn(10) ? 200 : generator.below(8)
            var touched: Set<ObjectKey> = []
            for _ in 0..<stepCount {
                try step(transaction, table, &oracle, &touched, &generator)
                if generator.oneIn(20) {
                    expectTrue(oracle.agrees(with: transaction.root, table))
                }
            }
            expectEqual(base.stateHash(), hash)
            if generator.oneIn(4) {
                oracle = before
                continue
            }
            if transaction.hasChanges {
                let commit = try commitAndReplay(transaction)
                expectSummary(commit.summary, base, commit.root, oracle, before, touched)
                root = commit.root
            } else {
                expectTrue(oracle.rows == before.rows && touched.isEmpty)
            }
            expectTrue(oracle.agrees(with: root, table))
            if generator.oneIn(5) { snapshots.append((root, root.stateHash(), oracle)) }
        }
        for (snapshot, hash, expected) in snapshots {
            expectEqual(snapshot.stateHash(), hash)
            expectTrue(expected.agrees(with: snapshot, table))
        }
    }

    private func step(
        _ transaction: EngineTransaction, _ table: TableKey, _ oracle: inout Oracle,
        _ touched: inout Set<ObjectKey>, _ generator: inout SeededRandom
    ) throws {
        let version = transaction.version
        let key = oracle.rows.keys.sorted().randomElement(using: &generator)
        switch generator.below(20) {
        case 0..<9:
            let id = Int64(generator.below(200))
            var values = Everything.row(id, &generator)
            for column in oracle.columns[values.count...] { values.append(column.defaultValue) }
            if let owner = oracle.rows.first(where: { $0.value[0] == .int(id) })?.key {
                let error = #expect(throws: StoreError.self) {
                    try transaction.insert(table, values)
                }
                expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "\(id)")
                expectEqual(transaction.find(table, primaryKey: .int(id)), owner)
                return
            }
            let new = try transaction.insert(table, values)
            expectNil(oracle.rows[new])
            oracle.rows[new] = values
            oracle.versions[new] = version
        case 9..<14:
            guard let key else { return }
            let index = 1 + generator.below(oracle.columns.count - 1)
            let column = oracle.columns[index]
            let value = generator.value(column.type, isOptional: column.isOptional)
            try transaction.set(table, key, ColumnKey(rawValue: UInt16(index)), value)
            oracle.rows[key]?[index] = value
            oracle.versions[key] = version
            if transaction.base.contains(table, key) { touched.insert(key) }
        case 14..<18:
            guard let key else { return }
            transaction.delete(table, key)
            oracle.rows[key] = nil
            oracle.versions[key] = nil
            if transaction.base.contains(table, key) { touched.insert(key) }
        case 18 where oracle.columns.count < 24:
            let type = ValueType.plain.randomElement(using: &generator) ?? .int
            let definition = ColumnDefinition(
                name: "added\(oracle.columns.count)", type: type, isOptional: generator.oneIn(2),
                isIndexed: type.canBeIndexed && generator.oneIn(2),
                defaultValue: generator.value(type, isOptional: false))
            _ = try transaction.addColumn(table, definition)
            oracle.columns.append(definition)
            for key in oracle.rows.keys { oracle.rows[key]?.append(definition.defaultValue) }
        default:
            guard let key else { return }
            let error = #expect(throws: StoreError.self) {
                try transaction.set(table, key, ColumnKey(rawValue: 0), .int(1))
            }
            expectTrue(error?.code == .invalidValue && error?.property == "id")
        }
    }

    private func expectSummary(
        _ summary: CommitSummary, _ base: DatabaseRoot, _ root: DatabaseRoot, _ oracle: Oracle,
        _ before: Oracle, _ touched: Set<ObjectKey>
    ) {
        let delta = summary.delta(tableName: Everything.name)
        let inserted = oracle.rows.keys.filter { before.rows[$0] == nil }.sorted()
        let deleted = before.rows.keys.filter { oracle.rows[$0] == nil }.sorted()
        let modified = touched.filter { oracle.rows[$0] != nil }.sorted()
        expectEqual(delta?.inserted ?? [], inserted)
        expectEqual(delta?.deleted ?? [], deleted)
        expectEqual(delta?.modified.map(\.key) ?? [], modified)
        for row in delta?.modified ?? [] {
            guard let old = before.rows[row.key], let new = oracle.rows[row.key] else { continue }
            for index in old.indices where old[index] != new[index] {
                expectTrue(row.columns.contains(ColumnKey(rawValue: UInt16(index))))
            }
        }
        let diff = MergedDelta(from: base, to: root, tableName: Everything.name)
        expectTrue(diff.inserted == inserted && diff.deleted == deleted)
        expectEqual(diff.modified.map(\.key), modified)
    }

    @Test func insertedAndDeletedLeavesNoTrace() throws {
        let first = EngineTransaction(base: .empty)
        let table = try first.addTable(name: Everything.name, columns: Everything.columns)
        var generator = SeededRandom("TransactionTests.insertedAndDeleted")
        _ = try first.insert(table, Everything.row(1, &generator))
        let base = try commitAndReplay(first).root

        let nothing = EngineTransaction(base: base)
        nothing.delete(table, try nothing.insert(table, Everything.row(2, &generator)))
        expectTrue(!nothing.hasChanges)

        let some = EngineTransaction(base: base)
        let gone = try some.insert(table, Everything.row(2, &generator))
        let stays = try some.insert(table, Everything.row(3, &generator))
        some.delete(table, gone)
        let last = try some.insert(table, Everything.row(4, &generator))
        some.delete(table, last)
        let commit = try commitAndReplay(some)
        expectEqual(commit.summary.tables[table]?.inserted, [stays])
        expectTrue(gone < stays && stays < last)

        // The key of a row that was committed and deleted is never reused.
        let deletion = EngineTransaction(base: commit.root)
        deletion.delete(table, stays)
        let next = EngineTransaction(base: try commitAndReplay(deletion).root)
        try expectTrue(next.insert(table, Everything.row(3, &generator)) > stays)
    }

    @Test func settingAnEqualValueIsAModification() throws {
        let first = EngineTransaction(base: .empty)
        let table = try first.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        let key = try first.insert(table, [.int(1)])
        let second = EngineTransaction(base: try commitAndReplay(first).root)
        expectTrue(!second.hasChanges)
        try second.set(table, key, ColumnKey(rawValue: 0), .int(1))
        expectTrue(second.hasChanges)
        let commit = try commitAndReplay(second)
        expectEqual(commit.summary.tables[table]?.modified.map(\.key), [key])
        expectEqual(commit.root.contentVersion(table, key), 2)
    }

    @Test func aRootTakenInsideATransactionDoesNotSeeLaterEdits() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int, isIndexed: true)])
        var roots: [(DatabaseRoot, UInt64)] = []
        for number in 0..<300 {
            _ = try transaction.insert(table, [.int(Int64(number % 7))])
            if number % 10 == 0 { roots.append((transaction.root, transaction.root.stateHash())) }
        }
        for (index, (root, hash)) in roots.enumerated() {
            expectTrue(root.stateHash() == hash && root.count(table) == index * 10 + 1)
        }
    }
}
