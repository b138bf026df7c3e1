internal import RegnumEngine

extension PredicateParser {
    mutating func operand() throws(PredicateMistake) -> PredicateOperand {
        let offset = next.offset
        let quantifiers: [String: Quantifier] = [
            "any": .any, "some": .any, "all": .all, "none": .none,
        ]
        var quantifier: Quantifier?
        if let keyword = next.keyword, let found = quantifiers[keyword], followsOperand {
            consume()
            quantifier = found
        }
        return PredicateOperand(
            kind: try calculation(), quantifier: quantifier, offset: offset)
    }

    /// Whether an operand follows the next token, so that this is a keyword and not a property.
    private var followsOperand: Bool {
        switch following.kind {
        case .word:
            switch following.keyword {
            case "in", "between", "beginswith", "endswith", "contains", "like", "geowithin",
                "and", "or":
                false
            case "sort", "distinct", "limit": tokens.dropFirst(2).first?.kind != .symbol("(")
            case "text": !isValue(tokens.dropFirst(2).first)
            default: true
            }
        case .variable, .placeholder, .function: true
        case .symbol(let text): text == "{"
        default: false
        }
    }

    /// Whether a token after `TEXT` is what to search for, so that `TEXT` is the operator and not a
    /// property.
    private func isValue(_ token: PredicateToken?) -> Bool {
        switch token?.kind {
        case .string, .variable, .placeholder: true
        default: false
        }
    }

    /// Parses a value or a property.
    mutating func operandKind() throws(PredicateMistake) -> PredicateOperand.Kind {
        let token = next
        switch token.kind {
        case .string(let text):
            consume()
            return .literal(.value(text))
        case .data(let bytes):
            consume()
            return .literal(.bytes(bytes))
        case .date(let seconds):
            consume()
            return .literal(.date(seconds))
        case .identifier(let kind, let text):
            consume()
            return .literal(try identifier(kind, text, token.offset))
        case .number(let text):
            consume()
            return .literal(.number(try number(text, token.offset)))
        case .symbol("-"), .symbol("+"):
            return .literal(try signedNumber())
        case .symbol("{"):
            consume()
            return .list(try list())
        case .variable(let name) where variables.contains(name) || token.isPathArgument:
            return .path(try path())
        case .placeholder("@"), .variable:
            guard let argument = consumeArgument() else { throw mistake("Expected a value") }
            return .argument(argument)
        case .word:
            return try wordOperand(token)
        case .placeholder, .function:
            return .path(try path())
        case .symbol, .end:
            throw mistake("Expected a property or a value")
        }
    }

    /// Parses an operand that starts with a word: a constant or a path.
    private mutating func wordOperand(
        _ token: PredicateToken
    ) throws(PredicateMistake) -> PredicateOperand.Kind {
        let (offset, word) = (token.offset, token.text)
        let isCall = following.kind == .symbol("(")
        let isWhole: Bool =
            if case .symbol(let text) = following.kind { text != "." && text != "[" } else { true }
        switch token.keyword {
        case "true":
            guard isWhole else { break }
            consume()
            return .literal(.value(true))
        case "false":
            guard isWhole else { break }
            consume()
            return .literal(.value(false))
        case "yes", "no":
            // Only in capitals, because these are likelier names than the others.
            guard isWhole, word == "YES" || word == "NO" else { break }
            consume()
            return .literal(.value(word == "YES"))
        case "null", "nil":
            guard isWhole else { break }
            consume()
            return .literal(.null)
        case "inf", "infinity", "nan":
            guard isWhole else { break }
            consume()
            return .literal(.number(token.keyword == "nan" ? "nan" : "inf"))
        case "subquery":
            guard isCall else { break }
            consume()
            return try subquery()
        case "geobox", "geocircle", "geopolygon":
            guard isCall else { break }
            consume()
            return .shape(try shape(token))
        case "binary", "bin":
            guard isCall else { break }
            consume()
            try require(symbol: "(")
            let bytes: [UInt8]
            switch consume().kind {
            case .string(let text): bytes = Array(text.utf8)
            case .data(let data): bytes = data
            default:
                throw PredicateMistake(
                    message: "\(word)() needs a string or B64 data.", offset: offset)
            }
            try require(symbol: ")")
            return .literal(.bytes(bytes))
        case "int", "float", "double", "decimal", "date":
            guard isCall else { break }
            return .literal(try typedNumber())
        case "obj":
            guard isCall else { break }
            consume()
            try require(symbol: "(")
            guard case .string(let className) = consume().kind else {
                throw PredicateMistake(
                    message: "obj() needs the name of a class, in quotes, and a primary key.",
                    offset: offset)
            }
            try require(symbol: ",")
            let key = try plainOperand("Expected a primary key")
            try require(symbol: ")")
            return .object(className: className, key: key)
        default: break
        }
        return .path(try path())
    }

    private mutating func list() throws(PredicateMistake) -> [PredicateOperand] {
        var elements: [PredicateOperand] = []
        if consume(symbol: "}") { return [] }
        repeat {
            elements.append(try plainOperand("Expected a value"))
        } while consume(symbol: ",")
        try require(symbol: "}")
        return elements
    }

    /// Parses an operand that contains no other ones, so that there is no recursion.
    mutating func plainOperand(
        _ expected: String
    ) throws(PredicateMistake) -> PredicateOperand {
        let calls = ["obj", "subquery", "geobox", "geocircle", "geopolygon"]
        let isNested = calls.contains(next.keyword ?? "") && following.kind == .symbol("(")
        if isNested || next.kind == .symbol("{") { throw mistake(expected) }
        let offset = next.offset
        return PredicateOperand(kind: try operandKind(), quantifier: nil, offset: offset)
    }

    /// Each level uses much more stack than one of parentheses.
    private static let maximumSubqueryLevel = 16

    /// Parses `(path, $variable, condition).@count`.
    private mutating func subquery() throws(PredicateMistake) -> PredicateOperand.Kind {
        try require(symbol: "(")
        let collection = try path()
        try require(symbol: ",")
        guard case .variable(let name) = next.kind, name.number == nil, !next.isPathArgument
        else { throw mistake("Expected a variable such as $x") }
        guard !variables.contains(name) else {
            throw PredicateMistake(
                message:
                    "The variable $\(name.shortened) is already used by an enclosing SUBQUERY.",
                offset: next.offset)
        }
        guard variables.count < Self.maximumSubqueryLevel else {
            throw PredicateMistake(
                message: "SUBQUERY is nested more than \(Self.maximumSubqueryLevel) levels deep.",
                offset: next.offset)
        }
        consume()
        try require(symbol: ",")
        variables.append(name)
        let condition = try nested { parser throws(PredicateMistake) in
            try parser.disjunction()
        }
        variables.removeLast()
        try require(symbol: ")")
        guard consume(symbol: "."), case .function(let function) = next.kind,
            ["count", "size"].contains(function.lowercased())
        else { throw mistake("Expected .@count after a SUBQUERY") }
        consume()
        return .subquery(collection, variable: name, condition)
    }

    // MARK: Numbers

    private mutating func signedNumber() throws(PredicateMistake) -> PredicateConstant {
        let isNegative = consume().kind == .symbol("-")
        let sign = isNegative ? "-" : ""
        let token = next
        switch token.kind {
        case .number(let text):
            consume()
            return .number(sign + (try number(text, token.offset)))
        case .word where ["inf", "infinity"].contains(token.keyword):
            consume()
            return .number(sign + "inf")
        case .word where token.keyword == "nan":
            consume()
            return .number("nan")
        default: throw mistake("Expected a number")
        }
    }

    /// Returns a number in decimal notation.
    private func number(_ text: String, _ offset: Int) throws(PredicateMistake) -> String {
        let lowercase = text.lowercased()
        if lowercase.hasPrefix("0x") {
            guard let value = UInt64(lowercase.dropFirst(2), radix: 16) else {
                throw PredicateMistake(
                    message: "\(text.shortened) isn't a hexadecimal number of up to 64 bits.",
                    offset: offset)
            }
            return String(value)
        }
        return lowercase.hasSuffix("f") ? String(lowercase.dropLast()) : lowercase
    }

    private func identifier(
        _ kind: String, _ text: String, _ offset: Int
    ) throws(PredicateMistake) -> PredicateConstant {
        guard let constant = PredicateConstant(identifier: kind, text) else {
            throw PredicateMistake(
                message: "\(kind)(\(text.shortened)) is malformed.", offset: offset)
        }
        return constant
    }
}
