internal import RegnumEngine

// Conditions on the values at the end of a path.

extension PredicateBinder {
    /// Returns the condition that a value at a place meets.
    ///
    /// - Parameter holdsForNil: Whether the condition holds if there is no such entry or element.
    func tested(
        _ place: PredicatePlace, _ quantifier: Quantifier?, holdsForNil: Bool, _ offset: Int,
        _ condition: (ColumnReference) -> Predicate
    ) throws(PredicateMistake) -> Predicate {
        switch place.kind {
        case .values:
            guard let (hops, column) = column(place) else { break }
            return try quantified(
                hops, quantifier, condition(column), holdsForNil: holdsForNil, place, offset)
        case .entry(let key, let column, _):
            let (outer, inner) = place.hops.splitBeforeLastCollection
            return try quantified(
                outer, quantifier,
                .entry(inner, key, condition(column), holdsForNil: holdsForNil),
                holdsForNil: holdsForNil, place, offset)
        case .nested(let path):
            if !path.leadsToSeveral { try requireAny(quantifier, place, offset) }
            switch quantifier ?? .any {
            case .any: return .nested(path, holdsForNil: holdsForNil, condition)
            case .none:
                return .not(.nested(path, holdsForNil: holdsForNil, condition))
            case .all:
                return .not(.nested(path, holdsForNil: !holdsForNil) { .not(condition($0)) })
            }
        default: break
        }
        throw refused(place, "can't be compared in this way", offset)
    }

    func requireAny(
        _ quantifier: Quantifier?, _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) {
        if quantifier != nil {
            throw refused(place, "is a single value: ANY, ALL and NONE require several", offset)
        }
    }

    func requireOrder(
        _ comparison: Comparison, _ type: ValueType, _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) {
        if comparison != .equal, comparison != .notEqual, type == .bool || type == .data {
            throw refused(place, "has no ordering: only == and != can be used", offset)
        }
    }

    /// Throws for `[c]` or `[d]` after the operator if the values aren't strings.
    func requireText(
        _ comparison: PredicateOperator, _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) {
        if comparison.ignored.isEmpty { return }
        switch place.storage?.valueType {
        case .string, .any: break
        default:
            throw refused(
                place, "isn't a string, as \(comparison.text)\(comparison.ignored.text) requires",
                offset)
        }
    }

    /// Returns the condition that as many of the rows at the end of a path meet as a quantifier
    /// requires.
    ///
    /// - Parameter holdsForNil: Whether the condition holds if a list on the path doesn't have the
    ///   element at a position.
    func quantified(
        _ hops: [Hop], _ quantifier: Quantifier?, _ predicate: Predicate,
        holdsForNil: Bool = false, _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard let last = hops.last else {
            try requireAny(quantifier, place, offset)
            return predicate
        }
        guard last.isSingle else { return .related(hops, quantifier ?? .any, predicate) }
        let (outer, inner) = hops.splitBeforeLastCollection
        var element = Predicate.related(inner, .any, predicate)
        if holdsForNil { element = .or([element, .related(inner, .none, .constant(true))]) }
        return try quantified(
            outer, quantifier, element, holdsForNil: holdsForNil, place, offset)
    }

    /// Returns the path through the last collection, and the column of a value or link after it.
    func column(_ place: PredicatePlace) -> (hops: [Hop], column: ColumnReference)? {
        switch place.kind {
        case .values(let column, _):
            let (several, links) = place.hops.splitAtLastCollection
            var column = column
            column.hops = links + column.hops
            return (several, column)
        case .objects:
            guard place.hops.last?.kind == .link else { return nil }
            return place.hops.linkColumn
        default: return nil
        }
    }
}
