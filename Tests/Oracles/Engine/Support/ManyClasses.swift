@testable import RegnumEngine

extension EngineTransaction {
    /// Adds classes `T0`, `T1` and so on, each with an integer `n`, to an empty realm. Adding them
    /// one by one would copy the schema for each.
    func addClasses(_ count: Int) {
        precondition(schema.tables.isEmpty, "The realm has classes already.")
        willEdit()
        let column = ColumnSchema(
            key: ColumnKey(rawValue: 0), definition: ColumnDefinition(name: "n", type: .int))
        let tables = (0..<count).map { number in
            TableSchema(
                key: TableKey(rawValue: UInt32(number)), name: "T\(number)", columns: [column])
        }
        let directory = edit.nodes.makeZeroed(
            .directory, byteCount: DatabaseContent.offset(count))
        for index in 0..<count {
            directory.store(
                Table.make(indexCount: 0, edit: edit.nodes).node.word,
                DatabaseContent.offset(index))
            changes.append(TableChanges(firstNewKey: 0))
        }
        content.schema = DatabaseSchema(tables: tables, version: 0)
        content.directory = directory
        schemaChanges.append(.restructured)
    }
}
