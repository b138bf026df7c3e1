internal import RegnumEngine

/// What a condition finds on its way through lists and dictionaries of values of any type.
enum AnyStep {
    case key(String)
    case position(Int)
    /// Each element of a list, each entry of a dictionary.
    case all
}

/// What lies in values of any type at the end of a path.
struct AnyPath {
    /// Lead to the rows that have the value, several perhaps.
    let hops: [Hop]
    let column: ColumnReference
    /// The step to what lies in the value, and in values in it.
    let step: (_ position: Int?) -> Hop
    let inner: (_ position: Int?) -> Hop
    var steps: [AnyStep]
    /// Of an entry of a map its key.
    var key: String?
}

extension Predicate {
    /// Whether a condition holds for what lies in a value.
    ///
    /// - Parameters:
    ///   - isHeld: the condition on a column.
    ///   - holdsForNil: whether it holds where there is nothing.
    static func nested(
        _ path: AnyPath, holdsForNil: Bool, _ isHeld: (ColumnReference) -> Predicate
    ) -> Predicate {
        let value = ColumnReference(name: "value", type: .any, missing: .null)
        func found(
            _ column: ColumnReference, _ steps: ArraySlice<AnyStep>, isFirst: Bool,
            _ isHeld: (ColumnReference) -> Predicate
        ) -> Predicate {
            guard let step = steps.first else { return isHeld(column) }
            let rest = found(value, steps.dropFirst(), isFirst: false, isHeld)
            let hop = isFirst ? path.step : path.inner
            let hops = column.hops
            switch step {
            case .all: return .related(hops + [hop(nil)], .any, rest)
            case .position(let position):
                let isList = Predicate.compare(column, .equal, AnyContent.list(0).value)
                return .and([isList, .related(hops + [hop(position)], .any, rest)])
            case .key(let key):
                let isMap = Predicate.compare(column, .equal, AnyContent.dictionary(0).value)
                let isKey = Predicate.compare(
                    ColumnReference(name: "key", type: .string, missing: .string("")), .equal,
                    .string(key))
                return .and([isMap, .related(hops + [hop(nil)], .any, .and([isKey, rest]))])
            }
        }
        let steps = path.steps[...]
        var predicate = found(path.column, steps, isFirst: true, isHeld)
        if holdsForNil {
            let something = found(path.column, steps, isFirst: true) { _ in .constant(true) }
            predicate = .or([predicate, .not(something)])
        }
        if let key = path.key {
            return .entry(path.hops, key, predicate, holdsForNil: holdsForNil)
        }
        return .exists(path.hops, predicate)
    }

    /// Whether what lies in a value compares so with a constant.
    static func nested(
        _ path: AnyPath, _ comparison: Comparison, _ value: Value
    ) -> Predicate {
        let holdsForNil =
            switch comparison {
            case .equal: value.isNull
            case .notEqual: !value.isNull
            case .less, .greater: false
            case .lessOrEqual, .greaterOrEqual: value.isNull
            }
        return .nested(path, holdsForNil: holdsForNil) { .compare($0, comparison, value) }
    }
}
