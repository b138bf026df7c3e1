/// The rows that a transaction has modified, with their columns: an open-addressing hash table from
/// object key to a mask of the first 64 columns.
///
/// Keys are assigned by the database and dense, so a multiplicative hash suffices (Knuth, The Art
/// of Computer Programming 3, 6.4); no one else can choose them.
struct ModifiedRows {
    private struct Entry {
        var key: UInt64
        /// 0 if the row was removed again and has no columns from 64 on.
        var mask: UInt64
    }

    private static let free = UInt64.max
    private var entries: ContiguousArray<Entry> = []
    private var usedCount = 0
    /// The number of rows.
    private(set) var count = 0
    /// The columns from 64 on.
    private var more: [UInt64: ColumnSet] = [:]

    var isEmpty: Bool { count == 0 }

    /// Returns the place of the key, or the free one where it would be inserted. The table is never
    /// full.
    @inline(__always)
    private func place(_ key: UInt64) -> Int {
        let shift = UInt64(truncatingIfNeeded: entries.count.leadingZeroBitCount &+ 1)
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> shift)
        while entries[place].key != key, entries[place].key != ModifiedRows.free {
            place = (place &+ 1) & (entries.count &- 1)
        }
        return place
    }

    /// Adds a column to those of a row.
    mutating func insert(_ key: UInt64, _ column: ColumnKey) {
        if usedCount &* 2 >= entries.count { grow() }
        let place = place(key)
        if entries[place].key != key {
            entries[place] = Entry(key: key, mask: 0)
            usedCount &+= 1
        }
        if entries[place].mask == 0, more[key] == nil { count &+= 1 }
        if column.index < 64 {
            entries[place].mask |= 1 << UInt64(column.index)
        } else {
            more[key, default: ColumnSet()].insert(column)
        }
    }

    /// Removes a row.
    mutating func remove(_ key: UInt64) {
        guard count > 0 else { return }
        let place = place(key)
        guard entries[place].key == key else { return }
        if entries[place].mask != 0 || more[key] != nil { count -= 1 }
        entries[place].mask = 0
        more[key] = nil
    }

    private mutating func grow() {
        let old = entries
        entries = ContiguousArray(
            repeating: Entry(key: ModifiedRows.free, mask: 0), count: max(old.count * 2, 16))
        usedCount = 0
        for entry in old
        where entry.key != ModifiedRows.free && (entry.mask != 0 || more[entry.key] != nil) {
            entries[place(entry.key)] = entry
            usedCount += 1
        }
    }

    /// Returns the rows with their columns, ascending by key.
    func sorted() -> [ModifiedRow] {
        var rows: [ModifiedRow] = []
        rows.reserveCapacity(count)
        var used = entries.filter {
            $0.key != ModifiedRows.free && ($0.mask != 0 || more[$0.key] != nil)
        }
        used.sort { $0.key < $1.key }
        for entry in used {
            var columns = ColumnSet(first: entry.mask)
            if let others = more[entry.key] { columns.formUnion(others) }
            rows.append(ModifiedRow(key: ObjectKey(rawValue: entry.key), columns: columns))
        }
        return rows
    }
}
