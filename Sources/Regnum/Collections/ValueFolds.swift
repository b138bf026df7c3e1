internal import RegnumEngine
internal import RegnumStore

// Aggregates of values in memory, for unmanaged collections, with the same rules as the engine's.

extension Sequence where Element: SummableValue {
    /// - Precondition: A sum of integers fits into an `Int`.
    func engineSum() -> Element.Total {
        let (sum, _) = total
        if case .decimal(let total) = sum, Element._storage.isAny {
            return Element.Total.fromEngine(AnyContent.decimal(total).value)
        }
        guard case .int(let integer) = sum else { return Element.Total.fromEngine(sum.value) }
        guard let sum = Int64(exactly: integer) else {
            fatalError("The sum of unmanaged values does not fit into an Int: it is \(integer).")
        }
        return Element.Total.fromEngine(.int(sum))
    }

    func engineAverage() -> Element.Mean? {
        let (sum, count) = total
        if count == 0 { return nil }
        let mean: Value =
            switch sum {
            case .int(let integer): .double(Double(integer) / Double(count))
            case .double(let number): .double(number / Double(count))
            case .decimal(let number): .decimal(.quotient(number, DecimalBits(Int64(count))))
            }
        if case .decimal(let mean) = mean, Element._storage.isAny {
            return Element.Mean.fromEngine(AnyContent.decimal(mean).value)
        }
        return Element.Mean.fromEngine(mean)
    }

    private var total: (sum: FoldedSum, count: Int) {
        var sum: FoldedSum =
            switch Element._storage.valueType {
            case .int: .int(0)
            case .decimal, .any: .decimal(.zero)
            default: .double(0)
            }
        var count = 0
        for element in self {
            switch (element.engineValue, sum) {
            case (.int(let value), .int(let before)): sum = .int(before + Int128(value))
            case (.double(let value), .double(let before)): sum = .double(before + value)
            case (.decimal(let value), .decimal(let before)):
                sum = .decimal(.sum(before, value))
            case (.any, .decimal(let before)):
                guard let number = element.engineValue.anyContent?.number else { continue }
                sum = .decimal(.sum(before, number.decimal))
            default: continue  // nil
            }
            count += 1
        }
        return (sum, count)
    }
}

private enum FoldedSum {
    case int(Int128)
    case double(Double)
    case decimal(DecimalBits)

    var value: Value {
        switch self {
        case .int(let integer): .int(Int64(clamping: integer))
        case .double(let number): .double(number)
        case .decimal(let number): .decimal(number)
        }
    }
}

/// The minimum or the maximum of some values.
enum Extreme {
    case minimum
    case maximum

    /// Returns the minimum or maximum in its stored form.
    func find(
        _ plan: QueryPlan, _ column: ColumnReference, _ state: QueryState
    ) throws(StoreError) -> Value? {
        switch self {
        case .minimum: try plan.minimum(of: column, state)
        case .maximum: try plan.maximum(of: column, state)
        }
    }

    /// Returns whether the first of two values is this one, given the sign of their comparison.
    func isFirst(_ order: Int) -> Bool { self == .minimum ? order < 0 : order > 0 }
}

extension Sequence where Element: ScalarValue {
    /// Returns the minimum or maximum, ignoring `nil` and NaN, as a type that is stored like the
    /// elements.
    func engineBound<Bound: RequiredValue>(_ extreme: Extreme) -> Bound? {
        var best: Value?
        for element in self {
            let value = element.engineValue
            if value.isNull || value.isNaN || value.isAnyReference { continue }
            if let found = best, !extreme.isFirst(Value.compare(value, found)) { continue }
            best = value
        }
        guard let best else { return nil }
        let bound = Bound._decode(_StoredValue(best))
        guard bound != nil || !Bound._isProjected else {
            fatalError("The stored value \(best.keyText) can't be converted to \(Bound.self).")
        }
        return bound
    }
}

extension Value {
    /// A canonical form, equal for equal values: positive zero for both zeros, and a single NaN.
    var canonical: Value {
        switch self {
        case .double(let value): .double(value.isNaN ? .nan : value + 0)
        case .date(let value): .date(value + 0)
        case .decimal(let value): .decimal(value.canonical)
        case .any: anyContent?.canonical.value ?? self
        default: self
        }
    }
}
