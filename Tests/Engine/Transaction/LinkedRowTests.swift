import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

private typealias Content = LinkContent

/// Links between rows: their valid values, the rows that link to a row, and the effects of
/// deletion.
@Suite struct LinkedRowTests {
    @Test func backlinksAreTheRowsThatLinkInAscendingOrder() throws {
        let transaction = try Content.begin()
        let rex = try transaction.dog()
        let ada = try transaction.person("Ada")
        let bob = try transaction.person("Bob")
        let cay = try transaction.insert(
            Content.person, [.string("Cay"), .link(rex), .null, .null])
        try transaction.set(bob, Content.favourite, rex)
        try transaction.set(ada, Content.favourite, rex)
        try transaction.set(ada, Content.favourite, rex)
        expectEqual(
            transaction.backlinks(of: rex, through: Content.favourite, of: Content.person),
            [ada, bob, cay])
        let commit = try commitAndReplay(transaction)
        let next = EngineTransaction(base: commit.root)
        try next.set(bob, Content.favourite, nil)
        expectEqual(
            next.backlinks(of: rex, through: Content.favourite, of: Content.person), [ada, cay])
        let root = try commitAndReplay(next).root
        expectEqual(
            root.backlinks(of: rex, through: Content.favourite, of: Content.person), [ada, cay])
        expectEqual(root.backlinks(of: rex, through: Content.name, of: Content.person), [])
        expectEqual(
            root.backlinks(of: rex, through: ColumnKey(rawValue: 9), of: Content.person), [])
    }

    @Test func occurrencesInListsAreCountedUpToALimit() throws {
        let transaction = try Content.begin()
        let (rex, fido) = (try transaction.dog(), try transaction.dog())
        let (ada, bob) = (try transaction.person("Ada"), try transaction.person("Bob"))
        let list = Content.dogs
        func count(_ dog: ObjectKey, limit: Int = .max) -> Int {
            transaction.occurrenceCount(of: dog, in: list, of: Content.person, limit: limit)
        }
        expectEqual(count(rex), 0)
        try transaction.insertIntoList(Content.person, ada, list, at: 0, [rex, fido, rex])
        try transaction.insertIntoList(Content.person, bob, list, at: 0, [rex])
        expectTrue(count(rex) == 3 && count(fido) == 1)
        expectTrue(count(rex, limit: 2) == 2 && count(rex, limit: 4) == 3)
    }

    @Test func aLinkToARowThatDoesNotExistIsRefused() throws {
        let transaction = try Content.begin()
        let rex = try transaction.dog()
        let ada = try transaction.person("Ada")
        transaction.delete(Content.dog, rex)
        for value in [Value.link(rex), .int(7), .int(-1), .int(.min)] {
            try refusesLink(transaction) { () throws(StoreError) in
                try transaction.set(Content.person, ada, Content.favourite, value)
            }
            try refusesLink(transaction) { () throws(StoreError) in
                _ = try transaction.insert(Content.person, [.string("B"), value])
            }
            let row = transaction.insertion(Content.person)
            row.begin()
            row.put("B", 0)
            if case .int(let number) = value { row.put(number, 1) }
            row.put(Value.null, 2)
            row.put(Value.null, 3)
            try refusesLink(transaction) { () throws(StoreError) in _ = try row.end() }
        }
        expectEqual(transaction.count(Content.person), 1)
        _ = try commitAndReplay(transaction)
    }

    private func refusesLink(
        _ transaction: EngineTransaction, _ body: () throws(StoreError) -> Void
    ) throws {
        let error = #expect(throws: StoreError.self) { try body() }
        expectEqual(error?.code, .invalidValue)
        expectTrue(error?.className == "Person" && error?.property == "favourite")
    }

    @Test func aDeletedRowIsNulledWhereItWasLinked() throws {
        let transaction = try Content.begin()
        let rex = try transaction.dog()
        let ada = try transaction.person("Ada")
        let bob = try transaction.person("Bob")
        try transaction.set(ada, Content.favourite, rex)
        try transaction.set(bob, Content.favourite, rex)
        let base = try commitAndReplay(transaction).root
        let next = EngineTransaction(base: base)
        next.delete(Content.dog, rex)
        let commit = try commitAndReplay(next)
        expectEqual(commit.root.value(Content.person, ada, Content.favourite), .null)
        expectEqual(commit.root.contentVersion(Content.person, bob), 2)
        let delta = commit.summary.tables[Content.person]
        var columns = ColumnSet()
        columns.insert(Content.favourite)
        expectEqual(delta?.modified, [ada, bob].map { ModifiedRow(key: $0, columns: columns) })
    }

    @Test func ruinousDefinitionsOfLinksAreRefused() throws {
        let transaction = try Content.begin()
        let dog = Content.dog
        var bad: [ColumnDefinition] = [.link(name: "x", to: TableKey(rawValue: 4))]
        for change in 0..<4 {
            var definition = ColumnDefinition.link(name: "x", to: dog)
            if change == 0 { definition.isOptional = false }
            if change == 1 { definition.isIndexed = false }
            if change == 2 { definition.type = .string }
            if change == 3 { definition.defaultValue = .int(0) }
            bad.append(definition)
        }
        bad.append(ColumnDefinition(name: "x", type: .int, meaning: .scalar(.float)))
        for definition in bad {
            let error = #expect(throws: StoreError.self) {
                _ = try transaction.addColumn(Content.person, definition)
            }
            expectTrue(error?.code == .invalidInput && error?.property == "x")
        }
        _ = try transaction.addColumn(
            Content.person, ColumnDefinition(name: "x", type: .double, meaning: .scalar(.float)))
    }

    @Test func rowsWithoutPropertiesAreStored() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(name: "Empty", columns: [])
        for number in 0..<3_000 {
            try expectEqual(transaction.insert(table, []).rawValue, UInt64(number))
        }
        transaction.delete(table, ObjectKey(rawValue: 1_024))
        let root = try commitAndReplay(transaction).root
        expectEqual(root.count(table), 2_999)
        let next = EngineTransaction(base: root)
        let row = next.insertion(table)
        row.begin()
        try expectEqual(row.end().rawValue, 3_000)
        let column = try next.addColumn(
            table, ColumnDefinition(name: "n", type: .int, isIndexed: true, defaultValue: .int(7)))
        try next.set(table, ObjectKey(rawValue: 2), column, .int(8))
        let second = try commitAndReplay(next).root
        expectEqual(second.value(table, ObjectKey(rawValue: 2), column), .int(8))
        expectEqual(second.value(table, ObjectKey(rawValue: 3_000), column), .int(7))
        let file = MemoryNodesFile(byteCount: 1 << 20)
        for root in [root, second] {
            let loaded = try TestCheckpoint(root, to: file).load(from: file)
            expectEqual(loaded.stateHash(), root.stateHash())
        }
    }
}
