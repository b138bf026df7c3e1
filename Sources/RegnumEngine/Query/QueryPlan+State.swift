package import RegnumStore

/// A state that queries run on: a root, or a running transaction as it is now.
package struct QueryState {
    let content: DatabaseContent
    /// The root that the content is of, nil for a transaction.
    let root: DatabaseRoot?
    /// What is told how much evaluations did.
    let counters: QueryCounters?

    package init(_ root: DatabaseRoot, _ counters: QueryCounters? = nil) {
        content = root.content
        self.root = root
        self.counters = counters
    }

    /// The current state; not to be used after the transaction's next edit.
    package init(_ transaction: EngineTransaction, _ counters: QueryCounters? = nil) {
        content = transaction.content
        root = nil
        self.counters = counters
    }
}

extension QueryPlan {
    /// The result at one version. Throws as `evaluate` of a `DatabaseContent`, and costs as much; but
    /// all rows of a large class, and many rows with one value of an indexed integer, boolean or
    /// date, are not copied: the result reads them from the root, which it holds.
    package func evaluate(_ root: DatabaseRoot) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        return try evaluate(root.content, holder: root, statistics: &statistics)
    }

    /// As `evaluate(_:)`, and adds what it did to `statistics`.
    package func evaluate(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        try evaluate(root.content, holder: root, statistics: &statistics)
    }

    /// The result in a transaction's current state.
    package func evaluate(_ transaction: EngineTransaction) throws(StoreError) -> ResultTree {
        try evaluate(transaction.content)
    }

    package func evaluate(_ state: QueryState) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        let tree = try evaluate(state.content, holder: state.root, statistics: &statistics)
        state.counters?.add(statistics, foundCount: tree.holdsRoot ? 0 : tree.count)
        return tree
    }

    /// How many rows match at one version, without making a result.
    package func count(_ root: DatabaseRoot) throws(StoreError) -> Int {
        try count(root.content)
    }

    /// As `count(_:)`, and adds what it did to `statistics`.
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

    /// The first `limit` keys of the result, without making the rest of it.
    package func firstKeys(
        _ limit: Int, _ state: QueryState
    ) throws(StoreError) -> [ObjectKey] {
        var statistics = QueryStatistics()
        let keys = try firstKeys(limit, state.content, statistics: &statistics)
        state.counters?.add(statistics, foundCount: keys.count)
        return keys
    }

    /// The sum of an integer, double or decimal property over the matching rows; `invalidQuery` where a sum of
    /// integers does not fit into 64 bits.
    package func sum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value {
        try sum(of: column, state.content)
    }

    /// The mean of an integer, double or decimal property, a decimal of decimals and else a double;
    /// nil for no values.
    package func average(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try average(of: column, state.content)
    }

    /// The least value of an integer, double or date property; nil for no values.
    package func minimum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try minimum(of: column, state.content)
    }

    /// The greatest value of an integer, double or date property; nil for no values.
    package func maximum(
        of column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        try maximum(of: column, state.content)
    }

    /// Whether a row is in the result.
    package func contains(_ key: ObjectKey, _ state: QueryState) throws(StoreError) -> Bool {
        try contains(key, state.content)
    }

    /// The first position of a row in the result, nil if it is not there; without making the result.
    package func position(
        of key: ObjectKey, _ state: QueryState
    ) throws(StoreError) -> Int? {
        try position(of: key, state.content)
    }

    /// The position of the first row of the result that also matches `predicate`, nil if none does.
    package func firstPosition(
        where predicate: Predicate, _ state: QueryState
    ) throws(StoreError) -> Int? {
        try firstPosition(where: predicate, state.content)
    }
}
