/// A tree whose entries may be there several times, as those of backlinks: (element, row) for each time
/// that the row's list has the element. So the last of them goes with the last element, and nobody has
/// to look whether the list has another one.
///
/// `remove` takes one of them, `contains` and `entry(at:)` work; other reads may begin in the middle of
/// equal entries.
extension IndexTree {
    /// Adds an entry, also one that is there: it is there once more then.
    ///
    /// - Complexity: O(log n), as `insert`.
    mutating func insertAgain(_ key: UInt64, _ row: UInt64, _ edit: NodeEdit) {
        guard var walk = IndexWalk(self, to: key, row) else {
            self = IndexTree(root: IndexLeaf.make(key, row, edit), height: 0, count: 1)
            return
        }
        _ = insert(key, row, at: walk.leaf.below(key, row), &walk, edit)
    }

    /// As `visit`, from the first of equal entries on.
    @inline(__always)
    func visitRepeated(from key: UInt64 = 0, _ row: UInt64 = 0, _ body: (UInt64, UInt64) -> Bool) {
        guard var walk = IndexWalk(self, behindEntriesBelow: key, row) else { return }
        var place = walk.leaf.below(key, row)
        repeat {
            let leaf = walk.leaf
            let end = leaf.count
            while place < end {
                if !body(leaf.keys[place], leaf.rows[place]) { return }
                place &+= 1
            }
            place = 0
        } while walk.goToNextLeaf()
    }

    /// Calls `body` with the rows of a key, ascending, each as often as it is there, until it returns
    /// false.
    @inline(__always)
    func forEachRepeatedRow(_ key: UInt64, _ body: (UInt64) -> Bool) {
        visitRepeated(from: key) { $0 == key && body($1) }
    }
}
