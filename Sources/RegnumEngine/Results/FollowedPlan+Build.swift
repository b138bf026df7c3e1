internal import RegnumStore

/// Results that can be advanced, from scratch.
extension FollowedPlan {
    /// The result at a version of the plan's schema, with all that its steps need.
    ///
    /// - Complexity: as `evaluate`, and O(n log n) for n rows with a distinct, a limit or a sort
    ///   through links.
    func build(
        _ root: DatabaseRoot, _ statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        switch kind {
        case .tree:
            if plan.isPlain {
                let result = try plan.evaluate(root, statistics: &statistics)
                return ResultTree(result.prepared().storage, self)
            }
            return tree(root.content, &statistics)
        case .list(let place, let row):
            let lists = root.content.elements(place.table, place.list)
            return ResultTree(
                .list(
                    LazyRows(root, .elements(lists, row: row), count: lists.count(row))), self)
        case .sequence, .anew:
            let result = try plan.evaluate(root.content, statistics: &statistics)
            return ResultTree(result.storage, self)
        }
    }

    /// The same for a result that was evaluated at that version, and perhaps is of use.
    func adopt(
        _ result: ResultTree, _ root: DatabaseRoot, _ statistics: inout QueryStatistics
    ) throws(StoreError) -> ResultTree {
        if let followed = result.followed, followed === self || followed.schema === schema {
            return result
        }
        switch (kind, result.storage) {
        case (.tree, .sequence): break
        case (.tree, _) where plan.isPlain:
            return ResultTree(result.prepared().storage, self)
        case (.sequence, .sequence), (.anew, .sequence):
            return ResultTree(result.storage, self)
        default: break
        }
        return try build(root, &statistics)
    }

    private func tree(
        _ content: DatabaseContent, _ statistics: inout QueryStatistics
    ) -> ResultTree {
        var keys = query.matchingKeys(content, &statistics)
        var trees: [SortedTree<GroupOrder>] = []
        for group in groups {
            let entries = sorted(keys, content, group.order) { group.entry($0, $1, content) }
            trees.append(SortedTree(order: group.order, sorted: entries))
            keys.removeAll(keepingCapacity: true)
            var last: ResultEntry?
            for entry in entries {
                if let last, group.areAlike(last, entry) { continue }
                keys.append(entry.key)
                last = entry
            }
            // the next stage needs no order
        }
        switch shape {
        case .keys: return make(keys, content, KeyOrder.self, trees)
        case .ranks: return make(keys, content, RankOrder.self, trees)
        case .values: return make(keys, content, ResultOrder.self, trees)
        }
    }

    private func make<Shape: ResultShape>(
        _ keys: [UInt64], _ content: DatabaseContent, _ type: Shape.Type,
        _ trees: [SortedTree<GroupOrder>]
    ) -> ResultTree {
        let order = Shape.order(self)
        let entries = sorted(keys, content, order) { Shape.entry(self, $0, $1, content) }
        return ResultTree(
            Shape.storage(SortedTree(order: order, sorted: entries)), self, trees)
    }

    /// Entries of rows, in their order.
    private func sorted<Order: TreeOrder>(
        _ keys: [UInt64], _ content: DatabaseContent, _ order: Order,
        _ entry: (Cluster, Int) -> Order.Element?
    ) -> [Order.Element] {
        guard let key = query.table, let table = content.table(key) else { return [] }
        var entries: [Order.Element] = []
        entries.reserveCapacity(keys.count)
        var finder = RowFinder(table)
        for key in keys {
            guard let place = finder.place(key), let entry = entry(place.cluster, place.row)
            else { continue }
            entries.append(entry)
        }
        entries.sort { order.compare(Order.key(of: $0), Order.key(of: $1)) < 0 }
        return entries
    }
}
