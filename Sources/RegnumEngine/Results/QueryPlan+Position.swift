package import RegnumStore

extension QueryPlan {
    /// Returns whether a row is in the result.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) for the rows of a table; as `evaluate` for distinct or limited plans.
    package func contains(_ key: ObjectKey, _ state: QueryState) throws(StoreError) -> Bool {
        guard source == .table, hasAllMatches else {
            return try position(of: key, state) != nil
        }
        let query = try CompiledQuery(self, state.content.schema)
        return query.matches(key.rawValue, state.content)
    }

    /// Returns the first position of a row in the result, or `nil` if it isn't in it.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) for all rows of a table and for rows that do not match; O(candidates)
    ///   for a plain plan; as `evaluate` for others.
    package func position(of key: ObjectKey, _ state: QueryState) throws(StoreError) -> Int? {
        let root = state.content
        let query = try CompiledQuery(self, root.schema)
        guard query.matches(key.rawValue, root) else { return nil }
        guard isPlain else {
            var statistics = QueryStatistics()
            return query.keys(self, root, max: .max, &statistics).firstIndex(of: key.rawValue)
        }
        switch shape {
        case .keys: return query.position(of: key.rawValue, KeyOrder.self, root)
        case .ranks: return query.position(of: key.rawValue, RankOrder.self, root)
        case .values: return query.position(of: key.rawValue, ResultOrder.self, root)
        }
    }

    /// Returns the last key of the result, or `nil` if nothing matches.
    ///
    /// Throws the errors of `evaluate`.
    /// - Complexity: O(log n) for all rows of a class in creation order; otherwise as `evaluate`.
    package func lastKey(_ state: QueryState) throws(StoreError) -> ObjectKey? {
        if isPlain, sort.isEmpty, case .constant(true) = predicate {
            let query = try CompiledQuery(self, state.content.schema)
            let table = query.table.flatMap { state.content.table($0) }
            return table?.lastKey().map { ObjectKey(rawValue: $0) }
        }
        return try evaluate(state).last
    }

    /// Returns the position of the first row of the result that also matches `predicate`, or `nil`
    /// if none does.
    ///
    /// Throws the errors of `evaluate`.
    package func firstPosition(
        where predicate: Predicate, _ state: QueryState
    ) throws(StoreError) -> Int? {
        let root = state.content
        let query = try CompiledQuery(self, root.schema)
        if hasAllMatches {
            var plan = self
            plan.predicate = .and([self.predicate, predicate])
            guard let key = try plan.firstMatch(root) else { return nil }
            return try position(of: key, state)
        }
        let wanted = try QueryCompiler(root.schema, tableName).compile(predicate)
        var statistics = QueryStatistics()
        let keys = query.keys(self, root, max: .max, &statistics)
        guard let key = query.table, let table = root.table(key) else { return nil }
        if wanted.isNested {
            let first = wanted.firstMatching(keys, key, root, limit: 1, &statistics).first
            return first.flatMap { keys.firstIndex(of: $0) }
        }
        var finder = RowFinder(table)
        return keys.firstIndex { key in
            finder.place(key).map { wanted.matches($0.cluster, $0.row, root) } ?? false
        }
    }
}

extension CompiledQuery {
    /// Whether a row with the key exists and matches.
    fileprivate func matches(_ key: UInt64, _ root: DatabaseContent) -> Bool {
        guard let table, let place = root.table(table)?.place(key) else { return false }
        return predicate.matches(place.cluster, place.row, root)
    }

    /// Returns the number of matching rows before a matching one in the order of a plain plan.
    fileprivate func position<Shape: ResultShape>(
        of key: UInt64, _ shape: Shape.Type, _ root: DatabaseContent
    ) -> Int? {
        guard let tableKey = table, let table = root.table(tableKey), let place = table.place(key)
        else { return nil }
        if sort.isEmpty, case .constant(true) = predicate { return table.position(of: key) }
        let order = Shape(self.order)
        let element = Shape.element(self, place.cluster, place.row)
        var position = 0
        var statistics = QueryStatistics()
        forEachMatch(root, isComplete: !sort.isEmpty, &statistics) { cluster, rows in
            if sort.isEmpty {
                if cluster.firstKey > key { return false }
                let before =
                    cluster.firstKey == Table.base(key)
                    ? rows & RowMask(first: Table.row(key)) : rows
                position += before.count
                return true
            }
            rows.visit { row in
                if order.compare(Shape.element(self, cluster, row), element) < 0 { position += 1 }
                return true
            }
            return true
        }
        return position
    }
}
