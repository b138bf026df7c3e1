import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A second implementation of the query rules without the engine's code, on arrays of values with
/// their keys.
struct NaiveQuery {
    struct Item {
        var key: ObjectKey
        var values: [String: Value]
    }

    static func evaluate(_ plan: QueryPlan, _ items: [Item]) -> [ObjectKey] {
        items.filter { matches(plan.predicate, $0) }
            .sorted { a, b in
                for term in plan.sort {
                    let x = value(term.column, a)
                    let y = value(term.column, b)
                    if isBefore(x, y) { return term.ascending }
                    if isBefore(y, x) { return !term.ascending }
                }
                return a.key.rawValue < b.key.rawValue
            }
            .map(\.key)
    }

    static func value(_ column: ColumnReference, _ item: Item) -> Value {
        item.values[column.name] ?? column.missing
    }

    static func matches(_ predicate: Predicate, _ item: Item) -> Bool {
        switch predicate {
        case .constant(let answer): answer
        case .and(let terms): !terms.contains { !matches($0, item) }
        case .or(let terms): terms.contains { matches($0, item) }
        case .not(let term): !matches(term, item)
        case .compare(let column, let comparison, let constant):
            holds(
                value(column, item), comparison, constant,
                isStringAgainstNil: column.type == .string && constant == .null)
        case .isIn(let column, let constants):
            constants.contains {
                holds(value(column, item), .equal, $0, isStringAgainstNil: false)
            }
        case .matchText(let column, let match, let pattern, let folding):
            matchesText(value(column, item), match, pattern.wrappedValue, folding)
        case .compareColumns(let a, let comparison, let b):
            holds(value(a, item), comparison, value(b, item), isStringAgainstNil: false)
        case .matchTextColumns, .matchData, .isRow, .related, .count, .aggregate,
            .compareNumbers, .isKind, .matchWords:
            preconditionFailure("Use `LinkedWorld` for other classes.")
        case .within: preconditionFailure("The rows aren't points.")
        }
    }

    /// Compares by code points, which is equivalent to UTF-8 bytes.
    static func matchesText(
        _ value: Value, _ match: TextMatch, _ pattern: String, _ folding: TextFolding
    ) -> Bool {
        guard case .string(let string) = value else { return false }
        let text = folded(string, folding)
        let wanted = folded(pattern, folding)
        switch match {
        case .beginsWith: return text.starts(with: wanted)
        case .endsWith: return text.reversed().starts(with: wanted.reversed())
        case .contains:
            return (0...text.count).contains { text[$0...].starts(with: wanted) }
        case .like: return isLike(text[...], wanted[...])
        case .equals: return text == wanted
        }
    }

    private static func isLike(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let next = pattern.first else { return text.isEmpty }
        if next == "*" {
            return (0...text.count).contains { isLike(text.dropFirst($0), pattern.dropFirst()) }
        }
        guard let here = text.first, next == "?" || next == here else { return false }
        return isLike(text.dropFirst(), pattern.dropFirst())
    }

    static func holds(
        _ a: Value, _ comparison: Comparison, _ b: Value, isStringAgainstNil: Bool
    ) -> Bool {
        if a == .null || b == .null {
            let both = a == .null && b == .null
            switch comparison {
            case .equal: return both
            case .notEqual: return !both
            case .less, .lessOrEqual:
                return both && comparison == .lessOrEqual && !isStringAgainstNil
            case .greater: return isStringAgainstNil && !both
            case .greaterOrEqual: return isStringAgainstNil ? !both : both
            }
        }
        let isUnordered = isNaN(a) || isNaN(b)
        let less = !isUnordered && isBefore(a, b)
        let greater = !isUnordered && isBefore(b, a)
        let equal = !isUnordered && !less && !greater
        switch comparison {
        case .equal: return equal
        case .notEqual: return !equal
        case .less: return less
        case .lessOrEqual: return less || equal
        case .greater: return greater
        case .greaterOrEqual: return greater || equal
        }
    }

    private static func isNaN(_ value: Value) -> Bool {
        if case .double(let x) = value { x.isNaN } else { false }
    }

    /// The order: null first, NaN before other doubles, strings by bytes, numbers by value.
    static func isBefore(_ a: Value, _ b: Value) -> Bool {
        if a == .null || b == .null { return a == .null && b != .null }
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return !x && y
        case (.int(let x), .int(let y)): return x < y
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)):
            return x.isNaN ? !y.isNaN : x < y
        // In the test, integers compared with doubles are small or extreme; 80 bits represent all
        // of them exactly.
        case (.int(let x), .double(let y)): return Float80(x) < Float80(y)
        case (.double(let x), .int(let y)): return Float80(x) < Float80(y)
        case (.string(let x), .string(let y)): return bytes(Array(x.utf8), before: Array(y.utf8))
        case (.data(let x), .data(let y)): return bytes(x, before: y)
        case (.uuid(let x), .uuid(let y)):
            return x.high < y.high || (x.high == y.high && x.low < y.low)
        case (.objectId(let x), .objectId(let y)):
            return x.high < y.high || (x.high == y.high && x.low < y.low)
        case (.decimal(let x), .decimal(let y)):
            return OracleDecimal.rank(x.high, x.low) < OracleDecimal.rank(y.high, y.low)
        default: return false
        }
    }

    private static func bytes(_ a: [UInt8], before b: [UInt8]) -> Bool {
        a.lexicographicallyPrecedes(b)
    }
}

extension SeededRandom {
    /// Returns a random predicate over `columns`, which may include a column that the class doesn't
    /// have.
    mutating func predicate(_ columns: [ColumnDefinition], depth: Int) -> Predicate {
        let kind = depth == 0 ? below(6) : below(11)
        switch kind {
        case 0..<5: return comparison(columns)
        case 5: return .constant(oneIn(2))
        case 6, 7: return .and((0..<below(4)).map { _ in predicate(columns, depth: depth - 1) })
        case 8, 9: return .or((0..<below(4)).map { _ in predicate(columns, depth: depth - 1) })
        default: return .not(predicate(columns, depth: depth - 1))
        }
    }

    /// Returns a random condition on one or two columns.
    private mutating func comparison(_ columns: [ColumnDefinition]) -> Predicate {
        let column = columns[below(columns.count)]
        if column.type == .string, oneIn(2) {
            let patterns = [
                "", "a", "b", "ab", "more", "\u{301}", "A*", "*n F*", "?", "??", "*", "E?",
            ]
            return .matchText(
                Everything.reference(column), TextMatch(rawValue: UInt8(below(5))) ?? .like,
                StoredText(patterns[below(patterns.count)]),
                ignoring: TextFolding(rawValue: UInt8(below(4))))
        }
        if oneIn(6) {
            let values = (0..<below(12)).map { _ in value(column.type, isOptional: true) }
            return .isIn(Everything.reference(column), values)
        }
        let how = oneIn(2) ? .equal : Comparison(rawValue: UInt8(below(6))) ?? .equal
        if oneIn(5) {
            let others = columns.filter { $0.type == column.type }
            let other = others[below(others.count)]
            return .compareColumns(
                Everything.reference(column), how, Everything.reference(other))
        }
        var type = column.type
        if oneIn(4), type == .int || type == .double { type = type == .int ? .double : .int }
        return .compare(Everything.reference(column), how, value(type, isOptional: true))
    }

    mutating func sort(_ columns: [ColumnDefinition]) -> [SortTerm] {
        (0..<below(4)).map { _ in
            SortTerm(
                column: Everything.reference(columns[below(columns.count)]), ascending: oneIn(2))
        }
    }
}

extension NaiveQuery {
    /// Returns all rows of a class, read with the basic calls.
    static func items(_ root: DatabaseRoot, _ tableName: String) -> [Item] {
        guard let table = root.schema.table(named: tableName) else { return [] }
        return root.keys(table.key).map { key in
            var values: [String: Value] = [:]
            for column in table.columns {
                values[column.name] = root.value(table.key, key, column.key)
            }
            return Item(key: key, values: values)
        }
    }
}
