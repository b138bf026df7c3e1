/// A leaf of a cluster as checkpoints write it.
struct ClusterLeaf {
    enum Place: Equatable {
        case chunk(column: Int)
        case text(column: Int)
        /// An entry of the large list.
        case large(column: Int, index: Int)
        case versions
    }

    let place: Place
    /// The size of the image, including its header.
    let byteCount: Int
    /// The location of the image in the nodes file, or 0 if there is no current image. For an
    /// integer chunk the low 6 bits are log2 of the width.
    let extent: UInt64
    let crc: UInt32
    /// Log2 of an integer's width, which the low bits of the extent hold; otherwise 0.
    let widthLog2: Int
    /// The node, or `nil` if it hasn't been loaded from its image.
    let node: Node?
    /// The content versions to write, if they differ from those in `node`.
    var versions: [UInt64] = []

    var kind: NodeKind {
        switch place {
        case .chunk, .versions: .chunk
        case .text: .text
        case .large: .largeValue
        }
    }

    /// Writes the image to a buffer of at least `byteCount` bytes. The node must be loaded.
    func copyImage(to: UnsafeMutableRawPointer) {
        guard let node else { preconditionFailure("Can't write a leaf that isn't loaded.") }
        let image = Node(to)
        if versions.isEmpty {
            to.copyMemory(from: node.address, byteCount: byteCount)
        } else {
            image.store(0 as UInt64, 8)
            image.kind = .chunk
            image.count = 8
            for (row, version) in versions.enumerated() {
                image.store(version, Node.headerByteCount + row << 3)
            }
        }
        image.birth = 0
        image.byteCount = byteCount
        image.store(1 as UInt8, 13)
        if kind != .chunk { image.count = 0 }
    }
}

extension Cluster {
    /// Calls `body` for each leaf that a checkpoint of the cluster consists of, without loading
    /// any.
    func forEachLeaf<Failure: Error>(
        _ body: (ClusterLeaf) throws(Failure) -> Void
    ) throws(Failure) {
        if rowCount == 0 { return }
        if !hasUniformVersion {
            let chunk = Node(word: loadWord(node.address + Cluster.versionWordOffset))
            let isCurrent = isVersionImageCurrent
            try body(
                ClusterLeaf(
                    place: .versions, byteCount: Node.headerByteCount + rowCount << 3,
                    extent: isCurrent ? versionExtent : 0, crc: versionCRC, widthLog2: 0,
                    node: isCurrent ? chunk : chunk ?? node,
                    versions: isCurrent ? [] : contentVersions()))
        }
        for column in 0..<slotCount {
            let slot = slot(column)
            let word = storedWord(column)
            let isInt = slot.type == .int
            let widthLog2 = isInt ? Int(word != 0 ? word & 63 : UInt(slot.chunkExtent & 63)) : 0
            let log2 = isInt ? widthLog2 : slot.type.widthLog2
            try body(
                ClusterLeaf(
                    place: .chunk(column: column),
                    byteCount: Node.headerByteCount + rowCount << log2, extent: slot.chunkExtent,
                    crc: slot.chunkCRC, widthLog2: widthLog2, node: Node(word: word & ~63)))
            guard slot.flags.contains(.text) else { continue }
            if slot.textUsed > 0 {
                try body(
                    ClusterLeaf(
                        place: .text(column: column),
                        byteCount: Node.headerByteCount + slot.textUsed, extent: slot.textExtent,
                        crc: slot.textCRC, widthLog2: 0,
                        node: Node(word: loadWord(slot.address + ColumnSlot.aOffset))))
            }
            guard let list = LargeList(word: slot.load(ColumnSlot.bOffset)) else { continue }
            for index in 0..<list.count where !list.isFree(index) {
                try body(
                    ClusterLeaf(
                        place: .large(column: column, index: index),
                        byteCount: Node.headerByteCount + list.length(index),
                        extent: list.extent(index), crc: list.crc(index), widthLog2: 0,
                        node: Node(word: loadWord(list.address(index)))))
            }
        }
    }

    /// Records the location of a leaf's image. `offset` is a nonzero multiple of 64. The caller
    /// must prevent concurrent edits and checkpoints of the cluster.
    func setExtent(of leaf: ClusterLeaf, offset: UInt64, crc: UInt32) {
        switch leaf.place {
        case .chunk(let column):
            slot(column).chunkCRC = crc
            slot(column).chunkExtent = offset | UInt64(leaf.widthLog2)
        case .text(let column):
            slot(column).textCRC = crc
            slot(column).textExtent = offset
        case .large(let column, let index):
            guard let list = LargeList(word: slot(column).load(ColumnSlot.bOffset)) else { return }
            list.set(
                index, word: loadWord(list.address(index)), extent: offset,
                length: list.length(index), crc: crc)
        case .versions:
            versionCRC = crc
            versionExtent = offset
        }
    }
}
