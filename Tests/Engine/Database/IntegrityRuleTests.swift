import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rules about several rows that only a forged file breaks. Lookups would give wrong results, or
/// descents into owned rows fail.
@Suite struct IntegrityRuleTests {
    private let first = TableKey(rawValue: 0)
    private let second = TableKey(rawValue: 1)

    private func expectDamage(of root: DatabaseRoot, says text: String?) {
        guard let text else {
            #expect(throws: Never.self) { try root.checkIntegrity { false } }
            return
        }
        let damage = #expect(throws: StoreError.self) { try root.checkIntegrity { false } }
        expectEqual(damage?.code, .invalidDatabase)
        expectTrue(damage?.message.contains(text) ?? false, "\(damage?.message ?? "")")
    }

    // Covers .invalidDatabase
    @Test func membersOutOfOrderAreDamage() throws {
        for kind in [ListKind.list, .set, .map] {
            for order in [[0, 1], [1, 0], [0, 0]] {
                let root = try makeValues(kind, order)
                let isSound = kind == .list || order == [0, 1]
                expectDamage(of: root, says: isSound ? nil : "out of order")
            }
        }
        for rows in [[0, 1], [1, 0]] as [[UInt64]] {
            let transaction = EngineTransaction(base: .empty)
            _ = try transaction.addTable(name: "A", columns: [])
            let set = try transaction.addList(first, name: "set", target: first, kind: .set)
            for _ in 0..<2 { _ = try transaction.insert(first, []) }
            try transaction.insertIntoList(
                first, ObjectKey(rawValue: 0), set, at: 0, rows.map { ObjectKey(rawValue: $0) })
            let root = try transaction.commit(timestampMicroseconds: 0).root
            expectDamage(of: root, says: rows == [0, 1] ? nil : "out of order")
        }
    }

    // Covers .invalidDatabase
    @Test func dictionariesOutOfOrderAreDamage() throws {
        for value in [AnyContent.dictionary(1), AnyContent.list(1)] {
            for order in [["a", "b"], ["b", "a"], ["a", "a"]] {
                let transaction = EngineTransaction(base: .empty)
                let any = ColumnDefinition(
                    name: "value", type: .any, isOptional: true, isIndexed: true)
                _ = try transaction.addTable(name: "A", columns: [any])
                let elements = try transaction.addTable(
                    name: "A.value", kind: .elements,
                    columns: [any, ColumnDefinition(name: "key", type: .string)])
                let items = try transaction.addList(first, name: "value[]", target: elements)
                let row = try transaction.insert(first, [value.value])
                try transaction.insertIntoList(
                    first, row, items, at: 0,
                    newRows: order.flatMap { [Value.null, .string($0)] }, width: 2)
                let root = try transaction.commit(timestampMicroseconds: 0).root
                var says: String?
                if case .dictionary = value, order != ["a", "b"] { says = "out of order" }
                expectDamage(of: root, says: says)
            }
        }
    }

    /// Makes a row whose collection has those values or keys.
    private func makeValues(_ kind: ListKind, _ order: [Int]) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [])
        var columns = [ColumnDefinition(name: "value", type: .int)]
        if kind == .map { columns.append(ColumnDefinition(name: "key", type: .string)) }
        let elements = try transaction.addTable(name: "A.p", kind: .elements, columns: columns)
        let list = try transaction.addList(first, name: "p", target: elements, kind: kind)
        let row = try transaction.insert(first, [])
        for (place, number) in order.enumerated() {
            let value = Value.int(Int64(number))
            let element = try transaction.insert(
                elements, kind == .map ? [.int(7), .string("\(number)")] : [value])
            try transaction.insertIntoList(first, row, list, at: place, [element])
        }
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    private enum Owners: CaseIterable { case one, none, two, circle }

    // Covers .invalidDatabase
    @Test func ownedRowsWithoutOneOwnerAreDamage() throws {
        for owners in Owners.allCases {
            let transaction = EngineTransaction(base: .empty)
            _ = try transaction.addTable(name: "A", columns: [])
            _ = try transaction.addTable(name: "Part", kind: .embedded, columns: [])
            let parts = try transaction.addList(first, name: "parts", target: second)
            let inner = try transaction.addList(second, name: "parts", target: second)
            let row = try transaction.insert(first, [])
            let part = try transaction.insert(second, [])
            let nodes = transaction.edit.nodes
            let place = ListPlace(table: first, list: parts)
            for _ in 0..<(owners == .one ? 1 : owners == .two ? 2 : 0) {
                _ = transaction.content.splice(
                    place, row.rawValue, at: 0, removing: 0, inserting: [part.rawValue], nodes)
            }
            if owners == .circle {
                _ = transaction.content.splice(
                    ListPlace(table: second, list: inner), part.rawValue, at: 0, removing: 0,
                    inserting: [part.rawValue], nodes)
            }
            let says: String? =
                switch owners {
                case .one: nil
                case .none, .two: "no owner, or several"
                case .circle: "in a cycle"
                }
            expectDamage(of: transaction.root, says: says)
        }
    }
}
