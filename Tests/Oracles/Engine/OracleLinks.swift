import RegnumSimulation

/// What the rows of a class are to those of others.
enum OracleKind: Int, Sendable {
    case object, embedded, elements

    /// Whether a row belongs to the one link or list element that has it.
    var isOwned: Bool { self != .object }
}

extension OracleValue {
    /// The row that a link has.
    var linkedRow: UInt64? { if case .int(let row) = self { UInt64(row) } else { nil } }

    static func link(_ row: UInt64?) -> OracleValue { row.map { .int(Int64($0)) } ?? .null }
}

extension OracleTable {
    /// Which rows have a row of the target in a link.
    func origins(of target: UInt64, _ column: Int) -> [UInt64] {
        keys.filter { rows[$0]?.values[column] == .link(target) }
    }
}

extension OracleDatabase {
    /// Rows of a class that belong to some row.
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

    /// The rows that a new link or list element can have.
    func linkable(_ target: Int) -> [UInt64] {
        guard tables[target].kind.isOwned else { return tables[target].keys }
        let owned = owned(target)
        return tables[target].keys.filter { !owned.contains($0) }
    }

    /// Rows with all that belongs to them, by class; those of them that exist.
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
    /// Deletes rows and what belongs to them, takes them out of all lists, and nulls links.
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

    /// Sets a property; an owned row that it loses is deleted.
    mutating func set(_ table: Int, _ key: UInt64, _ column: Int, _ value: OracleValue) {
        let old = tables[table].rows[key]?.values[column]
        put(table, key, column, value)
        guard let target = tables[table].columns[column].link, tables[target].kind.isOwned,
            let lost = old?.linkedRow, old != value
        else { return }
        delete(target, [lost])
    }

    /// Takes elements out of a list and puts others in their place; owned ones that it loses are
    /// deleted.
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
