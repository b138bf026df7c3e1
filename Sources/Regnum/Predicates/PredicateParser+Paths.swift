internal import RegnumStore

extension PredicateParser {
    mutating func path() throws(PredicateMistake) -> PredicatePath {
        var path = PredicatePath(steps: [], offset: next.offset)
        if case .variable(let name) = next.kind, variables.contains(name) {
            consume()
            path.variable = name
        } else if isNext("self") {
            consume()
        } else {
            path.steps.append(try step())
        }
        while true {
            if path.steps.count > Limits.maximumConditionLevel {
                throw PredicateMistake.longPath(path.offset)
            }
            if consume(symbol: ".") {
                path.steps.append(try step())
            } else if next.kind == .symbol("[") {
                path.steps.append(try subscripted())
            } else {
                return path
            }
        }
    }

    private mutating func step() throws(PredicateMistake) -> PredicatePath.Step {
        let token = next
        let kind: PredicatePath.Step.Kind
        switch token.kind {
        case .word(let name): kind = .name(name)
        case .function(let name): kind = .function(name.lowercased())
        case .placeholder("K"),
            .variable where token.isPathArgument:
            guard let argument = consumeArgument() else {
                throw mistake("Expected the name of a property")
            }
            return PredicatePath.Step(kind: .names(argument), offset: token.offset)
        default: throw mistake("Expected the name of a property")
        }
        consume()
        return PredicatePath.Step(kind: kind, offset: token.offset)
    }

    /// Parses `[0]`, `[FIRST]`, `[LAST]`, `[*]`, `[#any]`, `['key']`, `[$0]` or `[SIZE]`.
    private mutating func subscripted() throws(PredicateMistake) -> PredicatePath.Step {
        let offset = next.offset
        try require(symbol: "[")
        let token = next
        let kind: PredicatePath.Step.Kind
        switch token.kind {
        case .placeholder("@"),
            .variable where !token.isPathArgument:
            guard let argument = consumeArgument() else { throw mistake("Expected a value") }
            try require(symbol: "]")
            return PredicatePath.Step(kind: .subscripted(argument), offset: offset)
        case .number(let text):
            guard let position = Int(text) else {
                throw PredicateMistake(
                    message: "\(text.shortened) isn't a position.", offset: token.offset)
            }
            kind = .position(position)
        case .string(let key): kind = .key(key)
        case .symbol("*"): kind = .all
        case .symbol("#") where following.keyword == "any":
            consume()
            kind = .all
        case .word where token.keyword == "first": kind = .first
        case .word where token.keyword == "size": kind = .function("count")
        case .word where token.keyword == "last": kind = .last
        default:
            throw mistake(
                "Expected a position, a key in quotes, FIRST, LAST, SIZE, * or an argument")
        }
        consume()
        try require(symbol: "]")
        return PredicatePath.Step(kind: kind, offset: offset)
    }
}

extension PredicateToken {
    /// The word in lowercase, if the token can be a keyword: it has no escapes.
    var keyword: String? {
        if case .word = kind { text.lowercased() } else { nil }
    }

    /// Whether the token is the argument for a path, such as `$K0`.
    var isPathArgument: Bool {
        if case .variable(let name) = kind { name.pathArgument != nil } else { false }
    }
}

extension String {
    /// The number of the path argument that a variable refers to: 0 for `K0`.
    var pathArgument: Int? { hasPrefix("K") ? String(dropFirst()).number : nil }

    /// The number that consists of these digits.
    var number: Int? { utf8.first == UInt8(ascii: "-") ? nil : Int(self) }
}

extension PredicateMistake {
    static func longPath(_ offset: Int) -> PredicateMistake {
        PredicateMistake(
            message: "The path has more than \(Limits.maximumConditionLevel) steps.", offset: offset
        )
    }
}
