/// A value of a property that all rows of a query share. Commits that only change rows with other
/// values don't concern the query.
package struct Route: Hashable, Sendable {
    @StoredText package var tableName: String
    @StoredText package var column: String
    package var value: Value

    package init(tableName: String, column: String, value: Value) {
        self.tableName = tableName
        self.column = column
        self.value = value
    }
}

extension QueryPlan {
    /// A property that has one value in all rows of the result, according to the predicate: the
    /// first equality that every row must satisfy. Strings, data, integers and identifiers are
    /// preferred over types with few distinct values.
    package var route: Route? { route(in: nil) }

    /// Like `route`. The link whose inverse is the source is preferred over all, then the primary
    /// key, then indexed properties.
    package func route(in schema: DatabaseSchema?) -> Route? {
        let table = schema?.table(named: tableName)
        if case .backlinks(let name, _, let row) = source,
            let column = table?.column(named: name.wrappedValue), column.linkTarget != nil
        {
            return Route(
                tableName: tableName, column: column.name,
                value: .int(Int64(bitPattern: row.rawValue)))
        }
        var best: (rank: Int, route: Route)?
        predicate.forEachEquality { column, value in
            var rank = value.isSelective ? 3 : 4
            if let stored = table?.column(named: column.name) {
                if stored.hasIndex { rank -= 2 }
                if table?.primaryKey == stored.key { rank = 0 }
            }
            if let best, best.rank <= rank { return }
            let route = Route(tableName: tableName, column: column.name, value: value.canonical)
            best = (rank, route)
        }
        return best?.route
    }
}

extension Predicate {
    /// Calls `body` for each property of the row itself that must equal a constant for the
    /// predicate to hold.
    fileprivate func forEachEquality(_ body: (ColumnReference, Value) -> Void) {
        switch self {
        case .compare(let column, .equal, let value):
            guard column.hops.isEmpty, value.type == column.type else { return }
            switch value {
            case .double(let x) where x.isNaN, .date(let x) where x.isNaN: return
            case .decimal, .any: return  // one number has many representations
            default: body(column, value)
            }
        case .and(let terms):
            for term in terms { term.forEachEquality(body) }
        default: break
        }
    }
}

extension Value {
    /// Whether values of the type are typically distinct.
    fileprivate var isSelective: Bool {
        switch self {
        case .int, .string, .uuid, .objectId, .data: true
        case .null, .bool, .double, .date, .decimal, .any: false
        }
    }
}
