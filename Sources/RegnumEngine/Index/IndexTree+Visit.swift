extension IndexTree {
    /// Calls `body` with the entries from (key, row) on in ascending order until it returns false.
    @inline(__always)
    func visit(from key: UInt64 = 0, _ row: UInt64 = 0, _ body: (UInt64, UInt64) -> Bool) {
        guard var walk = IndexWalk(self, to: key, row) else { return }
        walk.visit(from: key, row, body)
    }

    /// Calls `body` with the rows of a key in ascending order until it returns false.
    @inline(__always)
    func forEachRow(_ key: UInt64, _ body: (UInt64) -> Bool) {
        visit(from: key, 0) { $0 == key && body($1) }
    }

    /// Appends the rows of the entries in `from...through` in entry order (ascending within a key,
    /// but not across keys).
    func rows(from: Entry, through: Entry, into rows: inout [UInt64]) {
        guard var walk = IndexWalk(self, to: from.key, from.row) else { return }
        var place = walk.leaf.below(from.key, from.row)
        repeat {
            let leaf = walk.leaf
            let end = leaf.through(through.key, through.row)
            if place < end {
                rows.append(
                    contentsOf: UnsafeBufferPointer(start: leaf.rows + place, count: end - place))
            }
            if end < leaf.count { return }
            place = 0
        } while walk.goToNextLeaf()
    }
}

extension IndexWalk {
    /// Calls `body` with the entries from (key, row) on, which begin in the leaf or after it, until
    /// it returns false.
    @inline(__always)
    mutating func visit(from key: UInt64, _ row: UInt64, _ body: (UInt64, UInt64) -> Bool) {
        var place = leaf.below(key, row)
        repeat {
            let leaf = leaf
            let end = leaf.count
            while place < end {
                if !body(leaf.keys[place], leaf.rows[place]) { return }
                place &+= 1
            }
            place = 0
        } while goToNextLeaf()
    }
}
