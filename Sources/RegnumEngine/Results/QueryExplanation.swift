package import RegnumStore

/// How a query is evaluated on one state, and the work that it took.
package struct QueryExplanation: Sendable {
    /// How the rows are found that the conditions are evaluated for.
    package enum Access: Sendable, Hashable {
        /// No rows: the class isn't stored, or its rows can't match.
        case nothing
        /// All rows of the class match.
        case all
        /// All rows of the class are read. Indexes would have found this many of them, which is too
        /// many to look them up; `nil` if there is no index for the conditions.
        case scan(candidateCount: Int?)
        /// Rows are looked up.
        case lookup([Means], candidateCount: Int, isExact: Bool)
        /// The rows of a list, set, map or inverse are read.
        case related
    }

    /// A way to find rows.
    package enum Means: Sendable, Hashable {
        case index(column: String)
        case words(column: String)
        /// The geospatial index of a list of a class, which may be reached by a path.
        case points(table: String, list: String)
        /// From matching rows of other classes, against the direction of a path that begins with
        /// this property, which belongs to the other class if it is followed backward.
        case path(property: String)
        /// The rows are given.
        case given
    }

    package let access: Access
    /// The number of rows of the class.
    package let rowCount: Int
    package let statistics: QueryStatistics
    /// The number of rows in the result.
    package let foundCount: Int
}

extension QueryPlan {
    /// Evaluates the query and returns how that was done. Throws the errors of `evaluate`.
    package func explain(_ state: QueryState) throws(StoreError) -> QueryExplanation {
        let root = state.content
        let query = try CompiledQuery(self, root.schema)
        var statistics = QueryStatistics()
        let found = try evaluate(root, holder: state.root, statistics: &statistics)
        let table = query.table.flatMap { root.table($0) }
        return QueryExplanation(
            access: query.access(root), rowCount: table?.count ?? 0, statistics: statistics,
            foundCount: found.count)
    }
}

extension CompiledQuery {
    fileprivate func access(_ root: DatabaseContent) -> QueryExplanation.Access {
        if source != .table { return source == .nothing ? .nothing : .related }
        guard let key = table, let table = root.table(key) else { return .nothing }
        switch predicate {
        case .constant(false): return .nothing
        case .constant(true): return .all
        default: break
        }
        var statistics = QueryStatistics()
        let lookup = predicate.lookup(root, key, candidateCount: table.count, &statistics)
        guard let lookup else { return .scan(candidateCount: nil) }
        guard isWorthwhile(lookup, table) else {
            return .scan(candidateCount: lookup.maximumCount)
        }
        let schema = root.schema
        let columns = schema.tables[key.index].columns
        var means: [QueryExplanation.Means] = []
        means += lookup.ranges.map { .index(column: columns[$0.column].name) }
        means += lookup.wordColumns.map { .words(column: columns[$0].name) }
        means += lookup.geoIndexes.map { place -> QueryExplanation.Means in
            let table = schema.tables[place.table.index]
            return .points(table: table.name, list: table.lists[place.list.index].name)
        }
        means += lookup.paths.map { .path(property: $0.property(from: key, in: schema)) }
        if means.isEmpty, !lookup.rows.isEmpty { means = [.given] }
        if means.isEmpty { return .nothing }
        var known: Set<QueryExplanation.Means> = []
        return .lookup(
            means.filter { known.insert($0).inserted }, candidateCount: lookup.maximumCount,
            isExact: lookup.isExact)
    }
}

extension CompiledHop {
    /// Returns the name of the property that the hop follows from a class.
    fileprivate func property(from table: TableKey, in schema: DatabaseSchema) -> String {
        func name(of list: ListPlace) -> String {
            schema.tables[list.table.index].lists[list.list.index].name
        }
        switch self {
        case .link(let link): return schema.tables[table.index].columns[link.column].name
        case .list(let list, _): return name(of: list)
        case .element(let element): return name(of: element.list)
        case .linkOrigins(let origin, let column):
            let origin = schema.tables[origin.index]
            return "\(origin.name).\(origin.columns[column.index].name)"
        case .listOrigins(let list):
            return "\(schema.tables[list.table.index].name).\(name(of: list))"
        case .entryTargets(let map, _, _), .entryOrigins(_, let map): return name(of: map)
        }
    }
}
