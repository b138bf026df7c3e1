/// The last stage of a step: updates the ordered rows and computes the changes to those within the
/// limit.
struct ResultEdit<Shape: ResultShape> {
    /// A row whose position may differ.
    struct Item {
        let key: UInt64
        let oldEntry: Shape.Element?
        let newEntry: Shape.Element?
        var oldIndex = -1
        var newIndex = -1
        /// The number of rows before it that are in both results and aren't items.
        var oldGap = 0
        var newGap = 0
        var stays = false
    }

    private(set) var newTree: SortedTree<Shape>
    private var items: [Item] = []
    /// Indices of items in the old and in the new result, sorted by entry.
    private var byOld: [Int] = []
    private var byNew: [Int] = []
    /// Whether a row that is in both results may move in the overall order.
    private var hasMoves = false
    private let limit: Int
    private let oldCount: Int
    /// The old tree, kept only if it is needed again: holding a copy makes edits copy nodes.
    private let oldTree: SortedTree<Shape>?
    private(set) var change = ResultChange()

    /// Edits a tree or, if another stream has already made the tree of the new version, computes
    /// the change between the two.
    ///
    /// - Parameters:
    ///   - tree: the tree of the old version; edited in place if its nodes aren't shared.
    ///   - known: the tree of the new version.
    init(
        _ versions: ResultVersions, _ tree: consuming SortedTree<Shape>,
        known: SortedTree<Shape>?, _ candidates: [Candidate]
    ) {
        limit = versions.after.limit
        oldCount = tree.count
        oldTree = limit < .max || known != nil ? copy tree : nil
        newTree = tree
        collect(candidates, versions, isKnown: known != nil)
        let isPlain = !hasMoves && limit >= max(oldCount, oldCount + byNew.count - byOld.count)
        if let known {
            newTree = known
            findPositions(isPlain: isPlain)
        } else {
            edit(versions, isPlain: isPlain)
        }
        if isPlain { makePlainChange() } else { makeChange() }
    }

    private mutating func collect(
        _ candidates: [Candidate], _ versions: ResultVersions, isKnown: Bool
    ) {
        let order = newTree.order
        items.reserveCapacity(candidates.count)
        for candidate in candidates {
            let key = candidate.key
            var oldEntry: Shape.Element?
            var newEntry: Shape.Element?
            if candidate.isOld, let place = versions.oldRows?.place(key) {
                oldEntry = Shape.entry(versions.before, place.cluster, place.row, versions.old)
            }
            if candidate.isNew, let place = versions.newRows?.place(key) {
                newEntry = Shape.entry(versions.after, place.cluster, place.row, versions.new)
            }
            if let oldEntry, let newEntry {
                let isMoved = order.compare(oldEntry, newEntry) != 0
                if isMoved { hasMoves = true }
                if !isMoved, !candidate.isOwn || !Shape.isSorted {
                    // the position among the other rows is unchanged
                    if !isKnown, oldEntry != newEntry {
                        if newTree.remove(oldEntry) == nil { versions.noteMissing() }
                        newTree.insertNew(newEntry, newEntry)
                    }
                    continue
                }
            }
            if oldEntry != nil { byOld.append(items.count) }
            if newEntry != nil { byNew.append(items.count) }
            items.append(Item(key: key, oldEntry: oldEntry, newEntry: newEntry))
        }
        let items = items
        func isBefore(_ a: Shape.Element?, _ b: Shape.Element?) -> Bool {
            guard let a, let b else { return false }
            return order.compare(a, b) < 0
        }
        byOld.sort { isBefore(items[$0].oldEntry, items[$1].oldEntry) }
        byNew.sort { isBefore(items[$0].newEntry, items[$1].newEntry) }
    }

    /// Whether a row is in both results. If no row moves, such rows need no position.
    private func isInBothResults(_ index: Int) -> Bool {
        items[index].oldEntry != nil && items[index].newEntry != nil
    }

    /// Removes rows from last to first and inserts them from first to last. Each position that the
    /// tree reports is therefore the final one in the old tree or in the new tree.
    private mutating func edit(_ versions: ResultVersions, isPlain: Bool) {
        for index in byOld.reversed() {
            guard let entry = items[index].oldEntry else { continue }
            if let newEntry = items[index].newEntry, newEntry == entry {
                if !isPlain { items[index].oldIndex = newTree.rank(of: entry).position }
                continue
            }
            guard let removed = newTree.remove(entry) else {
                versions.noteMissing()
                continue
            }
            items[index].oldIndex = removed.position
        }
        for index in byNew {
            guard let entry = items[index].newEntry else { continue }
            if let oldEntry = items[index].oldEntry, oldEntry == entry {
                if !isPlain { items[index].newIndex = newTree.rank(of: entry).position }
                continue
            }
            items[index].newIndex = newTree.insertNew(entry, entry)
        }
    }

    private mutating func findPositions(isPlain: Bool) {
        for index in items.indices where !isPlain || !isInBothResults(index) {
            let item = items[index]
            if let entry = item.oldEntry, let oldTree {
                items[index].oldIndex = oldTree.rank(of: entry).position
            }
            if let entry = item.newEntry {
                items[index].newIndex = newTree.rank(of: entry).position
            }
        }
    }

    /// Makes the change if no row that is in both results moves and the limit cuts nothing off.
    private mutating func makePlainChange() {
        for index in byOld where !isInBothResults(index) {
            change.deletions.append(items[index].oldIndex)
            change.deletedKeys.append(ObjectKey(rawValue: items[index].key))
        }
        for index in byNew where !isInBothResults(index) {
            change.insertions.append(items[index].newIndex)
            change.insertedKeys.append(ObjectKey(rawValue: items[index].key))
        }
    }

    private mutating func makeChange() {
        let oldCount = min(oldCount, limit)
        let newCount = min(newTree.count, limit)
        let byOld = byOld.filter { items[$0].oldIndex < oldCount }
        let byNew = byNew.filter { items[$0].newIndex < newCount }
        // rows that aren't items have the same order in both results, and the first `common` are in
        // both
        let oldRest = oldCount - byOld.count
        let newRest = newCount - byNew.count
        let common = min(oldRest, newRest)
        for (before, index) in byOld.enumerated() {
            items[index].oldGap = min(items[index].oldIndex - before, common)
        }
        var isInNew = [Bool](repeating: false, count: items.count)
        for (before, index) in byNew.enumerated() {
            items[index].newGap = min(items[index].newIndex - before, common)
            isInNew[index] = true
        }
        let fitting = byOld.filter { isInNew[$0] && items[$0].oldGap == items[$0].newGap }
        for place in longestIncreasingSubsequence(fitting.map { items[$0].newIndex }) {
            items[fitting[place]].stays = true
        }
        let gone = byOld.filter { !items[$0].stays }
            .map { (position: items[$0].oldIndex, key: items[$0].key) }
        let come = byNew.filter { !items[$0].stays }
            .map { (position: items[$0].newIndex, key: items[$0].key) }
        let slidOut = rowsCrossingLimit(
            oldRest - common, oldTree, oldCount, byOld.map { items[$0].oldIndex })
        let slidIn = rowsCrossingLimit(
            newRest - common, newTree, newCount, byNew.map { items[$0].newIndex })
        for (position, key) in (gone + slidOut).sorted(by: { $0.position < $1.position }) {
            change.deletions.append(position)
            change.deletedKeys.append(ObjectKey(rawValue: key))
        }
        for (position, key) in (come + slidIn).sorted(by: { $0.position < $1.position }) {
            change.insertions.append(position)
            change.insertedKeys.append(ObjectKey(rawValue: key))
        }
    }

    /// Returns the last `count` of the first `end` rows, skipping the given ascending positions:
    /// rows that cross the limit.
    private func rowsCrossingLimit(
        _ count: Int, _ tree: SortedTree<Shape>?, _ end: Int, _ positions: [Int]
    ) -> [(position: Int, key: UInt64)] {
        var found: [(position: Int, key: UInt64)] = []
        guard count > 0, let tree else { return found }
        var next = positions.count - 1
        var position = end - 1
        while found.count < count, position >= 0 {
            if next >= 0, positions[next] == position {
                next -= 1
            } else {
                found.append((position, Shape.objectKey(tree[position])))
            }
            position -= 1
        }
        return found
    }
}
