import RegnumStore

/// The indexes and lists of a table. The roots of their trees are stored in the table's node from
/// byte 64 on, 32 bytes each (u64 root, u64 entries, u32 height, u16 column or list, u16 kind, u64
/// reserved): first the indexes (kind 0) by ascending column, then the full-text indexes (kind 3)
/// likewise, then the geospatial indexes (kind 4) by ascending list, then for each list, ascending,
/// its sequence tree (kind 1) and the tree of its backlinks (kind 2).
extension Table {
    /// Creates an empty table.
    static func make(_ trees: [ColumnTree], _ edit: NodeEdit) -> Table {
        let table = make(indexCount: trees.count, edit: edit)
        for (slot, tree) in trees.enumerated() { table.setColumnTree(tree, at: slot) }
        return table
    }

    /// The number of indexes, which use slots 0..<indexCount.
    @inline(__always)
    var indexCount: Int { node.count &- 2 &* listCount }

    @inline(__always)
    func indexOffset(_ slot: Int) -> Int {
        Table.headerByteCount &+ Table.indexByteCount &* slot
    }

    @inline(__always)
    func indexColumn(at slot: Int) -> ColumnKey {
        ColumnKey(rawValue: node.load(indexOffset(slot) + 20))
    }

    /// Returns which index a slot below `indexCount` has.
    @inline(__always)
    func columnTree(at slot: Int) -> ColumnTree {
        let kind: UInt16 = node.load(indexOffset(slot) + 22)
        return ColumnTree(
            column: indexColumn(at: slot), kind: ColumnTreeKind(rawValue: kind) ?? .values)
    }

    private func setColumnTree(_ tree: ColumnTree, at slot: Int) {
        node.store(tree.column.rawValue, indexOffset(slot) + 20)
        node.store(tree.kind.rawValue, indexOffset(slot) + 22)
    }

    /// Returns the slot of a tree over a column, or `nil` if the column has none.
    func indexSlot(of column: ColumnKey, _ kind: ColumnTreeKind = .values) -> Int? {
        for slot in 0..<indexCount
        where indexColumn(at: slot) == column && columnTree(at: slot).kind == kind {
            return slot
        }
        return nil
    }

    @inline(__always)
    func index(at slot: Int) -> IndexTree {
        let offset = indexOffset(slot)
        let count: UInt64 = node.load(offset + 8)
        let height: UInt32 = node.load(offset + 16)
        return IndexTree(
            root: Node(word: node.load(offset)), height: Int(height), count: Int(count))
    }

    @inline(__always)
    func setIndex(_ tree: IndexTree, at slot: Int) {
        let offset = indexOffset(slot)
        node.store(tree.root?.word ?? 0, offset)
        node.store(UInt64(tree.count), offset + 8)
        node.store(UInt32(tree.height), offset + 16)
    }

    /// Returns a copy of the table with an additional index of ascending entries, in the slot that
    /// the order of kinds and columns determines. The edit must own the table.
    func adding(
        _ tree: ColumnTree, _ entries: [IndexTree.Entry], _ edit: NodeEdit
    ) -> Table {
        let slot = (0..<indexCount).count {
            let other = columnTree(at: $0)
            return (other.kind, other.column) < (tree.kind, tree.column)
        }
        let behind = node.count - slot
        let table = withRoom(for: 1, edit)
        let offset = table.indexOffset(slot)
        (table.node.address + offset + Table.indexByteCount).copyMemory(
            from: table.node.address + offset, byteCount: Table.indexByteCount * behind)
        table.node.count += 1
        table.setColumnTree(tree, at: slot)
        table.node.store(0 as UInt64, offset + 24)
        table.setIndex(entries.withUnsafeBufferPointer { IndexTree.build($0, edit) }, at: slot)
        return table
    }

    /// Returns the entries of an index over the rows, ascending.
    ///
    /// - Complexity: O(n log n), or O(n) if the rows have ascending or equal values.
    func indexEntries(of column: ColumnSchema, seed: Identity128) -> [IndexTree.Entry] {
        let defaultKey = IndexKey.key(column.defaultValue, seed: seed)
        var entries: [IndexTree.Entry] = []
        entries.reserveCapacity(count)
        var isAscending = true
        forEachPlace { cluster, place in
            let hasColumn = column.key.index < cluster.slotCount
            let key =
                hasColumn
                ? IndexKey.key(cluster.value(place, column), seed: seed) : defaultKey
            if let last = entries.last, key < last.key { isAscending = false }
            entries.append(
                IndexTree.Entry(key: key, row: cluster.firstKey &+ UInt64(place)))
            return true
        }
        if !isAscending { entries.sort { $0 < $1 } }
        return entries
    }

    /// Returns the entries of a full-text index over the rows, ascending.
    ///
    /// - Complexity: O(n log n) for n words.
    func wordEntries(of column: ColumnSchema, seed: Identity128) -> [IndexTree.Entry] {
        let defaultKeys = WordKey.keys(column.defaultValue, seed: seed)
        var entries: [IndexTree.Entry] = []
        forEachPlace { cluster, place in
            let keys =
                column.key.index < cluster.slotCount
                ? cluster.wordKeys(place, column, seed: seed) : defaultKeys
            let row = cluster.firstKey &+ UInt64(place)
            for key in keys { entries.append(IndexTree.Entry(key: key, row: row)) }
            return true
        }
        entries.sort { $0 < $1 }
        return entries
    }

    /// Returns a copy of the table with additional lists, empty in all rows. The edit must own the
    /// table.
    func addingLists(_ count: Int, _ edit: NodeEdit) -> Table {
        let (first, slots) = (listCount, node.count)
        let table = withRoom(for: 2 * count, edit)
        table.node.count = slots + 2 * count
        table.listCount = first + count
        for place in 0..<2 * count {
            let offset = table.indexOffset(slots + place)
            table.setIndex(IndexTree(), at: slots + place)
            table.node.store(UInt16(first + place / 2), offset + 20)
            table.node.store(UInt16(1 + place % 2), offset + 22)
            table.node.store(0 as UInt64, offset + 24)
        }
        return table
    }

    /// Returns a copy with room for additional trees, which are undefined and not yet counted.
    private func withRoom(for count: Int, _ edit: NodeEdit) -> Table {
        let byteCount = Table.headerByteCount + Table.indexByteCount * (node.count + count)
        let table = Table(edit.copy(node, byteCount: byteCount))
        table.appendNonce = 0
        return table
    }

    /// The number of lists. Each has two trees after those of the indexes.
    @inline(__always)
    var listCount: Int {
        get { Int(truncatingIfNeeded: node.load(44) as UInt32) }
        nonmutating set { node.store(UInt32(truncatingIfNeeded: newValue), 44) }
    }

    /// Returns the slot of a list's sequence tree. The next slot has its backlinks.
    @inline(__always)
    func listSlot(_ list: Int) -> Int { indexCount &+ 2 &* list }

    /// Returns the elements of a list in all rows.
    @inline(__always)
    func elements(_ list: Int) -> SequenceTree { SequenceTree(index(at: listSlot(list))) }

    /// Returns the backlinks of a list: an (element, row) entry for each element in all rows.
    @inline(__always)
    func backlinks(_ list: Int) -> IndexTree { index(at: listSlot(list) + 1) }
}

extension Table {
    /// Calls `body` with the keys of the live rows from `key` on in ascending order until it
    /// returns false.
    func forEachKey(from key: UInt64 = 0, _ body: (UInt64) -> Bool) {
        forEachPlace(from: key) { cluster, row in body(cluster.firstKey &+ UInt64(row)) }
    }

    /// Calls `body` with the positions of the live rows from `key` on in ascending order until it
    /// returns false.
    @inline(__always)
    func forEachPlace(from key: UInt64 = 0, _ body: (Cluster, Int) -> Bool) {
        forEachCluster(from: key) { cluster in
            var row = cluster.firstLiveRow(
                from: cluster.firstKey < key ? Table.row(key) : 0)
            while let place = row {
                if !body(cluster, place) { return false }
                row = place + 1 < rowsPerCluster ? cluster.firstLiveRow(from: place + 1) : nil
            }
            return true
        }
    }
}

extension Cluster {
    /// Returns the keys of a row in the full-text index of a string column, ascending.
    func wordKeys(_ row: Int, _ column: ColumnSchema, seed: Identity128) -> [UInt64] {
        guard column.key.index < slotCount else {
            return WordKey.keys(column.defaultValue, seed: seed)
        }
        if isNull(row, column.key.index) { return [] }
        return WordKey.keys(bytes(row, column.key.index), seed: seed)
    }
}
