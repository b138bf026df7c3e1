import RegnumStore

/// The changes of a bulk commit, for change streams of other processes: keys and columns without
/// values. `Docs/FORMAT.md` specifies the layout.
enum DeltaBlob {
    private enum Part {
        static let deleted: UInt8 = 1
        static let modified: UInt8 = 2
        static let inserted: UInt8 = 4
        static let lists: UInt8 = 8
        static let converted: UInt8 = 16
    }

    static func encode(_ summary: CommitSummary) -> [UInt8] {
        var writer = RecordWriter(capacity: 256)
        let deltas = summary.tables.values.sorted { $0.table < $1.table }
        writer.varint(deltas.count)
        for delta in deltas {
            writer.varint(UInt64(delta.table.rawValue))
            var parts: UInt8 = 0
            if !delta.deleted.isEmpty { parts |= Part.deleted }
            let set = delta.modified.filter { !$0.columns.isEmpty }
            let converted = delta.modified.filter(\.columns.isEmpty).map(\.key)
            if !set.isEmpty { parts |= Part.modified }
            if !delta.inserted.isEmpty { parts |= Part.inserted }
            if !delta.listChanges.isEmpty { parts |= Part.lists }
            if !converted.isEmpty { parts |= Part.converted }
            writer.byte(parts)
            if !delta.deleted.isEmpty { KeyRuns.encode(delta.deleted, &writer) }
            if !set.isEmpty { encode(set, &writer) }
            if !delta.inserted.isEmpty { KeyRuns.encode(delta.inserted, &writer) }
            if !delta.listChanges.isEmpty { encode(delta.listChanges, &writer) }
            if !converted.isEmpty { KeyRuns.encode(converted, &writer) }
        }
        return writer.bytes
    }

    /// Throws `invalidDatabase` if the list changes of a commit from `base` to `root` couldn't be
    /// decoded, because a tree contradicts itself, as in a forged file, and damage that it
    /// encounters.
    static func check(
        _ summary: CommitSummary, from base: DatabaseRoot, to root: DatabaseRoot
    ) throws(StoreError) {
        try DamageWatch.check(on: root) { () throws(StoreError) in
            for delta in summary.tables.values {
                for (list, changes) in delta.listChanges {
                    for change in changes where !isSound(change, list, delta.table, base, root) {
                        throw StoreError(
                            .invalidDatabase,
                            "A list of \(delta.tableName) is inconsistent. Nothing was "
                                + "committed.",
                            className: delta.tableName)
                    }
                }
            }
        }
    }

    private static func isSound(
        _ change: ListChange, _ list: ListKey, _ table: TableKey, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) -> Bool {
        guard base.contains(table, change.row), root.contains(table, change.row) else {
            return false
        }
        let count = base.listCount(table, change.row, list)
        var (end, newCount) = (0, count)
        for splice in change.splices ?? [] {
            guard splice.position >= end, splice.position <= count,
                splice.removedCount <= count - splice.position
            else { return false }
            end = splice.position + splice.removedCount
            newCount += splice.inserted.count - splice.removedCount
        }
        var storedCount = 0
        root.content.elements(table, list).visitRuns(change.row.rawValue) { run in
            storedCount += run.count
            return true
        }
        return storedCount == newCount
    }

    /// Encodes splices without the keys that they insert, which the root contains.
    private static func encode(
        _ lists: [ListKey: [ListChange]], _ writer: inout RecordWriter
    ) {
        writer.varint(lists.count)
        for (list, changes) in lists.sorted(by: { $0.key < $1.key }) {
            writer.varint(UInt64(list.rawValue))
            KeyRuns.encode(changes.map(\.row), &writer)
            for change in changes {
                let splices = change.splices ?? []
                writer.varint(splices.count)
                var end = 0
                for splice in splices {
                    writer.varint(splice.position - end)
                    writer.varint(splice.removedCount)
                    writer.varint(splice.inserted.count)
                    end = splice.position + splice.removedCount
                }
            }
        }
    }

    private static func encode(_ modified: [ModifiedRow], _ writer: inout RecordWriter) {
        var keys: [ColumnKey: [ObjectKey]] = [:]
        for row in modified {
            for column in row.columns.columns { keys[column, default: []].append(row.key) }
        }
        writer.varint(keys.count)
        for (column, rows) in keys.sorted(by: { $0.key < $1.key }) {
            writer.varint(UInt64(column.rawValue))
            KeyRuns.encode(rows, &writer)
        }
    }

    /// Decodes the summary of the commit from `base` to `root`.
    ///
    /// Throws `invalidDatabase` if the changes don't match the two roots. Allocates at most a few
    /// hundred bytes for each of their rows.
    static func decode(
        _ reader: inout RecordReader, origin: String?, from base: DatabaseRoot,
        to root: DatabaseRoot
    ) throws(StoreError) -> CommitSummary {
        let count = try reader.count(
            max: min(root.schema.tables.count, reader.remaining), "the number of classes")
        var tables: [TableKey: TableDelta] = [:]
        var last = -1
        for _ in 0..<count {
            let index = try reader.count(max: root.schema.tables.count - 1, "a table key")
            try reader.require(index > last, "classes are out of order")
            last = index
            let delta = try decode(&reader, root.schema.tables[index], base, root)
            tables[delta.table] = delta
        }
        try reader.require(reader.isAtEnd, "there are extra bytes")
        return CommitSummary(version: root.version, origin: origin, tables: tables)
    }

    private static func decode(
        _ reader: inout RecordReader, _ schema: TableSchema, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) throws(StoreError) -> TableDelta {
        let parts = try reader.byte()
        try reader.require(parts > 0 && parts < 32, "a class has unknown changes")
        let before = base.count(schema.key)
        let after = root.count(schema.key)
        var deleted: [ObjectKey] = []
        var inserted: [ObjectKey] = []
        var columns: [ObjectKey: ColumnSet] = [:]
        if parts & Part.deleted != 0 {
            deleted = try KeyRuns.decode(&reader, maximumCount: before)
            for key in deleted {
                try reader.require(
                    base.contains(schema.key, key) && !root.contains(schema.key, key),
                    "a deleted row is missing before or still exists after")
            }
        }
        if parts & Part.modified != 0 {
            columns = try decodeModified(&reader, schema, base, root)
        }
        if parts & Part.inserted != 0 {
            inserted = try KeyRuns.decode(&reader, maximumCount: after)
            for key in inserted {
                try reader.require(
                    !base.contains(schema.key, key) && root.contains(schema.key, key),
                    "an inserted row exists before or is missing after")
            }
        }
        try reader.require(
            after == before - deleted.count + inserted.count, "a class has the wrong number of rows"
        )
        var listChanges: [ListKey: [ListChange]] = [:]
        if parts & Part.lists != 0 {
            listChanges = try decodeLists(&reader, schema, base, root)
        }
        if parts & Part.converted != 0 {
            for key in try KeyRuns.decode(&reader, maximumCount: before) {
                try reader.require(
                    columns[key] == nil && base.contains(schema.key, key)
                        && root.contains(schema.key, key),
                    "a converted row was also set, or is not in both versions")
                columns[key] = ColumnSet()
            }
        }
        let modified = columns.map { ModifiedRow(key: $0.key, columns: $0.value) }
            .sorted { $0.key < $1.key }
        return TableDelta(
            table: schema.key, tableName: root.schema.nameInSummary(schema, since: base.schema),
            inserted: inserted, deleted: deleted, modified: modified, listChanges: listChanges)
    }

    private static func decodeLists(
        _ reader: inout RecordReader, _ schema: TableSchema, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) throws(StoreError) -> [ListKey: [ListChange]] {
        var result: [ListKey: [ListChange]] = [:]
        let count = try reader.count(max: schema.lists.count, "the number of lists")
        try reader.require(count > 0, "there are no list changes")
        var last = -1
        for _ in 0..<count {
            let index = try reader.count(max: schema.lists.count - 1, "a list key")
            try reader.require(index > last, "lists are out of order")
            last = index
            let list = schema.lists[index].key
            let rows = try KeyRuns.decode(&reader, maximumCount: base.count(schema.key))
            var changes: [ListChange] = []
            for row in rows {
                try reader.require(
                    base.contains(schema.key, row) && root.contains(schema.key, row),
                    "a row with list changes is not in both versions")
                let count = base.listCount(schema.key, row, list)
                let elements = root.list(schema.key, row, list)
                let isMisread = base.content.mayBeMisread || root.content.mayBeMisread
                let splices =
                    isMisread
                    ? try skipSplices(&reader)
                    : try decodeSplices(&reader, from: count, to: elements)
                changes.append(ListChange(row: row, splices: splices))
            }
            result[list] = changes
        }
        return result
    }

    /// Skips the splices of a list of which a part can't be read in one of the two versions.
    private static func skipSplices(_ reader: inout RecordReader) throws(StoreError)
        -> [ListSplice]?
    {
        let spliceCount = try reader.count(max: reader.remaining / 3, "the number of splices")
        for _ in 0..<3 * spliceCount { _ = try reader.varint() }
        return nil
    }

    private static func decodeSplices(
        _ reader: inout RecordReader, from count: Int, to elements: [ObjectKey]
    ) throws(StoreError) -> [ListSplice] {
        let splices = try reader.splices(from: count, to: elements.count) { _, start, inserted in
            Array(elements[start..<start + inserted])
        }
        let growth = splices.reduce(0) { $0 + $1.inserted.count - $1.removedCount }
        try reader.require(
            count + growth == elements.count, "the length of a list does not match")
        return splices
    }

    private static func decodeModified(
        _ reader: inout RecordReader, _ schema: TableSchema, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) throws(StoreError) -> [ObjectKey: ColumnSet] {
        var columns: [ObjectKey: ColumnSet] = [:]
        let count = try reader.count(max: schema.columns.count, "the number of columns")
        try reader.require(count > 0, "a class has no column changes")
        var last = -1
        for _ in 0..<count {
            let column = try reader.count(max: schema.columns.count - 1, "a column key")
            try reader.require(column > last, "columns are out of order")
            last = column
            let keys = try KeyRuns.decode(&reader, maximumCount: base.count(schema.key))
            for key in keys {
                try reader.require(
                    base.contains(schema.key, key) && root.contains(schema.key, key),
                    "a modified row is not in both versions")
                columns[key, default: ColumnSet()].insert(schema.columns[column].key)
            }
        }
        return columns
    }
}
