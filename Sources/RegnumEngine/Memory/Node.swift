/// A block of memory that is part of a tree: a header of 16 bytes, followed by content that depends
/// on its kind.
///
///     0   u64 birth      the stamp of the edit that made it (`NodeEdit`)
///     8   u32 byteCount  of the whole block as requested
///     12  u8  kind
///     13  u8  flags      1: part of a file image, not of the heap
///     14  u16 count      slots of a cluster, entries of an index node, the width of a chunk
///
/// Nodes aren't reference counted. Code that follows a pointer to a node must hold a registered
/// root that contains it, or be the edit that made it. Heap nodes are aligned to 64 bytes.
struct Node: Equatable {
    let address: UnsafeMutableRawPointer

    static let headerByteCount = 16

    @inline(__always)
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// Creates a node from a stored word, or returns `nil` for 0.
    @inline(__always)
    init?(word: UInt) {
        guard let address = UnsafeMutableRawPointer(bitPattern: word) else { return nil }
        self.address = address
    }

    /// The address as stored in parent nodes.
    @inline(__always)
    var word: UInt { UInt(bitPattern: address) }

    @inline(__always)
    var birth: UInt64 {
        get { load(0) }
        nonmutating set { store(newValue, 0) }
    }

    /// The size of the whole block. Traps on a size that doesn't fit into 32 bits: storing it
    /// truncated would corrupt memory. The limits on what files contain are far lower.
    @inline(__always)
    var byteCount: Int {
        get { Int(load(8) as UInt32) }
        nonmutating set { store(UInt32(newValue), 8) }
    }

    @inline(__always)
    var kind: NodeKind {
        get { NodeKind(rawValue: load(12)) }
        nonmutating set { store(newValue.rawValue, 12) }
    }

    @inline(__always)
    var isMapped: Bool { (load(13) as UInt8) & 1 != 0 }

    @inline(__always)
    var count: Int {
        get { Int(load(14) as UInt16) }
        nonmutating set { store(UInt16(truncatingIfNeeded: newValue), 14) }
    }

    @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int) -> T {
        address.load(fromByteOffset: offset, as: T.self)
    }

    @inline(__always)
    func store<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
        address.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }
}

/// The kind of a node. The raw values are part of file images.
struct NodeKind: RawRepresentable, Equatable {
    let rawValue: UInt8

    static let directory = NodeKind(rawValue: 1)
    static let table = NodeKind(rawValue: 2)
    static let clusterInner = NodeKind(rawValue: 3)
    static let cluster = NodeKind(rawValue: 4)
    static let chunk = NodeKind(rawValue: 5)
    static let text = NodeKind(rawValue: 6)
    static let largeList = NodeKind(rawValue: 7)
    static let largeValue = NodeKind(rawValue: 8)
    static let indexLeaf = NodeKind(rawValue: 9)
    static let indexInner = NodeKind(rawValue: 10)
    /// A freed node, in debug and checked builds.
    static let freed = NodeKind(rawValue: 0xFD)
}
