/// What a stream watches: a query, or a list or inverse of the row with a primary key, and what makes
/// its rows count as modified.
package struct StreamQuery: Hashable, Sendable {
    /// The query. Its source is replaced by that of the owner, if there is one.
    package var plan: QueryPlan
    /// Whose list or inverse it is.
    package var owner: CollectionOwner?
    package var filter: ChangeFilter
    /// Classes whose changes can modify rows by what the program declares: also those that are not
    /// stored yet. Classes that the stored schema adds are found by themselves.
    package var declaredDependencies: Set<String>

    package init(
        _ plan: QueryPlan, owner: CollectionOwner? = nil, filter: ChangeFilter,
        declaredDependencies: Set<String> = []
    ) {
        self.plan = plan
        self.owner = owner
        self.filter = filter
        self.declaredDependencies = declaredDependencies
    }
}

extension StreamQuery {
    /// The query at a version; one that finds nothing while there is no owner.
    package func plan(at root: DatabaseRoot) -> QueryPlan {
        owner?.plan(plan, at: root) ?? plan
    }

    /// Which commits can change the result or modify its rows.
    ///
    /// - Parameter isSteady: whether it is the same with any owner: for who keeps each commit, which
    ///   cannot be judged again later.
    package func interest(at root: DatabaseRoot, isSteady: Bool = false) -> Interest {
        let linked = plan.linkedDependencies.union(
            filter.linkedDependencies(of: plan.tableName, in: root.schema)
        ).union(declaredDependencies)
        var terms = Set(linked.map { Interest.Term.table($0) })
        if let owner {
            terms.insert(
                .value(tableName: owner.tableName, column: owner.keyColumn, owner.key))
        }
        if let owner, let entries = owner.entries(of: plan.tableName),
            isSteady || owner.row(root) != nil
        {
            terms.insert(.table(entries))
            terms.insert(.table(plan.tableName))
        }
        if isSteady, owner != nil {
            terms.insert(.table(plan.tableName))
        } else if !linked.contains(plan.tableName), let term = ownRows(at: root) {
            terms.insert(term)
        }
        return Interest(terms)
    }

    /// What to wait for of the class of the rows itself; nil for nothing.
    private func ownRows(at root: DatabaseRoot) -> Interest.Term? {
        guard let owner else {
            guard let route = plan.route else { return .table(plan.tableName) }
            return .value(tableName: route.tableName, column: route.column, route.value)
        }
        guard let row = owner.row(root) else { return nil }
        switch owner.kind {
        case .list:
            return .elements(
                tableName: plan.tableName, listOf: owner.tableName, list: owner.name, row: row)
        case .backlinks:
            guard let origin = root.schema.table(named: plan.tableName),
                origin.column(named: owner.name) != nil
            else { return .table(plan.tableName) }
            return .value(
                tableName: plan.tableName, column: owner.name,
                .int(Int64(bitPattern: row.rawValue)))
        }
    }
}
