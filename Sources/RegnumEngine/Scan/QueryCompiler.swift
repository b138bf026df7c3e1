import RegnumStore

/// Resolves names in one class and checks types.
struct QueryCompiler {
    let schema: DatabaseSchema
    let tableName: String
    /// `nil` while the class doesn't exist.
    let table: TableSchema?

    init(_ schema: DatabaseSchema, _ tableName: String) {
        self.schema = schema
        self.tableName = tableName
        table = schema.table(named: tableName)
    }

    func resolve(_ reference: ColumnReference) throws(StoreError) -> ResolvedColumn {
        guard let column = table?.column(named: reference.name) else {
            return ResolvedColumn(
                stored: nil, index: .max, type: reference.type, fallback: reference.missing)
        }
        guard column.type == reference.type else {
            throw StoreError(
                .schemaMismatch,
                "\(tableName).\(reference.name) is stored as \(column.type), not as "
                    + "\(reference.type).", className: tableName, property: reference.name)
        }
        return ResolvedColumn(column)
    }

    /// Returns the directions of a sort. Throws `invalidQuery` for more than 64 terms.
    func order(_ sort: [SortTerm]) throws(StoreError) -> ResultOrder {
        guard sort.count <= Limits.maximumSortTermCount else {
            throw StoreError(
                .invalidQuery,
                "A sort can have at most \(Limits.maximumSortTermCount) terms; this one has "
                    + "\(sort.count).",
                className: tableName)
        }
        return ResultOrder(areDescending: sort.map { !$0.ascending })
    }

    /// Compiles a step. Returns `nil` for a step that has no effect.
    func compile(_ step: QueryStep) throws(StoreError) -> CompiledStep? {
        var columns: [PathColumn] = []
        switch step {
        case .distinct(let references):
            for reference in references { columns.append(try resolvePath(reference)) }
            return columns.isEmpty ? nil : .distinct(columns)
        case .sort(let terms):
            for term in terms { columns.append(try resolvePath(term.column)) }
            return columns.isEmpty ? nil : .sort(columns, try order(terms))
        case .limit(let count): return .limit(max(count, 0))
        }
    }

    func compile(_ predicate: Predicate) throws(StoreError) -> CompiledPredicate {
        switch predicate {
        case .and(let terms): .and(try compile(terms))
        case .or(let terms): .or(try compile(terms))
        case .not(let term): .not(try compile(term))
        default: try compileTerm(predicate)
        }
    }

    /// Compiles anything but an operator. Separate, because it needs much more stack.
    @inline(never)
    private func compileTerm(_ predicate: Predicate) throws(StoreError) -> CompiledPredicate {
        switch predicate {
        case .constant(let answer):
            return .constant(answer)
        case .compare(let reference, let comparison, let value):
            return try through(
                reference, whenNull: comparison.holds(.null, constant: value, type: reference.type)
            ) { compiler, reference throws(StoreError) in
                if let type = value.type { try compiler.check(reference, type) }
                return .compare(
                    try compiler.resolve(reference), comparison, value, reference.type)
            }
        case .compareColumns(let a, let comparison, let b):
            try check(a, b.type)
            if a.hops.isEmpty, b.hops.isEmpty {
                return .compareColumns(try resolve(a), comparison, try resolve(b))
            }
            return .compareValues(try resolvePath(a), comparison, try resolvePath(b))
        case .matchText(let reference, let match, let text, let folding):
            return try through(reference, whenNull: false) {
                compiler, reference throws(StoreError) in
                try compiler.check(reference, .string)
                return .matchText(
                    try compiler.resolve(reference),
                    TextPattern(match, text.wrappedValue, ignoring: folding))
            }
        case .matchData(let reference, let match, let bytes):
            return try through(reference, whenNull: false) {
                compiler, reference throws(StoreError) in
                try compiler.check(reference, .data)
                if match == .like { throw compiler.noPattern(reference) }
                return .matchText(
                    try compiler.resolve(reference), TextPattern(match, bytes: bytes))
            }
        case .matchWords(let reference, let text):
            let search = try WordSearch(text.wrappedValue)
            return try through(reference, whenNull: search.matchesNull) {
                compiler, reference throws(StoreError) in
                try compiler.checkHasWords(reference)
                return .matchWords(try compiler.resolve(reference), search)
            }
        case .isRow(let keys):
            return .isRow(keys.map(\.rawValue).sortedUniquely())
        case .matchTextColumns(let a, let match, let b, let folding):
            try check(a, .string)
            try check(b, .string)
            return .matchTextColumns(try resolvePath(a), match, try resolvePath(b), folding)
        case .isIn(let reference, let values):
            let set = ValueSet(values)
            return try through(reference, whenNull: set.contains(.null)) {
                compiler, reference throws(StoreError) in
                for value in values {
                    if let type = value.type { try compiler.check(reference, type) }
                }
                return .isIn(try compiler.resolve(reference), set)
            }
        case .within(let layout, let area):
            return try within(layout, area)
        case .related(let hops, .any, let term):
            return try related(hops, term)
        case .related(let hops, .all, let term):
            return .not(try related(hops, .not(term)))
        case .related(let hops, .none, let term):
            return .not(try related(hops, term))
        case .count(let hops, let term, let comparison, let number):
            return try count(hops, term, comparison, number)
        case .aggregate(let hops, let kind, let reference, let comparison, let value):
            return try aggregate(hops, kind, reference, comparison, value)
        case .compareNumbers(let a, let comparison, let b):
            return .compareNumbers(try compile(a), comparison, try compile(b))
        case .isKind(let reference, let kinds, let orNull):
            return try through(reference, whenNull: orNull) {
                compiler, reference throws(StoreError) in
                try compiler.check(reference, .any)
                return .isKind(try compiler.resolve(reference), kinds, orNull: orNull)
            }
        case .and, .or, .not:
            preconditionFailure("an operator must be compiled through its terms")
        }
    }

    /// Compiles the terms, cheap ones first. The order depends only on the plan, so that it is the
    /// same for two schemas.
    private func compile(_ terms: [Predicate]) throws(StoreError) -> [CompiledPredicate] {
        var compiled: [CompiledPredicate] = []
        for term in terms { compiled.append(try compile(term)) }
        return inOrderOfCost(terms, compiled)
    }

    @inline(never)
    private func inOrderOfCost(
        _ terms: [Predicate], _ compiled: [CompiledPredicate]
    ) -> [CompiledPredicate] {
        terms.inOrderOfCost.map { compiled[$0] }
    }

    private func noPattern(_ reference: ColumnReference) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(tableName).\(reference.name) is of type data and cannot be compared with a "
                + "pattern.", className: tableName, property: reference.name)
    }

    private func checkHasWords(_ reference: ColumnReference) throws(StoreError) {
        try check(reference, .string)
        if reference.isFullTextIndexed, reference.type == .string { return }
        throw StoreError(
            .invalidQuery, "\(tableName).\(reference.name) has no full-text index.",
            className: tableName, property: reference.name)
    }

    /// Checks that a property is compared with a value of its own type. Any two numeric types may
    /// be compared, and so may values of any type with strings and data.
    func check(_ reference: ColumnReference, _ type: ValueType) throws(StoreError) {
        if reference.type == type { return }
        if reference.type == .any, type == .string || type == .data { return }
        let numbers: [ValueType] = [.int, .double, .decimal]
        if numbers.contains(reference.type), numbers.contains(type) { return }
        let className = reference.hops.last?.target ?? tableName
        throw StoreError(
            .invalidQuery,
            "\(className).\(reference.name) is of type \(reference.type) and cannot be "
                + "compared with a value of type \(type).", className: className,
            property: reference.name)
    }
}

extension [Predicate] {
    /// The positions of the terms in the order in which they are evaluated, cheap ones first.
    fileprivate var inOrderOfCost: [Int] {
        let costs = map(\.cost)
        return indices.sorted { (costs[$0], $0) < (costs[$1], $1) }
    }
}

extension Predicate {
    /// The terms of a conjunction in the order in which they are evaluated; otherwise the predicate
    /// itself.
    package var evaluatedTerms: [Predicate] {
        guard case .and(let terms) = self else { return [self] }
        return terms.inOrderOfCost.map { terms[$0] }
    }

    /// A rough measure of the work for one row. It grows exponentially with the nesting, beyond
    /// what an integer can hold.
    fileprivate var cost: Double {
        switch self {
        case .constant: return 0
        case .compare(let column, let comparison, _):
            guard column.type == .string || column.type == .data else {
                return column.linkCost + 1
            }
            return column.linkCost + (comparison == .equal || comparison == .notEqual ? 2 : 8)
        case .isIn(let column, let values): return column.linkCost + 2 * Double(values.count)
        case .matchText(let column, let match, _, let folding):
            return column.linkCost + (!folding.isEmpty || match == .like ? 200 : 10)
        case .matchData(let column, _, _): return column.linkCost + 10
        case .matchWords(let column, _): return column.linkCost + 400
        case .isRow: return 1
        case .isKind(let column, _, _): return column.linkCost + 5
        case .compareNumbers(let a, _, let b): return a.cost + b.cost + 50
        case .within: return 500
        case .compareColumns(let a, _, let b): return a.linkCost + b.linkCost + 50
        case .matchTextColumns(let a, _, let b, _): return a.linkCost + b.linkCost + 500
        case .related(let hops, _, let term): return 400 * Double(hops.count) + 2 * term.cost
        case .count(let hops, let term, _, _): return 400 * Double(hops.count) + 8 * term.cost
        case .aggregate(let hops, _, let column, _, _):
            return 1_000 * Double(hops.count) + 8 * column.linkCost
        case .and(let terms), .or(let terms): return terms.reduce(0) { $0 + $1.cost }
        case .not(let term): return term.cost
        }
    }
}

extension NumericExpression {
    fileprivate var cost: Double {
        switch self {
        case .constant: 0
        case .column(let column), .byteCount(let column): column.linkCost
        case .count(let paths, let term):
            paths.reduce(0) { $0 + 400 * Double($1.count) } + 8 * term.cost
        case .operation(_, let a, let b): a.cost + b.cost + 10
        }
    }
}

extension ColumnReference {
    fileprivate var linkCost: Double { 100 * Double(hops.count) }
}
