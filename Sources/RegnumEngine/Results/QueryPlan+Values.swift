package import RegnumStore

extension QueryPlan {
    /// Returns the values of a property for rows of the plan's class: null where a link on the path
    /// to the property is null, and for rows that don't exist.
    ///
    /// Throws `invalidQuery` if the property has another type, or isn't reached through links only.
    /// - Complexity: O(m log n) for m rows; less if their keys are close to each other.
    package func values(
        of column: ColumnReference, for keys: some Sequence<ObjectKey>, _ state: QueryState
    ) throws(StoreError) -> [Value] {
        let content = state.content
        let path = try QueryCompiler(content.schema, tableName).resolvePath(column)
        guard let key = content.schema.table(named: tableName)?.key,
            let table = content.table(key)
        else { return keys.map { _ in .null } }
        var finder = RowFinder(table)
        return keys.map { key in
            guard let place = finder.place(key.rawValue) else { return .null }
            return path.value(place.cluster, place.row, content)
        }
    }
}
