internal import RegnumEngine

extension Query where Value == Bool {
    /// How many objects of a collection meet the whole condition:
    ///
    ///     realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count > 0 }
    ///
    /// Unlike `&&` alone, all terms have to hold for the same object. The collection is the first one
    /// on the path of each term; in a subquery inside of another one it is the next one, of the same
    /// object. ``any(_:)`` says the same of `> 0`.
    ///
    /// - Precondition: all terms begin with the same list or inverse.
    public var count: Query<Int> {
        let predicate = predicate
        guard let collection = predicate.firstCollection else {
            fatalError(
                "count was asked of a condition without a collection: all its terms have to begin "
                    + "with the same list or inverse.")
        }
        let (outer, inner) = collection.splitBeforeLastCollection
        return with(.count(outer, inner, predicate.asked(ofElementsOf: collection)))
    }
}

extension Predicate {
    /// The path to the first collection that a term leads through.
    fileprivate var firstCollection: [Hop]? {
        switch self {
        case .related(let hops, _, _), .count(let hops, _, _, _), .aggregate(let hops, _, _, _, _):
            hops.firstCollection
        case .and(let terms), .or(let terms): terms.lazy.compactMap(\.firstCollection).first
        case .not(let term): term.firstCollection
        case .constant, .compare, .compareColumns, .matchText, .matchTextColumns, .matchData, .isIn,
            .isRow:
            nil
        }
    }

    /// The condition on one object of a collection that a condition on its owner makes on them.
    fileprivate func asked(ofElementsOf collection: [Hop]) -> Predicate {
        switch self {
        case .constant: return self
        case .and(let terms): return .and(terms.map { $0.asked(ofElementsOf: collection) })
        case .or(let terms): return .or(terms.map { $0.asked(ofElementsOf: collection) })
        case .not(let term): return .not(term.asked(ofElementsOf: collection))
        case .related(let hops, let quantifier, let term):
            if hops == collection, quantifier == .any { return term }
            return .related(rest(of: hops, after: collection), quantifier, term)
        case .count(let hops, let term, let comparison, let number):
            if hops == collection, let inner = term.firstCollection {
                // a subquery in a subquery counts in the next collection, of the same element
                return .count(inner, term.asked(ofElementsOf: inner), comparison, number)
            }
            return .count(rest(of: hops, after: collection), term, comparison, number)
        case .aggregate(let hops, let kind, let column, let comparison, let value):
            return .aggregate(rest(of: hops, after: collection), kind, column, comparison, value)
        case .compare, .compareColumns, .matchText, .matchTextColumns, .matchData, .isIn, .isRow:
            trap(collection)
        }
    }

    private func rest(of hops: [Hop], after collection: [Hop]) -> [Hop] {
        guard hops.count > collection.count, hops.starts(with: collection) else {
            trap(collection)
        }
        return Array(hops.dropFirst(collection.count))
    }

    private func trap(_ collection: [Hop]) -> Never {
        fatalError(
            "count was asked of a condition of which one term is not about the elements of "
                + "\(collection.last?.name ?? ""): all terms have to begin with that collection.")
    }
}
