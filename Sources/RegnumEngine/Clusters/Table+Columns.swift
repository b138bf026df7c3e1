// Clearing or moving entire columns of a table, cluster by cluster, without visiting rows.

extension Table {
    /// Clears a column in all rows. It then has type bool, and is null or (if required) false
    /// everywhere.
    ///
    /// - Complexity: O(n / 1,024).
    mutating func vacate(_ column: ColumnKey, edit: NodeEdit) {
        forEachOwnCluster(edit) { cluster in
            guard column.index < cluster.slotCount else { return cluster }
            cluster.retireContent(of: column.index, edit: edit)
            cluster.vacate(column.index, edit: edit)
            return cluster
        }
    }

    /// Moves all values of a column to a later one of the same type and default, replacing its
    /// values. `source` is then cleared as by `vacate`. `columns` are all columns of the class.
    ///
    /// - Complexity: O(n / 1,024).
    mutating func move(
        _ source: ColumnKey, to target: ColumnKey, columns: [ColumnSchema], edit: NodeEdit
    ) {
        forEachOwnCluster(edit) { cluster in
            // Without the source it doesn't have the target either, and both read the default.
            guard source.index < cluster.slotCount else { return cluster }
            let wide =
                target.index < cluster.slotCount
                ? cluster : cluster.addingSlots(columns, edit: edit)
            wide.retireContent(of: target.index, edit: edit)
            wide.moveContent(of: source.index, to: target.index)
            wide.vacate(source.index, edit: edit)
            return wide
        }
    }

    /// Makes the edit own each cluster, calls `body` with it, and replaces it with the result.
    private mutating func forEachOwnCluster(_ edit: NodeEdit, _ body: (Cluster) -> Cluster) {
        own(edit)
        appendNonce = 0
        Table.visitOwn(node.address + 16, height, edit, body)
    }

    private static func visitOwn(
        _ place: UnsafeMutableRawPointer, _ level: Int, _ edit: NodeEdit,
        _ body: (Cluster) -> Cluster
    ) {
        guard var inner = Node(word: place.load(as: UInt.self)) else { return }
        if level == 0 {
            let cluster = body(ownCluster(place, edit))
            place.storeBytes(of: cluster.node.word, as: UInt.self)
            return
        }
        if !edit.owns(inner) {
            inner = edit.copy(inner, byteCount: ClusterInner.byteCount)
            place.storeBytes(of: inner.word, as: UInt.self)
        }
        for index in 0..<32 {
            visitOwn(ClusterInner(inner).childAddress(index), level - 1, edit, body)
        }
    }

    /// Removes an index from the table, making the edit own it.
    mutating func removeIndex(at slot: Int, _ edit: NodeEdit) {
        own(edit)
        appendNonce = 0
        Table.retireTree(index(at: slot), edit)
        let offset = indexOffset(slot)
        (node.address + offset).copyMemory(
            from: node.address + offset + Table.indexByteCount,
            byteCount: Table.indexByteCount * (node.count - slot - 1))
        node.count -= 1
    }

    /// Empties a list in all rows, making the edit own the table.
    mutating func emptyList(_ list: Int, _ edit: NodeEdit) {
        own(edit)
        for slot in [listSlot(list), listSlot(list) + 1] {
            Table.retireTree(index(at: slot), edit)
            setIndex(IndexTree(), at: slot)
        }
    }

    private static func retireTree(_ tree: IndexTree, _ edit: NodeEdit) {
        guard let root = tree.root else { return }
        var open = [root]
        while let node = open.popLast() {
            NodeWalk.forEachChild(of: node) { open.append($0) }
            edit.retire(node)  // may be freed here
        }
    }
}

extension Cluster {
    /// Retires the nodes of a column. Its slot must then be refilled.
    func retireContent(of column: Int, edit: NodeEdit) {
        if let chunk = Node(word: storedWord(column) & ~63) { edit.retire(chunk) }
        let slot = slot(column)
        guard slot.flags.contains(.text) else { return }
        if let text = Node(word: slot.load(ClusterOffsets.a)) { edit.retire(text) }
        if slot.textExtent != 0 { edit.freedFileByteCount += UInt64(slot.textUsed) }
        guard let list = LargeList(word: slot.load(ClusterOffsets.b)) else { return }
        for index in 0..<list.count {
            if list.extent(index) != 0 { edit.freedFileByteCount += UInt64(list.length(index)) }
            if let value = Node(word: list.address(index).load(as: UInt.self)) {
                edit.retire(value)
            }
        }
        edit.retire(list.node)
    }

    /// Turns a column whose nodes were retired into a bool column of null or false.
    func vacate(_ column: Int, edit: NodeEdit) {
        let slot = slot(column)
        let presenceOffset = slot.presenceOffset
        slot.address.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
        slot.presenceOffset = presenceOffset
        slot.type = .bool
        if let presence = presence(column) {
            presence.update(repeating: 0, count: wordsPerCluster)
            slot.flags = .mayHaveNull
        }
        let byteCount = Node.headerByteCount + Cluster.capacity(for: rowCount)
        let chunk = edit.makeZeroed(.chunk, byteCount: byteCount)
        chunk.count = 1
        setWord(column, chunk.word)
    }

    /// Moves the content of a column to another one. The source must then be refilled.
    fileprivate func moveContent(of source: Int, to target: Int) {
        let (from, to) = (slot(source), slot(target))
        let presenceOffset = to.presenceOffset
        to.address.copyMemory(from: from.address, byteCount: 64)
        to.presenceOffset = presenceOffset
        if let bits = presence(target) {
            bits.update(from: presence(source) ?? live, count: wordsPerCluster)
        }
        setWord(target, storedWord(source))
    }
}
