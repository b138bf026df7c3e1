import CRegnum

/// A B+tree of unique (key, row) entries in ascending order. Used for primary keys and indexed
/// properties.
///
/// A value type that refers to the root of an immutable tree. A root of the database that shows its
/// nodes must be registered while it is read. Edits go through a `NodeEdit`, which changes nodes in
/// place if it owns them, and don't affect other trees.
///
/// Splits are even, except at the right edge, where a full node stays full. A node that a removal
/// leaves with fewer than 32 entries or children is merged with a sibling if together they have at
/// most 96. Empty nodes are removed, and their neighbors merged if together they have fewer than
/// 32. So adjacent siblings have at least 32 together.
///
/// Leaves in a file are loaded on first access. A damaged leaf reads as empty while the counts
/// above it remain; nothing traps, and `NodeSource.firstDamage` reports it.
struct IndexTree {
    /// The root: an inner node, a leaf if `height` is 0, or `nil`. A leaf root is never a file
    /// image.
    var root: Node?
    /// The number of levels of inner nodes.
    var height = 0
    /// The number of entries.
    var count = 0

    /// A key and a row with that key.
    struct Entry: Equatable {
        var key: UInt64
        var row: UInt64

        @inline(__always)
        static func < (a: Entry, b: Entry) -> Bool {
            a.key != b.key ? a.key < b.key : a.row < b.row
        }
    }

    /// The maximum number of inner levels, far more than the counts allow.
    static let maximumHeight = 12

    /// Returns the first entry that isn't less than (key, row).
    ///
    /// - Complexity: O(log n); about one cache miss.
    @inline(__always)
    func first(from key: UInt64, _ row: UInt64) -> Entry? {
        guard var node = root else { return nil }
        // The first entry after the current subtree. Parents store the first entry of each child,
        // so the next leaf need not be accessed.
        var next: (inner: IndexInner, place: Int)?
        // The position of the entry in the leaf, if the parent implies it. Then only the cache
        // lines needed are prefetched.
        var known: Int?
        var level = height
        while level > 0 {
            let inner = IndexInner(node)
            let place = inner.place(key, row)
            if place &+ 1 < inner.count {
                next = (inner, place &+ 1)
                if level == 1 { known = inner.consecutivePlace(of: key, below: place) }
            }
            node = inner.child(place)
            level &-= 1
        }
        let leaf = IndexLeaf(node)
        if let known {
            leaf.prefetch(known)
            if leaf.isFirst(known, from: key, row) {
                return Entry(key: key, row: leaf.rows[known])
            }
        }
        leaf.prefetch()
        let place = leaf.below(key, row)
        if place < leaf.count { return Entry(key: leaf.keys[place], row: leaf.rows[place]) }
        return next.map { Entry(key: $0.inner.keys[$0.place], row: $0.inner.rows[$0.place]) }
    }

    /// Returns the first row with the key: for a primary key, its only row.
    ///
    /// - Complexity: O(log n); about one cache miss.
    @inline(__always)
    func firstRow(_ key: UInt64) -> UInt64? {
        guard let entry = first(from: key, 0), entry.key == key else { return nil }
        return entry.row
    }

    /// Returns whether the tree contains the entry.
    func contains(_ key: UInt64, _ row: UInt64) -> Bool {
        first(from: key, row) == Entry(key: key, row: row)
    }

    /// Returns the number of entries with a lesser key, which is the position of the first one that
    /// has the key.
    ///
    /// - Complexity: O(log n)
    @inline(__always)
    func rank(below key: UInt64) -> Int { rank { cregnum_words_below($0, $1, key) } }

    /// Returns the number of leading entries whose keys `counted` includes. The first one that it
    /// excludes is in the last child whose first key it includes.
    @inline(__always)
    private func rank(_ counted: (UnsafePointer<UInt64>, Int) -> Int) -> Int {
        guard var node = root else { return 0 }
        var rank = 0
        for _ in 0..<height {
            let inner = IndexInner(node)
            let place = max(counted(inner.keys, inner.count) &- 1, 0)
            rank &+= inner.countBefore(place)
            node = inner.child(place)
        }
        let leaf = IndexLeaf(node)
        leaf.prefetch()
        return rank &+ counted(leaf.keys, leaf.count)
    }

    /// Returns the number of entries with a key in the range, including repeated ones.
    ///
    /// - Complexity: O(log n)
    func count(in keys: ClosedRange<UInt64>) -> Int {
        let end = rank { cregnum_words_through($0, $1, keys.upperBound) }
        return max(end &- rank(below: keys.lowerBound), 0)
    }

    /// Returns the entry at a position in `0..<count`, or `nil` if its leaf is damaged.
    ///
    /// - Complexity: O(log n)
    func entry(at position: Int) -> Entry? {
        precondition(position >= 0 && position < count, "The index position is out of bounds.")
        guard var node = root else { return nil }
        var rest = position
        for _ in 0..<height {
            let inner = IndexInner(node)
            node = inner.child(inner.place(at: &rest))
        }
        let leaf = IndexLeaf(node)
        return rest < leaf.count ? Entry(key: leaf.keys[rest], row: leaf.rows[rest]) : nil
    }
}
