internal import RegnumEngine
internal import RegnumStore

extension PredicateParser {
    /// Parses a value or a property, or sums and products of these.
    mutating func calculation() throws(PredicateMistake) -> PredicateOperand.Kind {
        var operatorCount = 0
        return try sum(&operatorCount)
    }

    private mutating func sum(
        _ operatorCount: inout Int
    ) throws(PredicateMistake) -> PredicateOperand.Kind {
        try operations(["+": .sum, "-": .difference], &operatorCount) {
            parser, count throws(PredicateMistake) in try parser.product(&count)
        }
    }

    private mutating func product(
        _ operatorCount: inout Int
    ) throws(PredicateMistake) -> PredicateOperand.Kind {
        try operations(["*": .product, "/": .quotient], &operatorCount) {
            parser, count throws(PredicateMistake) in try parser.factor(&count)
        }
    }

    /// Parses operands separated by operators of equal precedence, which apply from left to right.
    private mutating func operations(
        _ operators: [String: NumericOperation], _ operatorCount: inout Int,
        _ operand: (inout PredicateParser, inout Int) throws(PredicateMistake) ->
            PredicateOperand.Kind
    ) throws(PredicateMistake) -> PredicateOperand.Kind {
        let offset = next.offset
        var kind = try operand(&self, &operatorCount)
        while case .symbol(let symbol) = next.kind, let operation = operators[symbol] {
            try count(&operatorCount)
            consume()
            let left = PredicateOperand(kind: kind, quantifier: nil, offset: offset)
            let start = next.offset
            let right = PredicateOperand(
                kind: try operand(&self, &operatorCount), quantifier: nil, offset: start)
            kind = .calculation(operation, left, right)
        }
        return kind
    }

    private mutating func factor(
        _ operatorCount: inout Int
    ) throws(PredicateMistake) -> PredicateOperand.Kind {
        guard next.kind == .symbol("(") else { return try operandKind() }
        consume()
        var inner = operatorCount
        let kind = try nested { parser throws(PredicateMistake) in try parser.sum(&inner) }
        operatorCount = inner
        try require(symbol: ")")
        return kind
    }

    /// Parses a number of a given type: `decimal(0.1)`.
    mutating func typedNumber() throws(PredicateMistake) -> PredicateConstant {
        let name = consume()
        try require(symbol: "(")
        switch next.kind {
        case .number, .symbol("-"), .symbol("+"): break
        case .word where ["inf", "infinity", "nan"].contains(next.keyword): break
        default: throw mistake("Expected a number")
        }
        guard case .literal(.number(let text)) = try operandKind(),
            let constant = PredicateConstant(number: text, type: name.keyword ?? "")
        else {
            throw PredicateMistake(
                message: "The number isn't \(name.text.withArticle).", offset: name.offset)
        }
        try require(symbol: ")")
        return constant
    }

    /// Limits the depth of what is parsed.
    private func count(_ operatorCount: inout Int) throws(PredicateMistake) {
        operatorCount += 1
        guard operatorCount <= Limits.maximumConditionLevel else {
            throw PredicateMistake(
                message: "A calculation has more than \(Limits.maximumConditionLevel) operators.",
                offset: next.offset)
        }
    }

    /// Whether the next token, `(`, begins an operand rather than a condition: whether an operator
    /// follows the matching `)`.
    ///
    /// - Complexity: O(n) for n tokens. Parentheses are limited in depth, so that each token is
    ///   visited a limited number of times.
    var opensOperand: Bool {
        var depth = 0
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .symbol("("): depth += 1
            case .symbol(")"):
                depth -= 1
                if depth == 0 { return tokens[tokens.startIndex + index + 1].isOperator }
            default: break
            }
        }
        return false
    }
}

extension PredicateToken {
    /// Whether the token is an operator between two operands.
    fileprivate var isOperator: Bool {
        switch kind {
        case .symbol(let text):
            ["+", "-", "*", "/", "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>"]
                .contains(text)
        case .word:
            switch keyword {
            case "in", "between", "beginswith", "endswith", "contains", "like": true
            default: false
            }
        default: false
        }
    }
}
