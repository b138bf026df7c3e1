import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

extension HostileRecordTests {
    /// Lookups in sets, maps and dictionaries would miss what is out of order: a removal would
    /// remove nothing, and an insertion add the same element again.
    // Covers .invalidDatabase
    @Test func valuesThatOrderElementsAreNotChanged() throws {
        let cases: [(list: String, ListKind, fixedColumn: Int?)] = [
            ("p", .list, nil), ("p", .set, 0), ("p", .map, 1), ("any[]", .list, 1),
        ]
        for (name, kind, fixedColumn) in cases {
            let transaction = EngineTransaction(base: .empty)
            _ = try transaction.addTable(
                name: "A",
                columns: [
                    ColumnDefinition(name: "any", type: .any, isOptional: true, isIndexed: true)
                ])
            let elements = try transaction.addTable(
                name: "A.p", kind: .elements,
                columns: [
                    ColumnDefinition(name: "value", type: .int),
                    ColumnDefinition(name: "key", type: .string),
                ])
            let list = try transaction.addList(table, name: name, target: elements, kind: kind)
            let row = try transaction.insert(table, [.null])
            let element = try transaction.insert(elements, [.int(5), .string("k")])
            try transaction.insertIntoList(table, row, list, at: 0, [element])
            let base = try commitAndReplay(transaction).root
            let values: [(column: Int, Value, isNew: Bool)] = [
                (0, .int(5), false), (0, .int(7), true),
                (1, .string("k"), false), (1, .string("m"), true),
            ]
            for (column, value, isNew) in values {
                var writer = beginning(2)
                CommitRecord.begin(.set, elements, &writer)
                writer.varint(column)
                KeyRuns.encode([element], &writer)
                ColumnBlock.encode([value], column == 0 ? .int : .string, &writer)
                expectEqual(
                    code(writer.bytes, on: base),
                    isNew && column == fixedColumn ? .invalidDatabase : nil,
                    "\(name) \(kind) \(value)")
            }
        }
    }

    /// Deleting an object that a set links to deletes the element, which isn't set to null.
    @Test func linksFromSetsAreDeletedWithTheirTargets() throws {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [])
        let elements = try transaction.addTable(
            name: "A.p", kind: .elements,
            columns: [
                ColumnDefinition(name: "value", type: .any, isOptional: true, isIndexed: true)
            ])
        let set = try transaction.addList(table, name: "p", target: elements, kind: .set)
        let rows = try (0..<2).map { _ in try transaction.insert(table, []) }
        let values = [AnyContent.int(1).value, AnyContent.link(table, rows[1]).value]
        try transaction.insertIntoList(table, rows[0], set, at: 0, newRows: values)
        let deletion = EngineTransaction(base: try commitAndReplay(transaction).root)
        deletion.delete(table, rows[1])
        let root = try commitAndReplay(deletion).root
        expectEqual(root.listCount(table, rows[0], set), 1)
        #expect(throws: Never.self) { try root.checkIntegrity { false } }
    }
}
