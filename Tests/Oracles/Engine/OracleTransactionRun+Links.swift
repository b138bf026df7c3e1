import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// The rows to which new links can refer, taken from the oracle on first use and updated as rows
/// get owners.
struct OracleLinkable {
    private var rows: [Int: [UInt64]] = [:]

    /// Returns a row of the target for a link that loses `old`, or null.
    mutating func draw(
        _ target: Int, _ database: OracleDatabase, _ generator: inout SeededRandom
    ) -> OracleValue {
        if generator.oneIn(4) { return .null }
        return .link(row(target, database, &generator))
    }

    /// Returns a row of the target, often one of the first, so that these have several origins.
    mutating func row(
        _ target: Int, _ database: OracleDatabase, _ generator: inout SeededRandom
    ) -> UInt64? {
        let found = rows[target] ?? database.linkable(target)
        rows[target] = found
        guard !found.isEmpty else { return nil }
        let isFirst = generator.oneIn(2)
        let place = generator.below(isFirst ? min(4, found.count) : found.count)
        if database.tables[target].kind.isOwned { rows[target]?.remove(at: place) }
        return found[place]
    }
}

extension OracleTransactionRun {
    /// Returns columns that link to some of the existing classes.
    func links(_ count: Int, from first: Int, _ generator: inout SeededRandom) -> [OracleColumn] {
        guard !oracle.tables.isEmpty else { return [] }
        return (0..<count).map { number in
            var column = OracleColumn(
                name: "link\(first + number)", type: .int, isOptional: true, isIndexed: true,
                defaultValue: .null)
            column.link = generator.below(oracle.tables.count)
            return column
        }
    }

    mutating func addLink(_ table: Int, _ generator: inout SeededRandom) throws {
        let state = oracle.tables[table]
        guard state.columns.count(where: { $0.link != nil }) < 4 else { return }
        for column in links(1, from: state.columns.count, &generator) {
            try addColumn(table, column)
        }
    }

    mutating func addIndex(_ table: Int, _ generator: inout SeededRandom) throws {
        let state = oracle.tables[table]
        guard !state.columns.isEmpty else { return }
        let number = generator.below(state.columns.count)
        let column = state.columns[number]
        let key = ColumnKey(rawValue: UInt16(number))
        if column.isIndexed || column.isPrimaryKey || !column.type.canBeIndexed {
            guard let engine else { return }
            return try refuses(.invalidInput) { () throws(StoreError) in
                try engine.addIndex(tableKey(table), key)
            }
        }
        log.add("addIndex \(state.name).\(column.name)")
        try engine?.addIndex(tableKey(table), key)
        oracle.addIndex(table, number)
    }

    /// Returns a row with valid links.
    func row(
        _ table: Int, number: Int?, _ linkable: inout OracleLinkable,
        _ generator: inout SeededRandom
    ) -> [OracleValue] {
        var row = generator.row(oracle.tables[table], number: number)
        for column in row.indices {
            if let target = oracle.tables[table].columns[column].link {
                row[column] = linkable.draw(target, oracle.database, &generator)
            }
        }
        return row
    }

    mutating func setLink(_ table: Int, _ generator: inout SeededRandom) throws {
        let columns = oracle.tables[table].columns
        let links = columns.indices.filter { columns[$0].link != nil }
        let keys = oracle.tables[table].keys
        guard !links.isEmpty, !keys.isEmpty else { return }
        try set(table, generator.oneOf(keys), generator.oneOf(links), &generator)
    }

    /// Tries to link to a row that doesn't exist and to one with another owner.
    mutating func refuseLinks(_ table: Int, _ generator: inout SeededRandom) throws {
        guard let engine else { return }
        let state = oracle.tables[table]
        for (column, schema) in state.columns.enumerated() {
            guard let target = schema.link else { continue }
            var rows = [oracle.tables[target].nextKey + UInt64(generator.below(2_000))]
            let isOwned = oracle.tables[target].kind.isOwned
            if isOwned { rows += oracle.database.owned(target).sorted().prefix(2) }
            for row in rows {
                var values = state.columns.map(\.defaultValue)
                values[column] = .link(row)
                if let primaryKey = state.primaryKey {
                    let type = state.columns[primaryKey].type
                    values[primaryKey] = SeededRandom.primaryKey(type, 1_000_000)
                }
                try refuses(.invalidValue) { () throws(StoreError) in
                    _ = try engine.insert(tableKey(table), values.map { Value($0) })
                }
                try refuses(.invalidValue) { () throws(StoreError) in
                    _ = try insert(
                        values.map { Value($0) }, engine.insertion(tableKey(table)))
                }
                for key in state.keys.prefix(3)
                where state.rows[key]?.values[column] != .link(row) {
                    try refuses(.invalidValue) { () throws(StoreError) in
                        try engine.set(
                            tableKey(table), ObjectKey(rawValue: key),
                            ColumnKey(rawValue: UInt16(column)), Value(OracleValue.link(row)))
                    }
                }
            }
        }
    }
}
