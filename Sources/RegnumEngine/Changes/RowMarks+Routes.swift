internal import RegnumStore

extension VersionStep {
    /// Returns the same as `marks`, but only for rows that have the route's value in the new
    /// version. Returns the marks of all rows without a route, or if the route names another class
    /// or a property that isn't stored.
    ///
    /// - Complexity: that of `marks`, and O(marked rows) to group them, the first time for a
    ///   column; then O(1) for each value.
    package func marks(
        _ tableName: String, _ filter: ChangeFilter, route: Route? = nil
    ) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        guard let route, equalUTF8(route.tableName, tableName),
            let column = table.column(named: route.column)
        else { return marks(table, filter) }
        let key = FoundMarks.RouteKey(
            marks: .init(table: table.key, filter: filter), column: column.key)
        let value = column.grouped(route.value)
        if let known = foundMarks.withLock({ found in
            found.routed[key].map { $0[value] ?? RowMarks() }
        }) {
            return known
        }
        let groups = group(marks(table, filter), by: column, of: table.key)
        foundMarks.withLock { $0.routed[key] = groups }
        return groups[value] ?? RowMarks()
    }

    private func group(
        _ marks: RowMarks, by column: ColumnSchema, of table: TableKey
    ) -> [Value: RowMarks] {
        var groups: [Value: RowMarks] = [:]
        var finder = RowFinder(new.content[table.index])
        for (row, mark) in marks.rows {
            guard let place = finder.place(row.rawValue) else { continue }
            let value = column.grouped(place.cluster.value(place.row, column))
            groups[value, default: RowMarks()].rows[row] = mark
        }
        return groups
    }
}

extension ColumnSchema {
    /// Returns the same value for all values that a query considers equal in the column
    /// (`Comparison`).
    fileprivate func grouped(_ value: Value) -> Value {
        switch (value, type) {
        case (.double(let number), .int): Int64(exactly: number).map { .int($0) } ?? value
        case (.int(let number), .double): Double(exactly: number).map { .double($0) } ?? value
        case (.double(0), .double): .double(0)
        case (.date(0), .date): .date(0)
        default: value
        }
    }
}
