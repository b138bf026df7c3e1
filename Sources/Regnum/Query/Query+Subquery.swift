internal import RegnumEngine

extension Query where Value == Bool {
    /// The number of objects of a collection that satisfy the whole condition:
    ///
    ///     realm.objects(Person.self).where {
    ///         ($0.dogs.age > 3 && $0.dogs.name == "Rex").count > 0
    ///     }
    ///
    /// Unlike with `&&` alone, all terms have to hold for the same object. The collection is the
    /// first one on each term's path; in a nested subquery it is the next one. `count > 0` is
    /// equivalent to ``any(_:)``.
    ///
    /// A condition whose terms don't all start with the same list or inverse is an error, which is
    /// reported when the query is used.
    public var count: Query<Int> {
        let predicate = predicate
        guard let collection = predicate.firstCollection else {
            scope.refuse(
                "count needs a condition on the objects of a collection: all its terms have to "
                    + "start with the same list or inverse.")
            return with(.count([], [], .constant(false)))
        }
        guard let term = predicate.elementCondition(ofElementsOf: collection) else {
            scope.refuse(
                "count needs a condition on one collection, but a term doesn't apply to "
                    + "the elements of \(collection.last?.name ?? ""): all terms have to start "
                    + "with that collection.")
            return with(.count([], [], .constant(false)))
        }
        let (outer, inner) = collection.splitBeforeLastCollection
        return with(.count(outer, inner, term))
    }
}

extension Predicate {
    /// The path through the first collection that a term leads through.
    fileprivate var firstCollection: [Hop]? {
        switch self {
        case .related(let hops, _, _), .count(let hops, _, _, _), .aggregate(let hops, _, _, _, _):
            hops.firstCollection
        case .and(let terms), .or(let terms): terms.lazy.compactMap(\.firstCollection).first
        case .not(let term): term.firstCollection
        case .constant, .compare, .compareColumns, .matchText, .matchTextColumns, .matchData,
            .matchWords, .isIn, .isRow, .isKind, .compareNumbers, .within:
            nil
        }
    }

    /// Returns the condition on one object of a collection, given a condition on the owner of the
    /// collection; `nil` if one of its terms isn't about the objects.
    fileprivate func elementCondition(ofElementsOf collection: [Hop]) -> Predicate? {
        switch self {
        case .constant: return self
        case .and(let terms): return Predicate.elementCondition(terms, collection).map { .and($0) }
        case .or(let terms): return Predicate.elementCondition(terms, collection).map { .or($0) }
        case .not(let term): return term.elementCondition(ofElementsOf: collection).map { .not($0) }
        case .related(let hops, let quantifier, let term):
            if hops == collection, quantifier == .any { return term.isOfKey ? nil : term }
            return Predicate.rest(of: hops, collection).map { .related($0, quantifier, term) }
        case .count(let hops, let term, let comparison, let number):
            if hops == collection, let inner = term.firstCollection {
                // a nested subquery counts in the next collection, of the same element
                return term.elementCondition(ofElementsOf: inner)
                    .map { .count(inner, $0, comparison, number) }
            }
            return Predicate.rest(of: hops, collection)
                .map { .count($0, term, comparison, number) }
        case .aggregate(let hops, let kind, let column, let comparison, let value):
            return Predicate.rest(of: hops, collection)
                .map { .aggregate($0, kind, column, comparison, value) }
        case .compare, .compareColumns, .matchText, .matchTextColumns, .matchData, .matchWords,
            .isIn, .isRow, .isKind, .compareNumbers, .within:
            return nil
        }
    }

    /// Whether it is the condition on a map's value for a key, which concerns the owner of the map
    /// and not each of its entries.
    private var isOfKey: Bool {
        guard case .and(let terms) = self, case .compare(.mapKey, .equal, _)? = terms.first else {
            return false
        }
        return true
    }

    private static func elementCondition(_ terms: [Predicate], _ collection: [Hop]) -> [Predicate]?
    {
        let found = terms.compactMap { $0.elementCondition(ofElementsOf: collection) }
        return found.count == terms.count ? found : nil
    }

    /// Returns the path after the collection, or `nil` if the path doesn't lead through it.
    private static func rest(of hops: [Hop], _ collection: [Hop]) -> [Hop]? {
        guard hops.count > collection.count, hops.starts(with: collection) else { return nil }
        return Array(hops.dropFirst(collection.count))
    }
}
