/// The sizes of block that the heap cuts, and how their spans are laid out.
///
///     region  2 MiB at a multiple of 2 MiB: 32 units of 64 KiB
///     span    1, 4, 8 or 32 units at a multiple of its size, for blocks of one size class:
///             its `Span` and its blocks begin 0...15 cache lines in, by the number of its unit,
///             so that the headers of many spans do not meet in one set of the processor's cache
///     block   a multiple of 64 bytes at a multiple of 64; a free one holds the address of the next
///
/// Sizes are a power of two, or a quarter, a half or three quarters more, and 64 bytes on top: nodes
/// are mostly a power of two behind a header of 16 bytes.
enum HeapLayout {
    static let regionByteCount = 2 << 20
    static let unitByteCount = 64 << 10
    static let regionUnits: UInt32 = .max
    /// Room in each span for the `Span` and for its shift.
    static let spanReserve = 1024
    /// Orders of spans that are used: 2 to that power of units.
    static let spanOrders = [0, 2, 3, 5]

    /// The sizes of block, ascending.
    static let blockSizes: [Int] = {
        var sizes = Array(stride(from: 64, through: 512, by: 64))
        var power = 512
        while power < 128 << 10 {
            for quarter in 0..<4 { sizes.append(power + power / 4 * quarter + 64) }
            power *= 2
        }
        return sizes + [power + 64]
    }()

    /// What is larger gets a mapping of its own.
    static let blockByteCountMax = blockSizes[blockSizes.count - 1]

    /// The smallest order of span that wastes less than a sixteenth, or that wastes least.
    static func spanOrder(blockSize: Int) -> Int {
        var best = (order: 0, waste: Int.max)
        for order in spanOrders {
            let byteCount = unitByteCount << order
            let count = (byteCount - spanReserve) / blockSize
            if count == 0 { continue }
            let waste = (byteCount - count * blockSize) * 4096 / byteCount
            if waste < 256 { return order }
            if waste < best.waste { best = (order, waste) }
        }
        return best.order
    }

    /// How far into a span its `Span` is.
    @inline(__always)
    static func shift(_ spanBase: UInt) -> UInt { ((spanBase >> 16 ^ spanBase >> 21) & 15) << 6 }
}

/// A size class as the heap keeps it.
struct SizeClass {
    let blockSize: Int
    let order: Int
    /// Bits of an address that name the span.
    let spanMask: UInt
    let blockCount: UInt32

    init(blockSize: Int) {
        self.blockSize = blockSize
        order = HeapLayout.spanOrder(blockSize: blockSize)
        let byteCount = HeapLayout.unitByteCount << order
        spanMask = ~UInt(byteCount - 1)
        blockCount = UInt32((byteCount - HeapLayout.spanReserve) / blockSize)
    }
}

/// The head of a span: 64 bytes at its beginning.
struct Span {
    /// Others of the class with room.
    var next: UnsafeMutablePointer<Span>?
    var previous: UnsafeMutablePointer<Span>?
    var region: UnsafeMutablePointer<Region>
    /// The first free block that was in use before.
    var freeBlock: UnsafeMutableRawPointer?
    var firstBlock: UnsafeMutableRawPointer
    /// Blocks in use.
    var usedCount: UInt32
    /// Blocks from this number on were never used.
    var madeCount: UInt32
    var blockCount: UInt32
    var sizeClass: UInt32
}

/// A region, described outside it so that an empty one can be unmapped.
struct Region {
    /// Others whose largest free run has the same order.
    var next: UnsafeMutablePointer<Region>?
    var previous: UnsafeMutablePointer<Region>?
    let base: UnsafeMutableRawPointer
    /// A bit for each unit without a span.
    var freeUnits = HeapLayout.regionUnits
    /// The list it is in: the order of its largest free run, -1 if it is full.
    var order = -1

    /// Units at which a free run of that order may begin, at a multiple of its size.
    func starts(order: Int) -> UInt32 {
        var runs = freeUnits
        for step in 0..<order { runs &= runs >> (1 << UInt32(step)) }
        return runs & Region.aligned[order]
    }

    /// The order of the largest free run, -1 if there is none.
    var largestOrder: Int {
        for order in stride(from: 5, through: 0, by: -1) where starts(order: order) != 0 {
            return order
        }
        return -1
    }

    /// The bits of a run of that order that begins at unit 0.
    static func run(order: Int) -> UInt32 { UInt32(truncatingIfNeeded: (1 << (1 << order)) - 1) }

    private static let aligned: [UInt32] = [
        0xFFFF_FFFF, 0x5555_5555, 0x1111_1111, 0x0101_0101, 0x0001_0001, 0x0000_0001,
    ]
}
