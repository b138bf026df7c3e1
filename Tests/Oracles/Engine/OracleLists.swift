import RegnumSimulation

/// A list of a row.
struct OracleRowList: Hashable, Sendable {
    var table: Int
    var list: Int
    var row: UInt64
}

/// A change of a list, at a position in the old list.
struct OracleSplice: Equatable, Sendable {
    var position: Int
    var removedCount: Int
    var inserted: [UInt64]
}

/// The effect of a transaction on lists of rows of its base: for each element its old position, or
/// `nil` if it was inserted. The splices follow from that: they are what lies between the elements
/// that stayed.
struct OracleListTraces: Sendable {
    private var traces: [OracleRowList: [Element]] = [:]

    private struct Element: Sendable {
        var old: Int?
        var key: UInt64
    }

    private func elements(_ place: OracleRowList, _ base: OracleDatabase) -> [UInt64]? {
        guard place.table < base.tables.count,
            let row = base.tables[place.table].rows[place.row]
        else { return nil }
        return place.list < row.lists.count ? row.lists[place.list] : []
    }

    mutating func edit(
        _ place: OracleRowList, _ range: Range<Int>, _ keys: [UInt64], _ base: OracleDatabase
    ) {
        guard let before = elements(place, base) else { return }
        var trace =
            traces[place] ?? before.enumerated().map { Element(old: $0.offset, key: $0.element) }
        trace.replaceSubrange(range, with: keys.map { Element(old: nil, key: $0) })
        traces[place] = trace
    }

    mutating func forget(_ table: Int, _ rows: Set<UInt64>) {
        traces = traces.filter { $0.key.table != table || !rows.contains($0.key.row) }
    }

    func splices(_ table: Int, _ base: OracleDatabase) -> [OracleRowList: [OracleSplice]] {
        var result: [OracleRowList: [OracleSplice]] = [:]
        for (place, trace) in traces where place.table == table {
            var splices: [OracleSplice] = []
            var next = 0
            var inserted: [UInt64] = []
            let count = elements(place, base)?.count ?? 0
            for element in trace + [Element(old: count, key: 0)] {
                guard let old = element.old else {
                    inserted.append(element.key)
                    continue
                }
                if old > next || !inserted.isEmpty {
                    splices.append(
                        OracleSplice(
                            position: next, removedCount: old - next, inserted: inserted))
                }
                next = old + 1
                inserted = []
            }
            if !splices.isEmpty { result[place] = splices }
        }
        return result
    }
}

extension OracleTable {
    /// Returns the rows that contain a row of the target in a list.
    func owners(of target: UInt64, _ list: Int) -> [UInt64] {
        keys.filter { rows[$0]?.lists[list].contains(target) ?? false }
    }
}
