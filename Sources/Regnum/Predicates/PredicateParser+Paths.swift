extension PredicateParser {
    mutating func path() throws(PredicateMistake) -> PredicatePath {
        var path = PredicatePath(steps: [], offset: next.offset)
        if case .variable(let name) = next.kind, variables.contains(name) {
            take()
            path.variable = name
        } else if isNext("self") {
            take()
        } else {
            path.steps.append(try step())
        }
        while true {
            if take(symbol: ".") {
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
        case .placeholder("K"):
            placeholderCount += 1
            kind = .names(.position(placeholderCount - 1))
        case .variable(let name) where name.isPathArgument:
            kind = .names(.position(Int(name.dropFirst()) ?? .max))
        default: throw mistake("Expected the name of a property")
        }
        take()
        return PredicatePath.Step(kind: kind, offset: token.offset)
    }

    /// Parses `[0]`, `[FIRST]`, `[*]`, `[#any]`, `['key']`, `[$0]` or `[SIZE]`.
    private mutating func subscripted() throws(PredicateMistake) -> PredicatePath.Step {
        let offset = next.offset
        try require(symbol: "[")
        let token = take()
        let kind: PredicatePath.Step.Kind
        switch token.kind {
        case .number(let text):
            guard let position = Int(text) else {
                throw PredicateMistake(message: "\(text) isn't a position.", offset: token.offset)
            }
            kind = .position(position)
        case .string(let key): kind = .key(key)
        case .symbol("*"): kind = .all
        case .symbol("#"):
            guard take(word: "any") else { throw mistake("Expected #any") }
            kind = .all
        case .word(let word) where word.lowercased() == "first": kind = .first
        case .word(let word) where word.lowercased() == "size": kind = .function("count")
        case .placeholder("@"):
            placeholderCount += 1
            kind = .subscripted(.position(placeholderCount - 1))
        case .variable(let name):
            kind = .subscripted(Int(name).map { .position($0) } ?? .name(name))
        default:
            throw PredicateMistake(
                message: "Expected a position, a key in quotes, FIRST, SIZE, * or an argument, "
                    + "but found \(token.kind == .end ? "the end" : token.text).",
                offset: token.offset)
        }
        try require(symbol: "]")
        return PredicatePath.Step(kind: kind, offset: offset)
    }
}

extension String {
    /// Whether the name of a variable is that of a path argument: `K0`.
    var isPathArgument: Bool { hasPrefix("K") && Int(dropFirst()) != nil }
}
