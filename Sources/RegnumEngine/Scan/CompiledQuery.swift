import RegnumStore

/// A query's property, looked up in one schema.
struct ResolvedColumn: Sendable {
    /// The stored column, or nil while the class does not have it.
    let stored: ColumnSchema?
    /// The position of the stored column; past every cluster's slots where there is none.
    let index: Int
    let type: ValueType
    /// What rows read whose cluster has no slot for the column.
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

/// A predicate over the columns of one schema.
indirect enum CompiledPredicate: Sendable {
    case constant(Bool)
    case compare(ResolvedColumn, Comparison, Value, ValueType)
    case compareColumns(ResolvedColumn, Comparison, ResolvedColumn)
    case matchText(ResolvedColumn, TextPattern)
    case isIn(ResolvedColumn, ValueSet)
    case and([CompiledPredicate])
    case or([CompiledPredicate])
    case not(CompiledPredicate)
}

/// A query plan, looked up in one schema.
struct CompiledQuery: Sendable {
    /// nil while the class does not exist.
    let table: TableKey?
    let predicate: CompiledPredicate
    let sort: [ResolvedColumn]
    let order: ResultOrder

    /// Throws `invalidQuery` for a comparison of unequal types or more than 64 sort terms, and
    /// `schemaMismatch` where the stored column is of another type than the query says.
    init(_ plan: QueryPlan, _ schema: DatabaseSchema) throws(StoreError) {
        let table = schema.table(named: plan.tableName)
        self.table = table?.key
        let compiler = QueryCompiler(tableName: plan.tableName, table: table)
        predicate = try compiler.compile(plan.predicate)
        guard plan.sort.count <= 64 else {
            throw StoreError(
                .invalidQuery, "A sort has at most 64 terms; this one has \(plan.sort.count).",
                className: plan.tableName)
        }
        var sort: [ResolvedColumn] = []
        var descending: UInt64 = 0
        for (index, term) in plan.sort.enumerated() {
            sort.append(try compiler.resolve(term.column))
            if !term.ascending { descending |= 1 << UInt64(index) }
        }
        self.sort = sort
        order = ResultOrder(descending: descending)
    }
}

/// Looks up names in one class, and checks types.
struct QueryCompiler {
    let tableName: String
    let table: TableSchema?

    func resolve(_ reference: ColumnReference) throws(StoreError) -> ResolvedColumn {
        guard let column = table?.column(named: reference.name) else {
            return ResolvedColumn(
                stored: nil, index: .max, type: reference.type, fallback: reference.missing)
        }
        guard column.type == reference.type else {
            throw StoreError(
                .schemaMismatch,
                "The property '\(tableName).\(reference.name)' is stored as \(column.type), not as "
                    + "\(reference.type).", className: tableName, property: reference.name)
        }
        return ResolvedColumn(
            stored: column, index: column.key.index, type: column.type,
            fallback: column.defaultValue)
    }

    func compile(_ predicate: Predicate) throws(StoreError) -> CompiledPredicate {
        switch predicate {
        case .constant(let answer):
            return .constant(answer)
        case .compare(let reference, let comparison, let value):
            if let type = value.type { try check(reference, type) }
            return .compare(try resolve(reference), comparison, value, reference.type)
        case .compareColumns(let a, let comparison, let b):
            try check(a, b.type)
            return .compareColumns(try resolve(a), comparison, try resolve(b))
        case .matchText(let reference, let match, let text, let caseInsensitive):
            try check(reference, .string)
            return .matchText(
                try resolve(reference),
                TextPattern(match, text, caseInsensitive: caseInsensitive))
        case .isIn(let reference, let values):
            for value in values { if let type = value.type { try check(reference, type) } }
            return .isIn(try resolve(reference), ValueSet(values))
        case .and(let terms):
            return .and(try compile(terms))
        case .or(let terms):
            return .or(try compile(terms))
        case .not(let term):
            return .not(try compile(term))
        }
    }

    /// The terms with the cheap ones first. The order goes by the plan alone, so that two schemas
    /// give the same.
    private func compile(_ terms: [Predicate]) throws(StoreError) -> [CompiledPredicate] {
        var compiled: [CompiledPredicate] = []
        for term in terms { compiled.append(try compile(term)) }
        let costs = terms.map(\.cost)
        let order = terms.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }
        return order.map { compiled[$0] }
    }

    /// Only values of one type compare, and integers with doubles.
    private func check(_ reference: ColumnReference, _ type: ValueType) throws(StoreError) {
        if reference.type == type { return }
        let numbers: [ValueType] = [.int, .double]
        if numbers.contains(reference.type), numbers.contains(type) { return }
        throw StoreError(
            .invalidQuery,
            "The property '\(tableName).\(reference.name)' of type \(reference.type) cannot be "
                + "compared with a value of type \(type).", className: tableName,
            property: reference.name)
    }
}

extension Predicate {
    /// A rough measure of the work for one row.
    fileprivate var cost: Int {
        switch self {
        case .constant: return 0
        case .compare(let column, let comparison, _):
            guard column.type == .string || column.type == .data else { return 1 }
            return comparison == .equal || comparison == .notEqual ? 2 : 8
        case .isIn(_, let values): return 2 * values.count
        case .matchText(_, let match, _, let caseInsensitive):
            return caseInsensitive || match == .like ? 200 : 10
        case .compareColumns: return 50
        case .and(let terms), .or(let terms): return terms.reduce(0) { $0 + $1.cost }
        case .not(let term): return term.cost
        }
    }
}
