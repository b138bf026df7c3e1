package import RegnumStore

/// A state that queries run on: a root, or the current state of a running transaction.
package struct QueryState {
    let content: DatabaseContent
    /// The root of the content; `nil` for a transaction.
    let root: DatabaseRoot?
    /// The counters that evaluations add their work to.
    let counters: QueryCounters?

    package init(_ root: DatabaseRoot, _ counters: QueryCounters? = nil) {
        content = root.content
        self.root = root
        self.counters = counters
    }

    /// The current state of a transaction. Must not be used after the transaction's next edit.
    package init(_ transaction: EngineTransaction, _ counters: QueryCounters? = nil) {
        content = transaction.content
        root = nil
        self.counters = counters
    }
}

extension QueryPlan {
    /// Returns the result at one version. Has the errors and costs of `evaluate` on a
    /// `DatabaseContent`, but doesn't copy all rows of a large class, or many rows with one value
    /// of an indexed integer, boolean or date: the result holds the root and reads them from it.
    package func evaluate(_ root: DatabaseRoot) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        return try evaluate(root.content, holder: root, statistics: &statistics)
    }

    /// As `evaluate(_:)`, adding the work done to `statistics`.
    package func evaluate(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        try evaluate(root.content, holder: root, statistics: &statistics)
    }

    /// Returns the result in a transaction's current state.
    package func evaluate(_ transaction: EngineTransaction) throws(StoreError) -> ResultTree {
        try evaluate(transaction.content)
    }

    package func evaluate(_ state: QueryState) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        let tree = try evaluate(state.content, holder: state.root, statistics: &statistics)
        state.counters?.add(statistics, foundCount: tree.holdsRoot ? 0 : tree.count)
        return tree
    }

    /// Returns the number of matching rows at one version, without making a result.
    package func count(_ root: DatabaseRoot) throws(StoreError) -> Int {
        try count(root.content)
    }

    /// As `count(_:)`, adding the work done to `statistics`.
    package func count(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> Int {
        try count(root.content, statistics: &statistics)
    }

    package func count(_ state: QueryState) throws(StoreError) -> Int {
        var statistics = QueryStatistics()
        let count = try count(state.content, statistics: &statistics)
        state.counters?.add(statistics, foundCount: 0)
        return count
    }

    /// Returns the first `limit` keys of the result, without making the rest of it.
    package func firstKeys(
        _ limit: Int, _ state: QueryState
    ) throws(StoreError) -> [ObjectKey] {
        var statistics = QueryStatistics()
        let keys = try firstKeys(limit, state.content, statistics: &statistics)
        state.counters?.add(statistics, foundCount: keys.count)
        return keys
    }

    /// Returns the sum of an integer, double, decimal or any property over the matching rows.
    /// Throws `invalidQuery` if a sum of integers doesn't fit into 64 bits.
    package func sum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value {
        try sum(of: column, state.content)
    }

    /// Returns the mean of an integer, double, decimal or any property: a decimal for decimals and
    /// any values, otherwise a double; `nil` if there are no values.
    package func average(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try average(of: column, state.content)
    }

    /// Returns the least value of a numeric, date or any property; `nil` if there are no values.
    package func minimum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try minimum(of: column, state.content)
    }

    /// Returns the greatest value of a numeric, date or any property; `nil` if there are no values.
    package func maximum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try maximum(of: column, state.content)
    }

    /// Whether a row is in the result.
    package func contains(_ key: ObjectKey, _ state: QueryState) throws(StoreError) -> Bool {
        try contains(key, state.content)
    }

    /// Returns the first position of a row in the result without making it, or `nil` if it isn't in
    /// it.
    package func position(
        of key: ObjectKey, _ state: QueryState
    ) throws(StoreError) -> Int? {
        try position(of: key, state.content)
    }

    /// Returns the position of the first row of the result that also matches `predicate`, or `nil`
    /// if none does.
    package func firstPosition(
        where predicate: Predicate, _ state: QueryState
    ) throws(StoreError) -> Int? {
        try firstPosition(where: predicate, state.content)
    }
}
