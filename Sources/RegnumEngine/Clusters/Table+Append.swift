extension Table {
    /// Returns the cluster for the next row. The edit owns it, it has a slot for each of `columns`,
    /// and all places before the row are filled.
    mutating func openTail(_ columns: [ColumnSchema], edit: NodeEdit) -> Cluster {
        own(edit)
        let key = nextKey
        if rootWord == 0 { height = 0 }
        while Table.isBeyond(key, height) { addLevel(edit) }
        var place = node.address + 16
        var level = height
        while level > 0 {
            let inner: ClusterInner
            if let node = Node(word: place.load(as: UInt.self)) {
                inner = ClusterInner(edit.own(node))
            } else {
                inner = ClusterInner(
                    edit.makeZeroed(.clusterInner, byteCount: ClusterInner.byteCount))
            }
            place.storeBytes(of: inner.node.word, as: UInt.self)
            place = inner.childAddress(ClusterInner.index(key, level))
            level -= 1
        }
        var cluster: Cluster
        if place.load(as: UInt.self) == 0 {
            cluster = Cluster.make(columns, slotCount: columns.count, edit: edit)
            cluster.firstKey = Table.base(key)
        } else {
            cluster = Table.ownCluster(place, edit)
            if cluster.slotCount < columns.count {
                cluster = cluster.addingSlots(columns, edit: edit)
            }
        }
        place.storeBytes(of: cluster.node.word, as: UInt.self)
        let row = Table.row(key)
        cluster.truncate(to: row, edit: edit)
        // Deleting rows doesn't rewrite their text, and neither does appending.
        cluster.rewriteSparseTexts(edit: edit)
        cluster.makeRoom(for: row, isFilling: isFull(before: cluster), edit: edit)
        return cluster
    }

    /// Returns whether the cluster before an empty one is full, so that the rows that follow
    /// probably fill this one too. After skipped keys, as in a forged record, they may not.
    private func isFull(before cluster: Cluster) -> Bool {
        guard cluster.rowCount == 0, cluster.firstKey > 0 else { return false }
        return self.cluster(containing: cluster.firstKey - 1)?.rowCount == rowsPerCluster
    }

    /// Writes the addresses of the live counts on the path to a key and returns their number.
    func liveCounts(
        above key: UInt64, _ counts: UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>
    ) -> Int {
        var word = rootWord
        var level = height
        while level > 0, let node = Node(word: word) {
            let index = ClusterInner.index(key, level)
            counts[height - level] = ClusterInner(node).countAddress(index)
            word = ClusterInner(node).child(index)
            level -= 1
        }
        return height - level
    }

    private func addLevel(_ edit: NodeEdit) {
        if rootWord != 0 {
            let inner = ClusterInner(
                edit.makeZeroed(.clusterInner, byteCount: ClusterInner.byteCount))
            inner.childAddress(0).storeBytes(of: rootWord, as: UInt.self)
            inner.countAddress(0).pointee = UInt32(truncatingIfNeeded: count)
            rootWord = inner.node.word
        }
        height += 1
    }
}

extension Cluster {
    /// Makes room for `row` in every chunk. Places between the last row and `row` become deleted
    /// rows of zeros. If `isFilling` is true, makes room for all rows of the cluster.
    fileprivate func makeRoom(for row: Int, isFilling: Bool, edit: NodeEdit) {
        let needed = isFilling ? rowsPerCluster : row + 1
        for column in 0..<slotCount {
            let slot = slot(column)
            let word = rowCount == 0 ? storedWord(column) : chunk(column)
            let log2 = word == 0 ? slot.type.widthLog2 : log2(of: word, slot.type)
            if word == 0 {
                let capacity = Cluster.capacity(for: needed)
                let chunk = edit.make(
                    .chunk, byteCount: Node.headerByteCount + capacity << log2)
                chunk.count = 1 << log2
                setWord(column, chunk.word | (slot.type == .int ? UInt(log2) : 0))
            } else if let chunk = Node(word: word & ~63), Cluster.capacity(of: chunk, log2) <= row {
                _ = copyChunk(column, word, rowCount: row + 1, edit: edit)
            }
            slot.chunkExtent = 0
            slot.chunkCRC = 0
            if row > rowCount {
                (rows(column) + rowCount << log2).initializeMemory(
                    as: UInt8.self, repeating: 0, count: (row - rowCount) << log2)
            }
        }
        if !hasUniformVersion {
            for skipped in rowCount..<max(row, rowCount) {
                setVersion(0, row: skipped, edit: edit)
            }
        }
        rowCount = max(rowCount, row)
    }
}
