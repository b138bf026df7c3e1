import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Classes that are added at once are the same as those that are added one by one.
@Suite struct SchemaDraftTests {
    private static let (old, note, tag) = (
        TableKey(rawValue: 0), TableKey(rawValue: 1), TableKey(rawValue: 2)
    )

    /// Returns a state with one class and a row.
    private static func base() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "Old", columns: [ColumnDefinition(name: "n", type: .int)])
        _ = try transaction.insert(old, [.int(7)])
        return try commitAndReplay(transaction).root
    }

    /// Adds two classes that refer to each other and to the old one.
    private static func addClasses(
        to editor: some SchemaEditor, _ addColumn: (TableKey, ColumnDefinition) throws -> Void
    ) throws {
        let id = ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)
        let text = ColumnDefinition(name: "text", type: .string, isFullTextIndexed: true)
        let note = try editor.addTable(name: "Note", kind: .object, columns: [id, text])
        let tag = try editor.addTable(name: "Tag", kind: .object, columns: [id])
        try addColumn(note, .link(name: "first", to: tag))
        _ = try editor.addList(note, name: "tags", target: tag, kind: .list)
        try addColumn(tag, .link(name: "old", to: old))
        try addColumn(note, .link(name: "next", to: note))
        let values = try editor.addTable(
            name: "Tag.values", kind: .elements,
            columns: [ColumnDefinition(name: "value", type: .double)])
        _ = try editor.addList(tag, name: "values", target: values, kind: .set)
        _ = try editor.addList(tag, name: "notes", target: note, kind: .list)
    }

    private static func addAtOnce(to transaction: EngineTransaction) throws {
        let draft = SchemaDraft(transaction.schema)
        try addClasses(to: draft) { try draft.addColumn($0, $1) }
        expectEqual(draft.table(named: "Tag")?.columns.map(\.name), ["id", "old"])
        expectEqual(transaction.schema.tables.count, 1)
        transaction.add(draft)
    }

    private static func addRows(to transaction: EngineTransaction) throws {
        let first = try transaction.insert(tag, [.int(1), .int(0)])
        let row = try transaction.insert(
            note, [.int(5), .string("green tea"), .int(Int64(bitPattern: first.rawValue)), .null])
        try transaction.insertIntoList(note, row, ListKey(rawValue: 0), at: 0, [first, first])
        try transaction.insertIntoList(tag, first, ListKey(rawValue: 1), at: 0, [row])
    }

    @Test func classesAddedAtOnceAreTheSame() throws {
        let base = try Self.base()
        let one = EngineTransaction(base: base)
        try Self.addClasses(to: one) { _ = try one.addColumn($0, $1) }
        try Self.addRows(to: one)
        let expected = try commitAndReplay(one)
        for rollsBack in [false, true] {
            let other = EngineTransaction(base: base)
            if rollsBack {
                let savepoint = other.savepoint()
                try Self.addAtOnce(to: other)
                try Self.addRows(to: other)
                other.rollback(to: savepoint)
                expectTrue(other.schema.tables.count == 1 && !other.hasChanges)
            }
            try Self.addAtOnce(to: other)
            try Self.addRows(to: other)
            let commit = try commitAndReplay(other)
            expectEqual(commit.body, expected.body)
            expectEqual(commit.root.schema.tables, expected.root.schema.tables)
            expectEqual(commit.root.stateHash(), expected.root.stateHash())
        }
    }

    @Test func invalidClassesAreRefused() throws {
        let transaction = EngineTransaction(base: try Self.base())
        let draft = SchemaDraft(transaction.schema)
        transaction.add(draft)
        expectTrue(!transaction.hasChanges)
        func refuses(_ edit: () throws -> Void) {
            do {
                try edit()
                Issue.record("An invalid class was added.")
            } catch {
                expectEqual((error as? StoreError)?.code, .invalidInput)
            }
        }
        refuses { _ = try draft.addTable(name: "Old", kind: .object, columns: []) }
        let new = try draft.addTable(
            name: "New", kind: .object, columns: [ColumnDefinition(name: "n", type: .int)])
        refuses { _ = try draft.addTable(name: "New", kind: .object, columns: []) }
        refuses { try draft.addColumn(new, ColumnDefinition(name: "n", type: .bool)) }
        let none = TableKey(rawValue: 2)
        refuses { try draft.addColumn(new, .link(name: "link", to: none)) }
        refuses { _ = try draft.addList(new, name: "n", target: new, kind: .list) }
        refuses { _ = try draft.addList(new, name: "list", target: none, kind: .list) }
        transaction.add(draft)
        expectEqual(transaction.schema.tables.map(\.name), ["Old", "New"])
        expectEqual(transaction.schema.tables[1].columns.count, 1)
        expectTrue(transaction.schema.tables[1].lists.isEmpty)
        _ = try transaction.insert(new, [.int(3)])
        _ = try commitAndReplay(transaction)
    }
}
