internal import RegnumEngine

// The conditions that represent a map's value for a key, an element at a position, and the contents
// of values of any type.

extension PredicatePrinter {
    /// Returns a condition on the value of a map for a key: `prices['EUR'] > 2`.
    mutating func entry(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        var holdsForNil = false
        var found = predicate
        if case .or(let terms) = predicate {
            guard terms.count == 2 else { return nil }
            found = terms[0]
            holdsForNil = true
        }
        guard place.isWhole, case .related(let hops, .any, .and(let terms)) = found,
            hops.isOfOneCollection, terms.count == 2,
            case .compare(.mapKey, .equal, .string(let key)) = terms[0],
            predicate == .entry(hops, key, terms[1], holdsForNil: holdsForNil),
            case .entry(let shape) = try follow(hops, from: place).row
        else { return nil }
        var value = try follow(hops, from: place).step("[\(key.quoted)]", .value(shape))
        value.isWhole = false
        let term = try keyed(terms[1], at: value)
        guard var test = try test(term, at: value), test.holdsForNil == holdsForNil else {
            return nil
        }
        test.isOfEntry = true
        return test
    }

    /// Returns a condition on the element of a list at a position, which doesn't hold if there is
    /// none: `scores[0] > 2`.
    mutating func element(
        _ hops: [Hop], _ term: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard let test = try elementTest(hops, term, at: place), !test.holdsForNil else {
            return nil
        }
        return test
    }

    /// Returns a condition on the element at a position, which also holds if there is none:
    /// `scores[0] != 2`.
    mutating func missingElement(
        _ terms: [Predicate], at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard terms.count == 2, case .related(let hops, .any, let term) = terms[0],
            terms[1] == .related(hops, .none, .constant(true)),
            var test = try elementTest(hops, term, at: place), test.holdsForNil
        else { return nil }
        test.isOfEntry = true
        return test
    }

    private mutating func elementTest(
        _ hops: [Hop], _ term: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard place.isWhole, let last = hops.last, last.position != nil, !last.isOfContent,
            hops.isOfOneCollection
        else { return nil }
        let end = try follow(hops, from: place)
        return try test(try keyed(term, at: end), at: end)
    }

    /// Returns a condition on a map's entry, or on a value contained in one of any type, that is
    /// about the values contained in it: the count of a `SUBQUERY`.
    mutating func contained(
        _ hops: [Hop], _ term: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard let last = hops.last, last.isSingle, last.key != nil || last.isOfContent,
            hops.isOfOneCollection,
            var test = try test(term, at: try follow(hops, from: place)), !test.holdsForNil
        else { return nil }
        test.isOfContent = true
        test.isOfEntry = true
        return test
    }

    // MARK: Contents of values of any type

    /// Returns a condition on what is contained in a value of any type: `info['tags'][0] == 'new'`.
    mutating func contentTest(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        var found = predicate
        if case .or(let terms) = predicate {
            guard terms.count == 2, terms[1] == terms[0].contentIsMissing else { return nil }
            found = terms[0]
        }
        guard var test = try content(found, at: place),
            test.holdsForNil == (found != predicate)
        else { return nil }
        test.isOfContent = true
        test.isOfEntry = true
        return test
    }

    /// Returns the condition on the value at the end of the steps into a value of any type.
    private mutating func content(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard let (hops, step, rest) = predicate.contentStep, let hop = hops.last else {
            return nil
        }
        let value = try follow(Array(hops.dropLast()), from: place)
        var next = try content(hop, from: value).step(step, .element)
        next.isWhole = false
        let isOfAll = step == "[*]"
        if rest.contentStep != nil, !isOfAll { return try content(rest, at: next) }
        if var test = try test(rest, at: next) {
            if isOfAll { test.holdsForNil = false }  // if there are no elements, none matches
            return test
        }
        return PrintedTest(
            text: "\(try subquery(next, rest)) > 0", startsWithPath: false, isNumber: true)
    }

    /// Returns the condition that all values contained in values of any type meet a condition, as
    /// in `ALL info[*] > 2` and `ALL items['k'] > 2`, given the condition that one of them doesn't.
    mutating func quantifiedContent(
        not predicate: Predicate, _ place: PrintedPlace
    ) throws(PredicateUnprintable) -> String? {
        var paths: [Hop] = []
        var exception = predicate
        if predicate.contentStep == nil, case .related(let hops, .any, let term) = predicate {
            (paths, exception) = (hops, term)
        }
        if case .not = exception { return nil }  // not about contents
        guard exception.leadsToAllContents || paths.contains(where: { !$0.isSingle }),
            let complement = exception.contentComplement
        else { return nil }
        let end = try follow(paths, from: place)
        guard let test = try contentTest(complement, at: end), test.startsWithPath else {
            return nil
        }
        return "ALL " + test.text
    }
}

extension Predicate {
    /// For a step of a condition into the contents of values of any type: the path to the value and
    /// into it, the step, and the condition on what is there.
    fileprivate var contentStep: (hops: [Hop], step: String, rest: Predicate)? {
        switch self {
        case .related(let hops, .any, let rest):
            guard let hop = hops.last, hop.isOfContent, !hop.isSingle,
                !hops.dropLast().contains(where: { $0.kind != .link })
            else { return nil }
            return (hops, "[*]", rest)
        case .and(let terms):
            guard terms.count == 2, case .compare(let column, .equal, .any(let kind)) = terms[0],
                case .related(let hops, .any, let rest) = terms[1], let hop = hops.last,
                hop.isOfContent, hop.holder == nil, Array(hops.dropLast()) == column.hops
            else { return nil }
            if hop.position != nil {
                guard .any(kind) == AnyContent.list(0).value else { return nil }
                return (hops, hop.choice ?? "", rest)
            }
            guard .any(kind) == AnyContent.dictionary(0).value, case .and(let terms) = rest,
                terms.count == 2, case .compare(.mapKey, .equal, .string(let key)) = terms[0]
            else { return nil }
            return (hops, "[\(key.quoted)]", terms[1])
        default: return nil
        }
    }

    /// Whether a step leads to all elements of a list or dictionary.
    fileprivate var leadsToAllContents: Bool {
        guard let (_, step, rest) = contentStep else { return false }
        return step == "[*]" || rest.leadsToAllContents
    }

    /// For a condition on the contents of a value of any type, the condition that there are none.
    fileprivate var contentIsMissing: Predicate? { contentStep == nil ? nil : .not(contentExists) }

    private var contentExists: Predicate {
        guard let rest = contentStep?.rest else { return .constant(true) }
        return replacingRest(rest.contentExists)
    }

    /// For the condition that the contents of a value of any type don't meet another one, the
    /// condition that they do; it differs for missing contents, too. `nil` for other conditions.
    fileprivate var contentComplement: Predicate? {
        if contentStep != nil {
            guard let found = complementOfFound else { return nil }
            return leadsToAllContents ? found : .or([found, .not(found.contentExists)])
        }
        switch self {
        case .not(let term): return term
        case .or(let terms):
            guard terms.count == 2, terms[1] == terms[0].contentIsMissing else { return nil }
            return terms[0].complementOfFound
        default: return nil
        }
    }

    /// The complement for contents that exist.
    private var complementOfFound: Predicate? {
        guard let (_, step, rest) = contentStep else {
            if case .not(let term) = self { return term }
            return nil
        }
        let complement = step == "[*]" ? rest.contentComplement : rest.complementOfFound
        return complement.map { replacingRest($0) }
    }

    /// Returns the predicate with another condition on the value to which its first step into a
    /// value of any type leads.
    private func replacingRest(_ rest: Predicate) -> Predicate {
        switch self {
        case .related(let hops, let quantifier, _): return .related(hops, quantifier, rest)
        case .and(let terms):
            guard case .related(let hops, let quantifier, let content) = terms[1] else {
                return self
            }
            guard hops.last?.position == nil, case .and(let inner) = content else {
                return .and([terms[0], .related(hops, quantifier, rest)])
            }
            return .and([terms[0], .related(hops, quantifier, .and([inner[0], rest]))])
        default: return self
        }
    }
}

extension [Predicate] {
    /// The terms of a conjunction, in which each pair of consecutive terms that form a step into
    /// the contents of a value of any type is joined into one term.
    var joiningContentSteps: [Predicate] {
        joining { a, b in
            let step = Predicate.and([a, b])
            return step.contentStep == nil ? nil : step
        }
    }

    /// The terms of a disjunction, in which each pair of consecutive terms that form a condition on
    /// contents that also holds without any contents is joined into one term.
    var joiningContentConditions: [Predicate] {
        joining { a, b in a.contentIsMissing == b ? .or([a, b]) : nil }
    }

    private func joining(_ joined: (Predicate, Predicate) -> Predicate?) -> [Predicate] {
        var result: [Predicate] = []
        for term in self {
            if let last = result.last, let pair = joined(last, term) {
                result[result.count - 1] = pair
            } else {
                result.append(term)
            }
        }
        return result
    }
}

extension [Hop] {
    /// Whether the path leads through one collection.
    var isOfOneCollection: Bool {
        let several = splitAtLastCollection.several
        return !several.isEmpty && several.splitBeforeLastCollection.outer.isEmpty
    }
}
