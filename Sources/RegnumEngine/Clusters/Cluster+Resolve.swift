// Loading leaves from their images on first access. Several readers may do so concurrently: each
// finds the same bytes, and stores the word once everything it refers to is complete. The content
// is validated here once for all rows, so later reads need no checks. An image that doesn't match
// its cluster is replaced by zeros (`NodeSource.damaged`), whose word isn't stored.

import RegnumStore

extension Cluster {
    /// Loads the chunk of a column from its image, with the text it refers to.
    @inline(never)
    func resolveChunk(_ column: Int) -> UInt {
        let place = node.address + (ClusterOffsets.words &+ 8 &* column)
        if let word = TransientLeaves.word(at: place) { return word }
        let slot = slot(column)
        let type = slot.type
        let extent = slot.chunkExtent
        let log2 = type == .int ? Int(extent & 63) : type.widthLog2
        guard extent != 0, log2 <= (type == .int ? 3 : 4), let source = NodeSource.named(sourceWord)
        else { return ZeroRows.word }
        let byteCount = Node.headerByteCount + rowCount << log2
        let offset = extent & ~63
        var image = source.image(
            .chunk, at: offset, byteCount: byteCount, crc: slot.chunkCRC, count: 1 << log2)
        guard image.isSound else { return Cluster.word(image, log2: type == .int ? log2 : 0) }
        var isSound = areSound(image.address + Node.headerByteCount, type)
        var textDamage: StoreError?
        if type.isText {
            textDamage = resolveText(slot, source)
            isSound =
                textDamage == nil
                && areCellsSound(column, slot, image.address + Node.headerByteCount)
        }
        if !isSound {
            image = source.damaged(.chunk, at: offset, byteCount: byteCount, cause: textDamage)
        }
        let word = Cluster.word(image, log2: type == .int ? log2 : 0)
        if isSound { Cluster.keep(word, at: place, of: source) }
        return word
    }

    /// Stores the word of a loaded leaf in its parent, or keeps it for the calling thread.
    static func keep(_ word: UInt, at place: UnsafeMutableRawPointer, of source: NodeSource) {
        if !TransientLeaves.keep(word, at: place, of: source) { storeWord(word, place) }
    }

    /// Returns whether the rows of a chunk, unless it is of texts, have the form that values of the
    /// type have, on which comparisons rely.
    private func areSound(_ rows: UnsafeMutableRawPointer, _ type: ValueType) -> Bool {
        switch type {
        case .bool:
            (0..<rowCount).allSatisfy { rows.load(fromByteOffset: $0, as: UInt8.self) <= 1 }
        case .date:
            (0..<rowCount).allSatisfy {
                !rows.load(fromByteOffset: $0 << 3, as: Double.self).isNaN
            }
        case .objectId:
            (0..<rowCount).allSatisfy {
                rows.load(fromByteOffset: $0 << 4 + 12, as: UInt32.self) == 0
            }
        case .int, .double, .uuid, .decimal, .string, .data, .any: true
        }
    }

    /// Returns the chunk word of an image.
    private static func word(_ image: NodeSource.Image, log2: Int) -> UInt {
        let word = UInt(bitPattern: image.address)
        precondition(word & 63 == 0, "An image isn't aligned to 64 bytes.")
        return word | UInt(log2)
    }

    /// Loads the text node of a chunk. Returns its damage, if any.
    private func resolveText(_ slot: ColumnSlot, _ source: NodeSource) -> StoreError? {
        if slot.textUsed == 0 || textWord(slot) != 0 { return nil }
        let place = slot.address + ClusterOffsets.a
        let byteCount = Node.headerByteCount + slot.textUsed
        let image = source.image(
            .text, at: slot.textExtent, byteCount: byteCount, crc: slot.textCRC, count: 0)
        if image.isSound { Cluster.keep(UInt(bitPattern: image.address), at: place, of: source) }
        return image.damage
    }

    /// Returns a copy of the cluster for an edit, made by `copyNode`. Readers may load leaves of
    /// the original at the same time.
    @inline(__always)
    func copied(_ copyNode: (Node) -> Node) -> Cluster {
        let copy = Cluster(copyNode(node))
        copy.copyLoadedWords(of: self)
        copy.frozenRows = copy.rowCount
        return copy
    }

    /// Copies the words that readers set when they load leaves from `original`, of which the
    /// cluster is a copy. The memory was copied in no particular order, so if a reader was loading
    /// a chunk at the time, the copy may have the word of the chunk without that of its text.
    ///
    /// Such words refer to images, which belong to the source, so both clusters can have them.
    private func copyLoadedWords(of original: Cluster) {
        guard sourceWord != 0 else { return }
        node.store(original.versionWord, ClusterOffsets.versionWord)
        for column in 0..<slotCount {
            // The chunk first: once its word is set, that of its text is as well.
            setWord(column, original.storedWord(column))
            let (from, to) = (original.slot(column), slot(column))
            guard to.flags.contains(.text) else { continue }
            storeWord(
                loadWord(from.address + ClusterOffsets.a), to.address + ClusterOffsets.a)
        }
    }

    /// Returns whether each cell is padded or refers to existing bytes, which must be UTF-8 for a
    /// string column and a value for one of any type, and whether nothing else is counted as used.
    /// Comparisons of whole cells rely on the padding and the first 4 bytes. Each large
    /// value must belong to exactly one cell: it is removed with its row, and another row's then
    /// takes its place. Writers maintain this, and their limits depend on it: text that no row has
    /// and that isn't counted as dead would never be rewritten.
    private func areCellsSound(
        _ column: Int, _ slot: ColumnSlot, _ rows: UnsafeMutableRawPointer
    ) -> Bool {
        let type = slot.type
        let textUsed = slot.textUsed
        let textWord = textWord(slot)
        let list = LargeList(word: slot.load(ClusterOffsets.b))
        var large: Set<Int> = []
        var byteCount = 0
        for row in 0..<rowCount {
            let cell = TextCell(rows + row << 4)
            let length = cell.length
            let bytes: UnsafeRawBufferPointer
            if cell.isInline {
                guard cell.isPadded else { return false }
                bytes = UnsafeRawBufferPointer(start: cell.address + 4, count: length)
            } else if cell.isLarge {
                guard length > TextCell.maximumTextByteCount, let list, cell.reference < list.count,
                    list.length(cell.reference) == length, !list.isFree(cell.reference),
                    large.insert(cell.reference).inserted
                else { return false }
                continue
            } else {
                guard length <= TextCell.maximumTextByteCount, textWord != 0,
                    cell.reference + length <= textUsed
                else { return false }
                bytes = UnsafeRawBufferPointer(
                    start: Cluster.rows(textWord) + cell.reference, count: length)
                guard bytes.loadUnaligned(as: UInt32.self) == cell.prefix else { return false }
                byteCount += length
            }
            if length == 0, type == .any {
                if isLive(row), !isNull(row, column) { return false }
            } else if !Cluster.areSound(bytes, type) {
                return false
            }
        }
        // Bytes that cells share, and those of deleted rows, count several times.
        return large.count == (list?.usedCount ?? 0) && byteCount + slot.textDead >= textUsed
    }

    /// Returns whether the bytes of a value are well-formed.
    private static func areSound(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) -> Bool {
        switch type {
        case .string: isUTF8(bytes)
        case .any: AnyContent.areSound(bytes)
        default: true
        }
    }

    /// Returns the bytes of a value in the large list.
    ///
    /// - Parameter prefix: The first 4 bytes according to its cell; `nil` if they don't matter.
    func largeBytes(_ column: Int, _ index: Int, prefix: UInt32? = nil) -> UnsafeRawBufferPointer {
        guard let list = LargeList(word: slot(column).load(ClusterOffsets.b)) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        var word = loadWord(list.address(index))
        if word == 0 { word = resolveLarge(list, index, slot(column).type, prefix) }
        return UnsafeRawBufferPointer(start: Cluster.rows(word), count: list.length(index))
    }

    @inline(never)
    private func resolveLarge(
        _ list: LargeList, _ index: Int, _ type: ValueType, _ prefix: UInt32?
    ) -> UInt {
        let place = list.address(index)
        if let word = TransientLeaves.word(at: place) { return word }
        guard let source = NodeSource.named(sourceWord) else {
            preconditionFailure("A large value is neither in memory nor in a file.")
        }
        let length = list.length(index)
        let byteCount = Node.headerByteCount + length
        let offset = list.extent(index)
        var image = source.image(
            .largeValue, at: offset, byteCount: byteCount, crc: list.crc(index), count: 0)
        let bytes = UnsafeRawBufferPointer(
            start: image.address + Node.headerByteCount, count: length)
        let isPrefix = prefix == nil || prefix == bytes.loadUnaligned(as: UInt32.self)
        if image.isSound, !isPrefix || !Cluster.areSound(bytes, type) {
            image = source.damaged(.largeValue, at: offset, byteCount: byteCount)
        }
        let word = UInt(bitPattern: image.address)
        // Without the prefix, the next access compares it.
        if image.isSound, prefix != nil { Cluster.keep(word, at: place, of: source) }
        return word
    }
}

/// Zeros used for the chunks of a cluster without rows or without an image.
enum ZeroRows {
    /// Initialized before first use and never freed. Never stored in a cluster, so that a writer
    /// creates a chunk of its own.
    static let word: UInt = {
        let byteCount = Node.headerByteCount + 16 * rowsPerCluster
        let address = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let node = Node(address)
        node.byteCount = byteCount
        node.kind = .chunk
        node.store(1 as UInt8, 13)
        return UInt(bitPattern: address)
    }()
}
