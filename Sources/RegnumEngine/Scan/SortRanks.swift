import CRegnum
import Glibc
import RegnumStore

/// The values of the first sort term as 64-bit ranks, which ascend in the order of the result.
///
/// Ranks of integers, booleans, doubles and dates determine the order except for ties, which go by
/// object key. Ranks of other types don't distinguish values with the same leading bytes. Null and
/// the value with the same rank (the least integer) are distinguished by bit 63 of the key: the one
/// with the bit set comes later.
struct SortRank {
    let column: ResolvedColumn
    let isDescending: Bool

    /// The bit that distinguishes null from values.
    static let flag: UInt64 = 1 << 63

    /// Whether ranks alone determine the order of the type's values.
    static func decides(_ type: ValueType) -> Bool {
        switch type {
        case .bool, .int, .double, .date: true
        case .string, .data, .uuid, .objectId, .decimal, .any: false
        }
    }

    /// Returns the rank and flag of a value.
    static func rank(_ value: Value, isDescending: Bool) -> (rank: UInt64, flag: UInt64) {
        let ascending: UInt64
        switch value {
        case .null: ascending = 0
        case .bool(let x): ascending = x ? 2 : 1
        case .int(let x): ascending = UInt64(bitPattern: x) ^ (1 << 63)
        case .double(let x), .date(let x):
            ascending = x.isNaN ? 1 : ascendingBits(x)
        case .string(let x): ascending = withUTF8(x) { leadingBytes($0) }
        case .data(let x): ascending = x.withUnsafeBytes { leadingBytes($0) }
        case .uuid(let x): ascending = x.high
        case .objectId(let x): ascending = x.high
        case .decimal(let x): ascending = SortRank.beginning(x)
        case .any(let x): ascending = x.withUnsafeBytes { AnyBytes.sortRank($0) }
        }
        return (
            isDescending ? ~ascending : ascending,
            value.isNull == isDescending ? SortRank.flag : 0
        )
    }

    /// Returns a rank from the double nearest to a decimal. Rounding is monotonic: a greater
    /// decimal never has a lesser double.
    private static func beginning(_ decimal: DecimalBits) -> UInt64 {
        let nearest = decimal.doubleValue
        return nearest.isNaN ? 1 : ascendingBits(nearest)
    }

    /// Writes the ranks of the cluster's rows below `rowCount`; only those of `rows` are
    /// meaningful. Returns the rows that have the flag.
    func fill(
        _ cluster: Cluster, _ rows: RowMask, _ ranks: UnsafeMutablePointer<UInt64>
    ) -> RowMask {
        let count = cluster.rowCount
        guard column.isStored(in: cluster) else {
            let (rank, flag) = SortRank.rank(column.fallback, isDescending: isDescending)
            ranks.update(repeating: rank, count: count)
            return flag == 0 ? RowMask() : rows
        }
        fillPresent(cluster, rows, ranks)
        let present = cluster.present(column.index, rows)
        let nulls = rows.subtracting(present)
        let (null, _) = SortRank.rank(.null, isDescending: isDescending)
        nulls.visit { row in
            ranks[row] = null
            return true
        }
        return isDescending ? nulls : present
    }

    private func fillPresent(
        _ cluster: Cluster, _ rows: RowMask, _ ranks: UnsafeMutablePointer<UInt64>
    ) {
        let count = cluster.rowCount
        switch column.type {
        case .int:
            let word = cluster.chunk(column.index)
            cregnum_rank_ints(
                Cluster.rows(word), count, Int32(truncatingIfNeeded: word & 63), isDescending,
                ranks)
        case .double, .date:
            cregnum_rank_doubles(cluster.rows(column.index), count, isDescending, ranks)
        case .bool:
            let values = cluster.rows(column.index)
            for row in 0..<count {
                let rank: UInt64 = values.load(fromByteOffset: row, as: UInt8.self) != 0 ? 2 : 1
                ranks[row] = isDescending ? ~rank : rank
            }
        case .uuid, .objectId:
            let values = cluster.rows(column.index)
            for row in 0..<count {
                let rank = values.load(fromByteOffset: 16 &* row, as: UInt64.self)
                ranks[row] = isDescending ? ~rank : rank
            }
        case .decimal:
            let values = cluster.rows(column.index)
            for row in 0..<count {
                let high = values.load(fromByteOffset: 16 &* row, as: UInt64.self)
                let low = values.load(fromByteOffset: 16 &* row &+ 8, as: UInt64.self)
                let rank = SortRank.beginning(DecimalBits(high: high, low: low))
                ranks[row] = isDescending ? ~rank : rank
            }
        case .any:
            cluster.present(column.index, rows).visit { row in
                let rank = AnyBytes.sortRank(cluster.bytes(row, column.index))
                ranks[row] = isDescending ? ~rank : rank
                return true
            }
        case .string, .data:
            column.rankText(cluster, rows, isDescending, ranks)
        }
    }
}

/// A growing buffer of (rank, key) pairs, collected cluster by cluster and then sorted.
struct PairBuffer: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private var pairs: UnsafeMutablePointer<cregnum_pair>?
    private let ranks: UnsafeMutablePointer<UInt64>
    private let rank: SortRank
    /// Only pairs before this one are collected.
    private var limit = cregnum_pair(rank: .max, key: .max)

    init(_ rank: SortRank) {
        self.rank = rank
        ranks = allocateBuffer(UInt64.self, rowsPerCluster)
    }

    deinit {
        free(pairs)
        free(ranks)
    }

    /// Appends the rows of a cluster.
    @inline(__always)
    mutating func append(_ cluster: Cluster, _ rows: RowMask) {
        if count &+ rowsPerCluster > capacity { reserve(max(2 * capacity, 4 * rowsPerCluster)) }
        guard let pairs else { return }
        var rows = rows
        var flagged = rank.fill(cluster, rows, ranks)
        let firstKey = cluster.firstKey
        count &+= rows.withWords { rows in
            flagged.withWords { flagged in
                cregnum_collect_pairs(ranks, rows, flagged, firstKey, limit, pairs + count)
            }
        }
    }

    /// Grows the buffer to a capacity in pairs.
    mutating func reserve(_ newCapacity: Int) {
        let new = allocateBuffer(cregnum_pair.self, newCapacity)
        if let pairs { new.update(from: pairs, count: count) }
        free(pairs)
        pairs = new
        capacity = newCapacity
    }

    /// Sorts by rank, flag and key.
    mutating func sort() {
        guard let pairs, count > 1 else { return }
        let scratch = allocateBuffer(cregnum_pair.self, count)
        cregnum_sort_pairs(pairs, scratch, count)
        free(scratch)
    }

    /// Sorts, and drops all but the first `count` pairs and, if `keepsTies`, those with the same
    /// rank and flag as the last of them. Pairs after these are no longer collected.
    mutating func cut(to count: Int, keepsTies: Bool) {
        sort()
        guard let pairs, self.count > count, count > 0 else { return }
        let last = pairs[count - 1]
        var end = count
        if keepsTies {
            while end < self.count, pairs[end].rank == last.rank,
                (pairs[end].key ^ last.key) & SortRank.flag == 0
            { end += 1 }
        }
        self.count = end
        limit = keepsTies ? cregnum_pair(rank: last.rank, key: .max) : last
    }

    /// Calls `body` with the pairs, which are valid until the next mutation.
    @inline(__always)
    borrowing func withPairs<Result>(
        _ body: (UnsafeBufferPointer<RankedKey>) -> Result
    ) -> Result {
        UnsafeBufferPointer(start: pairs, count: count).withMemoryRebound(to: RankedKey.self, body)
    }
}
