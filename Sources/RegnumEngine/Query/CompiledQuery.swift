import RegnumStore

/// A query's property, looked up in one schema.
struct ResolvedColumn: Sendable {
    /// The stored column, or nil while the class does not have it.
    let stored: ColumnSchema?
    /// The position of the stored column; past every row's values where there is none.
    let index: Int
    /// What rows read that have no value at `index`.
    let fallback: Value

    @inline(__always)
    func value(_ row: borrowing Row) -> Value {
        index < row.values.count ? row.values[index] : fallback
    }
}

/// A predicate over the columns of one schema.
indirect enum CompiledPredicate: Sendable {
    case constant(Bool)
    case compare(ResolvedColumn, Comparison, Value, ValueType)
    case compareColumns(ResolvedColumn, Comparison, ResolvedColumn)
    case and([CompiledPredicate])
    case or([CompiledPredicate])
    case not(CompiledPredicate)

    func matches(_ row: borrowing Row) -> Bool {
        switch self {
        case .constant(let answer):
            return answer
        case .compare(let column, let comparison, let value, let type):
            return comparison.holds(column.value(row), constant: value, type: type)
        case .compareColumns(let a, let comparison, let b):
            return comparison.holds(a.value(row), b.value(row))
        case .and(let terms):
            for term in terms where !term.matches(row) { return false }
            return true
        case .or(let terms):
            for term in terms where term.matches(row) { return true }
            return false
        case .not(let term):
            return !term.matches(row)
        }
    }
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

    /// The place of a row in the result.
    @inline(__always)
    func entry(_ key: UInt64, _ row: borrowing Row) -> ResultEntry {
        guard !sort.isEmpty else { return ResultEntry(key: key) }
        var entry = ResultEntry(key: key)
        entry.first = sort[0].value(row)
        if sort.count > 1 { entry.rest = sort[1...].map { [row = copy row] in $0.value(row) } }
        return entry
    }
}

private struct QueryCompiler {
    let tableName: String
    let table: TableSchema?

    func resolve(_ reference: ColumnReference) throws(StoreError) -> ResolvedColumn {
        guard let column = table?.column(named: reference.name) else {
            return ResolvedColumn(stored: nil, index: .max, fallback: reference.missing)
        }
        guard column.type == reference.type else {
            throw StoreError(
                .schemaMismatch,
                "The property '\(tableName).\(reference.name)' is stored as \(column.type), not as "
                    + "\(reference.type).", className: tableName, property: reference.name)
        }
        return ResolvedColumn(
            stored: column, index: column.key.index, fallback: column.defaultValue)
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
        case .and(let terms):
            return .and(try compile(terms))
        case .or(let terms):
            return .or(try compile(terms))
        case .not(let term):
            return .not(try compile(term))
        }
    }

    private func compile(_ terms: [Predicate]) throws(StoreError) -> [CompiledPredicate] {
        var compiled: [CompiledPredicate] = []
        for term in terms { compiled.append(try compile(term)) }
        return compiled
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
