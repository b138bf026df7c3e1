/// The offsets at which a cluster refers to other nodes: the part of its layout that `NodeWalk`
/// needs. `Cluster` and `ColumnSlot` define the rest.
enum ClusterOffsets {
    /// The word of the version chunk.
    static let versionWord = 40
    /// The word of the version patch.
    static let versionPatch = 72
    /// The first of the chunk words, one for each slot.
    static let words = 80

    /// The first of the slots.
    @inline(__always)
    static func slots(_ slotCount: Int) -> Int { (words + 8 * slotCount + 63) & ~63 }

    static let slotByteCount = 64

    // In a slot. If it is for text, `a` is the word of the text node and `b` that of the list of
    // large values. Readers may set them (`loadWord`, `storeWord`). Otherwise they are bounds.
    static let a = 0
    static let b = 8
    static let flags = 24

    /// The flag of a slot for strings or data.
    static let textFlag: UInt8 = 16
}
