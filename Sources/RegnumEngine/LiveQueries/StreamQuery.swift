/// The subject of a stream: a query, or a list or inverse of the row with a primary key, and the
/// filter that decides which of its rows count as modified.
package struct StreamQuery: Hashable, Sendable {
    /// The query. Its source is replaced by the owner's collection, if there is an owner; if it is
    /// the owner itself, its condition is.
    package var plan: QueryPlan
    /// The owner of the list or inverse; `nil` for a query of a whole class.
    package var owner: CollectionOwner?
    package var filter: ChangeFilter
    /// Classes whose changes can modify rows according to the declared schema, including ones that
    /// aren't stored yet. Dependencies in the stored schema are found without this.
    package var declaredDependencies: Set<StoredText>

    package init(
        _ plan: QueryPlan, owner: CollectionOwner? = nil, filter: ChangeFilter,
        declaredDependencies: Set<StoredText> = []
    ) {
        self.plan = plan
        self.owner = owner
        self.filter = filter
        self.declaredDependencies = declaredDependencies
    }
}

extension StreamQuery {
    /// Returns the query at a version. It matches nothing while there is no owner.
    package func plan(at root: DatabaseRoot) -> QueryPlan {
        owner?.plan(plan, at: root) ?? plan
    }

    /// Returns the commits that can change the result or modify its rows.
    ///
    /// - Parameter isSteady: whether the interest must hold for any owner. Needed to retain
    ///   individual commits, which can't be checked again later. It does in any case if the owner
    ///   can't be read, since a later read may succeed.
    package func interest(at root: DatabaseRoot, isSteady: Bool = false) -> Interest {
        if isSteady || owner == nil { return findInterest(at: root, isSteady: isSteady) }
        let (interest, damage) = DamageWatch.run { findInterest(at: root, isSteady: false) }
        guard let damage else { return interest }
        DamageWatch.note(damage)  // the enclosing watch hasn't recorded it
        var steady = findInterest(at: root, isSteady: true)
        steady.source = owner?.$tableName
        return steady
    }

    private func findInterest(at root: DatabaseRoot, isSteady: Bool) -> Interest {
        let linked = plan.linkedDependencies.union(
            filter.linkedDependencies(of: plan.tableName, in: root.schema)
        ).union(declaredDependencies)
        var terms = Set(linked.map { Interest.Term.table($0) })
        if let owner {
            terms.insert(
                .value(tableName: owner.$tableName, column: owner.$keyColumn, owner.key))
        }
        if let owner, let entries = owner.entries(of: plan.tableName),
            isSteady || owner.row(root) != nil
        {
            terms.insert(.table(StoredText(entries)))
            terms.insert(.table(plan.$tableName))
        }
        if let owner, owner.isIndirect {
            let entries = owner.entries(of: plan.tableName).map { [StoredText($0)] } ?? []
            let names = linked.union(owner.tableNames + [plan.$tableName] + entries)
            return Interest(names.map { .table($0) })
        }
        if isSteady, owner != nil {
            terms.insert(.table(plan.$tableName))
        } else if !linked.contains(plan.$tableName), let term = ownRows(at: root) {
            terms.insert(term)
        }
        return Interest(terms, source: isSteady ? nil : owner?.$tableName)
    }

    /// The interest in changes to the rows' own class; `nil` for none.
    private func ownRows(at root: DatabaseRoot) -> Interest.Term? {
        guard let owner else {
            guard let route = plan.route else { return .table(plan.$tableName) }
            // The search for rows with a value finds none while the property isn't stored, but
            // their default can be that value.
            if let table = root.schema.table(named: plan.tableName),
                table.column(named: route.column) == nil
            {
                return .table(plan.$tableName)
            }
            return .value(tableName: route.$tableName, column: route.$column, route.value)
        }
        guard let row = owner.row(root) else { return nil }
        switch owner.kind {
        case .list:
            return .elements(
                tableName: plan.$tableName, listOf: owner.$tableName, list: owner.$name, row: row)
        case .backlinks:
            guard let origin = root.schema.table(named: plan.tableName),
                origin.column(named: owner.name) != nil
            else { return .table(plan.$tableName) }
            return .value(
                tableName: plan.$tableName, column: owner.$name,
                .int(Int64(bitPattern: row.rawValue)))
        case .object: return .table(plan.$tableName)
        }
    }
}
