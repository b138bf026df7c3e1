/// The rows of a class: a radix tree of clusters by object key.
///
///     table node:  16 u64 root (clusterInner or cluster, 0: none)   24 u64 nextKey
///                  32 u64 liveCount   40 u32 height (0: the root is a cluster)   44 u32 lists
///                  48 u64 appendNonce (`RowAppender`; 0 in a stored table)   56 u64 reserved
///                  64 32 bytes for each index and twice that for each list, managed by
///                     `Table+Indexes.swift`
///
/// A value that refers to the current node. Edits replace a node that the edit doesn't own, and the
/// caller must then update the directory. Reads require a root that shows the node, or the edit
/// that created it.
struct Table: Equatable {
    var node: Node

    @inline(__always)
    init(_ node: Node) { self.node = node }

    static let headerByteCount = 64
    static let indexByteCount = 32
    /// Keys are below 2^(10 + 5 x height); 11 levels cover every key.
    static let maximumHeight = 11

    /// Creates an empty table with room for `indexCount` indexes, all zeros.
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

    /// The key of the next row.
    @inline(__always)
    var nextKey: UInt64 {
        get { node.load(24) }
        nonmutating set { node.store(newValue, 24) }
    }

    /// The number of live rows.
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

    /// Identifies the state whose tail a `RowAppender` has cached. 0 after any other change that
    /// moves chunks.
    @inline(__always)
    var appendNonce: UInt64 {
        get { node.load(48) }
        nonmutating set { node.store(newValue, 48) }
    }

    // MARK: Reads

    /// Returns the cluster that covers the key, or `nil` if there is none.
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

    /// Returns whether a row with that key exists.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool { place(key) != nil }

    /// Returns the cluster and position of a row, or `nil` if it doesn't exist or was deleted.
    @inline(__always)
    func place(_ key: UInt64) -> (cluster: Cluster, row: Int)? {
        guard let cluster = cluster(containing: key) else { return nil }
        let row = Table.row(key)
        return cluster.isLive(row) ? (cluster, row) : nil
    }

    /// Returns the key of the live row at `position` (in `0..<count`) in key order.
    ///
    /// - Complexity: O(32 x height).
    func key(at position: Int) -> UInt64 {
        precondition(position >= 0 && position < count, "Row \(position) is out of bounds.")
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
        preconditionFailure("The counts of a table don't match its rows.")
    }

    /// Returns the number of live rows with a smaller key.
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

    /// Returns the greatest key of a live row.
    func lastKey() -> UInt64? { count == 0 ? nil : key(at: count - 1) }

    /// Calls `body` for each cluster in ascending order, from the one that covers `key`, until it
    /// returns false. Clusters may have no live rows.
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
            // Only the first child has keys before `key`.
            if try !visit(child, level - 1, from: index == first ? key : 0, body) { return false }
        }
        return true
    }

    // MARK: Positions

    @inline(__always)
    static func row(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: key & UInt64(rowsPerCluster - 1))
    }

    /// Returns the first key of the cluster that covers a key.
    @inline(__always)
    static func base(_ key: UInt64) -> UInt64 { key & ~UInt64(rowsPerCluster - 1) }

    /// Returns whether a tree of that height can't contain the key.
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

    /// Returns the index of the child that covers a key. At `level` 1 the children are clusters.
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
    /// Returns the first live row from `row` on.
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
