internal import RegnumEngine

/// The reason why a query has no predicate string.
struct PredicateUnprintable: Error {
    /// A clause for a message: what a condition does.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Prints conditions as predicate strings.
struct PredicatePrinter {
    /// Looks up classes.
    let binder: PredicateBinder
    /// Returns the primary key of a row of a class; `nil` if there is no such row.
    let primaryKey: (ClassSchema, ObjectKey) -> Value?
    /// The number of enclosing `SUBQUERY`s.
    private var depth = 0

    init(
        _ binder: PredicateBinder, primaryKey: @escaping (ClassSchema, ObjectKey) -> Value?
    ) {
        self.binder = binder
        self.primaryKey = primaryKey
    }

    /// The precedence of the operator that a condition is an operand of.
    enum Precedence: Int {
        case none, or, and, not
    }

    /// Returns a condition on the object or value at a place.
    mutating func condition(
        _ predicate: Predicate, _ place: PrintedPlace, in outer: Precedence = .none
    ) throws(PredicateUnprintable) -> String {
        let predicate = try keyed(predicate, at: place)
        if case .not(let term) = predicate {
            if let text = try quantifiedContent(not: term, place) { return text }
            switch term {
            case .matchText, .isKind:
                if let test = try test(predicate, at: place) { return test.text }
            default: break
            }
            return "NOT " + (try condition(term, place, in: .not))
        }
        if let test = try test(predicate, at: place) { return test.text }
        switch predicate {
        case .constant(let holds): return holds ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let terms): return try joined(terms, " AND ", .and, place, in: outer)
        case .or(let terms): return try joined(terms, " OR ", .or, place, in: outer)
        case .related(let hops, let quantifier, let term):
            return try related(hops, quantifier, term, place, in: outer)
        case .matchTextColumns(let a, .equals, _, _):
            let isText = Predicate.compare(a, .notEqual, .null)
            let areEqual = try textColumns(predicate, at: place)
            let text = "\(areEqual) AND \(try condition(isText, place))"
            return outer.rawValue >= Precedence.and.rawValue ? "(\(text))" : text
        case .not, .compare, .compareColumns, .matchText, .matchTextColumns, .matchData, .isIn,
            .matchWords, .isRow, .count, .aggregate, .compareNumbers, .isKind, .within:
            throw PredicateUnprintable("a condition applies to the contents of a value")
        }
    }

    private mutating func joined(
        _ terms: [Predicate], _ separator: String, _ precedence: Precedence,
        _ place: PrintedPlace, in outer: Precedence
    ) throws(PredicateUnprintable) -> String {
        if terms.isEmpty { return precedence == .and ? "TRUEPREDICATE" : "FALSEPREDICATE" }
        let terms =
            switch precedence {
            case .and where terms.count > 2: terms.joiningContentSteps
            case .or where terms.count > 2: terms.joiningContentConditions
            default: terms
            }
        if terms.count == 1 { return try condition(terms[0], place, in: outer) }
        var texts: [String] = []
        for term in terms { texts.append(try condition(term, place, in: precedence)) }
        let text = texts.joined(separator: separator)
        return outer.rawValue >= precedence.rawValue ? "(\(text))" : text
    }

    // MARK: Paths

    private mutating func related(
        _ hops: [Hop], _ quantifier: Quantifier, _ term: Predicate, _ place: PrintedPlace,
        in outer: Precedence
    ) throws(PredicateUnprintable) -> String {
        let several = hops.splitAtLastCollection.several
        let end = try follow(hops, from: place)
        let term = try keyed(term, at: end)
        guard let last = several.last else {
            return try linked(hops, quantifier, term, place, end, in: outer)
        }
        if let test = try test(term, at: end), !test.isOfContent || quantifier == .any {
            let isSingle = last.isSingle || last.isOfContent
            let isElement = last.position != nil && !last.isOfContent
            switch quantifier {
            case .any where isSingle && test.holdsForNil && (isElement || !test.isOfEntry): break
            case .any: return isSingle || !test.startsWithPath ? test.text : "ANY " + test.text
            case .all where !isSingle && test.startsWithPath: return "ALL " + test.text
            case .none where !isSingle && test.startsWithPath: return "NONE " + test.text
            case .all, .none: break
            }
        }
        let counted = quantifier == .all ? term.negated : term
        let exists = "\(try subquery(end, counted)) > 0"
        return quantifier == .any ? exists : "NOT " + exists
    }

    /// Returns a condition on the object of a link, if there is one.
    private mutating func linked(
        _ hops: [Hop], _ quantifier: Quantifier, _ term: Predicate, _ place: PrintedPlace,
        _ end: PrintedPlace, in outer: Precedence
    ) throws(PredicateUnprintable) -> String {
        let link = try column(hops.linkColumn.column, at: place).text
        let isAny = quantifier == .any
        if isAny, let test = try test(term, at: end), !test.holdsForNil, !test.isNumber {
            return test.text
        }
        let precedence = isAny ? Precedence.and : .or
        let terms: [String] = [
            "\(link) \(isAny ? "!=" : "==") nil",
            try condition(quantifier == .none ? term.negated : term, end, in: precedence),
        ]
        let text = terms.joined(separator: isAny ? " AND " : " OR ")
        return outer.rawValue >= precedence.rawValue ? "(\(text))" : text
    }

    /// Returns the number of the objects or values at a place that meet a condition.
    mutating func subquery(
        _ place: PrintedPlace, _ term: Predicate
    ) throws(PredicateUnprintable) -> String {
        let variable = depth == 0 ? "$x" : "$x\(depth + 1)"
        depth += 1
        defer { depth -= 1 }
        let text = try condition(term, PrintedPlace(text: variable, row: place.row))
        return "SUBQUERY(\(place.text), \(variable), \(text)).@count"
    }
}

// MARK: Objects

extension PredicatePrinter {
    /// Returns a condition on the rows of objects as one on their primary keys.
    func keyed(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> Predicate {
        switch predicate {
        case .isRow(let rows):
            guard case .object(let schema) = place.row else { return predicate }
            return try isRow(rows, schema, through: [])
        case .related(let hops, .any, .isRow(let rows)) where hops.allSatisfy { $0.kind == .link }:
            guard case .object(let schema) = try follow(hops, from: place).row else {
                return predicate
            }
            return try isRow(rows, schema, through: hops)
        case .compare(let link, let comparison, .int(let row))
        where comparison == .equal || comparison == .notEqual:
            guard let schema = try column(link, at: place).target else { return predicate }
            let rows = [ObjectKey(rawValue: UInt64(bitPattern: row))]
            let isObject = try isRow(rows, schema, through: link.path(to: schema))
            if comparison == .equal { return isObject }
            guard case .compare(let key, .equal, let value) = isObject else {
                return isObject.negated
            }
            return .compare(key, .notEqual, value)
        case .compare(_, let comparison, let value) where isGone(value):
            return .constant(comparison == .notEqual)
        case .aggregate(_, _, _, let comparison, let value) where value.isAnyReference:
            return .constant(comparison == .notEqual)  // no aggregate is a link or collection
        case .isIn(let column, let values) where column.type == .any:
            if !values.contains(where: \.isAnyReference) { return predicate }
            let references = values.filter { $0.isAnyReference && !isGone($0) }
            let others = values.filter { !$0.isAnyReference }
            return .or([.isIn(column, others)] + references.map { .compare(column, .equal, $0) })
        case .isIn(let link, let values):
            guard let schema = try column(link, at: place).target else { return predicate }
            let rows = values.compactMap { value -> ObjectKey? in
                guard case .int(let row) = value else { return nil }
                return ObjectKey(rawValue: UInt64(bitPattern: row))
            }
            return try isRow(rows, schema, through: link.path(to: schema))
        case .constant, .compare, .compareColumns, .matchText, .matchTextColumns, .matchData,
            .matchWords, .related, .count, .aggregate, .compareNumbers, .isKind, .within, .and, .or,
            .not:
            return predicate
        }
    }

    /// Returns the condition that the object at the end of a path is one of those that exist.
    private func isRow(
        _ rows: [ObjectKey], _ schema: ClassSchema, through links: [Hop]
    ) throws(PredicateUnprintable) -> Predicate {
        guard let index = schema.primaryKey else {
            throw PredicateUnprintable(
                "it compares \(schema.name.withArticle), which has no primary key")
        }
        var key = schema.properties[index].reference
        let isNil = Predicate.exists(links, .compare(key, .equal, .null))
        key.hops = links
        let found = rows.compactMap { primaryKey(schema, $0) }
        let values = found.filter { !$0.isNull }
        if values.count == found.count {
            return values.count == 1 ? .compare(key, .equal, values[0]) : .isIn(key, values)
        }
        return values.isEmpty ? isNil : .or([.isIn(key, values), isNil])
    }
}

extension ColumnReference {
    /// For a link, the path to its object.
    fileprivate func path(to schema: ClassSchema) -> [Hop] { hops + [.link(name, to: schema.name)] }
}
