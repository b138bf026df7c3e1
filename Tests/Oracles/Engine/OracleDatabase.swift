import RegnumSimulation

/// A property as the oracle models it.
struct OracleColumn: Equatable, Sendable {
    var name: String
    var type: OracleType
    var isOptional = false
    var isPrimaryKey = false
    var isIndexed = false
    var defaultValue: OracleValue
    /// The class whose rows the column links to.
    var link: Int?
}

/// A row: one value per column, and the version that last wrote it.
struct OracleRow: Equatable, Sendable {
    var values: [OracleValue]
    var version: UInt64
    /// The keys of rows of the target, per list.
    var lists: [[UInt64]] = []
}

/// A list property, whose rows belong to another class or the same one.
struct OracleList: Equatable, Sendable {
    var name: String
    var target: Int
}

/// A class: a dictionary of rows.
struct OracleTable: Sendable {
    let name: String
    var kind = OracleKind.object
    var columns: [OracleColumn]
    var lists: [OracleList] = []
    var rows: [UInt64: OracleRow] = [:]
    /// The keys of `rows`, ascending.
    var keys: [UInt64] = []
    /// The row of each primary key.
    var owners: [OracleValue: UInt64] = [:]
    /// The key of the next row.
    var nextKey: UInt64 = 0

    var primaryKey: Int? { columns.firstIndex(where: \.isPrimaryKey) }

    /// Adds a row; `nil` if its primary key is taken.
    mutating func insert(_ values: [OracleValue], version: UInt64) -> UInt64? {
        if let primaryKey {
            guard owners[values[primaryKey]] == nil else { return nil }
            owners[values[primaryKey]] = nextKey
        }
        let key = nextKey
        nextKey += 1
        rows[key] = OracleRow(
            values: values, version: version, lists: lists.map { _ in [] })
        keys.append(key)
        return key
    }

    mutating func set(_ key: UInt64, _ column: Int, _ value: OracleValue, version: UInt64) {
        rows[key]?.values[column] = value
        rows[key]?.version = version
    }

    mutating func delete(_ key: UInt64) {
        guard let row = rows.removeValue(forKey: key) else { return }
        if let primaryKey { owners[row.values[primaryKey]] = nil }
        keys.remove(at: position(of: key))
    }

    /// Returns the number of keys below `key`.
    func position(of key: UInt64) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func addColumn(_ column: OracleColumn) {
        columns.append(column)
        for key in keys { rows[key]?.values.append(column.defaultValue) }
    }

    mutating func addList(_ list: OracleList) {
        lists.append(list)
        for key in keys { rows[key]?.lists.append([]) }
    }
}

/// The whole content of one version.
struct OracleDatabase: Sendable {
    var version: UInt64 = 0
    /// Indexed by table key.
    var tables: [OracleTable] = []
}

/// The changes of a class, by definition: the differences between the rows before and after, and
/// the properties that were set.
struct OracleDelta: Equatable, Sendable {
    var inserted: [UInt64] = []
    var deleted: [UInt64] = []
    /// Rows that exist before and after, with the properties that were set.
    var modified: [UInt64: Set<Int>] = [:]
    /// List changes of rows that exist before and after.
    var lists: [OracleRowList: [OracleSplice]] = [:]

    var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && modified.isEmpty && lists.isEmpty
    }

    /// - Parameter settings: The properties of any row that were set between the two states.
    init(_ before: OracleTable?, _ after: OracleTable, _ settings: [[UInt64: Set<Int>]]) {
        let oldRows = before?.rows ?? [:]
        inserted = after.keys.filter { oldRows[$0] == nil }
        deleted = (before?.keys ?? []).filter { after.rows[$0] == nil }
        for setting in settings {
            for (key, columns) in setting where oldRows[key] != nil && after.rows[key] != nil {
                modified[key, default: []].formUnion(columns)
            }
        }
    }
}

/// A transaction on the oracle: a copy that is being modified.
struct OracleTransaction: Sendable {
    let base: OracleDatabase
    private(set) var database: OracleDatabase
    /// The properties that were set, by table, then by key.
    private var settings: [[UInt64: Set<Int>]]
    private var traces = OracleListTraces()
    private var savepoints: [State] = []

    private struct State: Sendable {
        var database: OracleDatabase
        var settings: [[UInt64: Set<Int>]]
        var traces: OracleListTraces
    }

    init(_ base: OracleDatabase) {
        self.base = base
        database = base
        database.version += 1
        settings = base.tables.map { _ in [:] }
    }

    var tables: [OracleTable] { database.tables }
    var savepointCount: Int { savepoints.count }

    mutating func addTable(_ name: String, _ kind: OracleKind, _ columns: [OracleColumn]) {
        database.tables.append(OracleTable(name: name, kind: kind, columns: columns))
        settings.append([:])
    }

    mutating func addColumn(_ table: Int, _ column: OracleColumn) {
        database.tables[table].addColumn(column)
    }

    mutating func insert(_ table: Int, _ values: [OracleValue]) -> UInt64? {
        database.tables[table].insert(values, version: database.version)
    }

    mutating func addIndex(_ table: Int, _ column: Int) {
        database.tables[table].columns[column].isIndexed = true
    }

    /// Sets a property without further effects.
    mutating func put(_ table: Int, _ key: UInt64, _ column: Int, _ value: OracleValue) {
        database.tables[table].set(key, column, value, version: database.version)
        settings[table][key, default: []].insert(column)
    }

    /// Removes rows without further effects.
    mutating func remove(_ table: Int, _ keys: Set<UInt64>) {
        for key in keys { database.tables[table].delete(key) }
        traces.forget(table, keys)
    }

    mutating func addList(_ table: Int, _ list: OracleList) {
        database.tables[table].addList(list)
    }

    /// Replaces elements of a list with others, without further effects.
    mutating func edit(
        _ place: OracleRowList, at position: Int, removing count: Int, inserting keys: [UInt64]
    ) {
        let range = position..<position + count
        database.tables[place.table].rows[place.row]?.lists[place.list]
            .replaceSubrange(range, with: keys)
        traces.edit(place, range, keys, base)
    }

    mutating func savepoint() {
        savepoints.append(State(database: database, settings: settings, traces: traces))
    }

    /// Undoes everything since that savepoint, which stays usable; newer ones don't.
    mutating func rollback(to index: Int) {
        savepoints.removeSubrange((index + 1)...)
        database = savepoints[index].database
        settings = savepoints[index].settings
        traces = savepoints[index].traces
    }

    /// The net effect per table; only tables with one.
    var deltas: [Int: OracleDelta] {
        var deltas: [Int: OracleDelta] = [:]
        for index in tables.indices {
            let before = index < base.tables.count ? base.tables[index] : nil
            var delta = OracleDelta(before, tables[index], [settings[index]])
            delta.lists = traces.splices(index, base)
            if !delta.isEmpty { deltas[index] = delta }
        }
        return deltas
    }

    var hasChanges: Bool {
        if tables.map(\.columns) != base.tables.map(\.columns) { return true }
        if tables.map(\.lists.count) != base.tables.map(\.lists.count) { return true }
        return !deltas.isEmpty
    }

    /// Returns the content after the commit; keys assigned after the last row are reset, since
    /// nobody saw them.
    func committed() -> OracleDatabase {
        var result = database
        for index in result.tables.indices {
            let first = index < base.tables.count ? base.tables[index].nextKey : 0
            let last = result.tables[index].keys.last
            result.tables[index].nextKey = last.map { max(first, $0 + 1) } ?? first
        }
        return result
    }

    /// The properties set on rows of the base, by table, for deltas over several commits.
    var committedSettings: [[UInt64: Set<Int>]] { settings }
}
