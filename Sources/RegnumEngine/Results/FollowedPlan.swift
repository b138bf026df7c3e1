internal import RegnumStore

/// A plan resolved against one schema, in the form that results need to follow commits.
///
/// Matching rows pass through the stages: each distinct keeps the first row of every group. What
/// remains is ordered by `terms`, then by key, and its first `limit` rows are the result.
final class FollowedPlan: Sendable {
    enum Kind: Sendable {
        /// Each row occurs at most once, at a position determined by its values.
        case tree
        /// All rows of the class, in key order.
        case all
        /// All elements of a list, in its own order.
        case list(ListPlace, row: UInt64)
        /// The rows of a list, or of an inverse over a list, filtered or sorted. Rows may repeat.
        case sequence(CompiledHop, table: TableKey, row: UInt64)
        /// A limit that isn't the last step, or an order of more than 64 values, the number of
        /// directions that fit a bit set. The query is evaluated again for each step.
        case reevaluate
    }

    let plan: QueryPlan
    let schema: DatabaseSchema
    /// The compiled query. If the source isn't the table, its predicate includes the source's
    /// condition.
    let query: CompiledQuery
    let kind: Kind
    let shape: QueryPlan.Shape
    /// The values by which the result is sorted, those of the last sort first.
    let terms: [PathColumn]
    let order: ResultOrder
    let groups: [GroupStage]
    let limit: Int
    let route: Route?
    /// The paths through which other rows affect the rows of the plan.
    let reach: Reach

    init(_ plan: QueryPlan, _ schema: DatabaseSchema) throws(StoreError) {
        self.plan = plan
        self.schema = schema
        var query = try CompiledQuery(plan, schema)
        var kind = FollowedPlan.kind(plan, query)
        if case .related(.linkOrigins(let origin, let column), _, let row) = query.source {
            let column = schema.tables[origin.index].columns[column.index]
            let isLinked = CompiledPredicate.compare(
                ResolvedColumn(column), .equal, .int(Int64(bitPattern: row)), column.type)
            query.predicate = .and([isLinked, query.predicate])
        } else if case .nothing = query.source {
            query.predicate = .constant(false)
        }
        if case .tree = kind { query.source = .table }
        let order = SortOrder(query)
        if plan.isPlain, order.terms.isEmpty, query.source == .table,
            case .constant(true) = query.predicate
        {
            kind = .all
        }
        if order.needsReevaluation { kind = .reevaluate }
        self.query = query
        self.kind = kind
        terms = order.terms.map(\.column)
        self.order = order.order
        groups = order.groups
        limit = plan.maximumKeyCount
        shape = QueryPlan.shape(order.terms.map(\.column.column.type))
        route = plan.route(in: schema)
        reach = Reach(query, order.terms.map(\.column) + order.groups.flatMap(\.columns))
    }

    private static func kind(_ plan: QueryPlan, _ query: CompiledQuery) -> Kind {
        switch query.source {
        case .table, .nothing, .related(.linkOrigins, _, _), .related(.link, _, _):
            return .tree
        case .related(let hop, let table, let row):
            guard case .list(let place, _) = hop, plan.sort.isEmpty, query.steps.isEmpty,
                plan.limit == nil, case .constant(true) = query.predicate
            else { return .sequence(hop, table: table, row: row) }
            return .list(place, row: row)
        }
    }

    /// Whether unchanged rows read the same as with a plan for an older schema; `false` if unknown.
    func readsRows(as old: FollowedPlan) -> Bool {
        if self === old { return true }
        guard extendsTable(of: old) else { return false }
        if case .all = kind, case .all = old.kind { return true }
        guard case .tree = kind, case .tree = old.kind, reach.isEmpty, old.reach.isEmpty,
            shape == old.shape, groups.count == old.groups.count, terms.count == old.terms.count
        else { return false }
        if old.query.table == nil { return true }
        let columns = terms + groups.flatMap { $0.columns + $0.terms }
        let oldColumns = old.terms + old.groups.flatMap { $0.columns + $0.terms }
        return columns.count == oldColumns.count
            && zip(columns, oldColumns).allSatisfy {
                $0.column.readsUntouchedRows(as: $1.column)
            } && query.predicate.readsUntouchedRows(as: old.query.predicate)
    }

    /// Whether the class of the rows has all properties that it had in an older schema, under the
    /// same names. A migration may have renamed or dropped some, or the class.
    private func extendsTable(of old: FollowedPlan) -> Bool {
        guard let key = old.query.table else { return true }
        if query.table != key { return false }
        let (before, after) = (old.schema.tables[key.index], schema.tables[key.index])
        return zip(before.columns, after.columns).allSatisfy { equalUTF8($0.name, $1.name) }
    }

    /// Whether a sort value of a row differs between two versions, or the row is missing in one of
    /// them.
    func hasMoved(
        _ key: UInt64, _ content: DatabaseContent, since old: FollowedPlan,
        _ oldContent: DatabaseContent
    ) -> Bool {
        guard let a = old.place(key, oldContent), let b = place(key, content) else { return true }
        for (x, y) in zip(old.terms, terms) {
            let before = x.value(a.cluster, a.row, oldContent)
            if Value.compare(before, y.value(b.cluster, b.row, content)) != 0 { return true }
        }
        return false
    }

    func place(_ key: UInt64, _ content: DatabaseContent) -> (cluster: Cluster, row: Int)? {
        query.table.flatMap { content.table($0) }?.place(key)
    }
}

/// The effective order of a query's sorts and steps.
private struct SortOrder {
    var terms: [(column: PathColumn, isDescending: Bool)] = []
    var groups: [GroupStage] = []
    /// Whether an order has more than 64 values, or a step limits the rows.
    var needsReevaluation = false

    var order: ResultOrder { ResultOrder(areDescending: terms.map(\.isDescending)) }

    init(_ query: CompiledQuery) {
        sort(by: query.sortPaths, query.order)
        for step in query.steps {
            switch step {
            case .sort(let columns, let order): sort(by: columns, order)
            case .limit: needsReevaluation = true
            case .distinct(let columns):
                let turned = columns.map { _ in false } + terms.map(\.isDescending)
                if turned.count > 64 { needsReevaluation = true }
                groups.append(
                    GroupStage(
                        columns: columns, terms: terms.map(\.column),
                        order: GroupOrder(descending: ResultOrder(areDescending: turned).descending)
                    ))
            }
        }
        if terms.count > 64 { needsReevaluation = true }
    }

    /// Sorts by the columns first; the previous terms order rows with equal values.
    private mutating func sort(by columns: [PathColumn], _ order: ResultOrder) {
        var all = columns.enumerated().map { index, column in
            (column: column, isDescending: order.descending >> UInt64(index) & 1 != 0)
        }
        for term in terms where !all.contains(where: { $0.column.isSame(as: term.column) }) {
            all.append(term)
        }
        terms = all
    }
}

extension PathColumn {
    /// Whether both are the same stored property.
    fileprivate func isSame(as other: PathColumn) -> Bool {
        hops == other.hops && isStored && other.isStored && column.stored != nil
            && column.index == other.column.index
    }
}
