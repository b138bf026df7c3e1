/// The values passed with a predicate string.
enum PredicateArguments {
    case positions([Any?])
    case names([String: Any?])
}

/// One or several constants.
enum PredicateValues {
    case one(PredicateConstant)
    case several([PredicateConstant])
}

extension PredicateArguments {
    /// Throws if there are more values than the string uses.
    func check(_ statement: PredicateStatement) throws(PredicateMistake) {
        guard case .positions(let values) = self, statement.valueCount < values.count
        else { return }
        throw PredicateMistake(
            message: "Too many values were given: \(values.count) instead of "
                + "\(statement.valueCount).", offset: 0)
    }

    /// Returns a value, which may be a collection of values.
    func values(
        _ argument: PredicateArgument, _ offset: Int
    ) throws(PredicateMistake) -> PredicateValues {
        guard let value = try value(argument, offset).flatMap({ unwrapped($0) }) else {
            return .one(.null)
        }
        if value is any ScalarValue || value is Substring
            || instance(of: ObjectBase.self, value) != nil
        {
            return .one(PredicateConstant(value))
        }
        let isRange = value is any RangeExpression
        // A range without an end, such as 3..., is an endless sequence.
        let isEndless = isRange && !(value is any Collection)
        guard !isEndless, let elements = value as? any Sequence else {
            return .one(PredicateConstant(value))
        }
        // Ranges may have more values than fit into memory, and other sequences may be endless.
        let isBounded = isRange || !(value is any Collection)
        guard let constants = Self.constants(elements, atMost: isBounded ? Self.maximumCount : .max)
        else {
            throw PredicateMistake(
                message: isRange
                    ? "A range of more than \(Self.maximumCount) values was given: use BETWEEN or "
                        + "comparisons with its bounds."
                    : "A sequence of more than \(Self.maximumCount) values was given, which may be "
                        + "endless: use an array.",
                offset: offset)
        }
        return .several(constants)
    }

    /// Returns the elements, or `nil` if there are more than `maximumCount`.
    private static func constants(
        _ elements: some Sequence, atMost maximumCount: Int
    ) -> [PredicateConstant]? {
        var constants: [PredicateConstant] = []
        for element in elements {
            if constants.count == maximumCount { return nil }
            constants.append(PredicateConstant(element))
        }
        return constants
    }

    /// The maximum number of values of a range, and of a sequence that isn't a collection.
    private static let maximumCount = 1 << 20

    /// Returns the text of a path argument.
    func path(
        _ argument: PredicateArgument, _ offset: Int
    ) throws(PredicateMistake) -> String {
        guard let text = try value(argument, offset) as? String else {
            throw PredicateMistake(
                message: "The argument for a path must be a string.", offset: offset)
        }
        return text
    }

    private func value(
        _ argument: PredicateArgument, _ offset: Int
    ) throws(PredicateMistake) -> Any? {
        let message: String
        switch (argument, self) {
        case (.position(let position), .positions(let values)):
            if position < values.count { return values[position] }
            message =
                values.isEmpty
                ? "Value number \(position) is missing: no values were given."
                : "Value number \(position) is missing: \(values.count) "
                    + "\(values.count == 1 ? "was" : "were") given, numbered from 0."
        case (.name(let name), .names(let values)):
            if let value = values[name] { return value }
            message = "No value was given for $\(name.shortened)."
        case (.position, .names):
            message = "The values were given by name: use $ and a name, not a number or %@."
        case (.name(let name), .positions):
            message =
                "No value was given for $\(name.shortened): pass values by name, as in named: "
                + "[\"\(name.shortened)\": …]."
        }
        throw PredicateMistake(message: message, offset: offset)
    }
}
