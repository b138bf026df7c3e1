import RegnumSimulation
import RegnumTestSupport

/// A predicate. A property is identified by its position in the class, or is one that the class
/// lacks.
indirect enum OraclePredicate: Sendable {
    case constant(Bool)
    case compare(OracleReference, OracleComparison, OracleValue)
    case compareColumns(OracleReference, OracleComparison, OracleReference)
    case and([OraclePredicate])
    case or([OraclePredicate])
    case not(OraclePredicate)
}

/// A property by name; `missing` is the value read from rows of classes without it.
struct OracleReference: Sendable {
    var name: String
    var type: OracleType
    var missing: OracleValue
}

/// A query of the oracle.
struct OracleQuery: Sendable {
    var tableName: String
    var predicate: OraclePredicate = .constant(true)
    var sort: [(column: OracleReference, isAscending: Bool)] = []

    /// Returns the keys of the matching rows, in order.
    func evaluate(_ database: OracleDatabase) -> [UInt64] {
        guard let table = database.tables.first(where: { $0.name == tableName }) else { return [] }
        var places: [String: Int] = [:]
        for (index, column) in table.columns.enumerated() { places[column.name] = index }
        func value(_ reference: OracleReference, _ row: OracleRow) -> OracleValue {
            places[reference.name].map { row.values[$0] } ?? reference.missing
        }
        func matches(_ predicate: OraclePredicate, _ row: OracleRow) -> Bool {
            switch predicate {
            case .constant(let answer): return answer
            case .and(let terms): return terms.allSatisfy { matches($0, row) }
            case .or(let terms): return terms.contains { matches($0, row) }
            case .not(let term): return !matches(term, row)
            case .compare(let column, let comparison, let constant):
                return OracleValue.holds(
                    value(column, row), comparison, constant,
                    isStringToNull: column.type == .string && constant == .null)
            case .compareColumns(let a, let comparison, let b):
                return OracleValue.holds(
                    value(a, row), comparison, value(b, row), isStringToNull: false)
            }
        }
        var found: [(key: UInt64, values: [OracleValue])] = []
        for key in table.keys {
            guard let row = table.rows[key], matches(predicate, row) else { continue }
            found.append((key, sort.map { value($0.column, row) }))
        }
        if !sort.isEmpty {
            found.sort { a, b in
                for (index, term) in sort.enumerated() {
                    if OracleValue.isBefore(a.values[index], b.values[index]) {
                        return term.isAscending
                    }
                    if OracleValue.isBefore(b.values[index], a.values[index]) {
                        return !term.isAscending
                    }
                }
                return a.key < b.key
            }
        }
        return found.map(\.key)
    }
}

extension OracleReference {
    init(_ column: OracleColumn) {
        self.init(name: column.name, type: column.type, missing: column.defaultValue)
    }
}

extension OraclePredicate: CustomStringConvertible {
    var description: String {
        switch self {
        case .constant(let answer): "\(answer)"
        case .compare(let a, let comparison, let value): "\(a.name) \(comparison) \(value)"
        case .compareColumns(let a, let comparison, let b): "\(a.name) \(comparison) \(b.name)"
        case .and(let terms): "and(\(terms.map(\.description).joined(separator: "; ")))"
        case .or(let terms): "or(\(terms.map(\.description).joined(separator: "; ")))"
        case .not(let term): "not(\(term))"
        }
    }
}

extension OracleQuery: CustomStringConvertible {
    var description: String {
        let terms = sort.map { "\($0.column.name) \($0.isAscending ? "up" : "down")" }
        return "\(tableName) where \(predicate) by [\(terms.joined(separator: ", "))]"
    }
}
