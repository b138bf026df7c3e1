import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// The rules of paths, sources, sorts, distincts and limits on the plain values of a world, without
/// the engine's code.
struct LinkedNaive {
    let world: LinkedWorld

    /// A row, identified by the position of its class and its key.
    struct Place: Hashable {
        var index: Int
        var key: UInt64
    }

    func index(_ name: String) -> Int? { world.classes.firstIndex { $0.name == name } }

    private func row(_ place: Place) -> LinkedWorld.Row? {
        world.classes[place.index].rows[place.key]
    }

    /// Returns the rows to which one step leads.
    func step(_ place: Place, _ hop: Hop) -> [Place] {
        guard let target = index(hop.target), let row = row(place) else { return [] }
        switch hop.kind {
        case .link:
            return row.links[hop.name].map { [Place(index: target, key: $0)] } ?? []
        case .list:
            return (row.lists[hop.name] ?? []).map { Place(index: target, key: $0) }
        case .backlinks:
            let content = world.classes[target]
            var found: [Place] = []
            let isLink = content.links.contains { $0.name == hop.name && $0.target == place.index }
            for key in content.keys {
                guard let origin = content.rows[key] else { continue }
                let times =
                    isLink
                    ? (origin.links[hop.name] == place.key ? 1 : 0)
                    : (origin.lists[hop.name] ?? []).count { $0 == place.key }
                for _ in 0..<times { found.append(Place(index: target, key: key)) }
            }
            return found
        }
    }

    func ends(_ place: Place, _ hops: [Hop]) -> [Place] {
        hops.reduce([place]) { places, hop in places.flatMap { step($0, hop) } }
    }

    /// Returns the value; `nil` if a link on the path is null.
    func read(_ place: Place, _ column: ColumnReference) -> Value? {
        guard let end = ends(place, column.hops).first, let row = row(end) else { return nil }
        if let value = row.values[column.name] { return value }
        if world.classes[end.index].links.contains(where: { $0.name == column.name }) {
            return row.links[column.name].map { .int(Int64($0)) } ?? .null
        }
        return column.missing
    }

    func value(_ place: Place, _ column: ColumnReference) -> Value { read(place, column) ?? .null }

    func matches(_ place: Place, _ predicate: Predicate) -> Bool {
        switch predicate {
        case .constant(let answer):
            return answer
        case .and(let terms):
            return !terms.contains { !matches(place, $0) }
        case .or(let terms):
            return terms.contains { matches(place, $0) }
        case .not(let term):
            return !matches(place, term)
        case .compare(let column, let comparison, let constant):
            return NaiveQuery.holds(
                value(place, column), comparison, constant,
                isStringAgainstNil: column.type == .string && constant == .null)
        case .compareColumns(let a, let comparison, let b):
            return NaiveQuery.holds(
                value(place, a), comparison, value(place, b), isStringAgainstNil: false)
        case .isIn(let column, let constants):
            let value = value(place, column)
            return constants.contains {
                NaiveQuery.holds(value, .equal, $0, isStringAgainstNil: false)
            }
        case .matchText(let column, let match, let pattern, let folding):
            return NaiveQuery.matchesText(
                value(place, column), match, pattern.wrappedValue, folding)
        case .matchData(let column, let match, let pattern):
            guard case .data(let bytes) = value(place, column) else { return false }
            switch match {
            case .beginsWith: return bytes.starts(with: pattern)
            case .endsWith: return bytes.reversed().starts(with: pattern.reversed())
            case .equals: return bytes == pattern
            case .contains, .like:
                return (0...bytes.count).contains { bytes[$0...].starts(with: pattern) }
            }
        case .isRow(let keys):
            return keys.contains { $0.rawValue == place.key }
        case .matchTextColumns(let a, let match, let b, let folding):
            guard case .string(let pattern) = value(place, b) else { return false }
            return NaiveQuery.matchesText(value(place, a), match, pattern, folding)
        case .compareNumbers(let a, let comparison, let b):
            return Self.holds(number(place, a), comparison, number(place, b))
        case .isKind:
            preconditionFailure("No world has values of any type.")
        case .within:
            preconditionFailure("The rows aren't points.")
        case .matchWords:
            preconditionFailure("No world has full-text indexes.")
        case .related(let hops, let quantifier, let term):
            let answers = ends(place, hops).map { matches($0, term) }
            switch quantifier {
            case .any: return answers.contains(true)
            case .all: return !answers.contains(false)
            case .none: return !answers.contains(true)
            }
        case .count(let hops, let term, let comparison, let number):
            let count = ends(place, hops).count { matches($0, term) }
            return NaiveQuery.holds(
                .int(Int64(count)), comparison, .int(number), isStringAgainstNil: false)
        case .aggregate(let hops, let kind, let column, let comparison, let constant):
            let values = ends(place, hops).map { value($0, column) }
            if kind == .sum, column.type == .int {
                let sum = LinkedNaive.integers(values).reduce(0, +)
                return LinkedNaive.holds(sum, comparison, constant)
            }
            return NaiveQuery.holds(
                LinkedNaive.aggregate(kind, values, column.type), comparison, constant,
                isStringAgainstNil: false)
        }
    }

    static func integers(_ values: [Value]) -> [Int128] {
        values.compactMap { if case .int(let x) = $0 { Int128(x) } else { nil } }
    }

    private static func holds(_ sum: Int128, _ comparison: Comparison, _ constant: Value) -> Bool {
        let isLess: Bool
        let isGreater: Bool
        switch constant {
        case .int(let x): (isLess, isGreater) = (sum < Int128(x), sum > Int128(x))
        case .double(let x) where x.isNaN: return comparison == .notEqual
        case .double(let x) where abs(x) > 1e35: (isLess, isGreater) = (x > 0, x < 0)
        case .double(let x):
            isLess = sum < Int128(x.rounded(.up))
            isGreater = sum > Int128(x.rounded(.down))
        default: return comparison == .notEqual
        }
        switch comparison {
        case .equal: return !isLess && !isGreater
        case .notEqual: return isLess || isGreater
        case .less: return isLess
        case .lessOrEqual: return !isGreater
        case .greater: return isGreater
        case .greaterOrEqual: return !isLess
        }
    }

    static func aggregate(_ kind: AggregateKind, _ values: [Value], _ type: ValueType) -> Value {
        let values = values.filter { !$0.isNull }
        let ordered = values.filter {
            NaiveQuery.holds($0, .equal, $0, isStringAgainstNil: false)
        }
        let doubles = values.compactMap { if case .double(let x) = $0 { x } else { nil } }
        switch kind {
        case .min: return ordered.min { NaiveQuery.isBefore($0, $1) } ?? .null
        case .max: return ordered.max { NaiveQuery.isBefore($0, $1) } ?? .null
        case .sum: return .double(doubles.reduce(0, +))
        case .average:
            if values.isEmpty { return .null }
            let sum =
                type == .int
                ? Double(integers(values).reduce(0, +)) : doubles.reduce(0, +)
            return .double(sum / Double(values.count))
        }
    }

    // MARK: Plans

    func source(_ plan: QueryPlan) -> [Place] {
        guard let own = index(plan.tableName) else { return [] }
        switch plan.source {
        case .table:
            return world.classes[own].keys.map { Place(index: own, key: $0) }
        case .list(let owner, let row, let name):
            guard let owner = index(owner.wrappedValue) else { return [] }
            return step(
                Place(index: owner, key: row.rawValue),
                .list(name.wrappedValue, of: plan.tableName))
        case .backlinks(let name, let target, let row):
            guard let target = index(target.wrappedValue) else { return [] }
            return step(
                Place(index: target, key: row.rawValue),
                .backlinks(name.wrappedValue, of: plan.tableName))
        }
    }

    /// Returns the result; for a list, `places` with their positions in it.
    func evaluate(_ plan: QueryPlan) -> [Place] {
        var places = source(plan).filter { matches($0, plan.predicate) }
        sort(&places, plan.sort)
        for step in plan.steps {
            if case .sort(let terms) = step { sort(&places, terms) }
            if case .limit(let count) = step { places = Array(places.prefix(max(count, 0))) }
            guard case .distinct(let columns) = step, !columns.isEmpty else { continue }
            var seen: [[Value]] = []
            places = places.filter { place in
                let values = columns.map { read(place, $0) }
                if values.contains(where: { $0 == nil }) { return false }
                let tuple = values.compactMap { $0 }
                if seen.contains(where: { LinkedNaive.areAlike($0, tuple) }) { return false }
                seen.append(tuple)
                return true
            }
        }
        if let limit = plan.limit { places = Array(places.prefix(max(limit, 0))) }
        return places
    }

    private func sort(_ places: inout [Place], _ terms: [SortTerm]) {
        if terms.isEmpty { return }
        let tuples = places.map { place in terms.map { value(place, $0.column) } }
        let order = places.indices.sorted { a, b in
            for (number, term) in terms.enumerated() {
                if NaiveQuery.isBefore(tuples[a][number], tuples[b][number]) {
                    return term.ascending
                }
                if NaiveQuery.isBefore(tuples[b][number], tuples[a][number]) {
                    return !term.ascending
                }
            }
            return a < b
        }
        places = order.map { places[$0] }
    }

    static func areAlike(_ a: [Value], _ b: [Value]) -> Bool {
        zip(a, b).allSatisfy { !NaiveQuery.isBefore($0, $1) && !NaiveQuery.isBefore($1, $0) }
    }
}
