import Synchronization

/// Loads (acquire) a word that several readers may set concurrently.
@inline(__always)
func loadWord(_ address: UnsafeMutableRawPointer) -> UInt {
    address.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
}

/// Stores (release) a word that others may read concurrently.
@inline(__always)
func storeWord(_ word: UInt, _ address: UnsafeMutableRawPointer) {
    address.assumingMemoryBound(to: Atomic<UInt>.self).pointee.store(word, ordering: .releasing)
}

extension Cluster {
    /// Creates an empty cluster with slots for the first `slotCount` columns.
    ///
    /// When rebuilding a stored cluster, the caller sets the counts, versions, source and slots
    /// afterwards, but keeps the type, presence offset and text flag of each slot.
    static func make(_ columns: [ColumnSchema], slotCount: Int, edit: NodeEdit) -> Cluster {
        var optionalCount = 0
        for column in columns[..<slotCount] where column.isOptional { optionalCount += 1 }
        let byteCount = byteCount(slotCount: slotCount, optionalCount: optionalCount)
        let cluster = Cluster(edit.makeZeroed(.cluster, byteCount: byteCount))
        cluster.node.count = slotCount
        var presence = liveOffset(slotCount) + 128
        for column in columns[..<slotCount] {
            let slot = cluster.slot(column.key.index)
            slot.type = column.type
            if column.isOptional {
                slot.presenceOffset = presence
                presence += 128
            }
            switch column.type {
            case .int:
                slot.flags = .bounds
                slot.store(Int64.max, 0)
                slot.store(Int64.min, 8)
            case .double, .date:
                slot.flags = .bounds
                slot.store(Double.infinity, 0)
                slot.store(-Double.infinity, 8)
            case .string, .data, .any: slot.flags = [.text, .textInRowOrder]
            case .bool, .uuid, .objectId, .decimal: break
            }
        }
        return cluster
    }

    /// Returns the capacity in rows of a heap chunk that must hold `rowCount`.
    @inline(__always)
    static func capacity(for rowCount: Int) -> Int {
        if rowCount <= 16 { return 16 }
        if rowCount <= 64 { return 64 }
        return rowCount <= 256 ? 256 : rowsPerCluster
    }

    /// Returns the cluster with slots for all `columns`, filling live rows with the defaults.
    /// The edit must own the cluster; its node is replaced.
    func addingSlots(_ columns: [ColumnSchema], edit: NodeEdit) -> Cluster {
        let old = slotCount
        let new = Cluster.make(columns, slotCount: columns.count, edit: edit)
        (new.node.address + 16).copyMemory(from: node.address + 16, byteCount: 64)
        (new.node.address + ClusterOffsets.words).copyMemory(
            from: node.address + ClusterOffsets.words, byteCount: 8 * old)
        new.live.update(from: live, count: wordsPerCluster)
        for column in 0..<old {
            let slot = new.slot(column)
            let presenceOffset = slot.presenceOffset
            slot.address.copyMemory(from: self.slot(column).address, byteCount: 64)
            slot.presenceOffset = presenceOffset
            if let bits = presence(column) {
                new.presence(column).unsafelyUnwrapped.update(from: bits, count: wordsPerCluster)
            }
        }
        if rowCount > 0 {
            for column in columns[old...] { new.fillWithDefault(column, edit: edit) }
        }
        edit.retire(node)  // may be freed here
        return new
    }

    /// Sets all live rows of a newly added column to its default. Deleted rows are zeros.
    private func fillWithDefault(_ column: ColumnSchema, edit: NodeEdit) {
        let index = column.key.index
        let value = column.defaultValue
        var log2 = column.type.widthLog2
        if case .int(let x) = value { log2 = Cluster.widthLog2(for: x) }
        let capacity = Cluster.capacity(for: rowCount)
        let chunk = edit.makeZeroed(.chunk, byteCount: Node.headerByteCount + capacity << log2)
        chunk.count = 1 << log2
        setWord(index, chunk.word | UInt(log2))
        if value.isNull {
            slot(index).flags.insert(.mayHaveNull)
            return
        }
        if let presence = presence(index) { presence.update(from: live, count: wordsPerCluster) }
        let rows = chunk.address + Node.headerByteCount
        // Equal long texts share their bytes. Each large value has its own entry, because an entry
        // is removed with its row.
        guard let first = firstLiveRow(from: 0) else { return }
        setValue(value, row: first, column: index, edit: edit)
        let cell = rows + first << log2
        let isLarge = column.type.isText && TextCell(cell).isLarge
        for row in first + 1..<rowCount where isLive(row) {
            if isLarge {
                setValue(value, row: row, column: index, edit: edit)
            } else {
                (rows + row << log2).copyMemory(from: cell, byteCount: 1 << log2)
            }
        }
    }

    /// Retires the cluster and everything below it.
    func retireAll(edit: NodeEdit) {
        for offset in [ClusterOffsets.versionWord, ClusterOffsets.versionPatch] {
            if let versions = Node(word: node.load(offset)) { edit.retire(versions) }
        }
        for column in 0..<slotCount { retireContent(of: column, edit: edit) }
        edit.retire(node)
    }

    @inline(__always)
    func setWord(_ column: Int, _ word: UInt) {
        storeWord(word, node.address + (ClusterOffsets.words &+ 8 &* column))
    }

    /// Returns log2 of the size in bytes of the narrowest signed integer that holds `value`.
    @inline(__always)
    static func widthLog2(for value: Int64) -> Int {
        if value == Int64(Int8(truncatingIfNeeded: value)) { return 0 }
        if value == Int64(Int16(truncatingIfNeeded: value)) { return 1 }
        return value == Int64(Int32(truncatingIfNeeded: value)) ? 2 : 3
    }
}
