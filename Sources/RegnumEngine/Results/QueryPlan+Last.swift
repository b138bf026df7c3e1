package import RegnumStore

extension QueryPlan {
    /// Returns the last key of the result, or `nil` if nothing matches.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) for all rows of a class in creation order; otherwise as `evaluate`.
    package func lastKey(_ state: QueryState) throws(StoreError) -> ObjectKey? {
        if isPlain, sort.isEmpty, case .constant(true) = predicate {
            let query = try CompiledQuery(self, state.content.schema)
            let table = query.table.flatMap { state.content.table($0) }
            return table?.lastKey().map { ObjectKey(rawValue: $0) }
        }
        return try evaluate(state).last
    }
}
