import CRegnum

/// The ordered lists of all rows of a class: entries (owner row, element), sorted by owner, and
/// within one owner in list order.
///
/// It consists of the nodes of an `IndexTree` and is stored as one, so that walks, clones and
/// checkpoints need not distinguish them. But elements aren't sorted within an owner: they are
/// located by position, using the counts in inner nodes. Splits and merges work as in an index.
///
/// A value type like `IndexTree`, with the same rules for reads and edits. A damaged leaf reads as
/// empty; nothing traps.
struct SequenceTree {
    /// The underlying tree, which must not be searched by entry.
    private(set) var tree: IndexTree

    init(_ tree: IndexTree = IndexTree()) { self.tree = tree }

    /// Returns the number of entries of all owners before `owner`, which is where its list starts.
    ///
    /// - Complexity: O(log n)
    @inline(__always)
    func start(_ owner: UInt64) -> Int { tree.rank(below: owner) }

    /// Returns the length of an owner's list.
    ///
    /// - Complexity: O(log n)
    @inline(__always)
    func count(_ owner: UInt64) -> Int { tree.count(in: owner...owner) }

    /// Returns an element of an owner's list, or `nil` if the position is beyond its end.
    ///
    /// - Complexity: O(log n)
    func element(_ owner: UInt64, at position: Int) -> UInt64? {
        // queries take any position, and the sum must not overflow
        guard position >= 0, position < tree.count, var node = tree.root else { return nil }
        var rest = start(owner) &+ position
        for _ in 0..<tree.height {
            let inner = IndexInner(node)
            node = inner.child(inner.place(at: &rest))
        }
        let leaf = IndexLeaf(node)
        return rest < leaf.count && leaf.keys[rest] == owner ? leaf.rows[rest] : nil
    }

    /// Calls `body` with the elements of an owner from a position on, one leaf at a time, until it
    /// returns false.
    func visitRuns(
        _ owner: UInt64, from position: Int = 0, _ body: (UnsafeBufferPointer<UInt64>) -> Bool
    ) {
        var place = 0
        guard position >= 0,
            var walk = IndexWalk(
                tree, at: start(owner) &+ position, behindEntryBefore: false, &place)
        else { return }
        repeat {
            let leaf = walk.leaf
            let end = cregnum_words_through(leaf.keys, leaf.count, owner)
            if place < end, leaf.keys[place] == owner {
                let run = UnsafeBufferPointer(start: leaf.rows + place, count: end &- place)
                if !body(run) { return }
            }
            if end < leaf.count { return }
            place = 0
        } while walk.goToNextLeaf()
    }

    /// Calls `body` with the elements of an owner from a position on until it returns false.
    @inline(__always)
    func visit(_ owner: UInt64, from position: Int = 0, _ body: (UInt64) -> Bool) {
        visitRuns(owner, from: position) { run in
            for element in run where !body(element) { return false }
            return true
        }
    }

    /// Returns the elements of an owner in a range of positions, clamped to the list's end.
    func elements(_ owner: UInt64, _ range: Range<Int>) -> [UInt64] {
        var elements: [UInt64] = []
        if range.isEmpty { return elements }
        elements.reserveCapacity(range.count)
        visitRuns(owner, from: range.lowerBound) { run in
            elements.append(contentsOf: run.prefix(range.count - elements.count))
            return elements.count < range.count
        }
        return elements
    }

    /// Returns all elements of an owner.
    func elements(_ owner: UInt64) -> [UInt64] { elements(owner, 0..<count(owner)) }

    /// Returns the positions of an owner's elements that are in `wanted`, ascending. The search
    /// ends after the leaf in which at least `count` have been found.
    func positions(_ owner: UInt64, of wanted: Set<UInt64>, count: Int = .max) -> [Int] {
        var positions: [Int] = []
        var before = 0
        let only = wanted.count == 1 ? wanted.first : nil
        visitRuns(owner) { run in
            guard let base = run.baseAddress else { return true }
            var place = 0
            while place < run.count {
                if let only {
                    place += cregnum_find_word(base + place, run.count - place, only)
                } else {
                    while place < run.count, !wanted.contains(run[place]) { place += 1 }
                }
                if place < run.count { positions.append(before + place) }
                place += 1
            }
            before += run.count
            return positions.count < count
        }
        return positions
    }
}

// MARK: - Editing

extension SequenceTree {
    /// Inserts elements into an owner's list before the one at `position`. Returns false and
    /// changes nothing if the position is beyond the list's end. If a leaf is damaged, it may
    /// return false after inserting a part of them.
    ///
    /// - Complexity: O(log n), and O(1) for each further element. Edits nodes in place if the edit
    ///   owns them; otherwise copies `height + 1` nodes.
    mutating func insert(
        _ elements: ArraySlice<UInt64>, _ owner: UInt64, at position: Int, _ edit: NodeEdit
    ) -> Bool {
        let start = start(owner)
        // The walk below stops at the last entry, which may be the owner's.
        guard position >= 0, position <= tree.count - start else { return false }
        var rest = elements
        var next = start + position
        var before = position
        while let first = rest.first {
            var place = 0
            guard var walk = IndexWalk(tree, at: next, behindEntryBefore: true, &place) else {
                if position > 0 { return false }
                tree = IndexTree(root: IndexLeaf.make(owner, first, edit), height: 0, count: 1)
                rest.removeFirst()
                next += 1
                before += 1
                continue
            }
            // The preceding entry belongs to the owner, unless this is the start of its list.
            if before > 0, place == 0 || walk.leaf.keys[place &- 1] != owner { return false }
            let room = min(IndexLeaf.capacity &- walk.leaf.count, rest.count)
            if room <= 1 {
                _ = tree.insert(owner, first, at: place, &walk, edit)
                rest.removeFirst()
                next += 1
                before += 1
            } else {
                tree.insert(owner, rest.prefix(room), at: place, &walk, edit)
                rest = rest.dropFirst(room)
                next += room
                before += room
            }
        }
        return true
    }

    /// Replaces an element. Returns false if the position is beyond the list's end.
    ///
    /// - Complexity: O(log n)
    mutating func set(
        _ element: UInt64, _ owner: UInt64, at position: Int, _ edit: NodeEdit
    ) -> Bool {
        var place = 0
        guard position >= 0,
            var walk = IndexWalk(
                tree, at: start(owner) &+ position, behindEntryBefore: false, &place),
            place < walk.leaf.count, walk.leaf.keys[place] == owner
        else { return false }
        walk.own(&tree, edit)
        walk.leaf.rows[place] = element
        if place == 0 { walk.noteFirst(owner, element) }
        return true
    }

    /// Removes an owner's elements in a range of positions, clamped to the list's end. Returns
    /// whether there was one at each position.
    ///
    /// - Complexity: O(log n) for each leaf.
    @discardableResult
    mutating func remove(_ owner: UInt64, _ range: Range<Int>, _ edit: NodeEdit) -> Bool {
        var left = range.count
        let next = start(owner) &+ max(range.lowerBound, 0)
        while left > 0 {
            var place = 0
            guard
                var walk = IndexWalk(tree, at: next, behindEntryBefore: false, &place)
            else { return false }
            let leaf = walk.leaf
            let end = min(cregnum_words_through(leaf.keys, leaf.count, owner), place &+ left)
            guard place < end, leaf.keys[place] == owner else { return false }
            left &-= end &- place
            tree.remove(place..<end, &walk, edit)
        }
        return true
    }
}

extension IndexTree {
    /// Inserts entries of one key at a position in the leaf of a walk, which must have room.
    fileprivate mutating func insert(
        _ key: UInt64, _ rows: ArraySlice<UInt64>, at place: Int, _ walk: inout IndexWalk,
        _ edit: NodeEdit
    ) {
        walk.own(&self, edit)
        count &+= rows.count
        walk.addCount(UInt32(truncatingIfNeeded: rows.count))
        walk.leaf.insert(key, rows, at: place)
        if place == 0 { walk.noteFirst(key, rows[rows.startIndex]) }
    }
}
