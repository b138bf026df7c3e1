/// The rows of one class: a radix tree of clusters by object key.
///
///     table node:  16 u64 root (clusterInner or cluster, 0: none)   24 u64 nextKey
///                  32 u64 liveCount   40 u32 height (0: the root is a cluster)   44 u32 lists
///                  48 u64 appendNonce (`RowAppender`; 0 in a stored table)   56 u64 reserved
///                  64 32 bytes for each index and two times that for each list, which
///                     the tables above look after
///
/// A value is the current node; edits replace it where it is not the edit's own, and the directory
/// above must then be told. Reads need a root that shows the node, or the edit that made it.
struct Table: Equatable {
    var node: Node

    @inline(__always)
    init(_ node: Node) { self.node = node }

    static let headerByteCount = 64
    static let indexByteCount = 32
    /// Rows are below 2^(10 + 5 x height); 11 levels reach every key.
    static let heightMax = 11

    /// A table without rows, with room for `indexCount` indexes, all zeros.
    static func make(indexCount: Int, edit: NodeEdit) -> Table {
        let table = Table(
            edit.makeZeroed(.table, byteCount: headerByteCount + indexByteCount * indexCount))
        table.node.count = indexCount
        return table
    }

    @inline(__always)
    var rootWord: UInt {
        get { node.load(16) }
        nonmutating set { node.store(newValue, 16) }
    }

    /// The key that the next row gets.
    @inline(__always)
    var nextKey: UInt64 {
        get { node.load(24) }
        nonmutating set { node.store(newValue, 24) }
    }

    /// Rows that were not deleted.
    @inline(__always)
    var count: Int {
        get { Int(truncatingIfNeeded: node.load(32) as UInt64) }
        nonmutating set { node.store(UInt64(truncatingIfNeeded: newValue), 32) }
    }

    @inline(__always)
    var height: Int {
        get { Int(node.load(40) as UInt32) }
        nonmutating set { node.store(UInt32(truncatingIfNeeded: newValue), 40) }
    }

    /// Names the state that a `RowAppender` knows the tail of; 0 after any other change that moves
    /// chunks.
    @inline(__always)
    var appendNonce: UInt64 {
        get { node.load(48) }
        nonmutating set { node.store(newValue, 48) }
    }

    // MARK: Reads

    /// The cluster in which the key's place is, nil if there is none.
    ///
    /// - Complexity: O(height).
    @inline(__always)
    func cluster(containing key: UInt64) -> Cluster? {
        var word = rootWord
        var level = height
        if Table.isBeyond(key, level) { return nil }
        while level > 0 {
            guard let inner = Node(word: word) else { return nil }
            word = ClusterInner(inner).child(ClusterInner.index(key, level))
            level &-= 1
        }
        guard let node = Node(word: word) else { return nil }
        return Cluster(node)
    }

    /// Whether there is a row with that key.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool { place(key) != nil }

    /// The cluster and the row of a key; nil if there is no such row or it was deleted.
    @inline(__always)
    func place(_ key: UInt64) -> (cluster: Cluster, row: Int)? {
        guard let cluster = cluster(containing: key) else { return nil }
        let row = Table.row(key)
        return cluster.isLive(row) ? (cluster, row) : nil
    }

    /// The key of the live row at `position` in key order, in `0..<count`.
    ///
    /// - Complexity: O(32 x height).
    func key(at position: Int) -> UInt64 {
        precondition(position >= 0 && position < count, "There is no row at \(position).")
        var position = position
        var word = rootWord
        for _ in 0..<height {
            let inner = ClusterInner(Node(word: word).unsafelyUnwrapped)
            var index = 0
            while index < 31, position >= inner.count(index) {
                position -= inner.count(index)
                index += 1
            }
            word = inner.child(index)
        }
        let cluster = Cluster(Node(word: word).unsafelyUnwrapped)
        for index in 0..<wordsPerCluster {
            var bits = cluster.live[index]
            let ones = bits.nonzeroBitCount
            if position >= ones {
                position -= ones
                continue
            }
            for _ in 0..<position { bits &= bits &- 1 }
            return cluster.firstKey + UInt64(64 * index + bits.trailingZeroBitCount)
        }
        preconditionFailure("The counts of a table do not agree with its rows.")
    }

    /// How many live rows have a smaller key.
    ///
    /// - Complexity: O(32 x height).
    func position(of key: UInt64) -> Int {
        if Table.isBeyond(key, height) { return count }
        var position = 0
        var word = rootWord
        var level = height
        while level > 0 {
            guard let node = Node(word: word) else { return position }
            let inner = ClusterInner(node)
            let index = ClusterInner.index(key, level)
            for before in 0..<index { position += inner.count(before) }
            word = inner.child(index)
            level -= 1
        }
        guard let node = Node(word: word) else { return position }
        let live = Cluster(node).live
        let row = Table.row(key)
        for index in 0..<row >> 6 { position += live[index].nonzeroBitCount }
        let mask = (1 as UInt64) << UInt64(row & 63) &- 1
        return position + (live[row >> 6] & mask).nonzeroBitCount
    }

    /// The least key of a live row that is not below `key`.
    func firstKey(from key: UInt64) -> UInt64? {
        var found: UInt64?
        var first = Table.row(key)
        let base = Table.base(key)
        forEachCluster(from: key) { cluster in
            if cluster.firstKey != base { first = 0 }
            let row = cluster.firstLiveRow(from: first)
            if let row { found = cluster.firstKey + UInt64(row) }
            return row == nil
        }
        return found
    }

    /// The greatest key of a live row.
    func lastKey() -> UInt64? { count == 0 ? nil : key(at: count - 1) }

    /// Calls `body` for each cluster, ascending, from the one in which `key` has its place, until it
    /// returns false. Clusters may be without live rows.
    func forEachCluster(
        from key: UInt64 = 0, _ body: (Cluster) throws -> Bool
    ) rethrows {
        if Table.isBeyond(key, height) { return }
        _ = try Table.visit(rootWord, height, from: key, body)
    }

    private static func visit(
        _ word: UInt, _ level: Int, from key: UInt64, _ body: (Cluster) throws -> Bool
    ) rethrows -> Bool {
        guard let node = Node(word: word) else { return true }
        if level == 0 { return try body(Cluster(node)) }
        let inner = ClusterInner(node)
        let first = ClusterInner.index(key, level)
        for index in first..<32 {
            let child = inner.child(index)
            if child == 0 { continue }
            // only the first child has keys before `key`
            if try !visit(child, level - 1, from: index == first ? key : 0, body) { return false }
        }
        return true
    }

    // MARK: Places

    @inline(__always)
    static func row(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: key & UInt64(rowsPerCluster - 1))
    }

    /// The first key of the cluster in which a key has its place.
    @inline(__always)
    static func base(_ key: UInt64) -> UInt64 { key & ~UInt64(rowsPerCluster - 1) }

    /// Whether a tree of that height has no place for the key.
    @inline(__always)
    static func isBeyond(_ key: UInt64, _ height: Int) -> Bool {
        key >> UInt64(truncatingIfNeeded: 10 &+ 5 &* height) != 0
    }
}

/// An inner node of the cluster tree: 16 u64 x 32 children (0: none), 272 u32 x 32 live rows below.
struct ClusterInner {
    let node: Node

    static let byteCount = 400

    @inline(__always)
    init(_ node: Node) { self.node = node }

    /// The child under which a key lies; `level` is 1 where children are clusters.
    @inline(__always)
    static func index(_ key: UInt64, _ level: Int) -> Int {
        let shift = UInt64(truncatingIfNeeded: 5 &+ 5 &* level)
        return Int(truncatingIfNeeded: (key >> shift) & 31)
    }

    @inline(__always)
    func child(_ index: Int) -> UInt { node.load(16 &+ 8 &* index) }

    @inline(__always)
    func count(_ index: Int) -> Int { Int(node.load(272 &+ 4 &* index) as UInt32) }

    @inline(__always)
    func childAddress(_ index: Int) -> UnsafeMutableRawPointer { node.address + (16 &+ 8 &* index) }

    @inline(__always)
    func countAddress(_ index: Int) -> UnsafeMutablePointer<UInt32> {
        (node.address + (272 &+ 4 &* index)).assumingMemoryBound(to: UInt32.self)
    }

    var isEmpty: Bool { !(0..<32).contains { child($0) != 0 } }
}

extension Cluster {
    /// The first live row from `row` on.
    func firstLiveRow(from row: Int) -> Int? {
        var index = row >> 6
        var bits = live[index] & (.max << UInt64(row & 63))
        while bits == 0 {
            index += 1
            if index == wordsPerCluster { return nil }
            bits = live[index]
        }
        return 64 * index + bits.trailingZeroBitCount
    }
}
