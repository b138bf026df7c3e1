import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

private typealias Content = LinkContent

/// Rows that belong to a link or a list element: they have one owner, and are deleted with it.
@Suite struct OwnershipTests {
    @Test func ownedRowsGoWithTheirOwner() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        let inner = try transaction.address()
        try transaction.set(ada, Content.home, try transaction.address(next: inner))
        try transaction.insertIntoList(
            Content.person, ada, Content.tagList, at: 0,
            [try transaction.tag("a"), try transaction.tag("b")])
        try transaction.insertIntoList(
            Content.person, ada, Content.addresses, at: 0, [try transaction.address()])
        let base = try commitAndReplay(transaction).root
        expectEqual(base.count(Content.address), 3)
        let next = EngineTransaction(base: base)
        next.delete(Content.person, ada)
        let commit = try commitAndReplay(next)
        for table in [Content.person, Content.address, Content.tags] {
            expectEqual(commit.root.count(table), 0)
        }
        expectEqual(commit.summary.tables[Content.address]?.deleted.count, 3)
        expectNil(commit.root.nodeProblem)
    }

    @Test func aReplacedOwnedRowIsDeleted() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        let first = try transaction.address(next: try transaction.address())
        let second = try transaction.address()
        try transaction.set(ada, Content.home, first)
        try transaction.set(ada, Content.home, first)
        expectEqual(transaction.count(Content.address), 3)
        try transaction.set(ada, Content.home, second)
        expectEqual(transaction.keys(Content.address), [second])
        try transaction.set(ada, Content.home, nil)
        expectEqual(transaction.count(Content.address), 0)
        _ = try commitAndReplay(transaction)
    }

    @Test func ownedElementsGoWithTheirPlaceAndStayWhenMoved() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        var keys: [ObjectKey] = []
        for number in 0..<6 { keys.append(try transaction.tag("\(number)")) }
        let list = Content.tagList
        try transaction.insertIntoList(Content.person, ada, list, at: 0, keys)
        let base = try commitAndReplay(transaction).root
        let next = EngineTransaction(base: base)
        next.moveInList(Content.person, ada, list, from: 0, to: 5)
        expectEqual(next.keys(Content.tags), keys)
        next.removeFromList(Content.person, ada, list, 1..<3)
        expectEqual(next.keys(Content.tags), [keys[0], keys[1], keys[4], keys[5]])
        try next.setListElement(Content.person, ada, list, at: 0, keys[1])
        expectTrue(next.contains(Content.tags, keys[1]))
        let new = try next.tag("new")
        try next.setListElement(Content.person, ada, list, at: 0, new)
        expectTrue(!next.contains(Content.tags, keys[1]))
        // Deleted directly, so that the list gets shorter.
        next.delete(Content.tags, keys[4])
        expectEqual(next.list(Content.person, ada, list), [new, keys[5], keys[0]])
        _ = try commitAndReplay(next)
    }

    @Test func anOwnedRowHasOneOwner() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        let bob = try transaction.person("Bob")
        let home = try transaction.address()
        let free = try transaction.address()
        try transaction.set(ada, Content.home, home)
        try refuses { () throws(StoreError) in
            try transaction.set(Content.person, bob, Content.home, .link(home))
        }
        try refuses { () throws(StoreError) in
            try transaction.set(Content.person, ada, Content.work, .link(home))
        }
        try refuses { () throws(StoreError) in
            try transaction.insertIntoList(Content.person, ada, Content.addresses, at: 0, [home])
        }
        try refuses { () throws(StoreError) in
            try transaction.insertIntoList(
                Content.person, ada, Content.addresses, at: 0, [free, free])
        }
        try refuses { () throws(StoreError) in
            _ = try transaction.insert(Content.person, [.string("C"), .null, .link(home)])
        }
        try refuses { () throws(StoreError) in
            _ = try transaction.insert(
                Content.person, [.string("C"), .null, .link(free), .link(free)])
        }
        expectEqual(transaction.count(Content.address), 2)
        try transaction.insertIntoList(Content.person, ada, Content.addresses, at: 0, [free])
        try refuses { () throws(StoreError) in
            try transaction.set(Content.person, bob, Content.home, .link(free))
        }
        try refuses { () throws(StoreError) in
            try transaction.insertIntoList(Content.person, bob, Content.addresses, at: 0, [free])
        }
        try refuses { () throws(StoreError) in
            try transaction.setListElement(Content.person, ada, Content.addresses, at: 0, home)
        }
        _ = try commitAndReplay(transaction)
    }

    private func refuses(_ body: () throws(StoreError) -> Void) throws {
        let error = #expect(throws: StoreError.self) { try body() }
        expectTrue(error?.code == .invalidValue && error?.className == "Person")
        expectTrue(error?.property != nil)
    }

    @Test func longChainsAndListsGoWithoutRecursion() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        var chain = try transaction.address()
        for _ in 0..<20_000 { chain = try transaction.address(next: chain) }
        try transaction.set(ada, Content.home, chain)
        let tags = try (0..<20_000).map { try transaction.tag("\($0 % 7)") }
        try transaction.insertIntoList(Content.person, ada, Content.tagList, at: 0, tags)
        let base = try commitAndReplay(transaction).root
        let next = EngineTransaction(base: base)
        next.removeFromList(Content.person, ada, Content.tagList, 0..<10_000)
        expectEqual(next.count(Content.tags), 10_000)
        next.delete(Content.person, ada)
        let root = try commitAndReplay(next).root
        expectTrue(root.count(Content.tags) == 0 && root.count(Content.address) == 0)
    }

    @Test func manyRowsAreDeletedWithOnePassOfEachList() throws {
        let transaction = try Content.begin()
        let ada = try transaction.person("Ada")
        let dogs = try (0..<20_000).map { _ in try transaction.dog() }
        try transaction.insertIntoList(Content.person, ada, Content.dogs, at: 0, dogs)
        let base = try commitAndReplay(transaction).root
        let next = EngineTransaction(base: base)
        next.delete(Content.dog, Array(dogs.dropFirst().dropLast()))
        expectEqual(next.list(Content.person, ada, Content.dogs), [dogs[0], dogs[19_999]])
        _ = try commitAndReplay(next)
    }

    @Test func anIndexJoinsAColumnWithRows() throws {
        let transaction = try Content.begin()
        for number in 0..<2_500 { _ = try transaction.person("\(number * 7 % 100)") }
        let base = try commitAndReplay(transaction).root
        let next = EngineTransaction(base: base)
        try next.addIndex(Content.person, Content.name)
        #expect(throws: StoreError.self) { try next.addIndex(Content.person, Content.name) }
        #expect(throws: StoreError.self) {
            try next.addIndex(Content.person, ColumnKey(rawValue: 77))
        }
        let ada = try next.person("5")
        try next.set(ada, Content.favourite, try next.dog())
        next.delete(Content.person, ObjectKey(rawValue: 5))
        let root = try commitAndReplay(next).root
        let column = try requireValue(root.schema.tables[0].column(named: "name"))
        expectTrue(column.isIndexed)
        let plan = QueryPlan(
            tableName: "Person",
            predicate: .compare(
                ColumnReference(name: "name", type: .string, missing: .string("")), .equal,
                .string("5")))
        try expectEqual(plan.count(root), 26)
        let file = MemoryNodesFile(byteCount: 4 << 20)
        let loaded = try TestCheckpoint(root, to: file).load(from: file)
        expectEqual(loaded.stateHash(), root.stateHash())
        try expectEqual(plan.count(loaded), 26)
    }
}
