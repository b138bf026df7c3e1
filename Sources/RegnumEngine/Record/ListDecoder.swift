import RegnumStore

/// Decodes and applies the list operations of a record.
struct ListDecoder {
    /// The changes of each list: first by the deletion of rows, then by the list operations.
    private var changes: [ListPlace: [ObjectKey: ListSplices]] = [:]
    private var lastKey: UInt64 = 0
    /// The length that is assumed for a list of which a part can't be read.
    private static let maximumMisreadCount = Int(UInt32.max)

    /// Removes the lists of deleted rows, and the rows from all other lists.
    mutating func delete(
        _ keys: [ObjectKey], in table: TableSchema, _ content: inout DatabaseContent,
        _ edit: NodeEdit
    ) {
        for list in table.lists {
            let place = ListPlace(table: table.key, list: list.key)
            for key in keys { changes[place]?[key] = nil }
        }
        if !table.lists.isEmpty {
            for key in keys { content.removeLists(table.key.index, key.rawValue, edit) }
        }
        content.removeOccurrences(of: keys.map(\.rawValue), in: table.key.index, edit) {
            place, owner, positions in
            changes[place, default: [:]][ObjectKey(rawValue: owner)] = ListSplices(
                removed: positions)
        }
    }

    /// Applies one operation. The reader is positioned after its list key. Changes that don't fit
    /// into a list of which a part can't be read are skipped.
    mutating func apply(
        _ reader: inout RecordReader, _ place: ListPlace, _ content: inout DatabaseContent,
        _ edit: NodeEdit
    ) throws(StoreError) {
        let rows = try KeyRuns.decode(&reader, maximumCount: content[place.table.index].count)
        guard let schema = content.listSchema(place.table, place.list) else {
            throw reader.damaged("it changes a list that does not exist")
        }
        for row in rows {
            try reader.require(
                content[place.table.index].contains(row.rawValue),
                "it changes a list of a row that does not exist")
            let count = content.elements(place.table, place.list).count(row.rawValue)
            let splices = try decode(
                &reader, count: content.mayBeMisread ? Self.maximumMisreadCount : count,
                content[schema.target.index])
            if let last = splices.last, last.position + last.removedCount > count { continue }
            // From the end, so that earlier positions stay valid.
            for splice in splices.reversed() {
                let isDone = content.splice(
                    place, row.rawValue, at: splice.position, removing: splice.removedCount,
                    inserting: splice.inserted.map(\.rawValue)[...], edit)
                try reader.require(
                    isDone || content.mayBeMisread, "it changes a list beyond its end")
            }
            let before = changes[place]?[row] ?? ListSplices()
            changes[place, default: [:]][row] = before.followed(by: ListSplices(splices))
        }
    }

    private mutating func decode(
        _ reader: inout RecordReader, count: Int, _ target: Table
    ) throws(StoreError) -> [ListSplice] {
        try reader.splices(from: count, to: .max) { (reader, _, inserted) throws(StoreError) in
            try reader.require(inserted <= reader.remaining, "the number of elements is too large")
            var keys: [ObjectKey] = []
            keys.reserveCapacity(inserted)
            for _ in 0..<inserted {
                lastKey &+= UInt64(bitPattern: try reader.zigzag())
                try reader.require(
                    target.contains(lastKey), "a list refers to a row that does not exist")
                keys.append(ObjectKey(rawValue: lastKey))
            }
            return keys
        }
    }

    /// Returns the changes of the lists of a class, for rows below `firstNewKey`.
    func changes(of table: TableSchema, firstNewKey: UInt64) -> [ListKey: [ListChange]] {
        var result: [ListKey: [ListChange]] = [:]
        for list in table.lists {
            guard let rows = changes[ListPlace(table: table.key, list: list.key)] else { continue }
            var found: [ListChange] = []
            for (row, splices) in rows where row.rawValue < firstNewKey && !splices.isEmpty {
                found.append(ListChange(row: row, splices: splices.splices))
            }
            if found.isEmpty { continue }
            result[list.key] = found.sorted { $0.row < $1.row }
        }
        return result
    }
}

extension RecordReader {
    /// Reads the splices from a list of `count` elements to one of at most `newCount`. `elements`
    /// returns those that a splice inserts, by their position in the new list and their number.
    mutating func splices(
        from count: Int, to newCount: Int,
        _ elements: (inout RecordReader, Int, Int) throws(StoreError) -> [ObjectKey]
    ) throws(StoreError) -> [ListSplice] {
        let spliceCount = try self.count(max: remaining / 3, "the number of splices")
        try require(spliceCount > 0, "a list change has no splices")
        var splices: [ListSplice] = []
        splices.reserveCapacity(spliceCount)
        var (end, newEnd) = (0, 0)
        for index in 0..<spliceCount {
            let gap = try self.count(
                max: min(count - end, newCount - newEnd), "a position of a list")
            try require(gap > 0 || index == 0, "two splices of a list are adjacent")
            let removed = try self.count(max: count - end - gap, "the number of elements")
            let inserted = try self.count(max: newCount - newEnd - gap, "the number of elements")
            try require(removed > 0 || inserted > 0, "a splice of a list is empty")
            let keys = try elements(&self, newEnd + gap, inserted)
            splices.append(ListSplice(position: end + gap, removedCount: removed, inserted: keys))
            end += gap + removed
            newEnd += gap + inserted
        }
        return splices
    }
}
