/// A set of columns of one class. Doesn't allocate for the first 64 columns.
package struct ColumnSet: Hashable, Sendable {
    private var first: UInt64 = 0
    /// Word i holds the columns from 64 (i + 1) on. The last word is never zero.
    private var rest: [UInt64] = []

    /// Creates an empty set.
    package init() {}

    /// Creates a set from a bit mask of the first 64 columns.
    init(first: UInt64) {
        self.first = first
    }

    /// Creates a set of `columns`.
    package init(_ columns: some Sequence<ColumnKey>) {
        for column in columns { insert(column) }
    }

    /// Whether the set is empty.
    package var isEmpty: Bool { first == 0 && rest.isEmpty }

    /// Inserts a column.
    package mutating func insert(_ column: ColumnKey) {
        let index = column.index
        if index < 64 {
            first |= 1 << UInt64(index)
        } else {
            let word = index / 64 - 1
            while rest.count <= word { rest.append(0) }
            rest[word] |= 1 << UInt64(index % 64)
        }
    }

    /// Inserts all columns of `other`.
    package mutating func formUnion(_ other: ColumnSet) {
        first |= other.first
        while rest.count < other.rest.count { rest.append(0) }
        for word in other.rest.indices { rest[word] |= other.rest[word] }
    }

    /// Returns whether the set contains the column.
    package func contains(_ column: ColumnKey) -> Bool {
        let index = column.index
        if index < 64 { return first & (1 << UInt64(index)) != 0 }
        let word = index / 64 - 1
        return word < rest.count && rest[word] & (1 << UInt64(index % 64)) != 0
    }

    /// Returns whether the sets have a column in common.
    func intersects(_ other: ColumnSet) -> Bool {
        if first & other.first != 0 { return true }
        return zip(rest, other.rest).contains { $0 & $1 != 0 }
    }

    /// The columns in ascending order.
    package var columns: [ColumnKey] {
        var result: [ColumnKey] = []
        appendColumns(of: first, base: 0, to: &result)
        for (word, bits) in rest.enumerated() {
            appendColumns(of: bits, base: 64 * (word + 1), to: &result)
        }
        return result
    }

    private func appendColumns(of bits: UInt64, base: Int, to result: inout [ColumnKey]) {
        var bits = bits
        while bits != 0 {
            let index = base + bits.trailingZeroBitCount
            result.append(ColumnKey(rawValue: UInt16(truncatingIfNeeded: index)))
            bits &= bits - 1
        }
    }
}
