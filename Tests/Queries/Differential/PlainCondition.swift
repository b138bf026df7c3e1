import RegnumTestSupport

@testable import RegnumTestModels

/// A condition on an object, without the library.
indirect enum PlainCondition: Sendable {
    case leaf(PlainLeaf)
    /// A condition on any target of a step, or on `nil` if a link is null.
    case at(PlainHop, PlainCondition)
    /// A comparison of the number of targets of a step that meet a condition.
    case subquery(PlainHop, PlainCondition, PlainOperator, Int)
    case and(PlainCondition, PlainCondition)
    case or(PlainCondition, PlainCondition)
    case not(PlainCondition)
}

enum PlainText: CaseIterable, Sendable {
    case contains, starts, ends, like, equals, notEquals
}

enum PlainQuantifier: CaseIterable, Sendable {
    case any, all, none
}

indirect enum PlainLeaf: Sendable {
    case compare(PlainProperty, PlainOperator, PlainValue)
    case compareProperties(PlainProperty, PlainOperator)
    case isIn(PlainProperty, [PlainValue])
    case range(PlainProperty, PlainValue, PlainValue, isClosed: Bool)
    case flag(PlainProperty, Bool)
    case text(PlainProperty, PlainText, PlainValue, ignoresCase: Bool)
    case textProperties(PlainProperty, PlainText, ignoresCase: Bool)
    case data(PlainProperty, PlainText, [UInt8])
    /// A link compared with a node or `nil`.
    case link(PlainHop, isEqual: Bool, Int?)
    case linkIn(PlainHop, [Int])
    case value(PlainList, PlainOperator, PlainValue)
    case containsAnyValue(PlainList, [PlainValue])
    case valuesInRange(PlainList, PlainValue, PlainValue, isClosed: Bool)
    case containsAny(PlainHop, [Int])
    case count(PlainHop, PlainOperator, Int)
    case valueCount(PlainList, PlainOperator, Int)
    case valueAggregate(PlainList, PlainAggregate, PlainOperator, PlainValue)
    case memberAggregate(PlainHop, PlainProperty, PlainAggregate, PlainOperator, PlainValue)
    case quantified(PlainHop, PlainQuantifier, PlainCondition)
    /// A condition on values nested in a value of any type.
    case nested(PlainProperty, [PlainStep], PlainOperator, PlainValue)
    /// A condition on the keys of a map.
    case key(PlainList, PlainOperator, String)
    case quantifiedValues(PlainList, PlainQuantifier, PlainOperator, PlainValue)
    /// A full-text search.
    case search(PlainSearch)
    /// Whether a part is a point in an area.
    case within(PlainArea)
}

extension PlainWorld {
    /// Whether an object meets a condition; `nil` stands for a missing object at the end of a link.
    func holds(_ condition: PlainCondition, _ object: Int?) -> Bool {
        switch condition {
        case .leaf(let leaf): return holds(leaf, object)
        case .at(let hop, let term):
            let targets = object.map { self.targets($0, hop) } ?? []
            if hop.leadsToSeveral { return targets.contains { holds(term, $0) } }
            return holds(term, targets.first)
        case .subquery(let hop, let term, let comparison, let number):
            let targets = object.map { self.targets($0, hop) } ?? []
            return comparison.holds(.int(targets.count { holds(term, $0) }), .int(number))
        case .and(let a, let b): return holds(a, object) && holds(b, object)
        case .or(let a, let b): return holds(a, object) || holds(b, object)
        case .not(let term): return !holds(term, object)
        }
    }

    func value(_ property: PlainProperty, _ object: Int?) -> PlainValue {
        guard let object = object.flatMap({ self.object($0) }) else { return .null }
        return PlainList.entry(property).map { object[$0][PlainList.entryKey] } ?? object[property]
    }

    private func holds(_ leaf: PlainLeaf, _ object: Int?) -> Bool {
        func value(_ property: PlainProperty) -> PlainValue { self.value(property, object) }
        func values(_ list: PlainList) -> [PlainValue] {
            object.flatMap { self.object($0) }.map { $0[list].values } ?? []
        }
        func targets(_ hop: PlainHop) -> [Int] { object.map { self.targets($0, hop) } ?? [] }
        switch leaf {
        case .compare(let property, let comparison, let constant):
            return Self.compare(property, value(property), comparison, constant)
        case .compareProperties(let property, let comparison):
            return comparison.holds(value(property), value(property.other))
        case .isIn(let property, let constants):
            return constants.contains { PlainOperator.equal.holds(value(property), $0) }
        case .range(let property, let lower, let upper, let isClosed):
            return Self.isIn(value(property), lower, upper, isClosed)
        case .flag(let property, let flag):
            return PlainOperator.equal.holds(value(property), .bool(flag))
        case .text(let property, let match, let text, let ignoresCase):
            return match.holds(value(property), text, ignoresCase)
        case .textProperties(let property, let match, let ignoresCase):
            return match.holds(value(property), value(property.other), ignoresCase)
        case .data(let property, let match, let part):
            switch value(property) {
            case .bytes(let bytes): return match.holds(bytes, part)
            case .any(let value): return value.textBytes.map { match.holds($0, part) } ?? false
            default: return false
            }
        case .link(let hop, let isEqual, let node):
            return (targets(hop).first == node) == isEqual
        case .linkIn(let hop, let nodes):
            return targets(hop).first.map { nodes.contains($0) } ?? false
        case .value(let list, let comparison, let constant):
            return values(list).contains {
                Self.compare(list.property, $0, comparison, constant)
            }
        case .containsAnyValue(let list, let constants):
            return values(list).contains { value in
                constants.contains { PlainOperator.equal.holds(value, $0) }
            }
        case .valuesInRange(let list, let lower, let upper, let isClosed):
            let present = values(list).filter { !$0.isNull && !$0.isNaN }
            return !present.isEmpty && present.allSatisfy { Self.isIn($0, lower, upper, isClosed) }
        case .containsAny(let hop, let nodes):
            return targets(hop).contains { nodes.contains($0) }
        case .count(let hop, let comparison, let number):
            return comparison.holds(.int(targets(hop).count), .int(number))
        case .valueCount(let list, let comparison, let number):
            return comparison.holds(.int(values(list).count), .int(number))
        case .valueAggregate(let list, let kind, let comparison, let constant):
            return Self.fold(values(list), kind, list.property, comparison, constant)
        case .memberAggregate(let hop, let property, let kind, let comparison, let constant):
            let values = targets(hop).map { self.value(property, $0) }
            return Self.fold(values, kind, property, comparison, constant)
        case .quantified(let hop, let quantifier, let term):
            return quantifier.holds(targets(hop)) { holds(term, $0) }
        case .nested(let property, let steps, let comparison, let constant):
            return PlainStep.values(value(property), steps).contains {
                comparison.holds($0, constant)
            }
        case .key(let list, let comparison, let key):
            let keys = object.flatMap { self.object($0) }.map { $0[list].keys } ?? []
            return keys.contains { comparison.holds(.text($0), .text(key)) }
        case .quantifiedValues(let list, let quantifier, let comparison, let constant):
            return quantifier.holds(values(list)) {
                Self.compare(list.property, $0, comparison, constant)
            }
        case .search(let search): return search.holds(value(.words).text ?? "")
        case .within(let area):
            return object.flatMap { self.object($0) }.map { area.contains($0.point) } ?? false
        }
    }

    private static func compare(
        _ property: PlainProperty, _ value: PlainValue, _ comparison: PlainOperator,
        _ constant: PlainValue
    ) -> Bool {
        property.family == .text && constant.isNull
            ? comparison.holdsForText(value) : comparison.holds(value, constant)
    }

    private static func isIn(
        _ value: PlainValue, _ lower: PlainValue, _ upper: PlainValue, _ isClosed: Bool
    ) -> Bool {
        PlainOperator.greaterOrEqual.holds(value, lower)
            && (isClosed ? PlainOperator.lessOrEqual : .less).holds(value, upper)
    }

    private static func fold(
        _ values: [PlainValue], _ kind: PlainAggregate, _ property: PlainProperty,
        _ comparison: PlainOperator, _ constant: PlainValue
    ) -> Bool {
        if let folded = kind.fold(values, isInteger: property.family == .int) {
            if property.isDecimal, folded.isNaN, !constant.isNull {
                // As a decimal it is a number less than all others.
                return [.notEqual, .less, .lessOrEqual].contains(comparison)
            }
            return comparison.holds(folded, constant)
        }
        // A sum beyond the range of integers.
        let sum = values.reduce(0.0) { $0 + Double($1.int ?? 0) }
        return comparison.holds(.int(sum > 0 ? 1 : -1), .int(0))
    }
}

extension PlainQuantifier {
    fileprivate func holds<T>(_ elements: [T], _ condition: (T) -> Bool) -> Bool {
        switch self {
        case .any: elements.contains(where: condition)
        case .all: elements.allSatisfy(condition)
        case .none: !elements.contains(where: condition)
        }
    }
}

extension PlainText {
    func holds(_ value: PlainValue, _ other: PlainValue, _ ignoresCase: Bool) -> Bool {
        if case .any(let value) = value {
            guard let bytes = value.textBytes else { return self == .notEquals }
            return holds(.text(String(decoding: bytes, as: UTF8.self)), other, ignoresCase)
        }
        switch self {
        case .equals where value.isNull || other.isNull: return value.isNull && other.isNull
        case .notEquals where value.isNull || other.isNull: return value.isNull != other.isNull
        default: break
        }
        guard var text = value.text, var part = other.text else { return false }
        if ignoresCase { (text, part) = (text.lowercased(), part.lowercased()) }
        if self == .like {
            return Self.isLike(Array(text.unicodeScalars)[...], Array(part.unicodeScalars)[...])
        }
        return holds(Array(text.utf8), Array(part.utf8))
    }

    func holds(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        switch self {
        case .contains:
            part.count <= text.count
                && (0...text.count - part.count).contains { text[$0...].starts(with: part) }
        case .starts: text.starts(with: part)
        case .ends: text.reversed().starts(with: part.reversed())
        case .equals: text == part
        case .notEquals: text != part
        case .like: false
        }
    }

    private static func isLike(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return isLike(text, pattern.dropFirst())
                || !text.isEmpty && isLike(text.dropFirst(), pattern)
        }
        guard let scalar = text.first, first == "?" || first == scalar else { return false }
        return isLike(text.dropFirst(), pattern.dropFirst())
    }
}
