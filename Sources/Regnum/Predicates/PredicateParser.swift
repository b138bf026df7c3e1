internal import RegnumEngine
internal import RegnumStore

/// Parses predicate strings: the grammar of Realm's query language, with the spellings of
/// `NSPredicate` as alternatives.
struct PredicateParser {
    var tokens: ArraySlice<PredicateToken>
    var depth = 0
    /// The number of `%@` and `%K` so far.
    var placeholderCount = 0
    /// The number of values that the arguments so far require.
    var valueCount = 0
    /// The variables of the enclosing `SUBQUERY`s, innermost last.
    var variables: [String] = []

    /// - Throws: `PredicateMistake`, also if conditions are nested more than
    ///   `Limits.maximumConditionLevel` levels deep.
    /// - Complexity: O(n) for n bytes.
    static func parse(_ text: String) throws(PredicateMistake) -> PredicateStatement {
        var parser = PredicateParser(tokens: try PredicateLexer.tokens(text)[...])
        let condition = try parser.disjunction()
        let tails = try parser.tails()
        guard parser.next.kind == .end else {
            throw parser.misplaced("Expected AND, OR, or the end")
        }
        return PredicateStatement(
            condition: condition, tails: tails, valueCount: parser.valueCount)
    }

    /// Parses a path alone.
    static func parsePath(_ text: String) throws(PredicateMistake) -> PredicatePath {
        var parser = PredicateParser(tokens: try PredicateLexer.tokens(text)[...])
        let path = try parser.path()
        guard parser.next.kind == .end else { throw parser.mistake("Expected the end of the path") }
        return path
    }

    private init(tokens: ArraySlice<PredicateToken>) {
        self.tokens = tokens
    }

    // MARK: Tokens

    var next: PredicateToken { tokens[tokens.startIndex] }

    var following: PredicateToken {
        tokens.count > 1 ? tokens[tokens.startIndex + 1] : next
    }

    /// Consumes the next token, unless it is `end`, the last one.
    @discardableResult
    mutating func consume() -> PredicateToken {
        let token = next
        if token.kind != .end { tokens.removeFirst() }
        return token
    }

    mutating func consume(symbol: String) -> Bool {
        guard next.kind == .symbol(symbol) else { return false }
        consume()
        return true
    }

    /// Consumes a keyword, ignoring its case. `word` must be in lowercase.
    mutating func consume(word: String) -> Bool {
        guard isNext(word) else { return false }
        consume()
        return true
    }

    func isNext(_ word: String) -> Bool { next.keyword == word }

    /// Consumes a placeholder, or a variable that is an argument.
    mutating func consumeArgument() -> PredicateArgument? {
        let argument: PredicateArgument
        switch next.kind {
        case .placeholder:
            argument = .position(placeholderCount)
            placeholderCount += 1
        case .variable(let name):
            argument = (name.pathArgument ?? name.number).map { .position($0) } ?? .name(name)
        default: return nil
        }
        if case .position(let position) = argument {
            valueCount = max(valueCount, min(position, .max - 1) + 1)
        }
        consume()
        return argument
    }

    mutating func require(symbol: String) throws(PredicateMistake) {
        guard consume(symbol: symbol) else { throw mistake("Expected \(symbol)") }
    }

    /// Returns the error for finding the next token instead of what was expected.
    func mistake(_ expected: String) -> PredicateMistake {
        let found = next.kind == .end ? "the string ends here" : "found \(next.text.shortened)"
        return PredicateMistake(message: "\(expected), but \(found).", offset: next.offset)
    }

    /// Returns the error for finding the next token instead of an operator, or instead of the end
    /// of a comparison.
    private func misplaced(_ expected: String) -> PredicateMistake {
        let problem: String?
        switch next.kind {
        case .symbol(":"):
            problem = "Row numbers such as L1:2 aren't supported: pass the object as a value."
        case .word where next.keyword == "matches":
            problem = "\(next.text) isn't supported."
        default: problem = nil
        }
        guard let problem else { return mistake(expected) }
        return PredicateMistake(message: problem, offset: next.offset)
    }

    /// Calls a function one level deeper.
    mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(PredicateMistake) -> Result
    ) throws(PredicateMistake) -> Result {
        guard depth < Limits.maximumConditionLevel else {
            throw PredicateMistake(
                message: "The condition is nested more than \(Limits.maximumConditionLevel) levels "
                    + "deep.", offset: next.offset)
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // MARK: Conditions

    mutating func disjunction() throws(PredicateMistake) -> PredicateSyntax {
        var terms = [try conjunction()]
        while consume(word: "or") || consume(symbol: "||") { terms.append(try conjunction()) }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction() throws(PredicateMistake) -> PredicateSyntax {
        var terms = [try negation()]
        while consume(word: "and") || consume(symbol: "&&") { terms.append(try negation()) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func negation() throws(PredicateMistake) -> PredicateSyntax {
        if consume(symbol: "!") || (isNext("not") && !isPath(following) && consume(word: "not")) {
            return .not(try nested { parser throws(PredicateMistake) in try parser.negation() })
        }
        if next.kind == .symbol("("), !opensOperand {
            consume()
            let inner = try nested { parser throws(PredicateMistake) in
                try parser.disjunction()
            }
            try require(symbol: ")")
            return inner
        }
        if consume(word: "truepredicate") { return .constant(true) }
        if consume(word: "falsepredicate") { return .constant(false) }
        let left = try operand()
        let comparison = try operatorToken()
        return .comparison(left, comparison, try operand())
    }

    /// Whether a token after a word makes the word a path rather than a keyword: `not.age`,
    /// `any == 3`.
    private func isPath(_ following: PredicateToken) -> Bool {
        switch following.kind {
        case .symbol(let text): !["(", "{", "!", "-", "+"].contains(text)
        case .end: true
        default: false
        }
    }

    private mutating func operatorToken() throws(PredicateMistake) -> PredicateOperator {
        let token = next
        let kind: PredicateOperator.Kind
        switch token.kind {
        case .symbol("="), .symbol("=="): kind = .compare(.equal)
        case .symbol("!="), .symbol("<>"): kind = .compare(.notEqual)
        case .symbol("<"): kind = .compare(.less)
        case .symbol("<="), .symbol("=<"): kind = .compare(.lessOrEqual)
        case .symbol(">"): kind = .compare(.greater)
        case .symbol(">="), .symbol("=>"): kind = .compare(.greaterOrEqual)
        case .word:
            switch token.keyword {
            case "in": kind = .isIn
            case "between": kind = .between
            case "geowithin": kind = .geoWithin
            case "beginswith": kind = .match(.beginsWith)
            case "endswith": kind = .match(.endsWith)
            case "contains": kind = .match(.contains)
            case "like": kind = .match(.like)
            case "text": kind = .search
            default: throw misplaced("Expected an operator such as == or CONTAINS")
            }
        default: throw misplaced("Expected an operator such as == or CONTAINS")
        }
        consume()
        let ignored = try options(of: kind, token.text)
        return PredicateOperator(
            kind: kind, ignored: ignored, text: token.text, offset: token.offset)
    }

    /// Parses `[c]`, `[d]` or `[cd]` after an operator, if it is there.
    private mutating func options(
        of kind: PredicateOperator.Kind, _ text: String
    ) throws(PredicateMistake) -> TextFolding {
        guard next.kind == .symbol("["), case .word = following.kind else { return [] }
        consume()
        let ignored: TextFolding
        switch next.keyword {
        case "c": ignored = .letterCase
        case "d": ignored = .diacritics
        case "cd", "dc": ignored = [.letterCase, .diacritics]
        default: throw mistake("Expected [c], [d] or [cd], to ignore case or diacritics")
        }
        switch kind {
        case .compare(.equal), .compare(.notEqual), .match, .isIn: break
        default:
            throw PredicateMistake(
                message: "\(text) can't ignore case or diacritics.", offset: next.offset)
        }
        consume()
        try require(symbol: "]")
        return ignored
    }

    // MARK: Order

    /// Parses `SORT(…)`, `DISTINCT(…)` and `LIMIT(…)`.
    private mutating func tails() throws(PredicateMistake) -> [(PredicateTail, offset: Int)] {
        var tails: [(PredicateTail, offset: Int)] = []
        while case .word = next.kind {
            let offset = next.offset
            guard tails.count < Limits.maximumSortTermCount else {
                throw PredicateMistake(
                    message: "There are more than \(Limits.maximumSortTermCount) SORT, DISTINCT "
                        + "and LIMIT clauses.", offset: offset)
            }
            switch next.keyword {
            case "sort":
                consume()
                try require(symbol: "(")
                var orders: [(path: PredicatePath, ascending: Bool)] = []
                repeat {
                    let path = try path()
                    let isDescending = consume(word: "desc") || consume(word: "descending")
                    if !isDescending { _ = consume(word: "asc") || consume(word: "ascending") }
                    orders.append((path, !isDescending))
                    if orders.count > Limits.maximumSortTermCount {
                        throw PredicateMistake(
                            message: "SORT has more than \(Limits.maximumSortTermCount) "
                                + "properties.",
                            offset: offset)
                    }
                } while consume(symbol: ",")
                tails.append((.sort(orders), offset))
            case "distinct":
                consume()
                try require(symbol: "(")
                var paths: [PredicatePath] = []
                repeat { paths.append(try path()) } while consume(symbol: ",")
                tails.append((.distinct(paths), offset))
            case "limit":
                consume()
                try require(symbol: "(")
                guard case .number(let text) = next.kind, let count = Int(text) else {
                    throw mistake("Expected the maximum number of objects")
                }
                consume()
                tails.append((.limit(count), offset))
            default:
                let operators = tails.isEmpty ? "AND, OR, " : ""
                throw misplaced("Expected \(operators)SORT, DISTINCT, LIMIT, or the end")
            }
            try require(symbol: ")")
        }
        return tails
    }
}

extension TextFolding {
    /// The option after an operator; empty if nothing is ignored.
    var text: String {
        if isEmpty { return "" }
        return "[" + (contains(.letterCase) ? "c" : "") + (contains(.diacritics) ? "d" : "") + "]"
    }
}
