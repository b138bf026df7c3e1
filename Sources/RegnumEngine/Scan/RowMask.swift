import CRegnum

/// Some of the 1,024 rows of a cluster: row i is bit i % 64 of word i / 64.
struct RowMask: Equatable {
    var words: SIMD16<UInt64>

    /// No row.
    @inline(__always)
    init() { words = SIMD16() }

    @inline(__always)
    init(_ words: UnsafePointer<UInt64>) {
        self.words = UnsafeRawPointer(words).loadUnaligned(as: SIMD16<UInt64>.self)
    }

    /// The first `count` rows.
    init(first count: Int) {
        words = SIMD16()
        for word in 0..<(count >> 6) { words[word] = .max }
        if count & 63 != 0 { words[count >> 6] = (1 << UInt64(count & 63)) &- 1 }
    }

    @inline(__always)
    var isEmpty: Bool {
        var any: UInt64 = 0
        for word in 0..<wordsPerCluster { any |= words[word] }
        return any == 0
    }

    @inline(__always)
    var count: Int {
        var mask = self
        return mask.withWords { cregnum_mask_count($0) }
    }

    @inline(__always)
    func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    @inline(__always)
    mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    @inline(__always)
    mutating func remove(_ row: Int) { words[row >> 6] &= ~(1 << UInt64(row & 63)) }

    @inline(__always)
    static func & (a: RowMask, b: RowMask) -> RowMask { RowMask(a.words & b.words) }

    @inline(__always)
    static func | (a: RowMask, b: RowMask) -> RowMask { RowMask(a.words | b.words) }

    /// The rows of this mask that are not in `other`.
    @inline(__always)
    func subtracting(_ other: RowMask) -> RowMask { RowMask(words & ~other.words) }

    @inline(__always)
    private init(_ words: SIMD16<UInt64>) { self.words = words }

    /// The 16 words for a kernel; the pointer is good within `body` only.
    @inline(__always)
    mutating func withWords<Result>(_ body: (UnsafeMutablePointer<UInt64>) -> Result) -> Result {
        withUnsafeMutableBytes(of: &words) {
            body($0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self))
        }
    }

    /// Calls `body` with each row, ascending, until it returns false; returns whether it never did.
    @inline(__always)
    @discardableResult
    func visit(_ body: (Int) -> Bool) -> Bool {
        for word in 0..<wordsPerCluster {
            var bits = words[word]
            while bits != 0 {
                if !body(64 &* word &+ bits.trailingZeroBitCount) { return false }
                bits &= bits &- 1
            }
        }
        return true
    }

    /// The rows of this mask for which `holds`.
    @inline(__always)
    func filter(_ holds: (Int) -> Bool) -> RowMask {
        var result = RowMask()
        visit { row in
            if holds(row) { result.insert(row) }
            return true
        }
        return result
    }
}

extension Cluster {
    /// The rows that were not deleted.
    @inline(__always)
    var liveMask: RowMask { RowMask(live) }

    /// The rows of `mask` that are not null in a column that the cluster has a slot for.
    @inline(__always)
    func present(_ column: Int, _ mask: RowMask) -> RowMask {
        guard let presence = presence(column) else { return mask }
        return mask & RowMask(presence)
    }
}
