/// The block sizes of the heap and the layout of its spans.
///
///     region  2 MiB at a multiple of 2 MiB: 32 units of 64 KiB
///     span    1, 4, 8 or 32 units at a multiple of its size, for blocks of one size class:
///             its `Span` and its blocks begin 0...15 cache lines in, by the number of its unit,
///             so that the headers of spans don't all map to the same set of the CPU cache
///     block   a multiple of 64 bytes, aligned to 64; a free one holds the address of the next
///
/// A block size is a power of two, or a quarter, a half or three quarters more, plus 64 bytes: most
/// nodes are a power of two plus a header of 16 bytes.
enum HeapLayout {
    static let regionByteCount = 2 << 20
    static let unitByteCount = 64 << 10
    static let regionUnits: UInt32 = .max
    /// Space reserved in each span for its `Span` and its shift.
    static let spanReserve = 1024
    /// The span orders in use. A span of order n has 2^n units.
    static let spanOrders = [0, 2, 3, 5]

    /// The block sizes, ascending.
    static let blockSizes: [Int] = {
        var sizes = Array(stride(from: 64, through: 512, by: 64))
        var power = 512
        while power < 128 << 10 {
            for quarter in 0..<4 { sizes.append(power + power / 4 * quarter + 64) }
            power *= 2
        }
        return sizes + [power + 64]
    }()

    /// The largest block size. Larger blocks get their own mapping.
    static let maximumBlockByteCount = blockSizes[blockSizes.count - 1]

    /// Returns the smallest order whose waste is below a sixteenth, or else the one with the least
    /// waste.
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

    /// Returns the offset of the `Span` in its span.
    @inline(__always)
    static func shift(_ spanBase: UInt) -> UInt { ((spanBase >> 16 ^ spanBase >> 21) & 15) << 6 }
}

/// A size class with its span layout.
struct SizeClass {
    let blockSize: Int
    let order: Int
    /// A mask for the address bits that identify the span.
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

/// The header of a span: 64 bytes at its start.
struct Span {
    /// The neighbors in the list of spans of the class with free blocks.
    var next: UnsafeMutablePointer<Span>?
    var previous: UnsafeMutablePointer<Span>?
    var region: UnsafeMutablePointer<Region>
    /// The head of the list of blocks that were freed.
    var freeBlock: UnsafeMutableRawPointer?
    var firstBlock: UnsafeMutableRawPointer
    /// The number of blocks in use.
    var usedCount: UInt32
    /// The number of blocks ever used. Those from this number on are untouched.
    var madeCount: UInt32
    var blockCount: UInt32
    var sizeClass: UInt32
}

/// The descriptor of a region, kept outside it so that an empty region can be unmapped.
struct Region {
    /// The neighbors in the list of regions whose largest free run has the same order.
    var next: UnsafeMutablePointer<Region>?
    var previous: UnsafeMutablePointer<Region>?
    let base: UnsafeMutableRawPointer
    /// A bit for each unit that isn't part of a span.
    var freeUnits = HeapLayout.regionUnits
    /// The list that contains it: the order of its largest free run, or -1 if it is full.
    var order = -1

    /// Returns the units at which a free run of the order begins, aligned to its size.
    func starts(order: Int) -> UInt32 {
        var runs = freeUnits
        for step in 0..<order { runs &= runs >> (1 << UInt32(step)) }
        return runs & Region.aligned[order]
    }

    /// The order of the largest free run, or -1 if there is none.
    var largestOrder: Int {
        for order in stride(from: 5, through: 0, by: -1) where starts(order: order) != 0 {
            return order
        }
        return -1
    }

    /// Returns the bits of a run of the order that begins at unit 0.
    static func run(order: Int) -> UInt32 { UInt32(truncatingIfNeeded: (1 << (1 << order)) - 1) }

    private static let aligned: [UInt32] = [
        0xFFFF_FFFF, 0x5555_5555, 0x1111_1111, 0x0101_0101, 0x0001_0001, 0x0000_0001,
    ]
}
