extension Comparison {
    /// Whether `a` compares to `b` in this way, by the rules of `Comparison`.
    @inline(__always)
    func holds(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .equal: Comparison.areEqual(a, b)
        case .notEqual: !Comparison.areEqual(a, b)
        default: holdsInOrder(a, b)
        }
    }

    /// Whether a column's value `a` compares to the constant `b`.
    ///
    /// As `holds(_:_:)`, except that a string column is `> nil` and `>= nil` for every string and
    /// not for null, and never `< nil` or `<= nil`.
    @inline(__always)
    func holds(_ a: Value, constant b: Value, type: ValueType) -> Bool {
        if type == .string, b.isNull {
            return a.isNull ? self == .equal : holdsForValuesAgainstNull(type)
        }
        return holds(a, b)
    }

    /// Whether the non-null values of a column compare to a constant null, which is the same for
    /// all.
    func holdsForValuesAgainstNull(_ type: ValueType) -> Bool {
        switch self {
        case .notEqual: true
        case .greater, .greaterOrEqual: type == .string
        case .equal, .less, .lessOrEqual: false
        }
    }

    private static func areEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)): x == y
        case (.int(let x), .double(let y)), (.double(let y), .int(let x)):
            compareNumbers(x, y) == 0
        case (.decimal(let x), .decimal(let y)): DecimalBits.areEqual(x, y)
        case (.decimal(let x), .int(let y)), (.int(let y), .decimal(let x)):
            DecimalBits.compare(x, y) == 0
        case (.decimal(let x), .double(let y)), (.double(let y), .decimal(let x)):
            !y.isNaN && DecimalBits.compare(x, y) == 0
        case (.any(let x), .any(let y)): x == y || AnyBytes.compare(x, y) == 0
        default: a == b
        }
    }

    private func holdsInOrder(_ a: Value, _ b: Value) -> Bool {
        if a.isNull || b.isNull {
            let areBoth = a.isNull && b.isNull
            return areBoth && (self == .lessOrEqual || self == .greaterOrEqual)
        }
        let order: Int
        switch (a, b) {
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)):
            if x.isNaN || y.isNaN { return false }
            order = compareDoubles(x, y)
        case (.int(let x), .double(let y)):
            guard let comparison = compareNumbers(x, y) else { return false }
            order = comparison
        case (.double(let x), .int(let y)):
            guard let comparison = compareNumbers(y, x) else { return false }
            order = -comparison
        case (.decimal(let x), .int(let y)): order = DecimalBits.compare(x, y)
        case (.int(let x), .decimal(let y)): order = -DecimalBits.compare(y, x)
        case (.decimal(let x), .double(let y)):
            if y.isNaN { return false }
            order = DecimalBits.compare(x, y)
        case (.double(let x), .decimal(let y)):
            if x.isNaN { return false }
            order = -DecimalBits.compare(y, x)
        case (.any(let x), .any(let y)):
            if !AnyBytes.areOrdered(x, y) { return false }
            order = AnyBytes.compare(x, y)
        default:
            order = Value.compare(a, b)
        }
        switch self {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        case .equal, .notEqual: return false
        }
    }
}
