internal import RegnumStore

/// Building results that can be advanced.
extension FollowedPlan {
    /// Returns the result at a version with the plan's schema, including everything that later
    /// steps need.
    ///
    /// - Complexity: as `evaluate`, and O(n log n) for n rows with a distinct, a limit or a sort
    ///   through links.
    func build(
        _ root: DatabaseRoot, _ statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        switch kind {
        case .tree:
            if plan.isPlain {
                let result = try plan.evaluate(
                    root.content, holder: root, statistics: &statistics)
                return ResultTree(result.prepared().storage, self)
            }
            return tree(root.content, &statistics)
        case .list(let place, let row):
            return ResultTree(.list(LazyRows(root, place, row)), self)
        case .all:
            return ResultTree(.lazy(LazyRows(root, query.table)), self)
        case .sequence, .reevaluate:
            if let list = chosenList { return chooseAll(root.content, list, &statistics) }
            let result = try plan.evaluate(root.content, statistics: &statistics)
            return ResultTree(result.storage, self)
        }
    }

    /// Returns the same as `build` for a result that was evaluated at that version, reusing it if
    /// possible.
    func adopt(
        _ result: consuming ResultTree, _ root: DatabaseRoot, _ statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        if let followed = result.followed, followed === self || followed.schema === schema {
            return consume result
        }
        switch kind {
        case .tree where plan.isPlain:
            return ResultTree(result.prepared().storage, self)
        case .sequence where chosenList == nil, .reevaluate:
            return ResultTree(result.storage, self)
        case .tree, .list, .all, .sequence:
            return try build(root, &statistics)
        }
    }

    private func tree(
        _ content: DatabaseContent, _ statistics: inout QueryStatistics
    ) -> ResultTree {
        var keys = query.matchingKeys(content, &statistics)
        var trees: [SortedTree<GroupOrder>] = []
        for group in groups {
            var entries: [ResultEntry] = []
            query.sort(&keys, group.terms, ResultOrder(descending: group.termsDescending), content)
            query.sort(&keys, group.columns, ResultOrder(descending: 0), content)
            entries.reserveCapacity(keys.count)
            query.forEachRow(keys, content) { cluster, row in
                if let entry = group.entry(cluster, row, content) { entries.append(entry) }
            }
            keys.removeAll(keepingCapacity: true)
            for (index, entry) in entries.enumerated()
            where index == 0 || !group.areAlike(entries[index - 1], entry) {
                keys.append(entry.key)
            }
            keys.sort()
            trees.append(SortedTree(order: group.order, sorted: entries))
        }
        query.sort(&keys, terms, order, content)
        switch shape {
        case .keys: return make(keys, content, KeyOrder.self, trees)
        case .ranks: return make(keys, content, RankOrder.self, trees)
        case .values: return make(keys, content, ResultOrder.self, trees)
        }
    }

    /// Makes the result of rows that are in order.
    private func make<Shape: ResultShape>(
        _ keys: [UInt64], _ content: DatabaseContent, _ type: Shape.Type,
        _ trees: [SortedTree<GroupOrder>]
    ) -> ResultTree {
        var entries: [Shape.Element] = []
        entries.reserveCapacity(keys.count)
        query.forEachRow(keys, content) { cluster, row in
            entries.append(Shape.entry(self, cluster, row, content))
        }
        let tree = SortedTree(order: Shape(order), sorted: entries)
        return ResultTree(Shape.storage(tree), self, trees)
    }
}
