import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Random plans over a world. They mostly refer to what is stored, and sometimes to what isn't.
extension SeededRandom {
    /// Returns a step from a class, with the class to which it leads; `nil` for one that isn't
    /// stored.
    mutating func hop(
        _ world: LinkedWorld, _ index: Int?, toOne: Bool
    ) -> (hop: Hop, target: Int?) {
        guard let index, !oneIn(40) else {
            let kinds: [Hop] = [
                .link("ghost", to: "Ghost"), .list("ghosts", of: "Ghost"),
                .backlinks("ghost", of: "Ghost"),
            ]
            return (toOne ? kinds[0] : kinds[below(3)], nil)
        }
        var hops: [(hop: Hop, target: Int?)] = []
        let content = world.classes[index]
        for link in content.links {
            hops.append((.link(link.name, to: world.classes[link.target].name), link.target))
        }
        if !toOne {
            for list in content.lists {
                hops.append((.list(list.name, of: world.classes[list.target].name), list.target))
            }
            for (origin, other) in world.classes.enumerated() {
                for link in other.links where link.target == index {
                    hops.append((.backlinks(link.name, of: other.name), origin))
                }
                for list in other.lists where list.target == index {
                    hops.append((.backlinks(list.name, of: other.name), origin))
                }
            }
        }
        if hops.isEmpty || oneIn(40) {
            let target = below(world.classes.count)
            return (.link("ghost", to: world.classes[target].name), target)
        }
        return hops[below(hops.count)]
    }

    mutating func path(
        _ world: LinkedWorld, _ index: Int?, count: Int, toOne: Bool
    ) -> (hops: [Hop], target: Int?) {
        var hops: [Hop] = []
        var index = index
        for _ in 0..<count {
            let (hop, target) = hop(world, index, toOne: toOne)
            hops.append(hop)
            index = target
        }
        return (hops, index)
    }

    /// Returns a property, perhaps of a linked row; of one of `types` if there is one.
    mutating func reference(
        _ world: LinkedWorld, _ index: Int?, of types: [ValueType] = ValueType.plain
    ) -> ColumnReference? {
        let (hops, target) = path(world, index, count: [0, 0, 0, 1, 1, 2][below(6)], toOne: true)
        let columns = (target.map { world.classes[$0].columns } ?? [])
            .filter { types.contains($0.type) }
        guard !columns.isEmpty, !oneIn(30) else {
            let type = types[below(types.count)]
            return ColumnReference(
                name: "absent", type: type, missing: value(type, isOptional: true), hops: hops)
        }
        let column = columns[below(columns.count)]
        return ColumnReference(
            name: column.name, type: column.type, missing: column.defaultValue, hops: hops)
    }

    mutating func comparison() -> Comparison {
        oneIn(3) ? .equal : Comparison.allCases[below(6)]
    }

    mutating func condition(_ world: LinkedWorld, _ index: Int?) -> Predicate {
        if let index, oneIn(6), let link = world.classes[index].links.randomElement(using: &self) {
            let keys = world.classes[link.target].keys
            let column = ColumnReference(name: link.name, type: .int, missing: .null)
            let key = oneIn(4) ? nil : keys.randomElement(using: &self)
            return .compare(
                column, oneIn(2) ? .equal : .notEqual, key.map { .int(Int64($0)) } ?? .null)
        }
        if let index, oneIn(12) {
            let keys = world.classes[index].keys + [999_999]
            return .isRow(
                (0..<below(4)).map { _ in ObjectKey(rawValue: keys[below(keys.count)]) })
        }
        if oneIn(8) { return numbers(world, index) }
        guard let column = reference(world, index) else { return .constant(true) }
        if column.type == .data, oneIn(2) {
            let patterns: [[UInt8]] = [[], [0], [1], [1, 2], [2, 3], [9]]
            let matches: [TextMatch] = [.contains, .beginsWith, .endsWith, .equals]
            return .matchData(column, matches[below(4)], patterns[below(6)])
        }
        if column.type == .string, oneIn(2) {
            let match = TextMatch.allCases[below(5)]
            if oneIn(3), let pattern = reference(world, index, of: [.string]) {
                return .matchTextColumns(
                    column, match, pattern, ignoring: TextFolding(rawValue: UInt8(below(4))))
            }
            let patterns = ["", "a", "b", "ab", "*", "?", "A*", "string"]
            return .matchText(
                column, match, StoredText(patterns[below(patterns.count)]),
                ignoring: TextFolding(rawValue: UInt8(below(4))))
        }
        if oneIn(6) {
            return .isIn(column, (0..<below(12)).map { _ in value(column.type, isOptional: true) })
        }
        if oneIn(5), let other = reference(world, index, of: [column.type]) {
            return .compareColumns(column, comparison(), other)
        }
        var type = column.type
        if oneIn(4), type == .int || type == .double { type = type == .int ? .double : .int }
        return .compare(column, comparison(), value(type, isOptional: true))
    }

    mutating func predicate(_ world: LinkedWorld, _ index: Int?, depth: Int) -> Predicate {
        if depth == 0 { return oneIn(12) ? .constant(oneIn(2)) : condition(world, index) }
        switch below(12) {
        case 0, 1: return condition(world, index)
        case 2, 3:
            return .and((0..<1 + below(3)).map { _ in predicate(world, index, depth: depth - 1) })
        case 4:
            return .or((0..<1 + below(3)).map { _ in predicate(world, index, depth: depth - 1) })
        case 5: return .not(predicate(world, index, depth: depth - 1))
        case 6, 7, 8:
            let (hops, target) = path(
                world, index, count: [0, 1, 1, 1, 2, 3][below(6)], toOne: false)
            let quantifier = oneIn(2) ? Quantifier.any : Quantifier.allCases[below(3)]
            return .related(hops, quantifier, predicate(world, target, depth: depth - 1))
        case 9, 10:
            let (hops, target) = path(
                world, index, count: [0, 1, 1, 1, 2, 3][below(6)], toOne: false)
            let term =
                oneIn(2) ? Predicate.constant(true) : predicate(world, target, depth: depth - 1)
            return .count(hops, term, comparison(), Int64(below(6) - 1))
        default:
            let (hops, target) = path(world, index, count: [0, 1, 1, 2][below(4)], toOne: false)
            let kind = AggregateKind.allCases[below(4)]
            let types: [ValueType] =
                kind == .min || kind == .max ? [.int, .double, .date] : [.int, .double]
            guard let column = reference(world, target, of: types) else { return .constant(true) }
            var type = column.type
            if type != .date, oneIn(3) { type = oneIn(2) ? .int : .double }
            return .aggregate(hops, kind, column, comparison(), value(type, isOptional: true))
        }
    }

    mutating func plan(_ world: LinkedWorld, depth: Int = 2) -> QueryPlan {
        let own = below(world.classes.count)
        let isStored = !oneIn(60)
        var plan = QueryPlan(tableName: isStored ? world.classes[own].name : "Ghost")
        if isStored, oneIn(3) { plan.source = source(world, own) }
        let index = isStored ? own : nil
        if !oneIn(6) { plan.predicate = predicate(world, index, depth: depth) }
        for _ in 0..<[0, 0, 1, 1, 2][below(5)] {
            if let column = reference(world, index) {
                plan.sort.append(SortTerm(column: column, ascending: oneIn(2)))
            }
        }
        for _ in 0..<[0, 0, 0, 1, 2][below(5)] {
            let columns = (0..<below(3)).compactMap { _ in reference(world, index) }
            plan.steps.append(.distinct(columns))
            if oneIn(3), let column = columns.first ?? reference(world, index) {
                plan.steps.append(.sort([SortTerm(column: column, ascending: oneIn(2))]))
            }
            if oneIn(6) { plan.steps.append(.limit(below(20) - 1)) }
        }
        if oneIn(4) { plan.limit = below(20) - 1 }
        return plan
    }

    /// Returns the list or the backlinks of a random row that contain rows of a class, if there is
    /// one.
    private mutating func source(_ world: LinkedWorld, _ index: Int) -> QuerySource {
        var sources: [QuerySource] = []
        let content = world.classes[index]
        for owner in world.classes {
            for list in owner.lists where list.target == index {
                let row = owner.keys.randomElement(using: &self) ?? 0
                sources.append(
                    .list(
                        tableName: StoredText(owner.name), row: ObjectKey(rawValue: row),
                        name: StoredText(list.name)))
            }
        }
        for property in content.links + content.lists {
            let target = world.classes[property.target]
            let row = ObjectKey(rawValue: target.keys.randomElement(using: &self) ?? 0)
            sources.append(
                .backlinks(
                    name: StoredText(property.name), target: StoredText(target.name), row: row))
        }
        if sources.isEmpty || oneIn(40) {
            return .list(tableName: "Ghost", row: ObjectKey(rawValue: 0), name: "ghosts")
        }
        return sources[below(sources.count)]
    }
}

/// Plans over `LinkedWorld(items:)`: the shapes of results, individually and combined.
extension SeededRandom {
    mutating func shape(_ world: LinkedWorld) -> QueryPlan {
        let others = world.classes[1].keys
        var plan = QueryPlan(tableName: "Item", predicate: itemCondition(depth: 1))
        if oneIn(4) {
            let row = ObjectKey(rawValue: others.randomElement(using: &self) ?? 0)
            let isLink = !oneIn(3)
            plan.source =
                isLink
                ? .backlinks(name: "out", target: "Other", row: row)
                : .list(tableName: "Other", row: row, name: "items")
        }
        plan.sort = itemSort(below(3))
        for _ in 0..<[0, 0, 1, 1, 2][below(5)] {
            plan.steps.append(.distinct((0..<1 + below(2)).map { _ in itemColumn() }))
            if oneIn(2) { plan.steps.append(.sort(itemSort(1 + below(2)))) }
            if oneIn(6) { plan.steps.append(.limit(1 + below(8))) }
        }
        if oneIn(2) { plan.limit = 1 + below(8) }
        return plan
    }

    private mutating func itemColumn() -> ColumnReference {
        let hops: [[Hop]] = [
            [], [], [.link("out", to: "Other")], [.link("next", to: "Item")],
            [.link("next", to: "Item"), .link("out", to: "Other")],
        ]
        let isBool = oneIn(2)
        return ColumnReference(
            name: isBool ? "p0" : "p1", type: isBool ? .bool : .int, missing: .null,
            hops: hops[below(5)])
    }

    private mutating func itemSort(_ count: Int) -> [SortTerm] {
        (0..<count).map { _ in SortTerm(column: itemColumn(), ascending: oneIn(2)) }
    }

    private mutating func itemCondition(depth: Int) -> Predicate {
        let column = itemColumn()
        let isSet = Predicate.compare(column, .notEqual, .null)
        let isTrue = Predicate.compare(
            ColumnReference(name: "p0", type: .bool, missing: .null), .equal, .bool(oneIn(2)))
        let paths: [[Hop]] = [
            [.list("many", of: "Other")], [.backlinks("back", of: "Other")],
            [.backlinks("items", of: "Other")], [.backlinks("next", of: "Item")],
            [.link("out", to: "Other"), .list("items", of: "Item")],
            [.link("next", to: "Item"), .backlinks("back", of: "Other")],
            [.list("many", of: "Other"), .link("back", to: "Item")],
        ]
        switch below(depth == 0 ? 5 : 6) {
        case 0: return .constant(true)
        case 1: return isTrue
        case 2: return isSet
        case 3: return .related(paths[below(7)], Quantifier.allCases[below(3)], isTrue)
        case 4: return .count(paths[below(7)], oneIn(2) ? isTrue : .constant(true), .greater, 1)
        default: return .and([itemCondition(depth: 0), .not(itemCondition(depth: 0))])
        }
    }
}
