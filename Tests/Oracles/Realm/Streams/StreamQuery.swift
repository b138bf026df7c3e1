import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A condition, both for the library and in plain Swift. `number` is the operand.
struct StreamCondition<Model: StreamModel>: Sendable {
    let name: String
    /// The classes, including hidden ones, that it queries besides its own.
    let classes: Set<String>
    let live: @Sendable (Query<Model>, Int) -> Query<Bool>
    let plain: @Sendable (MirrorWorld, MirrorRow, Int) -> Bool
    /// The property that must have one value, and whether it has few distinct values.
    var route: (property: Int, hasFewValues: Bool, value: @Sendable (Int) -> MirrorValue)?

    init(
        _ name: String, of classes: Set<String> = [],
        _ live: @escaping @Sendable (Query<Model>, Int) -> Query<Bool>,
        _ plain: @escaping @Sendable (MirrorWorld, MirrorRow, Int) -> Bool
    ) {
        (self.name, self.classes, self.live, self.plain) = (name, classes, live, plain)
    }

    /// Returns the same condition with a route.
    func routed(
        _ property: Int, hasFewValues: Bool = false,
        _ value: @escaping @Sendable (Int) -> MirrorValue
    ) -> StreamCondition {
        var routed = self
        routed.route = (property, hasFewValues, value)
        return routed
    }
}

/// A property to sort by.
struct StreamSort<Model: StreamModel>: Sendable {
    let name: String
    let classes: Set<String>
    let order: SortOrder<Model>
    let plain: @Sendable (MirrorWorld, MirrorRow) -> MirrorValue

    init(
        _ name: String, of classes: Set<String> = [], _ order: SortOrder<Model>,
        _ plain: @escaping @Sendable (MirrorWorld, MirrorRow) -> MirrorValue
    ) {
        (self.name, self.classes, self.order, self.plain) = (name, classes, order, plain)
    }
}

/// A property whose values are wanted once each. If the plain one returns `nil`, the object is left
/// out.
struct StreamDistinct<Model: StreamModel>: Sendable {
    let name: String
    let classes: Set<String>
    let live: @Sendable (LiveResults<Model>) -> LiveResults<Model>
    let plain: @Sendable (MirrorWorld, MirrorRow) -> MirrorValue?

    init(
        _ name: String, of classes: Set<String> = [],
        _ live: @escaping @Sendable (LiveResults<Model>) -> LiveResults<Model>,
        _ plain: @escaping @Sendable (MirrorWorld, MirrorRow) -> MirrorValue?
    ) {
        (self.name, self.classes, self.live, self.plain) = (name, classes, live, plain)
    }
}

/// A query that a stream follows.
struct StreamQuery<Model: StreamModel>: Sendable {
    var terms: [(condition: StreamCondition<Model>, number: Int, isNegated: Bool)] = []
    var sorts: [(sort: StreamSort<Model>, isAscending: Bool)] = []
    var distinct: StreamDistinct<Model>?

    var name: String {
        let conditions = terms.map { "\($0.isNegated ? "!" : "")\($0.condition.name) \($0.number)" }
        let orders = sorts.map { ($0.isAscending ? "+" : "-") + $0.sort.name }
        return "\(Model.mirrorClass.name) where \(conditions) sorted \(orders) "
            + "distinct \(distinct?.name ?? "-")"
    }

    func live(_ base: LiveResults<Model>) -> LiveResults<Model> {
        var results = base
        for term in terms {
            results = results.where { query in
                let condition = term.condition.live(query, term.number)
                return term.isNegated ? !condition : condition
            }
        }
        if !sorts.isEmpty {
            results = results.sorted(
                by: sorts.map { $0.isAscending ? $0.sort.order : $0.sort.order.reversed() })
        }
        return distinct.map { $0.live(results) } ?? results
    }

    /// The property and value that all rows have; among those with many values the first.
    var route: (property: Int, value: MirrorValue)? {
        let routes = terms.compactMap { term in
            term.isNegated ? nil : term.condition.route.map { ($0, term.number) }
        }
        let best = routes.first { !$0.0.hasFewValues } ?? routes.first
        return best.map { ($0.0.property, $0.0.value($0.1)) }
    }

    /// The classes through which conditions and sorts lead.
    var classes: Set<String> {
        var classes: Set<String> = []
        for term in terms { classes.formUnion(term.condition.classes) }
        for sort in sorts { classes.formUnion(sort.sort.classes) }
        return classes.union(distinct?.classes ?? [])
    }

    func matches(_ world: MirrorWorld, _ row: MirrorRow) -> Bool {
        terms.allSatisfy { $0.condition.plain(world, row, $0.number) != $0.isNegated }
    }

    /// Returns the values that determine the position of a row.
    func sortValues(_ world: MirrorWorld, _ row: MirrorRow) -> [MirrorValue] {
        sorts.map { $0.sort.plain(world, row) }
    }

    /// Returns the query's result for rows in their own order.
    func select(_ world: MirrorWorld, _ entries: [MirrorEntry]) -> [MirrorEntry] {
        var found: [(entry: MirrorEntry, row: MirrorRow, values: [MirrorValue])] = []
        for entry in entries {
            guard let row = world[entry.serial], matches(world, row) else { continue }
            found.append((entry, row, sortValues(world, row)))
        }
        if !sorts.isEmpty {
            let order = found.indices.sorted { left, right in
                for (index, sort) in sorts.enumerated() {
                    let order = MirrorValue.compare(
                        found[left].values[index], found[right].values[index])
                    if order != 0 { return (order < 0) == sort.isAscending }
                }
                return left < right
            }
            found = order.map { found[$0] }
        }
        guard let distinct else { return found.map(\.entry) }
        var seen: Set<MirrorValue> = []
        return found.filter { element in
            guard let value = distinct.plain(world, element.row) else { return false }
            return seen.insert(value).inserted
        }.map(\.entry)
    }
}

/// One position in a collection: an object, and for a list which of its slots.
struct MirrorEntry: Hashable, Sendable {
    var serial: Int
    /// The identity of the slot in the list; 0 if the collection isn't a list.
    var slot = 0
}

/// Classes whose objects streams follow.
protocol StreamQueried: StreamModel {
    static var conditions: [StreamCondition<Self>] { get }
    static var sorts: [StreamSort<Self>] { get }
    static var distincts: [StreamDistinct<Self>] { get }
    static var keyPaths: [StreamKeyPath<Self>] { get }
}

extension StreamQuery where Model: StreamQueried {
    init(_ random: inout SeededRandom) {
        if random.oneIn(8) { return }
        for _ in 0..<[0, 1, 1, 2][random.below(4)] {
            guard let condition = random.pick(Model.conditions) else { continue }
            terms.append((condition, random.below(4), random.oneIn(4)))
        }
        for _ in 0..<[0, 0, 1, 1, 2][random.below(5)] {
            guard let sort = random.pick(Model.sorts),
                !sorts.contains(where: { $0.sort.name == sort.name })
            else { continue }
            sorts.append((sort, random.oneIn(2)))
        }
        if random.oneIn(6) { distinct = random.pick(Model.distincts) }
    }
}
