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

    var kind: NodeKind {
        switch place {
        case .chunk, .versions: .chunk
        case .text: .text
        case .large: .largeValue
        }
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
            try body(
                ClusterLeaf(
                    place: .versions, byteCount: Node.headerByteCount + rowCount << 3,
                    extent: isVersionImageCurrent ? versionExtent : 0, crc: versionCRC))
        }
        for column in 0..<slotCount {
            let slot = slot(column)
            let word = storedWord(column)
            let log2 =
                slot.type == .int
                ? Int(word != 0 ? word & 63 : UInt(slot.chunkExtent & 63)) : slot.type.widthLog2
            try body(
                ClusterLeaf(
                    place: .chunk(column: column),
                    byteCount: Node.headerByteCount + rowCount << log2, extent: slot.chunkExtent,
                    crc: slot.chunkCRC))
            guard slot.flags.contains(.text) else { continue }
            if slot.textUsed > 0 {
                try body(
                    ClusterLeaf(
                        place: .text(column: column),
                        byteCount: Node.headerByteCount + slot.textUsed, extent: slot.textExtent,
                        crc: slot.textCRC))
            }
            guard let list = LargeList(word: slot.load(ClusterOffsets.b)) else { continue }
            for index in 0..<list.count where !list.isFree(index) {
                try body(
                    ClusterLeaf(
                        place: .large(column: column, index: index),
                        byteCount: Node.headerByteCount + list.length(index),
                        extent: list.extent(index), crc: list.crc(index)))
            }
        }
    }
}
