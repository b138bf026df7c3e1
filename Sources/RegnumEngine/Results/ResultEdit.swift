/// The last stage of a step: the rows that are left, in their order, and what changed of those that
/// the limit leaves.
struct ResultEdit<Shape: ResultShape> {
    /// A row whose place may differ.
    struct Item {
        let key: UInt64
        let oldEntry: Shape.Element?
        let newEntry: Shape.Element?
        var oldIndex = -1
        var newIndex = -1
        /// How many rows that are no items, and are in both results, come before it.
        var oldGap = 0
        var newGap = 0
        var stays = false
    }

    let versions: ResultVersions
    let oldTree: SortedTree<Shape>
    private(set) var newTree: SortedTree<Shape>
    private var items: [Item] = []
    /// Whether a row that is in both moves in the order of all.
    private var hasMoves = false
    private let limit: Int
    private(set) var change = ResultChange()

    /// - Parameter known: the tree at the new version, where another stream made it.
    init(
        _ versions: ResultVersions, _ tree: SortedTree<Shape>, known: SortedTree<Shape>?,
        _ candidates: [Candidate]
    ) {
        self.versions = versions
        oldTree = tree
        newTree = known ?? tree
        limit = versions.after.limit
        collect(candidates, isKnown: known != nil)
        findPositions()
        if hasMoves || limit < max(oldTree.count, newTree.count) {
            makeChange()
        } else {
            makePlainChange()
        }
    }

    private mutating func collect(_ candidates: [Candidate], isKnown: Bool) {
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
                let isMoved = oldTree.order.compare(oldEntry, newEntry) != 0
                if isMoved { hasMoves = true }
                if !isMoved, !candidate.isOwn || !Shape.isSorted {
                    // its place is that of before
                    if !isKnown, !Shape.isIdentical(oldEntry, newEntry) {
                        newTree.remove(oldEntry)
                        newTree.insertNew(newEntry, newEntry)
                    }
                    continue
                }
            }
            items.append(Item(key: key, oldEntry: oldEntry, newEntry: newEntry))
        }
        if isKnown { return }
        for item in items {
            guard let entry = item.oldEntry else { continue }
            if let newEntry = item.newEntry, Shape.isIdentical(newEntry, entry) { continue }
            let removed = newTree.remove(entry)
            precondition(removed != nil, "The result is not that of the version to advance from.")
        }
        for item in items {
            guard let entry = item.newEntry else { continue }
            if let oldEntry = item.oldEntry, Shape.isIdentical(oldEntry, entry) { continue }
            newTree.insertNew(entry, entry)
        }
    }

    /// Rows that stay whatever else happens need no positions, as long as all of their like do.
    private mutating func findPositions() {
        let isPlain = !hasMoves && limit >= max(oldTree.count, newTree.count)
        for index in items.indices {
            let item = items[index]
            if isPlain, item.oldEntry != nil, item.newEntry != nil {
                items[index].stays = true
                continue
            }
            items[index].oldIndex = item.oldEntry.map { oldTree.rank(of: $0).position } ?? -1
            items[index].newIndex = item.newEntry.map { newTree.rank(of: $0).position } ?? -1
        }
    }

    /// No row that is in both results moves, and the limit cuts nothing off.
    private mutating func makePlainChange() {
        let old = items.filter { !$0.stays && $0.oldEntry != nil }
            .sorted { $0.oldIndex < $1.oldIndex }
        let new = items.filter { !$0.stays && $0.newEntry != nil }
            .sorted { $0.newIndex < $1.newIndex }
        change.deletions = old.map(\.oldIndex)
        change.deletedKeys = old.map { ObjectKey(rawValue: $0.key) }
        change.insertions = new.map(\.newIndex)
        change.insertedKeys = new.map { ObjectKey(rawValue: $0.key) }
    }

    private mutating func makeChange() {
        let oldCount = min(oldTree.count, limit)
        let newCount = min(newTree.count, limit)
        let byOld = items.indices
            .filter { items[$0].oldEntry != nil && items[$0].oldIndex < oldCount }
            .sorted { items[$0].oldIndex < items[$1].oldIndex }
        let byNew = items.indices
            .filter { items[$0].newEntry != nil && items[$0].newIndex < newCount }
            .sorted { items[$0].newIndex < items[$1].newIndex }
        // the rows that are no items have one order in both, and the first of them are in both
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
        let slidOut = slid(
            oldRest - common, oldTree, oldCount, byOld.map { items[$0].oldIndex })
        let slidIn = slid(
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

    /// The last `count` rows of the first `end` that are not at one of some positions, ascending: they
    /// slide over the limit.
    private func slid(
        _ count: Int, _ tree: SortedTree<Shape>, _ end: Int, _ positions: [Int]
    ) -> [(position: Int, key: UInt64)] {
        var found: [(position: Int, key: UInt64)] = []
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
