import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rows that own each other or have two owners, which no writer creates but a forged file may have.
/// Every traversal of their owners terminates.
@Suite struct ForgedOwnersTests {
    private static let part = TableKey(rawValue: 0)
    private static let dog = TableKey(rawValue: 1)
    private static let parts = ListKey(rawValue: 0)
    private static let inner = ColumnKey(rawValue: 0)
    private static let pet = ColumnKey(rawValue: 1)

    /// Makes embedded parts without owners; each can have a part, parts, and a dog.
    private func makeBase(_ count: Int) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let part = try transaction.addTable(name: "Part", kind: .embedded, columns: [])
        let dog = try transaction.addTable(name: "Dog", columns: [])
        _ = try transaction.addColumn(part, .link(name: "inner", to: part))
        _ = try transaction.addColumn(part, .link(name: "pet", to: dog))
        _ = try transaction.addList(part, name: "parts", target: part)
        for _ in 0..<count { _ = try transaction.insert(part, [.null, .null]) }
        _ = try transaction.insert(dog, [])
        return try commitAndReplay(transaction).root
    }

    /// Returns the base with unchecked changes, loaded from an image.
    private func forge(
        _ base: DatabaseRoot, _ body: (EngineTransaction) throws -> Void
    ) throws -> (root: DatabaseRoot, file: MemoryNodesFile) {
        let transaction = EngineTransaction(base: base)
        try body(transaction)
        let file = MemoryNodesFile(byteCount: 4 << 20)
        return (try TestCheckpoint(transaction.root, to: file).load(from: file), file)
    }

    private func own(
        _ row: UInt64, _ elements: [UInt64], _ place: ListPlace, _ transaction: EngineTransaction
    ) {
        let isDone = transaction.content.splice(
            place, row, at: 0, removing: 0, inserting: elements[...], transaction.edit.nodes)
        expectTrue(isDone)
    }

    /// Each row contains the next one twice, so that 2^40 paths lead to the last, and the last one
    /// contains the first.
    @Test func rowsWithTwoOwnersAreDeletedOnce() throws {
        let count: UInt64 = 40
        let place = ListPlace(table: Self.part, list: Self.parts)
        let (root, _) = try forge(try makeBase(Int(count))) { transaction in
            for row in 0..<count {
                own(row, [(row + 1) % count, (row + 1) % count], place, transaction)
            }
        }
        let next = EngineTransaction(base: root)
        next.delete(Self.part, ObjectKey(rawValue: 0))
        expectEqual(next.count(Self.part), 0)
        _ = try commitAndReplay(next)
    }

    // Covers .invalidDatabase
    @Test func deleteRulesEndAtRowsThatOwnEachOther() throws {
        let rules = try requireValue(
            DeleteRules([
                DeleteRule(
                    table: Self.part, property: "pet", route: .link(Self.pet), target: Self.dog,
                    isDenial: true)
            ]))
        for (count, isCircle) in [(1, true), (7, true), (1_000, true), (1_000, false)] {
            let (root, _) = try forge(try makeBase(count)) { transaction in
                let columns = transaction.schema.tables[0].columns
                for row in 0..<count where isCircle || row + 1 < count {
                    _ = transaction.content.set(
                        0, UInt64((row + 1) % count), columns[0], .int(Int64(row)), version: 3,
                        transaction.edit)
                }
                _ = transaction.content.set(
                    0, 0, columns[1], .int(0), version: 3, transaction.edit)
            }
            let next = EngineTransaction(base: root)
            let (deletion, damage) = DamageWatch.run {
                next.deletion(of: [(Self.dog, [ObjectKey(rawValue: 0)])], by: rules)
            }
            expectEqual(deletion.denial?.holder, ObjectKey(rawValue: 0))
            expectTrue(damage?.code == (isCircle ? .invalidDatabase : nil))
        }
    }

    // Covers .invalidDatabase
    @Test func changeOfAListThatContainsItselfEnds() throws {
        for isCircle in [true, false] {
            let transaction = EngineTransaction(base: .empty)
            let elements = try transaction.addTable(
                name: "C.p", kind: .elements,
                columns: [
                    ColumnDefinition(
                        name: "value", type: .any, isOptional: true, isIndexed: true,
                        defaultValue: .null),
                    ColumnDefinition(name: "key", type: .string),
                ])
            let items = try transaction.addList(elements, name: "value[]", target: elements)
            let list = AnyContent.list(1).value
            // the maximum depth for values in a list or map
            let rows = try (0...Limits.maximumAnyLevel).map { _ in
                try transaction.insert(elements, [list, .string("")]).rawValue
            }
            let base = try commitAndReplay(transaction).root
            let place = ListPlace(table: elements, list: items)
            let (root, _) = try forge(base) { transaction in
                for (row, next) in zip(rows, rows.dropFirst()) {
                    own(row, [next], place, transaction)
                }
                if isCircle { own(rows[Limits.maximumAnyLevel], [rows[0]], place, transaction) }
            }
            let next = EngineTransaction(base: root)
            let schema = next.schema.tables[0].lists[0]
            let (_, damage) = DamageWatch.run {
                next.touch(
                    itemsOf: ObjectKey(rawValue: rows[Limits.maximumAnyLevel]), elements, schema)
            }
            expectTrue(damage?.code == (isCircle ? .invalidDatabase : nil))
        }
    }
}
