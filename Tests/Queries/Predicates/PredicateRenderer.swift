import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Renders the conditions of the differential test as predicate strings.
struct PredicateRenderer {
    /// The start of the paths of a condition.
    struct Root {
        /// Empty, or a path that ends with a dot.
        var text = ""
        var leadsToSeveral = false
    }

    var spelling: PredicateSpelling
    private var variableCount = 0

    init(random: SeededRandom) { spelling = PredicateSpelling(random: random) }

    /// Returns the string for a condition, or `nil` if the language has none for one of its terms.
    mutating func render(_ condition: PlainCondition, _ root: Root = Root()) -> String? {
        switch condition {
        case .leaf(let leaf): return render(leaf, root)
        case .at(let hop, let term): return render(term, self.root(after: hop, root))
        case .subquery(let hop, let term, let comparison, let number):
            return subquery(hop, root, term).map { compare($0, comparison, .int(number)) }
        case .and(let a, let b):
            guard let a = operand(a, root, isOfAnd: true), let b = operand(b, root, isOfAnd: true)
            else { return nil }
            return "\(a) \(spelling.random.oneOf(["&&", "AND", "and"])) \(b)"
        case .or(let a, let b):
            guard let a = operand(a, root, isOfAnd: false), let b = operand(b, root, isOfAnd: false)
            else { return nil }
            return "\(a) \(spelling.random.oneOf(["||", "OR", "or"])) \(b)"
        case .not(let term):
            guard let text = render(term, root) else { return nil }
            let isLeaf: Bool
            switch term {
            case .and, .or: isLeaf = false
            default: isLeaf = spelling.random.oneIn(2)
            }
            return spelling.random.oneOf(["!", "NOT ", "not "]) + (isLeaf ? text : "(\(text))")
        }
    }

    /// Returns an operand of a condition, in parentheses if it needs them.
    private mutating func operand(
        _ condition: PlainCondition, _ root: Root, isOfAnd: Bool
    ) -> String? {
        guard let text = render(condition, root) else { return nil }
        let needsParentheses: Bool
        if case .or = condition { needsParentheses = isOfAnd } else { needsParentheses = false }
        return needsParentheses || spelling.random.oneIn(4) ? "(\(text))" : text
    }

    // MARK: Paths

    private mutating func path(_ name: String, _ root: Root) -> String {
        if root.text.isEmpty, spelling.random.oneIn(6) { return spelling.word("SELF") + "." + name }
        return root.text + name
    }

    private mutating func path(_ property: PlainProperty, _ root: Root) -> String {
        if let map = PlainList.entry(property) {
            return path("\(map)", root) + step(.key(PlainList.entryKey))
        }
        let isIndexed = property.hasIndexedTwin && spelling.random.oneIn(2)
        return path(isIndexed ? "\(property)X" : "\(property)", root)
    }

    private mutating func path(_ hop: PlainHop, _ root: Root) -> String {
        switch hop {
        case .fans where spelling.random.oneIn(2): path("@links.WorldNode.next", root)
        case .holders where spelling.random.oneIn(2): path("@links.WorldNode.nodes", root)
        default: path("\(hop)", root)
        }
    }

    private mutating func values(_ list: PlainList, _ root: Root) -> String {
        let path = path("\(list)", root)
        if list.isMap { return path + spelling.random.oneOf([".@values", ".@allValues", "[*]"]) }
        return path + spelling.random.oneOf(["", "", "[*]"])
    }

    private mutating func root(after hop: PlainHop, _ root: Root) -> Root {
        Root(
            text: path(hop, root) + ".", leadsToSeveral: root.leadsToSeveral || hop.leadsToSeveral)
    }

    private mutating func step(_ step: PlainStep) -> String {
        switch step {
        case .key("") where spelling.random.oneIn(2): return "['']"
        case .key(let key):
            if !key.isEmpty, spelling.random.oneIn(3) { return ".\(key)" }
            if spelling.random.oneIn(3) { return "[\(spelling.argument(.text(key)))]" }
            return "[\(spelling.quoted(key))]"
        case .position(0) where spelling.random.oneIn(2): return "[\(spelling.word("FIRST"))]"
        case .position(let position):
            if spelling.random.oneIn(3) { return "[\(spelling.argument(.position(position)))]" }
            return "[\(position)]"
        case .all: return spelling.random.oneOf(["[*]", "[#any]"])
        }
    }

    private mutating func subquery(_ hop: PlainHop, _ root: Root, _ term: PlainCondition) -> String?
    {
        subquery(path(hop, root), term)
    }

    private mutating func subquery(_ path: String, _ term: PlainCondition) -> String? {
        variableCount += 1
        let variable = "$v\(variableCount)"
        guard let text = render(term, Root(text: variable + ".")) else { return nil }
        return spelling.word("SUBQUERY")
            + "(\(path),\(spelling.gap())\(variable),\(spelling.gap())\(text)).@count"
    }

    // MARK: Leaves

    private mutating func compare(
        _ path: String, _ comparison: PlainOperator, _ value: PlainValue
    ) -> String {
        let (before, after) = (spelling.gap(), spelling.gap())
        if spelling.style != .placeholder, spelling.random.oneIn(4) {
            let text = spelling.comparison(comparison, isMirrored: true)
            return spelling.value(value) + before + text + after + path
        }
        let text = spelling.comparison(comparison)
        return path + before + text + after + spelling.value(value)
    }

    private mutating func quantifier(_ isNeeded: Bool = false) -> String {
        isNeeded || spelling.random.oneIn(2)
            ? spelling.random.oneOf(["ANY ", "any ", "SOME "]) : ""
    }

    private mutating func render(_ leaf: PlainLeaf, _ root: Root) -> String? {
        switch leaf {
        case .compare(let property, let comparison, let value):
            return compare(path(property, root), comparison, value)
        case .compareProperties(let property, let comparison):
            let (left, right) = (path(property, root), path(property.other, root))
            return "\(left) \(spelling.comparison(comparison)) \(right)"
        case .isIn(let property, let values):
            return "\(path(property, root)) \(spelling.word("IN")) \(spelling.values(values))"
        case .range(let property, let lower, let upper, isClosed: true):
            let path = path(property, root)
            return "\(path) \(spelling.word("BETWEEN")) \(spelling.values([lower, upper]))"
        case .range(let property, let lower, let upper, isClosed: false):
            guard !root.leadsToSeveral else {
                // One object has to meet both conditions.
                let term = PlainCondition.leaf(leaf)
                return subquery(String(root.text.dropLast()), term).map { "\($0) > 0" }
            }
            let lowerBound = compare(path(property, root), .greaterOrEqual, lower)
            return "(\(lowerBound) AND \(compare(path(property, root), .less, upper)))"
        case .flag(let property, let flag):
            return compare(path(property, root), .equal, .bool(flag))
        case .text(let property, let match, let text, let ignoresCase):
            let isEquality = match == .equals || match == .notEquals
            // Without [c], `==` doesn't compare data with strings.
            if isEquality, !ignoresCase, property.family == .any { return nil }
            let path = path(property, root)
            let operation = spelling.text(match, ignoresCase: ignoresCase)
            return "\(path) \(operation) \(spelling.value(text))"
        case .textProperties(let property, let match, let ignoresCase):
            let (left, right) = (path(property, root), path(property.other, root))
            return "\(left) \(spelling.text(match, ignoresCase: ignoresCase)) \(right)"
        case .data(let property, let match, let bytes):
            let path = path(property, root)
            let value: PlainValue = property.family == .any ? .any(.data(bytes)) : .bytes(bytes)
            return "\(path) \(spelling.text(match, ignoresCase: false)) \(spelling.value(value))"
        case .link(let hop, let isEqual, let node):
            let path = path(hop, root)
            let operation = spelling.comparison(isEqual ? .equal : .notEqual)
            guard let node else { return "\(path) \(operation) \(spelling.value(.null))" }
            let object =
                spelling.random.oneIn(2)
                ? "obj('WorldNode', \(spelling.value(.int(node))))"
                : spelling.argument(.node(node))
            return "\(path) \(operation) \(object)"
        case .linkIn(let hop, let nodes):
            return "\(path(hop, root)) IN \(spelling.argument(.nodes(nodes)))"
        case .containsAny(let hop, let nodes):
            return "\(quantifier())\(path(hop, root)) IN \(spelling.argument(.nodes(nodes)))"
        case .count(let hop, let comparison, let number):
            return compare(path(hop, root) + count(), comparison, .int(number))
        case .memberAggregate(let hop, let property, let kind, let comparison, let value):
            let (path, member) = (path(hop, root), path(property, Root(text: ".")))
            let aggregate = aggregate(kind)
            let isBefore = spelling.random.oneIn(2)
            return compare(
                path + (isBefore ? aggregate + member : member + aggregate), comparison, value)
        case .quantified(let hop, let quantifier, let term):
            let counted = quantifier == .all ? PlainCondition.not(term) : term
            return subquery(hop, root, counted).map {
                compare($0, quantifier == .any ? .greater : .equal, .int(0))
            }
        case .nested(let property, let steps, let comparison, let value):
            var path = path(property, root)
            for step in steps { path += self.step(step) }
            return compare(path, comparison, value)
        case .search(let search):
            let path = path(.words, root)
            return "\(path) \(spelling.word("TEXT")) \(spelling.value(.text(search.text)))"
        case .within(let area):
            let shape = spelling.random.oneIn(2) ? "\(area.shape)" : spelling.argument(.area(area))
            return "\(root.text.dropLast()) \(spelling.word("GEOWITHIN")) \(shape)"
        default: return renderList(leaf, root)
        }
    }

    private mutating func renderList(_ leaf: PlainLeaf, _ root: Root) -> String? {
        switch leaf {
        case .value(let list, .equal, let value) where spelling.random.oneIn(3):
            let value = spelling.value(value)
            return "\(value) \(spelling.word("IN")) \(values(list, root))"
        case .value(let list, let comparison, let value):
            return compare(quantifier() + values(list, root), comparison, value)
        case .containsAnyValue(let list, let constants):
            if spelling.style != .placeholder, spelling.random.oneIn(3) {
                let equal = spelling.comparison(.equal)
                let path = values(list, root)
                return "\(quantifier(true))\(spelling.values(constants)) \(equal) \(path)"
            }
            let path = quantifier() + values(list, root)
            return "\(path) \(spelling.word("IN")) \(spelling.values(constants))"
        case .valuesInRange(let list, let lower, let upper, let isClosed):
            guard !root.leadsToSeveral else { return nil }
            let least = path("\(list)", root) + aggregate(.min)
            let lowerBound = compare(least, .greaterOrEqual, lower)
            let greatest = path("\(list)", root) + aggregate(.max)
            let upperBound = compare(greatest, isClosed ? .lessOrEqual : .less, upper)
            return "(\(lowerBound) && \(upperBound))"
        case .valueCount(let list, let comparison, let number):
            return compare(path("\(list)", root) + count(), comparison, .int(number))
        case .valueAggregate(let list, let kind, let comparison, let value):
            return compare(path("\(list)", root) + aggregate(kind), comparison, value)
        case .key(let list, let comparison, let key):
            let keys = path("\(list)", root) + spelling.random.oneOf([".@keys", ".@allKeys"])
            return compare(quantifier() + keys, comparison, .text(key))
        case .quantifiedValues(let list, let quantifier, let comparison, let value):
            if quantifier != .any, root.leadsToSeveral { return nil }
            let word =
                switch quantifier {
                case .any: self.quantifier(true)
                case .all: spelling.random.oneOf(["ALL ", "all "])
                case .none: spelling.random.oneOf(["NONE ", "none "])
                }
            return compare(word + values(list, root), comparison, value)
        default: return nil
        }
    }

    private mutating func count() -> String {
        spelling.random.oneOf([".@count", ".@size", "[SIZE]", "[size]"])
    }

    private mutating func aggregate(_ kind: PlainAggregate) -> String {
        switch kind {
        case .min: ".@min"
        case .max: ".@max"
        case .sum: ".@sum"
        case .average: spelling.random.oneOf([".@avg", ".@average"])
        }
    }
}

extension PlainProperty {
    /// Whether nodes have a second property with the same values that is indexed.
    fileprivate var hasIndexedTwin: Bool {
        switch self {
        case .int, .optInt, .tiny, .optMedium, .bool, .optBool, .string, .optString, .date,
            .optDate, .uuid, .optUuid, .oid, .optOid, .level, .optLevel, .kind, .optKind, .any:
            true
        default: false
        }
    }
}
