/// A block of memory that is part of a tree: a header of 16 bytes, then what its kind says.
///
///     0   u64 birth      the stamp of the edit that made it (`NodeEdit`)
///     8   u32 byteCount  of the whole block as it was asked for
///     12  u8  kind
///     13  u8  flags      1: part of a file image, not of the heap
///     14  u16 count      slots of a cluster, entries of an index node, the width of a chunk
///
/// Nodes are not reference counted. Whoever follows a pointer to one holds a registered root in
/// which it lies, or is the edit that made it. The address is a multiple of 64 on the heap.
struct Node: Equatable {
    let address: UnsafeMutableRawPointer

    static let headerByteCount = 16

    @inline(__always)
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// The node that a stored word points to, or nil for 0.
    @inline(__always)
    init?(word: UInt) {
        guard let address = UnsafeMutableRawPointer(bitPattern: word) else { return nil }
        self.address = address
    }

    /// The address as parents store it.
    @inline(__always)
    var word: UInt { UInt(bitPattern: address) }

    @inline(__always)
    var birth: UInt64 {
        get { load(0) }
        nonmutating set { store(newValue, 0) }
    }

    @inline(__always)
    var byteCount: Int {
        get { Int(load(8) as UInt32) }
        nonmutating set { store(UInt32(truncatingIfNeeded: newValue), 8) }
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

/// What a node is. Raw values are in file images.
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
    /// What the checked build makes of a freed node.
    static let freed = NodeKind(rawValue: 0xFD)
}
