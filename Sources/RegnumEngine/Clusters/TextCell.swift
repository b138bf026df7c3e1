/// The 16 bytes of a string or data row in its chunk:
///
///     u32 length; up to 12: the bytes themselves, padded with 0
///     13...4096: the first 4 bytes, u32 offset in the text node (from its offset 16), u32 0
///     more: the first 4 bytes, u32 index into the large list, u32 1
struct TextCell {
    let address: UnsafeMutableRawPointer

    static let maximumInlineByteCount = 12
    static let maximumTextByteCount = 4096

    @inline(__always)
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    @inline(__always)
    var length: Int { Int(address.load(as: UInt32.self)) }

    @inline(__always)
    var isInline: Bool { length <= TextCell.maximumInlineByteCount }

    @inline(__always)
    var isLarge: Bool { !isInline && address.load(fromByteOffset: 12, as: UInt32.self) != 0 }

    /// The offset in the text node, or the index into the large list. Undefined for inline values.
    @inline(__always)
    var reference: Int {
        get { Int(address.load(fromByteOffset: 8, as: UInt32.self)) }
        nonmutating set {
            address.storeBytes(of: UInt32(newValue), toByteOffset: 8, as: UInt32.self)
        }
    }

    @inline(__always)
    var prefix: UInt32 { address.load(fromByteOffset: 4, as: UInt32.self) }

    /// Whether the bytes after those of an inline value are 0.
    var isPadded: Bool {
        let head = address.load(as: UInt64.self)
        let tail = address.load(fromByteOffset: 8, as: UInt64.self)
        let bitCount = UInt64(8 * length)
        return bitCount < 32
            ? head >> (32 + bitCount) == 0 && tail == 0 : tail >> (bitCount - 32) == 0
    }

    @inline(__always)
    func clear() {
        address.storeBytes(of: 0 as UInt64, as: UInt64.self)
        address.storeBytes(of: 0 as UInt64, toByteOffset: 8, as: UInt64.self)
    }

    /// Writes the length and up to 12 bytes.
    @inline(__always)
    func setInline(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        var first: UInt64 = UInt64(truncatingIfNeeded: count)
        var second: UInt64 = 0
        if let base = bytes.baseAddress {
            if count >= 8 {
                let head = base.loadUnaligned(as: UInt64.self)
                let tail = base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                first |= head << 32
                // The bytes from 4 on: 4 of the head, then those of the tail beyond the first 8.
                second = head >> 32
                if count > 8 {
                    let rest = tail >> UInt64(truncatingIfNeeded: 8 &* (16 &- count))
                    second |= rest << 32
                }
            } else {
                var bits: UInt64 = 0
                for index in 0..<count { bits |= UInt64(bytes[index]) << UInt64(8 &* index) }
                first |= bits << 32
                second = bits >> 32
            }
        }
        address.storeBytes(of: first, as: UInt64.self)
        address.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    }

    /// Writes the length, the first 4 of `bytes` (more than 12), and the reference.
    @inline(__always)
    func setReference(_ bytes: UnsafeRawBufferPointer, _ reference: Int, isLarge: Bool) {
        let prefix = bytes.loadUnaligned(as: UInt32.self)
        let first = UInt64(truncatingIfNeeded: bytes.count) | UInt64(prefix) << 32
        let second = UInt64(truncatingIfNeeded: reference) | (isLarge ? 1 << 32 : 0)
        address.storeBytes(of: first, as: UInt64.self)
        address.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    }
}

/// The values of a column of a cluster that exceed 4,096 bytes: entries of 24 bytes from offset 16,
///
///     u64 address of the value's node, 0: not loaded    u64 extent    u32 length    u32 crc
///
/// An entry with address 0 and extent 0 is free.
struct LargeList {
    let node: Node

    static let entryByteCount = 24

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    init?(word: UInt) {
        guard let node = Node(word: word) else { return nil }
        self.node = node
    }

    var count: Int { (node.byteCount - Node.headerByteCount) / LargeList.entryByteCount }

    @inline(__always)
    func address(_ index: Int) -> UnsafeMutableRawPointer {
        node.address + (Node.headerByteCount &+ LargeList.entryByteCount &* index)
    }

    func extent(_ index: Int) -> UInt64 { address(index).load(fromByteOffset: 8, as: UInt64.self) }
    func length(_ index: Int) -> Int {
        Int(address(index).load(fromByteOffset: 16, as: UInt32.self))
    }
    func crc(_ index: Int) -> UInt32 { address(index).load(fromByteOffset: 20, as: UInt32.self) }

    func isFree(_ index: Int) -> Bool { loadWord(address(index)) == 0 && extent(index) == 0 }

    /// The number of entries that aren't free.
    var usedCount: Int { (0..<count).count { !isFree($0) } }

    static func byteCount(_ count: Int) -> Int { Node.headerByteCount + entryByteCount * count }

    func clear(_ index: Int) { set(index, word: 0, extent: 0, length: 0, crc: 0) }

    /// Sets an entry. No other root may show the list.
    func set(_ index: Int, word: UInt, extent: UInt64, length: Int, crc: UInt32) {
        let entry = address(index)
        entry.storeBytes(of: UInt64(word), as: UInt64.self)
        entry.storeBytes(of: extent, toByteOffset: 8, as: UInt64.self)
        entry.storeBytes(of: UInt32(length), toByteOffset: 16, as: UInt32.self)
        entry.storeBytes(of: crc, toByteOffset: 20, as: UInt32.self)
    }
}
