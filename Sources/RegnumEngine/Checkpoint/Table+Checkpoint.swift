extension Table {
    /// Builds the tree over `clusters` (ascending by first key) in an empty table.
    func buildTree(_ clusters: [Cluster], nextKey: UInt64, _ edit: NodeEdit) {
        self.nextKey = nextKey
        guard let last = clusters.last else { return }
        var height = 0
        while Table.isBeyond(last.firstKey, height) { height += 1 }
        let (root, liveCount) = Table.build(clusters[...], height: height, edit)
        rootWord = root.word
        count = liveCount
        self.height = height
    }

    private static func build(
        _ clusters: ArraySlice<Cluster>, height: Int, _ edit: NodeEdit
    ) -> (node: Node, liveCount: Int) {
        if height == 0, let only = clusters.first { return (only.node, only.liveCount) }
        let inner = ClusterInner(
            edit.makeZeroed(.clusterInner, byteCount: ClusterInner.byteCount))
        var total = 0
        var start = clusters.startIndex
        while start < clusters.endIndex {
            let child = ClusterInner.index(clusters[start].firstKey, height)
            var end = start + 1
            while end < clusters.endIndex,
                ClusterInner.index(clusters[end].firstKey, height) == child
            {
                end += 1
            }
            let (below, liveCount) = build(clusters[start..<end], height: height - 1, edit)
            inner.childAddress(child).storeBytes(of: below.word, as: UInt.self)
            inner.countAddress(child).pointee = UInt32(truncatingIfNeeded: liveCount)
            total += liveCount
            start = end
        }
        return (inner.node, total)
    }
}

extension Cluster {
    /// Returns the large values of a column, or `nil` if it has none.
    func largeList(_ column: Int) -> LargeList? {
        let slot = slot(column)
        return slot.flags.contains(.text)
            ? LargeList(word: loadWord(slot.address + ClusterOffsets.b)) : nil
    }
}
