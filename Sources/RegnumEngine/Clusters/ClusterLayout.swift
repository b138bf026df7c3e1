/// The capacity of a cluster. A row's position is `key & (rowsPerCluster - 1)`.
let rowsPerCluster = 1024
/// The number of words in a bitmap of the rows of a cluster.
let wordsPerCluster = 16

/// A cluster: up to 1,024 rows of a class, with a chunk for each column.
///
///     0    header           kind cluster, count = slots
///     16   u32 rowCount     rows ever appended; places from here on are unused
///     20   u32 liveCount    rows that aren't deleted
///     24   u64 firstKey     object key of place 0, a multiple of 1,024
///     32   u64 version      the content version of every row, if there is no version chunk
///     40   u64 versionWord  chunk of u64 content versions, or 0
///     48   u64 versionExtent, 56 u32 versionCRC: location of the version chunk in the nodes file
///     60   u32 frozenRows   rows that other roots may show; later places belong to the edit and
///                           may be written in place, in chunks of any birth
///     64   u64 source       the `NodeSource` of the extents, unretained, or 0
///     72   u64 versionPatch a `VersionPatch` that overrides the versions of some rows, or 0
///     80   u64 x slots      chunk words: address of the chunk + log2 of an integer's width in the
///                           low 6 bits; 0: not loaded from its extent
///     S    64 B x slots     `ColumnSlot`; S is 80 + 8 x slots rounded up to 64
///     L    128 B            live bitmap; L = S + 64 x slots
///     P    128 B each       presence bitmaps of the optional columns, in slot order from L + 128
///
/// A column without a slot was added after the cluster was created; its rows read the default. Bits
/// of rows from `rowCount` on are zero in all bitmaps.
struct Cluster: Equatable {
    let node: Node

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    var slotCount: Int { node.count }

    @inline(__always)
    var rowCount: Int {
        get { Int(node.load(16) as UInt32) }
        nonmutating set { node.store(UInt32(newValue), 16) }
    }

    @inline(__always)
    var liveCount: Int {
        get { Int(node.load(20) as UInt32) }
        nonmutating set { node.store(UInt32(newValue), 20) }
    }

    @inline(__always)
    var firstKey: UInt64 {
        get { node.load(24) }
        nonmutating set { node.store(newValue, 24) }
    }

    @inline(__always)
    var frozenRows: Int {
        get { Int(node.load(60) as UInt32) }
        nonmutating set { node.store(UInt32(newValue), 60) }
    }

    /// The content version of every row, if there is no version chunk.
    @inline(__always)
    var uniformVersion: UInt64 {
        get { node.load(32) }
        nonmutating set { node.store(newValue, 32) }
    }

    @inline(__always)
    var versionExtent: UInt64 {
        get { node.load(48) }
        nonmutating set { node.store(newValue, 48) }
    }

    @inline(__always)
    var versionCRC: UInt32 {
        get { node.load(56) }
        nonmutating set { node.store(newValue, 56) }
    }

    /// The word of the extents' source, or 0.
    @inline(__always)
    var sourceWord: UInt64 {
        get { node.load(64) }
        nonmutating set { node.store(newValue, 64) }
    }

    @inline(__always)
    static func liveOffset(_ slotCount: Int) -> Int {
        ClusterOffsets.slots(slotCount) + ClusterOffsets.slotByteCount * slotCount
    }

    static func byteCount(slotCount: Int, optionalCount: Int) -> Int {
        liveOffset(slotCount) + 128 * (1 + optionalCount)
    }

    /// Returns the stored chunk word of a column, or 0 if it isn't loaded.
    @inline(__always)
    func storedWord(_ column: Int) -> UInt {
        loadWord(node.address + (ClusterOffsets.words &+ 8 &* column))
    }

    @inline(__always)
    func slot(_ column: Int) -> ColumnSlot {
        let offset = ClusterOffsets.slots(slotCount) &+ ClusterOffsets.slotByteCount &* column
        return ColumnSlot(address: node.address + offset)
    }

    /// The 16 words of the live bitmap.
    @inline(__always)
    var live: UnsafeMutablePointer<UInt64> {
        (node.address + Cluster.liveOffset(slotCount)).assumingMemoryBound(to: UInt64.self)
    }

    /// Returns the 16 words of a column's presence bitmap, or `nil` for a required column.
    @inline(__always)
    func presence(_ column: Int) -> UnsafeMutablePointer<UInt64>? {
        let offset = slot(column).presenceOffset
        return offset == 0
            ? nil : (node.address + offset).assumingMemoryBound(to: UInt64.self)
    }
}

/// The metadata of a column in a cluster.
///
///     0   u64 a             integers, dates and doubles: minimum (bits); strings and data: the
///                           text node, or 0 if there is none or it isn't loaded
///     8   u64 b             maximum (bits); strings and data: the large-value list, or 0
///     16  u32 textUsed      bytes of the text node in use
///     20  u32 textDead      of those, bytes of replaced values
///     24  u8  flags         1: a and b bound all values except null and NaN
///                           2: there may be a NaN     4: the text is in row order without gaps
///                           8: there may be a null    16: a string or data column
///     25  u8  type          raw value of the column's `ValueType`
///     26  u16 reserved
///     28  u32 presence      offset of the presence bitmap in the cluster node, 0: required column
///     32  u64 chunkExtent   location of the chunk in the nodes file + log2 of an integer's width
///                           in the low 6 bits; 0: no current image
///     40  u64 textExtent    the same for the text node
///     48  u32 chunkCRC, u32 textCRC
///     56  u64 reserved
///
/// The image of a chunk has `16 + rowCount x width` bytes, that of a text node `16 + textUsed`.
struct ColumnSlot {
    let address: UnsafeMutableRawPointer

    @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int) -> T {
        address.load(fromByteOffset: offset, as: T.self)
    }

    @inline(__always)
    func store<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
        address.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// The offset from the start of the cluster node, or 0 for a required column.
    @inline(__always)
    var presenceOffset: Int {
        get { Int(load(28) as UInt32) }
        nonmutating set { store(UInt32(newValue), 28) }
    }

    @inline(__always)
    var type: ValueType {
        get { ValueType(rawValue: load(25)).unsafelyUnwrapped }
        nonmutating set { store(newValue.rawValue, 25) }
    }

    @inline(__always)
    var flags: ColumnFlags {
        get { ColumnFlags(rawValue: load(ClusterOffsets.flags)) }
        nonmutating set { store(newValue.rawValue, ClusterOffsets.flags) }
    }

    @inline(__always)
    var textUsed: Int {
        get { Int(load(16) as UInt32) }
        nonmutating set { store(UInt32(truncatingIfNeeded: newValue), 16) }
    }

    @inline(__always)
    var textDead: Int {
        get { Int(load(20) as UInt32) }
        nonmutating set { store(UInt32(truncatingIfNeeded: newValue), 20) }
    }

    @inline(__always)
    var chunkExtent: UInt64 {
        get { load(32) }
        nonmutating set { store(newValue, 32) }
    }

    @inline(__always)
    var textExtent: UInt64 {
        get { load(40) }
        nonmutating set { store(newValue, 40) }
    }

    @inline(__always)
    var chunkCRC: UInt32 {
        get { load(48) }
        nonmutating set { store(newValue, 48) }
    }

    @inline(__always)
    var textCRC: UInt32 {
        get { load(52) }
        nonmutating set { store(newValue, 52) }
    }

    /// Extends the bounds of an integer column.
    @inline(__always)
    func include(_ value: Int64) {
        if value < load(0) { store(value, 0) }
        if value > load(8) { store(value, 8) }
    }

    /// Extends the bounds of a double or date column.
    @inline(__always)
    func include(_ value: Double) {
        if value < load(0) { store(value, 0) }
        if value > load(8) { store(value, 8) }
        if value.isNaN { flags.insert(.mayHaveNaN) }
    }
}

/// The flags of a `ColumnSlot`.
struct ColumnFlags: OptionSet {
    let rawValue: UInt8

    /// `a` and `b` bound all values of the column except null and NaN. If there are no such values,
    /// the lower bound is greater than the upper bound.
    static let bounds = ColumnFlags(rawValue: 1)
    static let mayHaveNaN = ColumnFlags(rawValue: 2)
    static let textInRowOrder = ColumnFlags(rawValue: 4)
    static let mayHaveNull = ColumnFlags(rawValue: 8)

    @inline(__always)
    static var text: ColumnFlags { ColumnFlags(rawValue: ClusterOffsets.textFlag) }
}

extension ValueType {
    /// Log2 of the size in bytes of a row in a chunk; for integers, that of the narrowest width.
    @inline(__always)
    var widthLog2: Int {
        switch self {
        case .bool, .int: 0
        case .double, .date: 3
        case .string, .data, .uuid, .objectId, .decimal, .any: 4
        }
    }

    @inline(__always)
    var isText: Bool { self == .string || self == .data || self == .any }
}
