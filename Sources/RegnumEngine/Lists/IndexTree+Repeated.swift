/// A tree with repeated entries, such as the backlinks of a list: one (element, row) entry for each
/// occurrence of the element in the row's list. So the last entry goes away with the last
/// occurrence, without searching the list for others.
///
/// `remove` removes one of the equal entries. `contains` and `entry(at:)` work as usual; other
/// reads may start in the middle of equal entries.
extension IndexTree {
    /// Inserts an entry even if equal entries exist.
    ///
    /// - Complexity: O(log n), like `insert`.
    mutating func insertAgain(_ key: UInt64, _ row: UInt64, _ edit: NodeEdit) {
        guard var walk = IndexWalk(self, to: key, row) else {
            self = IndexTree(root: IndexLeaf.make(key, row, edit), height: 0, count: 1)
            return
        }
        _ = insert(key, row, at: walk.leaf.below(key, row), &walk, edit)
    }

    /// Calls `body` with the entries like `visit`, starting at the first of equal entries.
    @inline(__always)
    func visitRepeated(from key: UInt64 = 0, _ body: (UInt64, UInt64) -> Bool) {
        guard var walk = IndexWalk(self, behindEntriesBelow: key, 0) else { return }
        walk.visit(from: key, 0, body)
    }

    /// Calls `body` with the rows of a key in ascending order, including repetitions, until it
    /// returns false.
    @inline(__always)
    func forEachRepeatedRow(_ key: UInt64, _ body: (UInt64) -> Bool) {
        visitRepeated(from: key) { $0 == key && body($1) }
    }
}
