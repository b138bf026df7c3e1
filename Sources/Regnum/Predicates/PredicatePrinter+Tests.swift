internal import RegnumEngine

/// A condition printed as a single comparison, whose left side is a path or a calculation.
struct PrintedTest {
    let text: String
    /// Whether the comparison holds for a missing list element.
    var holdsForNil = false
    /// Whether a quantifier can precede it.
    var startsWithPath = true
    /// Whether it's about a number that isn't null without the row, such as a count.
    var isNumber = false
    /// Whether it's about the value of a map's entry, or the contents of a value of any type.
    var isOfEntry = false
    /// Whether it's about the contents of a value of any type.
    var isOfContent = false
}

extension PredicatePrinter {
    /// Returns a condition on the row at a place as a comparison; `nil` if there is none.
    mutating func test(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        switch predicate {
        case .constant(let holds):
            guard !holds, !place.isWhole, case .element = place.row else { return nil }
            return PrintedTest(text: "\(place.text) CONTAINS nil")
        case .compare(_, _, let value) where isGone(value): return nil  // printed as a constant
        case .compare(let column, let comparison, let value):
            let text = try self.column(column, at: place).text
            if value.isAnyReference, comparison.isOfOrder {
                return PrintedTest(text: "\(text) IN {}")  // never holds
            }
            if let kind = value.anyContent?.collectionKind {
                return PrintedTest(
                    text: "\(text).@type \(comparison.text) '\(kind.text)'",
                    holdsForNil: comparison == .notEqual)
            }
            return PrintedTest(
                text: "\(text) \(comparison.text) \(try literal(value))",
                holdsForNil: comparison.holds(forNilAnd: value, type: column.type))
        case .compareColumns(let a, let comparison, let b):
            guard place.isWhole else { return nil }
            let (left, right) = (try column(a, at: place).text, try column(b, at: place).text)
            return PrintedTest(
                text: "\(left) \(comparison.text) \(right)",
                holdsForNil: comparison.holds(forNilAnd: .null))
        case .matchText(let column, let match, let text, let ignored):
            let path = try self.column(column, at: place).text
            let literal = text.wrappedValue.quoted
            if match == .equals, ignored.isEmpty, column.type == .any {
                // also data with the bytes of the string
                let bytes = self.literal(Array(text.wrappedValue.utf8))
                return PrintedTest(text: "\(path) IN {\(literal), \(bytes)}")
            }
            return PrintedTest(text: "\(path) \(match.text)\(ignored.text) \(literal)")
        case .matchTextColumns(_, let match, _, _):
            guard place.isWhole, match != .equals else { return nil }
            return PrintedTest(text: try textColumns(predicate, at: place))
        case .matchData(let column, let match, let bytes):
            let path = try self.column(column, at: place).text
            return PrintedTest(text: "\(path) \(match.text) \(literal(bytes))")
        case .matchWords(let column, let words):
            let path = try self.column(column, at: place).text
            let matchesNil = try? Predicate.check(search: words.wrappedValue)
            return PrintedTest(
                text: "\(path) TEXT \(words.wrappedValue.quoted)",
                holdsForNil: matchesNil ?? false)
        case .within(_, let area):
            return PrintedTest(text: "\(place.path) GEOWITHIN \(area.text)")
        case .isIn(_, let values) where values.contains(where: \.isAnyReference):
            return nil  // printed as several comparisons
        case .isIn(let column, let values):
            let path = try self.column(column, at: place).text
            return PrintedTest(
                text: "\(path) IN \(try literals(values))", holdsForNil: values.contains(.null))
        case .isKind(let column, let kinds, let orNull):
            return try kindTest(column, kinds, orNull, "IN", at: place)
        case .count(let hops, let term, let comparison, let number):
            guard place.isWhole || hops.first?.isOfContent == true else { return nil }
            let count = try count(hops, term, at: place)
            return PrintedTest(
                text: "\(count) \(comparison.text) \(number)",
                holdsForNil: comparison.holds(forNilAnd: .int(number)), isNumber: true)
        case .aggregate(let hops, let kind, let column, let comparison, let value):
            guard place.isWhole, hops.isOfOneCollection else { return nil }
            let end = try follow(hops, from: place)
            let path = try self.column(column, at: end).text
            return PrintedTest(
                text: "\(path).\(kind.text) \(comparison.text) \(try literal(value))",
                holdsForNil: comparison.holds(forNilAnd: value), isNumber: true)
        case .compareNumbers(let a, let comparison, let b):
            return try place.isWhole ? compareNumbers(a, comparison, b, at: place) : nil
        case .not(let term): return try complement(term, at: place)
        case .related(let hops, .any, .within(_, let area))
        where place.isWhole && hops.allSatisfy { $0.kind == .link }:
            // not within it either if a link is nil
            return PrintedTest(text: "\(try follow(hops, from: place).path) GEOWITHIN \(area.text)")
        case .related(let hops, .any, let term):
            if let test = try entry(predicate, at: place) { return test }
            if let test = try element(hops, term, at: place) { return test }
            if let test = try contained(hops, term, at: place) { return test }
            return try contentTest(predicate, at: place)
        case .and(let terms):
            if let test = try between(terms, at: place) { return test }
            return try contentTest(predicate, at: place)
        case .or(let terms): return try alternatives(terms, at: place)
        case .isRow, .related: return nil
        }
    }

    /// Returns a match of two properties.
    func textColumns(
        _ predicate: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> String {
        guard case .matchTextColumns(let a, let match, let b, let ignored) = predicate else {
            return ""
        }
        let (left, right) = (try column(a, at: place).text, try column(b, at: place).text)
        return "\(left) \(match.text)\(ignored.text) \(right)"
    }

    /// Returns the exact complement of a condition, also for values that are null.
    private func complement(
        _ term: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        switch try keyed(term, at: place) {
        case .compare(let column, .equal, let value) where value.anyContent?.collectionKind == nil:
            let path = try self.column(column, at: place).text
            return PrintedTest(
                text: "\(path) != \(try literal(value))", holdsForNil: !value.isNull)
        case .matchText(let column, .equals, let text, let ignored) where !ignored.isEmpty:
            let path = try self.column(column, at: place).text
            return PrintedTest(
                text: "\(path) !=\(ignored.text) \(text.wrappedValue.quoted)", holdsForNil: true)
        case .isKind(let column, let kinds, let orNull):
            return try kindTest(column, kinds, orNull, "!=", at: place)
        default: return nil  // other complements are printed with NOT
        }
    }

    private func kindTest(
        _ column: ColumnReference, _ kinds: Set<AnyKind>, _ orNull: Bool, _ operation: String,
        at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        var names = kinds.sorted { $0.rawValue < $1.rawValue }.map { "'\($0.text)'" }
        if kinds == [.int, .float, .double, .decimal] { names = ["'numeric'"] }
        if kinds == [.list, .dictionary] { names = ["'collection'"] }
        if orNull { names.append("'null'") }
        let path = "\(try self.column(column, at: place).text).@type"
        if operation == "!=" {
            if names.count != 1 { return nil }
            return PrintedTest(text: "\(path) != \(names[0])", holdsForNil: !orNull)
        }
        let text =
            names.count == 1
            ? "\(path) == \(names[0])" : "\(path) IN {\(names.joined(separator: ", "))}"
        return PrintedTest(text: text, holdsForNil: orNull)
    }

    // MARK: Several terms

    private func between(
        _ terms: [Predicate], at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        guard terms.count == 2, case .compare(let column, .greaterOrEqual, let lower) = terms[0],
            case .compare(column, .lessOrEqual, let upper) = terms[1],
            ![lower, upper].contains(where: { $0.isNull || $0.isAnyReference })
        else { return nil }
        let path = try self.column(column, at: place).text
        return PrintedTest(text: "\(path) BETWEEN \(try literals([lower, upper]))")
    }

    private mutating func alternatives(
        _ terms: [Predicate], at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        if let test = try isInIgnoring(terms, at: place) { return test }
        guard terms.count == 2 else { return nil }
        let predicate = Predicate.or(terms)
        if case .matchTextColumns(let a, .equals, let b, let ignored) = terms[0], place.isWhole,
            !ignored.isEmpty, predicate == .areEqual(a, b, ignoring: ignored)
        {
            return PrintedTest(text: try textColumns(terms[0], at: place), holdsForNil: true)
        }
        if let test = try entry(predicate, at: place) { return test }
        if let test = try missingElement(terms, at: place) { return test }
        return try contentTest(predicate, at: place)
    }

    private func isInIgnoring(
        _ terms: [Predicate], at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest? {
        var texts = terms[...]
        var values: [Value] = []
        var column: ColumnReference?
        if case .isIn(let first, let others)? = terms.first {
            (column, values) = (first, others)
            texts.removeFirst()
        }
        var options: TextFolding?
        var strings: [String] = []
        for term in texts {
            guard case .matchText(let path, .equals, let text, let ignored) = term,
                !ignored.isEmpty, path == column ?? path, ignored == options ?? ignored
            else { return nil }
            (column, options) = (path, ignored)
            strings.append(text.wrappedValue.quoted)
        }
        // Values that are strings ignore case, too. References are printed as comparisons.
        guard let column, let options,
            !values.contains(where: { $0.isText || $0.isAnyReference })
        else { return nil }
        let path = try self.column(column, at: place).text
        var literals: [String] = []
        for value in values { literals.append(try literal(value)) }
        literals += strings
        return PrintedTest(
            text: "\(path) IN\(options.text) {\(literals.joined(separator: ", "))}",
            holdsForNil: values.contains(.null))
    }
}

extension AnyContent {
    /// The kind, if the content is a list or dictionary. All of one kind are equal in conditions.
    fileprivate var collectionKind: AnyKind? {
        switch self {
        case .list: .list
        case .dictionary: .dictionary
        default: nil
        }
    }
}

extension Comparison {
    fileprivate var isOfOrder: Bool { self != .equal && self != .notEqual }
}

extension Value {
    fileprivate var isText: Bool {
        switch self {
        case .string: true
        case .any: if case .string? = anyContent { true } else { false }
        default: false
        }
    }
}
