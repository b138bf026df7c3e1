import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Links and lists that contradict the rows, as in a forged file: a write fails or has a record
/// that can be applied. Otherwise it would be acknowledged, and the realm couldn't be opened again.
@Suite struct ForgedLinksTests {
    private let dogs = TableKey(rawValue: 0)
    private let people = TableKey(rawValue: 1)
    private let pet = ColumnKey(rawValue: 0)
    private let list = ListKey(rawValue: 0)

    private func row(_ key: UInt64) -> ObjectKey { ObjectKey(rawValue: key) }

    /// Makes three dogs, and two people without dogs.
    private func make() throws -> EngineTransaction {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "Dog", columns: [])
        _ = try transaction.addTable(name: "Person", columns: [.link(name: "pet", to: dogs)])
        _ = try transaction.addList(people, name: "dogs", target: dogs)
        for _ in 0..<3 { _ = try transaction.insert(dogs, []) }
        for _ in 0..<2 { _ = try transaction.insert(people, [.null]) }
        return transaction
    }

    /// Replaces the entry of the first person's link in the index.
    private func forge(_ transaction: EngineTransaction, _ key: UInt64, _ row: UInt64) {
        transaction.edit.forget(people.index)
        let nodes = transaction.edit.nodes
        let table = transaction.content.ownTable(people.index, nodes)
        var tree = table.index(at: 0)
        let isRemoved = tree.remove(IndexKey.null, 0, nodes)
        var hint = IndexHint()
        let isInserted = tree.insert(key, row, nodes, &hint)
        #expect(isRemoved && isInserted)
        table.setIndex(tree, at: 0)
    }

    // Covers .invalidDatabase
    @Test func deletionsFindNoLinksThatRowsDoNotHave() throws {
        // the person's own entry; that of a person without a dog; that of no one
        for (dog, person, expected) in [
            (nil, 0, nil), (0, 0, .invalidDatabase), (0, 7, .invalidDatabase),
        ] as [(UInt64?, UInt64, StoreError.Code?)] {
            let transaction = try make()
            try transaction.set(people, row(1), pet, .link(row(0)))
            forge(transaction, dog.map { DatabaseContent.linkKey($0) } ?? IndexKey.null, person)
            let (_, damage) = DamageWatch.run { transaction.delete(dogs, row(0)) }
            expectEqual(damage?.code, expected)
            expectEqual(damage?.className, expected.map { _ in "Person" })
            expectEqual(damage?.property, expected.map { _ in "pet" })
            expectEqual(transaction.value(people, row(1), pet), .null)
        }
    }

    /// Makes a realm with a list of a dog that doesn't exist, and one that does.
    private func makeList() throws -> DatabaseRoot {
        let transaction = try make()
        let isDone = transaction.content.splice(
            ListPlace(table: people, list: list), 0, at: 0, removing: 0,
            inserting: [999, 0][...], transaction.edit.nodes)
        #expect(isDone)
        return try transaction.commit(timestampMicroseconds: 0, bodyByteCountMax: 0).root
    }

    // Covers .invalidDatabase
    @Test func recordsInsertNoElementsThatDoNotExist() throws {
        let transaction = EngineTransaction(base: try makeList())
        transaction.moveInList(people, row(0), list, from: 0, to: 1)
        let damage = #expect(throws: StoreError.self) {
            try transaction.commit(timestampMicroseconds: 0)
        }
        expectEqual(damage?.code, .invalidDatabase)
        expectEqual(damage?.className, "Person")
        expectEqual(damage?.property, "dogs")
    }

    /// The element isn't one of the rows that the record deletes.
    @Test func recordsRemoveElementsThatDoNotExist() throws {
        let transaction = EngineTransaction(base: try makeList())
        transaction.removeFromList(people, row(0), list, 0..<1)
        transaction.delete(dogs, row(1))
        let root = try commitAndReplay(transaction).root
        expectEqual(root.list(people, row(0), list), [row(0)])
    }
}
