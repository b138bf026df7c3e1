package import RegnumStore

/// A state that queries run on: a root, or the current state of a running transaction.
package struct QueryState {
    let content: DatabaseContent
    /// The root of the content; `nil` for a transaction.
    let root: DatabaseRoot?
    /// The version of the root, or the one that the transaction will commit as.
    package let version: UInt64
    /// The counters that evaluations add their work to.
    let counters: QueryCounters?

    package init(_ root: DatabaseRoot, _ counters: QueryCounters? = nil) {
        content = root.content
        self.root = root
        version = root.version
        self.counters = counters
    }

    /// The current state of a transaction. Must not be used after the transaction's next edit.
    package init(_ transaction: EngineTransaction, _ counters: QueryCounters? = nil) {
        content = transaction.content
        root = nil
        version = transaction.version
        self.counters = counters
    }
}

extension QueryState {
    /// Returns the key of a class, or `nil` if it isn't stored. A class that was dropped and is
    /// declared again has another key.
    package func table(named name: String) -> TableKey? { content.schema.table(named: name)?.key }

    /// Returns a row's value, or `nil` if there is no such row or property.
    package func value(of row: ObjectKey, in tableName: String, _ property: String) -> Value? {
        guard let table = content.schema.table(named: tableName),
            let column = table.column(named: property)
        else { return nil }
        return content.value(table.key, row, column.key)
    }
}

extension QueryState {
    /// Returns the row with a primary key as a value of any type, or `nil` if there is none.
    package func link(to tableName: String, primaryKey: Value) -> Value? {
        guard let table = content.schema.table(named: tableName),
            let row = content.find(table.key, primaryKey: primaryKey)
        else { return nil }
        return AnyContent.link(table.key, row).value
    }

    /// Returns the name of a class and the primary key of one of its rows, if it has one; `nil` if
    /// the row doesn't exist.
    package func object(
        _ table: TableKey, _ row: ObjectKey
    ) -> (className: String, key: Value?)? {
        guard table.index < content.schema.tables.count,
            content.table(table)?.contains(row.rawValue) == true
        else { return nil }
        let stored = content.schema.tables[table.index]
        return (stored.name, stored.primaryKey.flatMap { content.value(table, row, $0) })
    }
}

extension QueryPlan {
    /// Returns the result in a state. Has the errors and costs of `evaluate` on a
    /// `DatabaseContent`, but doesn't copy all rows of a large class, or many rows with one value
    /// of an indexed integer, boolean or date: the result holds the root and reads them from it.
    package func evaluate(_ state: QueryState) throws(StoreError) -> ResultTree {
        var statistics = QueryStatistics()
        let tree = try evaluate(state.content, holder: state.root, statistics: &statistics)
        state.counters?.add(statistics, foundCount: tree.holdsRoot ? 0 : tree.count)
        return tree
    }

    /// Returns the number of matching rows, without making a result.
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
}
