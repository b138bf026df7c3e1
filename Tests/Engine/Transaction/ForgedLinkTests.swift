import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Links that contradict their index or refer to rows that don't exist, as in a forged file. No
/// commit may have a record that can't be applied, since the realm couldn't be opened afterwards.
@Suite struct ForgedLinkTests {
    private let person = TableKey(rawValue: 0)
    private let dog = TableKey(rawValue: 1)
    private let pet = ColumnKey(rawValue: 0)

    /// Two of three persons, of which the first has the first of two dogs.
    private func makeRoot() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "Person", columns: [])
        _ = try transaction.addTable(name: "Dog", columns: [])
        _ = try transaction.addColumn(person, .link(name: "pet", to: dog))
        for _ in 0..<2 { _ = try transaction.insert(dog, []) }
        for link in [Value.int(0), .null, .null] { _ = try transaction.insert(person, [link]) }
        let next = EngineTransaction(base: try commitAndReplay(transaction).root)
        next.delete(person, ObjectKey(rawValue: 1))
        return try commitAndReplay(next).root
    }

    private enum Forgery: CaseIterable { case none, missingRow, otherRow }

    // Covers .invalidDatabase
    @Test func originsWithoutTheLinkAreReported() throws {
        for forgery in Forgery.allCases {
            let transaction = EngineTransaction(base: try makeRoot())
            if forgery != .none {
                let nodes = transaction.edit.nodes
                let table = transaction.content.ownTable(person.index, nodes)
                var index = table.index(at: 0)
                var hint = IndexHint()
                let key = DatabaseContent.linkKey(0)
                let isRemoved = index.remove(key, 0, nodes)
                let isNew = index.insert(key, forgery == .missingRow ? 1 : 2, nodes, &hint)
                #expect(isRemoved && isNew)
                table.setIndex(index, at: 0)
            }
            let (_, damage) = DamageWatch.run {
                transaction.delete(dog, ObjectKey(rawValue: 0))
            }
            expectEqual(damage?.code, forgery == .none ? nil : .invalidDatabase)
            if forgery == .none { _ = try commitAndReplay(transaction) }
        }
    }

    // Covers .invalidDatabase
    @Test func linkToAMissingRowIsNotRecorded() throws {
        for target in [1, 7] as [Int64] {
            let first = EngineTransaction(base: try makeRoot())
            let column = first.schema.tables[0].columns[0]
            _ = first.content.set(0, 0, column, .int(target), version: 3, first.edit)
            let next = EngineTransaction(base: try first.commit(timestampMicroseconds: 0).root)
            try next.set(person, ObjectKey(rawValue: 0), pet, .int(target))
            if target == 1 {
                _ = try commitAndReplay(next)
                continue
            }
            let error = #expect(throws: StoreError.self) {
                _ = try next.commit(timestampMicroseconds: 0)
            }
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(error?.property, "pet")
        }
    }
}
