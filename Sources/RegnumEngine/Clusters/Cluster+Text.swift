// Strings and data of a cluster that the edit owns.

extension Cluster {
    /// Writes a value into a cell whose previous content was dropped.
    /// - Parameter isLastInOrder: Whether no later row has bytes in the text node.
    @inline(__always)
    func writeText(
        _ bytes: UnsafeRawBufferPointer, _ cell: TextCell, _ column: Int, isLastInOrder: Bool,
        edit: NodeEdit
    ) {
        if bytes.count <= TextCell.maximumInlineByteCount {
            cell.setInline(bytes)
        } else if bytes.count <= TextCell.maximumTextByteCount {
            let offset = reserveText(bytes.count, column, edit: edit)
            (text(column) + offset).copyMemory(
                from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
            cell.setReference(bytes, offset, isLarge: false)
            if !isLastInOrder { slot(column).flags.remove(.textInRowOrder) }
        } else {
            cell.setReference(bytes, addLarge(bytes, column, edit: edit), isLarge: true)
        }
    }

    /// Releases the content of a cell. The cell itself remains and must be overwritten.
    @inline(__always)
    func dropText(_ cell: TextCell, _ column: Int, edit: NodeEdit) {
        if cell.isInline { return }
        if cell.isLarge {
            removeLarge(cell.reference, column, edit: edit)
        } else {
            let slot = slot(column)
            slot.textDead = min(slot.textDead + cell.length, slot.textUsed)
            slot.flags.remove(.textInRowOrder)
        }
    }

    /// Reserves bytes at the end of the text node and returns their offset.
    func reserveText(_ count: Int, _ column: Int, edit: NodeEdit) -> Int {
        let slot = slot(column)
        let used = slot.textUsed
        let needed = Node.headerByteCount + used + count
        if let text = Node(word: loadWord(slot.address + ClusterOffsets.a)) {
            if text.isMapped || text.byteCount < needed {
                let grown = edit.copy(text, byteCount: Cluster.textByteCount(needed))
                grown.count = 0
                slot.store(grown.word, ClusterOffsets.a)
            }
        } else {
            precondition(used == 0, "The text of a chunk isn't loaded.")
            let text = edit.make(.text, byteCount: Cluster.textByteCount(needed))
            slot.store(text.word, ClusterOffsets.a)
        }
        slot.textExtent = 0
        slot.textCRC = 0
        slot.textUsed = used + count
        return used
    }

    /// Removes the text of a damaged chunk, to whose zeros no text belongs.
    func discardText(_ column: Int, edit: NodeEdit) {
        let slot = slot(column)
        if let text = Node(word: loadWord(slot.address + ClusterOffsets.a)) { edit.retire(text) }
        slot.store(0 as UInt, ClusterOffsets.a)
        slot.textExtent = 0
        slot.textCRC = 0
        slot.textUsed = 0
        slot.textDead = 0
    }

    /// Creates the text node of a cluster without text, with room for about `byteCount` bytes.
    func presizeText(_ column: Int, _ byteCount: Int, edit: NodeEdit) {
        let slot = slot(column)
        guard byteCount > 0, loadWord(slot.address + ClusterOffsets.a) == 0 else { return }
        let size = (Node.headerByteCount + byteCount + byteCount / 8 + 255) & ~255
        slot.store(edit.make(.text, byteCount: size).word, ClusterOffsets.a)
    }

    private static func textByteCount(_ needed: Int) -> Int {
        var byteCount = 256
        while byteCount < needed { byteCount *= 2 }
        return byteCount
    }

    @inline(__always)
    func rewriteTextIfSparse(_ column: Int, edit: NodeEdit) {
        let slot = slot(column)
        if slot.textDead > slot.textUsed / 2 + 1024 { rewriteText(column, edit: edit) }
    }

    /// Rewrites the text of each column of which a large part is dead.
    func rewriteSparseTexts(edit: NodeEdit) {
        for column in 0..<slotCount where slot(column).flags.contains(.text) {
            rewriteTextIfSparse(column, edit: edit)
        }
    }

    /// Rewrites the text in row order without gaps.
    @inline(never)
    private func rewriteText(_ column: Int, edit: NodeEdit) {
        let slot = slot(column)
        let rows = writableRows(column, row: 0, edit: edit).address
        let old = Node(word: loadWord(slot.address + ClusterOffsets.a))
        var used = 0
        for row in 0..<rowCount {
            let cell = TextCell(rows + row << 4)
            if cell.isInline || cell.isLarge { continue }
            if isLive(row) { used += cell.length } else { cell.clear() }
        }
        var text: Node?
        if used > 0 {
            text = edit.make(
                .text, byteCount: Cluster.textByteCount(Node.headerByteCount + used))
        }
        var offset = 0
        if let text, let old {
            for row in 0..<rowCount {
                let cell = TextCell(rows + row << 4)
                if cell.isInline || cell.isLarge { continue }
                (text.address + Node.headerByteCount + offset).copyMemory(
                    from: old.address + Node.headerByteCount + cell.reference,
                    byteCount: cell.length)
                cell.reference = offset
                offset += cell.length
            }
        }
        if let old { edit.retire(old) }
        slot.store(text?.word ?? 0, ClusterOffsets.a)
        slot.textExtent = 0
        slot.textCRC = 0
        slot.textUsed = used
        slot.textDead = 0
        slot.flags.insert(.textInRowOrder)
    }

    /// Whether no row has bytes in the text before or among those of an earlier row, as searches of
    /// the whole text expect if the column's flag says so.
    func isTextInRowOrder(_ column: Int) -> Bool {
        let rows = rows(column)
        var end = 0
        for row in 0..<rowCount {
            let cell = TextCell(rows + row << 4)
            if cell.isInline || cell.isLarge { continue }
            if cell.reference < end { return false }
            end = cell.reference + cell.length
        }
        return true
    }

    // MARK: Large values

    @inline(never)
    func addLarge(_ bytes: UnsafeRawBufferPointer, _ column: Int, edit: NodeEdit) -> Int {
        let value = edit.make(.largeValue, byteCount: Node.headerByteCount + bytes.count)
        (value.address + Node.headerByteCount).copyMemory(
            from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        edit.largeByteCount += bytes.count
        let slot = slot(column)
        var index = 0
        let list: LargeList
        if let old = LargeList(word: slot.load(ClusterOffsets.b)) {
            let count = old.count
            while index < count, !old.isFree(index) { index += 1 }
            if index < count {
                list = LargeList(edit.own(old.node))
            } else {
                list = LargeList(
                    edit.copy(old.node, byteCount: LargeList.byteCount(2 * count)))
                for free in count..<2 * count { list.clear(free) }
            }
        } else {
            list = LargeList(edit.makeZeroed(.largeList, byteCount: LargeList.byteCount(4)))
        }
        slot.store(list.node.word, ClusterOffsets.b)
        list.set(index, word: value.word, extent: 0, length: bytes.count, crc: 0)
        return index
    }

    @inline(never)
    func removeLarge(_ index: Int, _ column: Int, edit: NodeEdit) {
        let slot = slot(column)
        guard let old = LargeList(word: slot.load(ClusterOffsets.b)) else { return }
        let list = LargeList(edit.own(old.node))
        slot.store(list.node.word, ClusterOffsets.b)
        if let value = Node(word: loadWord(list.address(index))) { edit.retire(value) }
        if list.extent(index) != 0 { edit.freedFileByteCount += UInt64(list.length(index)) }
        list.clear(index)
    }
}
