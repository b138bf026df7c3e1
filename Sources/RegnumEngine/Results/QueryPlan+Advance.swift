package import RegnumStore

extension QueryPlan {
    /// Brings a result from one version to a later one and tells what changed.
    ///
    /// - Parameters:
    ///   - result: what `evaluate` or `advance` gave for `old`.
    ///   - delta: the merged summaries of exactly the commits after `old` through `new` for the
    ///     plan's class; nil where they are not to be had: the trees are compared instead.
    ///   - listChange: for a plan whose source is a list: how the list changed from `old` to `new`;
    ///     nil where that is not to be had: the trees tell.
    ///
    /// Untouched rows keep their place. Of the touched rows that are in both results and lie between
    /// the same untouched rows as before, the longest subsequence in unchanged order stays (of
    /// several the one with the lowest old positions); the others are a deletion and an insertion.
    /// Through links, those rows are touched too whose sort values differ. The result of a list without
    /// an order of its own changes as the list was spliced.
    ///
    /// Throws as `evaluate`.
    /// - Complexity: O(changes x log n); as `evaluate` for plans with hops, another source than the
    ///   table, steps or a limit, and where columns that the plan names joined the class between the
    ///   versions with another default than the plan expected.
    package func advance(
        _ result: ResultTree, from old: DatabaseRoot, to new: DatabaseRoot, delta: MergedDelta?,
        listChange: ListChange? = nil
    ) throws(StoreError) -> (ResultTree, ResultChange) {
        guard isLocal else {
            return try advanceAnew(
                result, from: old, to: new,
                delta: delta ?? MergedDelta(from: old, to: new, tableName: tableName),
                listChange: listChange)
        }
        let before = try CompiledQuery(self, old.schema)
        let after =
            old.schema === new.schema ? before : try CompiledQuery(self, new.schema)
        let delta = delta ?? MergedDelta(from: old, to: new, tableName: tableName)
        var full: ResultTree?
        if !after.readsUntouchedRows(as: before) {
            full = try evaluate(new).prepared()
        } else if delta.isEmpty {
            return (result.released(), ResultChange())
        }
        switch result.prepared().storage {
        case .keyList, .rankList, .sequence, .lazy:
            preconditionFailure("The result of a local plan is a tree once it is prepared.")
        case .keys(let tree):
            var advance = ResultAdvance(before, after, old, new, tree)
            if case .keys(let all)? = full?.storage { advance.touchAll(delta, all) }
            let (newTree, change) = advance.finish(delta, isFull: full != nil)
            return (ResultTree(.keys(newTree)), change)
        case .ranks(let tree):
            var advance = ResultAdvance(before, after, old, new, tree)
            if case .ranks(let all)? = full?.storage { advance.touchAll(delta, all) }
            let (newTree, change) = advance.finish(delta, isFull: full != nil)
            return (ResultTree(.ranks(newTree)), change)
        case .values(let tree):
            var advance = ResultAdvance(before, after, old, new, tree)
            if case .values(let all)? = full?.storage { advance.touchAll(delta, all) }
            let (newTree, change) = advance.finish(delta, isFull: full != nil)
            return (ResultTree(.values(newTree)), change)
        }
    }
}

extension CompiledQuery {
    /// Whether a row that no commit touched answers the same in both schemas.
    fileprivate func readsUntouchedRows(as old: CompiledQuery) -> Bool {
        old.table == nil
            || (zip(sort, old.sort).allSatisfy { $0.readsUntouchedRows(as: $1) }
                && predicate.readsUntouchedRows(as: old.predicate))
    }
}

extension ResolvedColumn {
    fileprivate func readsUntouchedRows(as old: ResolvedColumn) -> Bool {
        index == old.index || fallback == old.fallback
    }
}

extension CompiledPredicate {
    fileprivate func readsUntouchedRows(as old: CompiledPredicate) -> Bool {
        switch (self, old) {
        case (.compare(let a, _, _, _), .compare(let b, _, _, _)):
            a.readsUntouchedRows(as: b)
        case (.compareColumns(let a, _, let b), .compareColumns(let c, _, let d)):
            a.readsUntouchedRows(as: c) && b.readsUntouchedRows(as: d)
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)):
            zip(a, b).allSatisfy { $0.readsUntouchedRows(as: $1) }
        case (.matchText(let a, _), .matchText(let b, _)), (.isIn(let a, _), .isIn(let b, _)):
            a.readsUntouchedRows(as: b)
        case (.not(let a), .not(let b)):
            a.readsUntouchedRows(as: b)
        default: true
        }
    }
}

/// One step of a result from version to version: collects the touched rows, then applies them.
private struct ResultAdvance<Shape: ResultShape> {
    /// A touched row that is in the old result, the new one or both.
    struct Touched {
        let key: ObjectKey
        let columns: ColumnSet?
        let oldEntry: Shape.Element?
        let newEntry: Shape.Element?
        var oldIndex = -1
        var newIndex = -1
        /// How many untouched rows come before it.
        var oldGap = 0
        var newGap = 0
        var stays = false
    }

    let before: CompiledQuery
    let after: CompiledQuery
    let old: DatabaseContent
    let new: DatabaseContent
    let oldRows: Table?
    let newRows: Table?
    let oldTree: SortedTree<Shape>
    var newTree: SortedTree<Shape>
    var touched: [Touched] = []

    init(
        _ before: CompiledQuery, _ after: CompiledQuery, _ old: DatabaseRoot, _ new: DatabaseRoot,
        _ tree: SortedTree<Shape>
    ) {
        self.before = before
        self.after = after
        self.old = old.content
        self.new = new.content
        oldRows = before.table.flatMap { old.table($0) }
        newRows = after.table.flatMap { new.table($0) }
        oldTree = tree.count > 0 ? tree : SortedTree(order: Shape.order(before))
        newTree = oldTree
    }

    /// Notes a row of the delta; `columns` only for a modified one.
    mutating func touch(_ key: ObjectKey, _ columns: ColumnSet?) {
        var oldEntry: Shape.Element?
        if let place = oldRows?.place(key.rawValue),
            before.predicate.matches(place.cluster, place.row, old)
        {
            oldEntry = Shape.element(before, place.cluster, place.row)
        }
        var newEntry: Shape.Element?
        if let place = newRows?.place(key.rawValue),
            after.predicate.matches(place.cluster, place.row, new)
        {
            newEntry = Shape.element(after, place.cluster, place.row)
        }
        note(key, columns, oldEntry, newEntry)
    }

    /// Takes every row as touched: a column's arrival changed what untouched rows read.
    mutating func touchAll(_ delta: MergedDelta, _ result: SortedTree<Shape>) {
        var columns: [ObjectKey: ColumnSet] = [:]
        for row in delta.modified { columns[row.key] = row.columns }
        var oldEntries: [UInt64: Shape.Element] = [:]
        for entry in oldTree { oldEntries[Shape.objectKey(entry)] = entry }
        for entry in result {
            let key = ObjectKey(rawValue: Shape.objectKey(entry))
            note(key, columns[key], oldEntries.removeValue(forKey: key.rawValue), entry)
        }
        for (key, entry) in oldEntries { note(ObjectKey(rawValue: key), nil, entry, nil) }
    }

    private mutating func note(
        _ key: ObjectKey, _ columns: ColumnSet?, _ oldEntry: Shape.Element?,
        _ newEntry: Shape.Element?
    ) {
        guard oldEntry != nil || newEntry != nil else { return }
        var row = Touched(key: key, columns: columns, oldEntry: oldEntry, newEntry: newEntry)
        if let oldEntry {
            let (position, isPresent) = oldTree.rank(of: oldEntry)
            precondition(isPresent, "The result is not that of the version to advance from.")
            row.oldIndex = position
        }
        touched.append(row)
    }

    /// The new tree and what changed; `isFull`: all rows were noted before.
    mutating func finish(_ delta: MergedDelta, isFull: Bool) -> (SortedTree<Shape>, ResultChange) {
        if !isFull {
            for row in delta.modified { touch(row.key, row.columns) }
            for key in delta.deleted { touch(key, nil) }
            for key in delta.inserted { touch(key, nil) }
        }
        updateTree()
        for index in touched.indices {
            guard let entry = touched[index].newEntry else { continue }
            touched[index].newIndex = newTree.rank(of: entry).position
        }
        let byOld = touched.indices.filter { touched[$0].oldEntry != nil }
            .sorted { touched[$0].oldIndex < touched[$1].oldIndex }
        let byNew = touched.indices.filter { touched[$0].newEntry != nil }
            .sorted { touched[$0].newIndex < touched[$1].newIndex }
        for (before, index) in byOld.enumerated() {
            touched[index].oldGap = touched[index].oldIndex - before
        }
        for (before, index) in byNew.enumerated() {
            touched[index].newGap = touched[index].newIndex - before
        }
        let fitting = byOld.filter {
            touched[$0].newEntry != nil && touched[$0].oldGap == touched[$0].newGap
        }
        for place in longestIncreasingSubsequence(fitting.map { touched[$0].newIndex }) {
            touched[fitting[place]].stays = true
        }
        return (newTree, makeChange(byOld, byNew))
    }

    private mutating func updateTree() {
        for row in touched {
            guard let entry = row.oldEntry else { continue }
            if let newEntry = row.newEntry, Shape.isIdentical(newEntry, entry) { continue }
            newTree.remove(entry)
        }
        for row in touched {
            guard let entry = row.newEntry else { continue }
            if let oldEntry = row.oldEntry, Shape.isIdentical(oldEntry, entry) { continue }
            newTree.insertNew(entry, entry)
        }
    }

    private func makeChange(_ byOld: [Int], _ byNew: [Int]) -> ResultChange {
        var change = ResultChange()
        for index in byOld {
            let row = touched[index]
            if row.stays {
                guard let columns = row.columns else { continue }
                change.modifications.append(row.oldIndex)
                change.newModifications.append(row.newIndex)
                change.modified.append(
                    ModifiedResult(
                        key: row.key, oldIndex: row.oldIndex, newIndex: row.newIndex,
                        columns: columns))
            } else {
                change.deletions.append(row.oldIndex)
                change.deletedKeys.append(row.key)
            }
        }
        for index in byNew where !touched[index].stays {
            change.insertions.append(touched[index].newIndex)
            change.insertedKeys.append(touched[index].key)
        }
        return change
    }
}

/// The positions of the longest strictly increasing subsequence; of several the one whose
/// positions are lowest, compared from the first on.
///
/// Patience sorting from the right gives the longest run that starts at each position (Fredman,
/// "On computing the length of longest increasing subsequences", 1975).
/// - Complexity: O(n log n).
func longestIncreasingSubsequence(_ numbers: [Int]) -> [Int] {
    guard !numbers.isEmpty else { return [] }
    // greatest[l]: the greatest number that starts an increasing run of length l + 1.
    var greatest: [Int] = []
    var lengths = [Int](repeating: 0, count: numbers.count)
    for position in numbers.indices.reversed() {
        let number = numbers[position]
        var low = 0
        var high = greatest.count
        while low < high {
            let middle = (low + high) / 2
            if greatest[middle] > number { low = middle + 1 } else { high = middle }
        }
        if low == greatest.count { greatest.append(number) } else { greatest[low] = number }
        lengths[position] = low + 1
    }
    var wanted = greatest.count
    var last: Int?
    var result: [Int] = []
    result.reserveCapacity(wanted)
    for position in numbers.indices where lengths[position] == wanted {
        if let last, numbers[position] <= last { continue }
        result.append(position)
        last = numbers[position]
        wanted -= 1
    }
    return result
}
