import Glibc
import RegnumStore

extension CommitRecord {
    /// Transactions with fewer rows are encoded to determine the size of their records. Even if
    /// they set all columns that a class can have, they set fewer cells than a record may.
    static let minimumEstimatedRowCount = 256

    /// Returns whether the record of a transaction would certainly or probably exceed
    /// `maximumByteCount`, so that it must commit in bulk. Estimates the size without encoding
    /// values.
    ///
    /// An overestimate (many equal values take little space) only costs time.
    ///
    /// - Parameter largeByteCount: The bytes of the large values that the transaction has stored.
    static func isTooLarge(
        _ content: DatabaseContent, _ deltas: [TableDelta], maximumByteCount: Int,
        largeByteCount: Int = 0
    ) -> Bool {
        if maximumByteCount <= 0 { return true }
        var cellCount = 0
        var skippedCellCount = 0
        var rowCount = 0
        for delta in deltas {
            let columns = content.schema.tables[delta.table.index].columns
            cellCount += delta.inserted.count * (columns.count + Limits.recordCellsPerRow)
            skippedCellCount += skippedCount(delta.inserted, next: 0) * columns.count
            rowCount += delta.inserted.count + delta.modified.count
        }
        if cellCount > Limits.maximumRecordCellCount { return true }
        if skippedCellCount > Limits.maximumRecordSkippedCellCount { return true }
        let listByteCount = deltas.reduce(0) { $0 + self.listByteCount(content, $1) }
        if listByteCount > maximumByteCount { return true }
        if rowCount < minimumEstimatedRowCount {
            // Encoding takes several times the memory of the values.
            guard largeByteCount > maximumByteCount else { return false }
            return deltas.reduce(0) { $0 + self.textByteCount(content, $1) } > maximumByteCount
        }
        var byteCount = listByteCount
        for delta in deltas {
            let columns = content.schema.tables[delta.table.index].columns
            let table = content[delta.table.index]
            for column in columns {
                byteCount += delta.inserted.count * column.type.recordByteCount
            }
            if byteCount > maximumByteCount { return true }
            if let first = delta.inserted.first {
                byteCount += textByteCount(
                    table, columns, from: first.rawValue, limit: maximumByteCount - byteCount)
            }
            for row in delta.modified {
                for key in row.columns.columns {
                    byteCount += columns[key.index].type.recordByteCount
                    if columns[key.index].type.isText,
                        let (cluster, place) = table.place(row.key.rawValue),
                        key.index < cluster.slotCount
                    {
                        byteCount += cluster.bytes(place, key.index).count
                    }
                }
                if byteCount > maximumByteCount { return true }
            }
            if byteCount > maximumByteCount { return true }
        }
        return false
    }

    /// Returns a lower bound for the bytes of a class's list changes.
    private static func listByteCount(_ content: DatabaseContent, _ delta: TableDelta) -> Int {
        var byteCount = 0
        for change in delta.listChanges.values.joined() {
            for splice in change.splices ?? [] { byteCount += 3 + splice.inserted.count }
        }
        guard let first = delta.inserted.first else { return byteCount }
        for list in content.schema.tables[delta.table.index].lists {
            let elements = content.elements(delta.table, list.key)
            byteCount += max(elements.tree.count - elements.start(first.rawValue), 0)
        }
        return byteCount
    }

    /// Returns the bytes that the strings, data and values of any type of a class's changes take in
    /// a record.
    private static func textByteCount(_ content: DatabaseContent, _ delta: TableDelta) -> Int {
        let table = content[delta.table.index]
        var byteCount = 0
        for column in content.schema.tables[delta.table.index].columns where column.type.isText {
            let set = delta.modified.filter { $0.columns.contains(column.key) }.map(\.key)
            for rows in [delta.inserted, set] { byteCount += textByteCount(table, column, rows) }
        }
        return byteCount
    }

    /// Returns the bytes of a column in those rows. If all have the same value, it counts once.
    private static func textByteCount(
        _ table: Table, _ column: ColumnSchema, _ rows: [ObjectKey]
    ) -> Int {
        var first: UnsafeRawBufferPointer?
        var isRepeated = true
        var byteCount = 0
        for row in rows {
            guard let (cluster, place) = table.place(row.rawValue),
                column.key.index < cluster.slotCount
            else { continue }
            let bytes = cluster.bytes(place, column.key.index)
            byteCount += bytes.count
            if let known = first, isRepeated {
                isRepeated = known.count == bytes.count && areEqual(known, bytes)
            } else if first == nil {
                first = bytes
            }
        }
        return isRepeated ? first?.count ?? 0 : byteCount
    }

    private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let first = a.baseAddress, let second = b.baseAddress else { return a.isEmpty }
        return memcmp(first, second, a.count) == 0
    }

    /// Returns the bytes of strings and data in the rows from `key` on. Stops once the sum exceeds
    /// `limit`.
    private static func textByteCount(
        _ table: Table, _ columns: [ColumnSchema], from key: UInt64, limit: Int
    ) -> Int {
        var byteCount = 0
        table.forEachCluster(from: key) { cluster in
            let first = cluster.firstKey < key ? Int(key - cluster.firstKey) : 0
            for column in columns
            where column.type.isText && column.key.index < cluster.slotCount
                && first < cluster.rowCount
            {
                let rows = cluster.rows(column.key.index)
                for row in first..<cluster.rowCount where cluster.isLive(row) {
                    byteCount += TextCell(rows + row &* 16).length
                }
            }
            return byteCount <= limit
        }
        return byteCount
    }
}

extension ValueType {
    /// The approximate bytes of a value in a record, without those of its text.
    fileprivate var recordByteCount: Int { self == .int ? 2 : ColumnBlock.smallestSize(self) }
}
