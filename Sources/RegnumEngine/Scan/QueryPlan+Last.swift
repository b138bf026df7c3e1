package import RegnumStore

extension QueryPlan {
    /// The last key of the result, nil if nothing matches.
    ///
    /// Throws as `evaluate`.
    /// - Complexity: O(log n) for all rows of a class by creation; otherwise as `evaluate`.
    package func lastKey(_ state: QueryState) throws(StoreError) -> ObjectKey? {
        if isPlain, sort.isEmpty, case .constant(true) = predicate {
            let query = try CompiledQuery(self, state.content.schema)
            let table = query.table.flatMap { state.content.table($0) }
            return table?.lastKey().map { ObjectKey(rawValue: $0) }
        }
        return try evaluate(state).last
    }
}
