import RegnumTestSupport

@testable import RegnumTestModels

/// Random conditions.
struct ConditionSource {
    var random: SeededRandom
    /// The existing nodes.
    let nodes: [Int]

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func chance(_ number: Int) -> Bool {
        Int.random(in: 0..<number, using: &random) == 0
    }

    mutating func condition(ofPart isPart: Bool = false, depth: Int = 3) -> PlainCondition {
        if !isPart, depth == 3, chance(8) { return nested(levels: pick([2, 3, 4])) }
        if depth > 0, !chance(3) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                return .and(
                    condition(ofPart: isPart, depth: depth - 1),
                    condition(ofPart: isPart, depth: depth - 1))
            case 1:
                return .or(
                    condition(ofPart: isPart, depth: depth - 1),
                    condition(ofPart: isPart, depth: depth - 1))
            case 2: return .not(condition(ofPart: isPart, depth: depth - 1))
            default: break
            }
        }
        if !isPart, chance(10) {
            let hop: PlainHop = pick([.nodes, .parts, .fans, .holders])
            let term = subterm(of: hop, depth: 2)
            return .subquery(hop, term, pick(PlainOperator.allCases), pick([0, 1, 2, 3]))
        }
        return path(ofPart: isPart, steps: pick([0, 0, 0, 1, 1, 2, 3]), depth)
    }

    /// Returns a condition on the nodes of collections of nodes of collections, and so on.
    private mutating func nested(levels: Int) -> PlainCondition {
        if levels == 0 { return condition(depth: 1) }
        let hop: PlainHop = pick([.nodes, .nodes, .fans, .holders])
        let term = nested(levels: levels - 1)
        var found = PlainCondition.leaf(.quantified(hop, pick(PlainQuantifier.allCases), term))
        if chance(4) { found = .at(.next, found) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .and(found, path(ofPart: false, steps: pick([0, 1]), 0))
        case 1: return .or(found, path(ofPart: false, steps: pick([0, 1]), 0))
        case 2: return .not(found)
        default: return found
        }
    }

    /// Returns a condition on the elements of a subquery: combined paths.
    private mutating func subterm(of hop: PlainHop, depth: Int) -> PlainCondition {
        if depth > 0, chance(2) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                return .and(subterm(of: hop, depth: depth - 1), subterm(of: hop, depth: depth - 1))
            case 1:
                return .or(subterm(of: hop, depth: depth - 1), subterm(of: hop, depth: depth - 1))
            default: return .not(subterm(of: hop, depth: depth - 1))
            }
        }
        return path(ofPart: hop.leadsToParts, steps: pick([0, 0, 1]), 0)
    }

    private mutating func path(ofPart isPart: Bool, steps: Int, _ depth: Int) -> PlainCondition {
        guard steps > 0 else { return .leaf(leaf(ofPart: isPart, depth)) }
        let hop: PlainHop =
            isPart ? .target : pick([.next, .next, .part, .nodes, .parts, .fans, .holders])
        return .at(hop, path(ofPart: hop.leadsToParts, steps: steps - 1, depth))
    }

    private mutating func leaf(ofPart isPart: Bool, _ depth: Int) -> PlainLeaf {
        let property = pick(isPart ? PlainProperty.ofParts : PlainProperty.inConditions)
        let comparison = pick(PlainOperator.allCases)
        if isPart {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return .link(.target, isEqual: chance(2), nodeOrNil())
            case 1: return .within(pick(PlainArea.all))
            default: return scalar(property, comparison)
            }
        }
        let list = pick(PlainList.allCases)
        switch Int.random(in: 0..<28, using: &random) {
        case 0: return .link(.next, isEqual: chance(2), nodeOrNil())
        case 1:
            return chance(2) ? .link(.part, isEqual: chance(2), nil) : .linkIn(.next, someNodes())
        case 2, 3: return .value(list, comparison, list.property.sample(&random))
        case 4:
            return .containsAnyValue(
                list, (0..<pick([0, 1, 3])).map { _ in list.property.sample(&random) })
        case 5:
            let list: PlainList = pick(PlainList.allCases.filter { $0.isBounded })
            let (lower, upper) = bounds(list.property)
            return .valuesInRange(list, lower, upper, isClosed: chance(2))
        case 6: return .containsAny(pick([.nodes, .fans, .holders]), someNodes())
        case 7:
            return .count(pick([.nodes, .parts, .fans, .holders]), comparison, pick([0, 1, 2, 3]))
        case 8: return .valueCount(list, comparison, pick([0, 1, 2]))
        case 9:
            let list: PlainList = pick(
                PlainList.allCases.filter { $0.isBounded || $0.property == .any })
            let kind = pick(list.isBounded ? PlainAggregate.allCases : [.min, .max])
            return .valueAggregate(list, kind, comparison, constant(list.property, kind))
        case 10, 11:
            let hop: PlainHop = pick([.nodes, .parts, .fans, .holders])
            let kind = pick(PlainAggregate.allCases)
            let wanted = pick(
                hop.leadsToParts
                    ? [.partInt]
                    : PlainProperty.ofNodes.filter {
                        kind == .min || kind == .max ? $0.isBounded || $0 == .any : $0.isSummable
                    })
            return .memberAggregate(hop, wanted, kind, comparison, constant(wanted, kind))
        case 12, 13:
            let hop: PlainHop = pick([.nodes, .parts, .fans, .holders])
            let term = condition(ofPart: hop.leadsToParts, depth: Swift.min(depth, 1))
            return .quantified(hop, pick(PlainQuantifier.allCases), term)
        case 14:
            let list = pick(PlainList.allCases.filter { !$0.isMap })
            return .quantifiedValues(
                list, pick(PlainQuantifier.allCases), comparison, list.property.sample(&random))
        case 15, 16:
            let property: PlainProperty = pick([.any, .any, .anyEntry])
            let steps = (0..<pick([1, 1, 2, 3])).map { _ in
                pick([.key(pick(PlainAny.keys)), .position(pick([0, 1, 2])), .all] as [PlainStep])
            }
            return .nested(property, steps, comparison, property.sample(&random))
        case 17:
            return .key(pick([.intMap, .textMap, .anyMap]), comparison, pick(PlainAny.keys))
        case 18: return .search(PlainSearch.sample(&random))
        default: return scalar(property, comparison)
        }
    }

    private mutating func scalar(
        _ property: PlainProperty, _ comparison: PlainOperator
    ) -> PlainLeaf {
        let comparison: PlainOperator =
            property.isOrdered ? comparison : (chance(2) ? .equal : .notEqual)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where !property.isEntry: return .compareProperties(property, comparison)
        case 1:
            return .isIn(property, (0..<pick([0, 1, 2, 12])).map { _ in property.sample(&random) })
        case 2, 3, 4:
            return special(property) ?? .compare(property, comparison, property.sample(&random))
        default: return .compare(property, comparison, property.sample(&random))
        }
    }

    /// Returns a condition that only some types support.
    private mutating func special(_ property: PlainProperty) -> PlainLeaf? {
        if property == .words, chance(2) { return .search(PlainSearch.sample(&random)) }
        if property.isBounded {
            let (lower, upper) = bounds(property)
            return .range(property, lower, upper, isClosed: chance(2))
        }
        if property.family == .any {
            if chance(3) {
                return .data(
                    property, pick([.contains, .starts, .ends]), pick([[], [2], [1, 2], [0x61]]))
            }
            let text: PlainValue = .text(pick(PlainProperty.texts + ["*", "?", "a*"]))
            return .text(property, pick(PlainText.allCases), text, ignoresCase: chance(2))
        }
        if property.family == .bool { return .flag(property, chance(2)) }
        if property.family == .text, !property.isEnum {
            let match = pick(PlainText.allCases)
            if !property.isEntry, chance(3) {
                return .textProperties(property, match, ignoresCase: chance(2))
            }
            let text: PlainValue = .text(pick(PlainProperty.texts + ["*", "?", "a*", "*B", "??"]))
            return .text(property, match, chance(8) ? .null : text, ignoresCase: chance(2))
        }
        if property == .data || property == .optData {
            return .data(
                property, pick([.contains, .starts, .ends]), pick([[], [2], [1, 2], [0]]))
        }
        return nil
    }

    /// Returns the constant with which an aggregate is compared.
    private mutating func constant(
        _ property: PlainProperty, _ kind: PlainAggregate
    ) -> PlainValue {
        switch kind {
        case .min where property.family == .any, .max where property.family == .any:
            return chance(5) ? .null : property.sample(&random)
        case .min, .max: return chance(5) ? .null : bounds(property).0
        case .sum: return bounds(property).0
        case .average: return chance(5) ? .null : .double(pick([0, 0.5, 1, 2, 1e10, -1]))
        }
    }

    /// Returns two values in order, neither of them `nil` or NaN.
    private mutating func bounds(_ property: PlainProperty) -> (PlainValue, PlainValue) {
        var values: [PlainValue] = []
        while values.count < 2 {
            let value = property.sample(&random)
            if !value.isNull, !value.isNaN { values.append(value) }
        }
        return PlainValue.order(values[0], values[1]) <= 0
            ? (values[0], values[1]) : (values[1], values[0])
    }

    private mutating func nodeOrNil() -> Int? {
        chance(3) ? nil : nodes.randomElement(using: &random)
    }

    private mutating func someNodes() -> [Int] {
        (0..<pick([0, 1, 3])).compactMap { _ in nodes.randomElement(using: &random) }
    }
}
