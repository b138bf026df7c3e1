import RegnumStore

/// The changes that the log has since a version, by row. In memory, like the log that is applied
/// when a realm is opened.
///
/// A record that can't be read, or doesn't fit the classes because of one that can't, is a *gap*.
/// Rows that are inserted after a gap are complete. Those from before it may have changed in it:
/// they keep the last values that are known, and are *uncertain*. So are rows that are inserted
/// after a bulk commit that can't be read: it may have been a migration, and they then belong to
/// classes that aren't known.
struct LoggedChanges {
    /// The values that the log has of a row.
    enum Row {
        /// All values, since the row was inserted by a commit, and those that were set in columns
        /// added since.
        case inserted(version: UInt64, [Value], later: [ColumnKey: Value])
        case set([ColumnKey: Value])
    }

    /// The changes of a list by one commit.
    struct ListChange {
        let version: UInt64
        let splices: [ListSplice]
    }

    /// The changes of one class.
    struct Table {
        fileprivate(set) var rows: [UInt64: Row] = [:]
        /// The deleted rows, with the version of the commit that deleted them.
        fileprivate(set) var deleted: [UInt64: UInt64] = [:]
        fileprivate(set) var lists: [RowList: [ListChange]] = [:]
        /// Lists that were changed after a gap, so that positions in them aren't known.
        fileprivate(set) var outdatedLists: Set<RowList> = []
        /// The uncertain rows in which a value was set after a gap, by column.
        fileprivate(set) var replaced: [ColumnKey: Set<UInt64>] = [:]
    }

    /// The classes after the changes.
    private(set) var schema: DatabaseSchema
    /// The version of the last commit that was read.
    private(set) var version: UInt64
    /// The versions that couldn't be read, ascending.
    private(set) var gaps: [SalvageFindings.Gap] = []
    /// The version of the first bulk commit that couldn't be read.
    private var lostBulkVersion: UInt64?
    private var tables: [Table]
    /// The rows that there were at most: those before the first change, and the inserted ones.
    private var rowCount: Int
    /// Whether it has only the changes since the last gap.
    private let isSinceGap: Bool

    /// - Parameters:
    ///   - root: The content before the first change; `nil` if it was empty.
    ///   - isSinceGap: Whether to forget the changes from before each gap.
    init(since root: DatabaseRoot?, isSinceGap: Bool = false) {
        self.isSinceGap = isSinceGap
        schema = root?.schema ?? DatabaseSchema(tables: [], version: 0)
        version = root?.version ?? 0
        rowCount = root?.rowCount ?? 0
        tables = schema.tables.map { _ in Table() }
    }

    subscript(table: TableKey) -> Table { tables[table.index] }

    /// Returns the value that the log has of a row; `nil` if it has none.
    func value(_ table: TableKey, _ row: UInt64, _ column: ColumnSchema) -> Value? {
        switch tables[table.index].rows[row] {
        case .inserted(_, let values, let later):
            let index = column.key.index
            return index < values.count ? values[index] : later[column.key] ?? column.defaultValue
        case .set(let values): return values[column.key]
        case nil: return nil
        }
    }

    /// Returns whether a row may have been changed or deleted by commits that can't be read, or be
    /// of a form of its class that can't be read.
    func isUncertain(_ table: TableKey, _ row: UInt64) -> Bool {
        if mayHaveChanged(table, row) { return true }
        guard let lostBulkVersion,
            case .inserted(let version, _, _)? = tables[table.index].rows[row]
        else { return false }
        return version > lostBulkVersion
    }

    /// Returns whether a row may have been changed or deleted by commits that can't be read.
    private func mayHaveChanged(_ table: TableKey, _ row: UInt64) -> Bool {
        guard let gap = gaps.last else { return false }
        guard let last = gap.last,
            case .inserted(let version, _, _)? = tables[table.index].rows[row]
        else { return true }
        return version <= last
    }

    /// Adds the changes of a commit that isn't a bulk commit. Earlier versions are ignored.
    ///
    /// Throws `unsupportedFormat` for a record that a newer version of the library wrote.
    mutating func add(_ body: [UInt8]) throws(StoreError) {
        guard let version = Self.version(of: body), version > self.version,
            version <= Limits.maximumVersion
        else { return }
        let record: LoggedRecord
        do throws(StoreError) {
            // Rows that a gap inserted may be deleted too.
            record = try LoggedRecord(
                body, schema, rowCount: max(rowCount, Limits.maximumRecordCellCount))
        } catch {
            // What doesn't fit is part of the gap. After a gap, it may look like a newer format.
            if error.code == .unsupportedFormat, gaps.isEmpty, version == self.version + 1 {
                throw error
            }
            return
        }
        if version > self.version + 1 { close(before: version) }
        self.version = version
        schema = record.schema
        while tables.count < schema.tables.count { tables.append(Table()) }
        for operation in record.operations { apply(operation) }
    }

    /// Returns the version of a commit.
    static func version(of body: [UInt8]) -> UInt64? {
        var reader = RecordReader(body)
        return try? reader.fixed(UInt64.self)
    }

    /// Ends the log.
    ///
    /// - Parameters:
    ///   - newest: the newest version that is known to have existed.
    ///   - mayLackEnd: whether there may have been more.
    ///   - bulkVersions: the versions of the bulk commits in the log.
    mutating func finish(through newest: UInt64, mayLackEnd: Bool, bulkVersions: [UInt64]) {
        if mayLackEnd {
            gaps.append(SalvageFindings.Gap(first: version + 1, last: nil))
        } else if newest > version {
            gaps.append(SalvageFindings.Gap(first: version + 1, last: newest))
        }
        lostBulkVersion = bulkVersions.filter { bulk in
            gaps.contains { $0.first <= bulk && bulk <= $0.last ?? .max }
        }.min()
    }

    private mutating func close(before version: UInt64) {
        gaps.append(SalvageFindings.Gap(first: self.version + 1, last: version - 1))
        if isSinceGap { tables = tables.map { _ in Table() } }
    }

    private mutating func apply(_ operation: LoggedRecord.Operation) {
        switch operation {
        case .delete(let table, let keys): delete(table, keys)
        case .set(let table, let column, let keys, let values):
            for (key, value) in zip(keys, values) { set(table, key.rawValue, column, value) }
        case .insert(let table, let keys, let columns):
            rowCount += keys.count
            for (position, key) in keys.enumerated() where !isDeleted(table, key.rawValue) {
                tables[table.index].rows[key.rawValue] = .inserted(
                    version: version, columns.map { $0[position] }, later: [:])
            }
        case .lists(let place, let changes):
            for change in changes { splice(place, change.row, change.splices) }
        }
    }

    private func isDeleted(_ table: TableKey, _ row: UInt64) -> Bool {
        tables[table.index].deleted[row] != nil
    }

    private mutating func delete(_ table: TableKey, _ keys: [ObjectKey]) {
        let lists = schema.tables[table.index].lists
        for key in keys {
            tables[table.index].rows[key.rawValue] = nil
            tables[table.index].deleted[key.rawValue] = version
            for list in lists {
                tables[table.index].lists[RowList(list: list.key, row: key)] = nil
            }
        }
    }

    private mutating func set(
        _ table: TableKey, _ row: UInt64, _ column: ColumnKey, _ value: Value
    ) {
        if isDeleted(table, row) { return }
        if mayHaveChanged(table, row) {
            tables[table.index].replaced[column, default: []].insert(row)
        }
        switch tables[table.index].rows.removeValue(forKey: row) {
        case .inserted(let version, var values, var later):
            if column.index < values.count {
                values[column.index] = value
            } else {
                later[column] = value
            }
            tables[table.index].rows[row] = .inserted(version: version, values, later: later)
        case .set(var values):
            values[column] = value
            tables[table.index].rows[row] = .set(values)
        case nil: tables[table.index].rows[row] = .set([column: value])
        }
    }

    private mutating func splice(_ place: ListPlace, _ row: ObjectKey, _ splices: [ListSplice]) {
        let index = place.table.index
        if isDeleted(place.table, row.rawValue) { return }
        let list = RowList(list: place.list, row: row)
        if mayHaveChanged(place.table, row.rawValue) {
            tables[index].outdatedLists.insert(list)
        } else {
            tables[index].lists[list, default: []].append(
                ListChange(version: version, splices: splices))
        }
    }
}
