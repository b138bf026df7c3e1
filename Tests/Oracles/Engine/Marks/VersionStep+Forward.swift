@testable package import RegnumEngine

extension VersionStep {
    /// Returns the marks of some rows by following each of them forward, without a limit on the
    /// work.
    func forwardMarks(
        _ tableName: String, _ filter: ChangeFilter, of rows: [ObjectKey]
    ) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        switch filter {
        case .deep(let depth):
            let search = ForwardSearch(self, table, max(depth, 0), maximumCount: .max)
            return marks(of: rows, search, maximumCount: .max) ?? RowMarks()
        case .paths(let paths):
            let search = ForwardPathSearch(searches(table, paths), maximumCount: .max)
            return marks(of: rows, search, maximumCount: .max) ?? RowMarks()
        }
    }
}

extension ChangeFilter {
    /// The classes whose changes can mark rows of a class; commits that change none of them mark
    /// nothing.
    package func dependencies(of tableName: String, in schema: DatabaseSchema) -> Set<StoredText> {
        linkedDependencies(of: tableName, in: schema).union([StoredText(tableName)])
    }
}
