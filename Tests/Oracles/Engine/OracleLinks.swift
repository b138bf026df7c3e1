import RegnumSimulation

/// The relation of the rows of a class to those of other classes.
enum OracleKind: Int, Sendable {
    case object, embedded, elements

    /// Whether a row belongs to the one link or list element that refers to it.
    var isOwned: Bool { self != .object }
}

extension OracleValue {
    /// The row to which a link refers.
    var linkedRow: UInt64? { if case .int(let row) = self { UInt64(row) } else { nil } }

    static func link(_ row: UInt64?) -> OracleValue { row.map { .int(Int64($0)) } ?? .null }
}

extension OracleTable {
    /// Returns the rows that link to a row of the target.
    func origins(of target: UInt64, _ column: Int) -> [UInt64] {
        keys.filter { rows[$0]?.values[column] == .link(target) }
    }
}

extension OracleDatabase {
    /// Returns the rows of a class that have an owner.
    func owned(_ target: Int) -> Set<UInt64> {
        var owned: Set<UInt64> = []
        for table in tables {
            for (column, schema) in table.columns.enumerated() where schema.link == target {
                owned.formUnion(table.rows.values.compactMap { $0.values[column].linkedRow })
            }
            for (list, schema) in table.lists.enumerated() where schema.target == target {
                for row in table.rows.values { owned.formUnion(row.lists[list]) }
            }
        }
        return owned
    }

    /// Returns the rows to which a new link or list element can refer.
    func linkable(_ target: Int) -> [UInt64] {
        guard tables[target].kind.isOwned else { return tables[target].keys }
        let owned = owned(target)
        return tables[target].keys.filter { !owned.contains($0) }
    }

    /// Returns the existing ones of these rows, together with all rows that they own, by class.
    func withOwned(_ table: Int, _ keys: Set<UInt64>) -> [Int: Set<UInt64>] {
        var found: [Int: Set<UInt64>] = [:]
        var pending = keys.map { (table, $0) }
        while let (table, key) = pending.popLast() {
            guard let row = tables[table].rows[key] else { continue }
            if !found[table, default: []].insert(key).inserted { continue }
            for (column, schema) in tables[table].columns.enumerated() {
                guard let target = schema.link, tables[target].kind.isOwned,
                    let linked = row.values[column].linkedRow
                else { continue }
                pending.append((target, linked))
            }
            for (list, schema) in tables[table].lists.enumerated()
            where tables[schema.target].kind.isOwned {
                pending += row.lists[list].map { (schema.target, $0) }
            }
        }
        return found
    }
}

extension OracleTransaction {
    /// Deletes rows and the rows that they own, removes them from all lists, and nulls links to
    /// them.
    mutating func delete(_ table: Int, _ keys: Set<UInt64>) {
        let gone = database.withOwned(table, keys)
        for (table, keys) in gone { remove(table, keys) }
        for (owner, state) in tables.enumerated() {
            for (column, schema) in state.columns.enumerated() {
                guard let target = schema.link, let rows = gone[target] else { continue }
                for key in state.keys {
                    guard let linked = state.rows[key]?.values[column].linkedRow else { continue }
                    if rows.contains(linked) { put(owner, key, column, .null) }
                }
            }
            for (list, schema) in state.lists.enumerated() {
                guard let rows = gone[schema.target] else { continue }
                for key in state.keys {
                    let elements = state.rows[key]?.lists[list] ?? []
                    let place = OracleRowList(table: owner, list: list, row: key)
                    for position in elements.indices.reversed()
                    where rows.contains(elements[position]) {
                        edit(place, at: position, removing: 1, inserting: [])
                    }
                }
            }
        }
    }

    /// Sets a property; an owned row that it no longer refers to is deleted.
    mutating func set(_ table: Int, _ key: UInt64, _ column: Int, _ value: OracleValue) {
        let old = tables[table].rows[key]?.values[column]
        put(table, key, column, value)
        guard let target = tables[table].columns[column].link, tables[target].kind.isOwned,
            let lost = old?.linkedRow, old != value
        else { return }
        delete(target, [lost])
    }

    /// Replaces elements of a list with others; owned rows that are removed are deleted.
    mutating func replace(
        _ place: OracleRowList, at position: Int, removing count: Int, inserting keys: [UInt64]
    ) {
        let lost = tables[place.table].rows[place.row]?.lists[place.list].dropFirst(position)
            .prefix(count)
        edit(place, at: position, removing: count, inserting: keys)
        let target = tables[place.table].lists[place.list].target
        guard tables[target].kind.isOwned, let lost else { return }
        delete(target, Set(lost).subtracting(keys))
    }
}
