import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Links that contradict their index or the rows, as in a forged file: a write fails or has a
/// record that can be applied. Otherwise it would be acknowledged, and the realm couldn't be opened
/// again.
@Suite struct ForgedLinksTests {
    private let dogs = TableKey(rawValue: 0)
    private let people = TableKey(rawValue: 1)
    private let pet = ColumnKey(rawValue: 0)

    private func row(_ key: UInt64) -> ObjectKey { ObjectKey(rawValue: key) }

    /// Makes three dogs, and two people without dogs.
    private func make() throws -> EngineTransaction {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "Dog", columns: [])
        _ = try transaction.addTable(name: "Person", columns: [.link(name: "pet", to: dogs)])
        for _ in 0..<3 { _ = try transaction.insert(dogs, []) }
        for _ in 0..<2 { _ = try transaction.insert(people, [.null]) }
        return transaction
    }

    /// Replaces the entry of the first person's link in the index.
    private func forge(_ transaction: EngineTransaction, _ key: UInt64, _ row: UInt64) {
        transaction.edit.discard(people.index)
        let nodes = transaction.edit.nodes
        let table = transaction.content.ownTable(people.index, nodes)
        var tree = table.index(at: 0)
        let isRemoved = tree.remove(IndexKey.null, 0, nodes)
        var hint = IndexHint()
        let isInserted = tree.insert(key, row, nodes, &hint)
        expectTrue(isRemoved && isInserted)
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

    // Covers .invalidDatabase
    @Test func linksToMissingRowsAreNotRecorded() throws {
        for dog in [2, 7] as [UInt64] {
            let first = EngineTransaction(base: try commitAndReplay(make()).root)
            let column = first.schema.tables[people.index].columns[0]
            let isSet = first.content.set(
                people.index, 0, column, .link(row(dog)), version: 2, first.edit)
            expectTrue(isSet)
            let next = EngineTransaction(base: try first.commit(timestampMicroseconds: 0).root)
            try next.set(people, row(0), pet, .link(row(dog)))
            if dog == 2 {
                _ = try commitAndReplay(next)
                continue
            }
            let damage = #expect(throws: StoreError.self) {
                try next.commit(timestampMicroseconds: 0)
            }
            expectEqual(damage?.code, .invalidDatabase)
            expectEqual(damage?.className, "Person")
            expectEqual(damage?.property, "pet")
        }
    }
}
