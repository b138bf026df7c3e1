import RegnumStore

/// A query's property, resolved in one schema.
struct ResolvedColumn: Sendable {
    /// The stored column; `nil` while the class doesn't have it.
    let stored: ColumnSchema?
    /// The index of the stored column; past the slots of every cluster if there is none.
    let index: Int
    let type: ValueType
    /// The value of rows whose cluster has no slot for the column.
    let fallback: Value

    /// Whether the column can be null.
    var isOptional: Bool { stored?.isOptional ?? fallback.isNull }

    /// Whether the cluster has values for the column; its rows read `fallback` otherwise.
    @inline(__always)
    func isStored(in cluster: Cluster) -> Bool { index < cluster.slotCount }

    /// The value of a row below `rowCount`.
    @inline(__always)
    func value(_ cluster: Cluster, _ row: Int) -> Value {
        guard let stored, index < cluster.slotCount else { return fallback }
        return cluster.value(row, stored)
    }
}

extension ResolvedColumn {
    init(_ stored: ColumnSchema) {
        self.init(
            stored: stored, index: stored.key.index, type: stored.type,
            fallback: stored.defaultValue)
    }
}

/// A predicate over the columns of one schema.
indirect enum CompiledPredicate: Sendable {
    case constant(Bool)
    case compare(ResolvedColumn, Comparison, Value, ValueType)
    case compareColumns(ResolvedColumn, Comparison, ResolvedColumn)
    case matchText(ResolvedColumn, TextPattern)
    case matchWords(ResolvedColumn, WordSearch)
    case isIn(ResolvedColumn, ValueSet)
    /// Evaluates the predicate on the row that a link leads to.
    case through(LinkHop, CompiledPredicate, whenNull: Bool)
    /// As `through`, with a set of rows that was computed before a scan.
    case throughSet(LinkHop, RowSet, whenNull: Bool)
    case inSet(RowSet)
    case compareValues(PathColumn, Comparison, PathColumn)
    case matchTextColumns(PathColumn, TextMatch, PathColumn, TextFolding)
    case compareNumbers(CompiledExpression, Comparison, CompiledExpression)
    case isKind(ResolvedColumn, Set<AnyKind>, orNull: Bool)
    /// Ascending, without duplicates.
    case isRow([UInt64])
    /// The row is a point in an area.
    case within(CompiledLayout, GeoArea)
    /// Whether one of the rows at the end of a path matches.
    case related(CompiledPath, CompiledPredicate)
    case count(CompiledPath, CompiledPredicate, Comparison, Int64)
    case aggregate(CompiledPath, CompiledAggregate)
    case and([CompiledPredicate])
    case or([CompiledPredicate])
    case not(CompiledPredicate)
}

/// The source of a plan's rows, resolved in one schema.
enum CompiledSource: Hashable, Sendable {
    case table
    /// The rows that a hop leads to from a row of a class.
    case related(CompiledHop, TableKey, UInt64)
    /// No rows, because the class or property doesn't exist.
    case nothing
}

/// A query plan, resolved in one schema.
struct CompiledQuery: Sendable {
    /// The class of the rows; `nil` while it doesn't exist.
    let table: TableKey?
    var source: CompiledSource
    var predicate: CompiledPredicate
    /// The terms of a sort without hops; otherwise empty.
    let sort: [ResolvedColumn]
    let order: ResultOrder
    /// The terms of a sort with hops; otherwise empty.
    let linkedSort: [PathColumn]
    let steps: [CompiledStep]

    /// The terms of the sort, with or without hops.
    var sortPaths: [PathColumn] {
        linkedSort + sort.map { PathColumn($0) }
    }

    /// Throws `invalidQuery` for a comparison of different types or more than 64 sort terms, and
    /// `schemaMismatch` if the stored column has another type than in the query, or the stored link
    /// or list leads to another class.
    init(_ plan: QueryPlan, _ schema: DatabaseSchema) throws(StoreError) {
        let compiler = QueryCompiler(schema, plan.tableName)
        table = compiler.table?.key
        source = try compiler.compile(plan.source)
        predicate = try compiler.compile(plan.predicate)
        order = try compiler.order(plan.sort)
        var sort: [ResolvedColumn] = []
        var linkedSort: [PathColumn] = []
        if plan.isSortedThroughLinks {
            for term in plan.sort { linkedSort.append(try compiler.resolvePath(term.column)) }
        } else {
            for term in plan.sort { sort.append(try compiler.resolve(term.column)) }
        }
        self.sort = sort
        self.linkedSort = linkedSort
        var steps: [CompiledStep] = []
        for step in plan.steps {
            if let step = try compiler.compile(step) { steps.append(step) }
        }
        self.steps = steps
    }
}

/// A step of a plan, resolved in one schema.
enum CompiledStep: Sendable {
    case distinct([PathColumn])
    case sort([PathColumn], ResultOrder)
    case limit(Int)
}
