import CRegnum

/// A set of the 1,024 rows of a cluster: row i is bit i % 64 of word i / 64.
struct RowMask: Equatable {
    var words: SIMD16<UInt64>

    /// The empty set.
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
    mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    @inline(__always)
    static func & (a: RowMask, b: RowMask) -> RowMask { RowMask(a.words & b.words) }

    @inline(__always)
    static func | (a: RowMask, b: RowMask) -> RowMask { RowMask(a.words | b.words) }

    /// Returns the rows of this mask that aren't in `other`.
    @inline(__always)
    func subtracting(_ other: RowMask) -> RowMask { RowMask(words & ~other.words) }

    @inline(__always)
    private init(_ words: SIMD16<UInt64>) { self.words = words }

    /// Calls `body` with the 16 words for a kernel; the pointer is valid only within `body`.
    @inline(__always)
    mutating func withWords<Result>(_ body: (UnsafeMutablePointer<UInt64>) -> Result) -> Result {
        withUnsafeMutableBytes(of: &words) {
            body($0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self))
        }
    }

    /// Returns the first `count` rows of this mask.
    func prefix(_ count: Int) -> RowMask {
        var left = count
        return filter { _ in
            left -= 1
            return left >= 0
        }
    }

    /// Calls `body` with each row, ascending, until it returns `false`. Returns whether it never
    /// did.
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

    /// Returns the rows of this mask for which `holds` returns `true`.
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
    /// The rows that aren't deleted.
    @inline(__always)
    var liveMask: RowMask { RowMask(live) }

    /// Returns the rows of `mask` that aren't null in a column for which the cluster has a slot.
    @inline(__always)
    func present(_ column: Int, _ mask: RowMask) -> RowMask {
        guard let presence = presence(column) else { return mask }
        return mask & RowMask(presence)
    }
}
