import RegnumStore

/// A numeric expression, resolved in one schema.
indirect enum CompiledExpression: Sendable {
    case constant(Value)
    case column(PathColumn)
    case byteCount(PathColumn)
    case count([PathCondition])
    case operation(NumericOperation, CompiledExpression, CompiledExpression)
}

/// A path, and the condition on the rows at its end.
typealias PathCondition = (path: CompiledPath, term: CompiledPredicate)

extension CompiledExpression {
    func value(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Value {
        switch self {
        case .constant(let value): return value
        case .column(let column): return column.value(cluster, row, content)
        case .byteCount(let column):
            switch column.value(cluster, row, content) {
            case .string(let text): return .int(Int64(text.utf8.count))
            case .data(let bytes): return .int(Int64(bytes.count))
            default: return .null
            }
        case .count(let counted):
            var count = 0
            for (path, term) in counted {
                count += path.count(where: term, cluster, row, content)
            }
            return .int(Int64(count))
        case .operation(let operation, let a, let b):
            return operation.value(a.value(cluster, row, content), b.value(cluster, row, content))
        }
    }

    /// Calls `body` with each column that is read of the row itself, or through links.
    func forEachColumn(_ body: (PathColumn) -> Void) {
        switch self {
        case .constant, .count: break
        case .column(let column), .byteCount(let column): body(column)
        case .operation(_, let a, let b):
            a.forEachColumn(body)
            b.forEachColumn(body)
        }
    }

    /// Calls `body` with each path whose rows are counted.
    func forEachCount(_ body: (CompiledPath, CompiledPredicate) -> Void) {
        switch self {
        case .constant, .column, .byteCount: break
        case .count(let counted): for (path, term) in counted { body(path, term) }
        case .operation(_, let a, let b):
            a.forEachCount(body)
            b.forEachCount(body)
        }
    }

    /// As `readsUntouchedRows` of predicates.
    func readsUntouchedRows(as old: CompiledExpression) -> Bool {
        switch (self, old) {
        case (.column(let a), .column(let b)), (.byteCount(let a), .byteCount(let b)):
            a.column.readsUntouchedRows(as: b.column)
        case (.operation(_, let a, let b), .operation(_, let c, let d)):
            a.readsUntouchedRows(as: c) && b.readsUntouchedRows(as: d)
        default: true
        }
    }
}

extension CompiledPath {
    /// Returns the number of matching rows that the path leads to.
    fileprivate func count(
        where term: CompiledPredicate, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> Int {
        if case .constant(true) = term,
            let count = count(of: cluster.firstKey + UInt64(row), content)
        {
            return count
        }
        let term = isNested ? .isRow(matchingEnds(term, cluster, row, content)) : term
        var counter = MatchCounter(predicate: term, max: .max)
        walk(cluster, row, content, &counter)
        return counter.count
    }
}

extension QueryCompiler {
    /// Throws `invalidQuery` for properties of other types than the expression needs.
    func compile(_ expression: NumericExpression) throws(StoreError) -> CompiledExpression {
        switch expression {
        case .constant(let value): return .constant(value)
        case .column(let reference):
            guard [.int, .double, .decimal].contains(reference.type) else {
                throw unsuitable(reference)
            }
            return .column(try resolvePath(reference))
        case .byteCount(let reference):
            guard [.string, .data].contains(reference.type) else { throw unsuitable(reference) }
            return .byteCount(try resolvePath(reference))
        case .count(let paths, let term):
            var counted: [PathCondition] = []
            for hops in paths {
                var compiler = self
                var compiled: [CompiledHop] = []
                for hop in hops {
                    if let hop = try compiler.resolve(hop) { compiled.append(hop) }
                    compiler = compiler.compiler(behind: hop)
                }
                // also compiled if it isn't evaluated, for its errors
                let term = try compiler.compile(term)
                if compiled.count < hops.count || hops.isEmpty { continue }
                let path = CompiledPath(hops: compiled, endLevelCount: term.pathLevelCount)
                counted.append((path, term))
            }
            return .count(counted)
        case .operation(let operation, let a, let b):
            return .operation(operation, try compile(a), try compile(b))
        }
    }

    private func unsuitable(_ reference: ColumnReference) -> StoreError {
        let className = reference.hops.last?.target ?? tableName
        return StoreError(
            .invalidQuery,
            "\(className).\(reference.name) is of type \(reference.type) and cannot be used in "
                + "this calculation.", className: className, property: reference.name)
    }
}
