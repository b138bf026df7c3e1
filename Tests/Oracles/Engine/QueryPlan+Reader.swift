import RegnumStore

@testable import RegnumEngine

extension QueryPlan {
    /// Returns the result at one version.
    func evaluate(_ root: DatabaseRoot) throws(StoreError) -> ResultTree {
        try evaluate(QueryState(root))
    }

    /// As `evaluate(_:)` on a root, adding the work done to `statistics`.
    func evaluate(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        try evaluate(root.content, holder: root, statistics: &statistics)
    }

    /// Returns the result in a transaction's current state.
    func evaluate(_ transaction: EngineTransaction) throws(StoreError) -> ResultTree {
        try evaluate(QueryState(transaction))
    }

    /// Returns the number of matching rows at one version, without making a result.
    func count(_ root: DatabaseRoot) throws(StoreError) -> Int {
        try count(QueryState(root))
    }

    /// As `count(_:)`, adding the work done to `statistics`.
    func count(
        _ root: DatabaseRoot, statistics: inout QueryStatistics
    ) throws(StoreError) -> Int {
        try count(root.content, statistics: &statistics)
    }
}
