import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Engine features that the random tests use beyond the basic calls. `nil` leaves one out.
enum EngineAdapter {
    static let savepoints: SavepointCalls? = SavepointCalls(
        { $0.savepoint() },
        { transaction, savepoint in
            guard let savepoint = savepoint as? Savepoint else { return }
            transaction.rollback(to: savepoint)
        })

    /// Ends a transaction without a commit. `nil` just drops it.
    static let abort: (@Sendable (EngineTransaction) -> Void)? = { $0.abort() }

    /// Writes a checkpoint and returns once this coordinator is rooted in it.
    static let checkpoint: (@Sendable (Coordinator) async throws -> Void)? = { coordinator in
        try await checkpointNow(coordinator)
    }

    /// Reports nodes that were leaked or freed early in the lineages of these roots.
    static let nodeProblems: (@Sendable ([DatabaseRoot]) -> [String])? = { roots in
        roots.compactMap(\.nodeProblem)
    }

    /// The version that last wrote a row.
    static let contentVersion: (@Sendable (DatabaseRoot, TableKey, ObjectKey) -> UInt64?)? = {
        $0.contentVersion($1, $2)
    }

    /// Returns an empty root with a node store of its own.
    static func emptyRoot() -> DatabaseRoot { .empty }

    /// Whether a record may be applied to the base of a transaction that has committed and is
    /// alive, so that two versions follow the same one. A separate replica is kept in any case.
    static let canFork = true
}

/// The calls that take savepoints and roll back to them.
struct SavepointCalls: Sendable {
    let take: @Sendable (EngineTransaction) -> Any
    let rollBack: @Sendable (EngineTransaction, Any) -> Void

    init(
        _ take: @escaping @Sendable (EngineTransaction) -> Any,
        _ rollBack: @escaping @Sendable (EngineTransaction, Any) -> Void
    ) {
        self.take = take
        self.rollBack = rollBack
    }
}

// MARK: Conversions

extension Value {
    init(_ value: OracleValue) {
        switch value {
        case .null: self = .null
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .int(x)
        case .double(let bits): self = .double(Double(bitPattern: bits))
        case .string(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): self = .data(bytes)
        case .date(let bits): self = .date(Double(bitPattern: bits))
        case .uuid(let high, let low): self = .uuid(Identity128(high: high, low: low))
        case .objectId(let high, let low): self = .objectId(ObjectIdBytes(high: high, low: low))
        case .decimal(let high, let low): self = .decimal(DecimalBits(high: high, low: low))
        }
    }
}

extension OracleValue {
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .int(x)
        case .double(let x): self = .double(x.bitPattern)
        case .string(let x): self = .string(Array(x.utf8))
        case .data(let x): self = .data(x)
        case .date(let x): self = .date(x.bitPattern)
        case .uuid(let x): self = .uuid(x.high, x.low)
        case .objectId(let x): self = .objectId(x.high, x.low)
        case .decimal(let x): self = .decimal(x.high, x.low)
        case .any: preconditionFailure("The oracle doesn't support values of any type.")
        }
    }
}

extension ValueType {
    init(_ type: OracleType) {
        switch type {
        case .bool: self = .bool
        case .int: self = .int
        case .double: self = .double
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .uuid: self = .uuid
        case .objectId: self = .objectId
        case .decimal: self = .decimal
        }
    }
}

extension ColumnDefinition {
    init(_ column: OracleColumn) {
        self.init(
            name: column.name, type: ValueType(column.type), isOptional: column.isOptional,
            isPrimaryKey: column.isPrimaryKey, isIndexed: column.isIndexed,
            defaultValue: Value(column.defaultValue),
            meaning: column.link.map { .link(TableKey(rawValue: UInt32($0))) } ?? .value)
    }
}

extension TableKind {
    init(_ kind: OracleKind) {
        switch kind {
        case .object: self = .object
        case .embedded: self = .embedded
        case .elements: self = .elements
        }
    }
}

extension Comparison {
    init(_ comparison: OracleComparison) {
        switch comparison {
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        }
    }
}

extension ColumnReference {
    init(_ reference: OracleReference) {
        self.init(
            name: reference.name, type: ValueType(reference.type),
            missing: Value(reference.missing))
    }
}

extension Predicate {
    init(_ predicate: OraclePredicate) {
        switch predicate {
        case .constant(let answer): self = .constant(answer)
        case .compare(let column, let comparison, let value):
            self = .compare(ColumnReference(column), Comparison(comparison), Value(value))
        case .compareColumns(let a, let comparison, let b):
            self = .compareColumns(
                ColumnReference(a), Comparison(comparison), ColumnReference(b))
        case .and(let terms): self = .and(terms.map { Predicate($0) })
        case .or(let terms): self = .or(terms.map { Predicate($0) })
        case .not(let term): self = .not(Predicate(term))
        }
    }
}

extension QueryPlan {
    init(_ query: OracleQuery) {
        self.init(
            tableName: query.tableName, predicate: Predicate(query.predicate),
            sort: query.sort.map {
                SortTerm(column: ColumnReference($0.column), ascending: $0.isAscending)
            })
    }
}

extension OracleSplice {
    init(_ splice: ListSplice) {
        self.init(
            position: splice.position, removedCount: splice.removedCount,
            inserted: splice.inserted.map(\.rawValue))
    }
}

extension OracleDelta {
    /// Converts the engine's delta, including its lists, for comparison.
    init(_ delta: TableDelta) {
        self.init(delta.inserted, delta.deleted, delta.modified)
        for (list, changes) in delta.listChanges {
            for change in changes {
                let place = OracleRowList(
                    table: Int(delta.table.rawValue), list: Int(list.rawValue),
                    row: change.row.rawValue)
                lists[place] = change.splices?.map { OracleSplice($0) }
            }
        }
    }

    /// Converts the engine's delta for comparison.
    init(_ inserted: [ObjectKey], _ deleted: [ObjectKey], _ modified: [ModifiedRow]) {
        self.inserted = inserted.map(\.rawValue)
        self.deleted = deleted.map(\.rawValue)
        for row in modified {
            self.modified[row.key.rawValue] = Set(row.columns.columns.map { Int($0.rawValue) })
        }
    }
}
