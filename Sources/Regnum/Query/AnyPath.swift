internal import RegnumEngine

/// A step of a condition into lists and dictionaries of values of any type.
enum AnyStep {
    case key(String)
    case position(Int)
    case last
    /// Every element of a list, or the value of every entry of a dictionary.
    case all
}

/// A path into the contents of a value of any type.
struct AnyPath {
    /// The hops to the rows that have the value; may lead to several rows.
    let hops: [Hop]
    let column: ColumnReference
    /// Returns the hop into the value of the property; `inner` is the hop into values contained in
    /// it.
    let step: (_ position: Int?) -> Hop
    let inner: (_ position: Int?) -> Hop
    var steps: [AnyStep]
    /// The key, if the value is that of a map's entry.
    var key: String?
}

extension Predicate {
    /// The condition that one of the values at the end of a path matches.
    ///
    /// - Parameters:
    ///   - isHeld: Returns the condition on a column.
    ///   - holdsForNil: Whether the condition holds if there is no value at the path.
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
            case .position, .last:
                // No list has an element at a negative position.
                let position =
                    if case .position(let place) = step {
                        place < 0 ? Int.max : place
                    } else {
                        Hop.last
                    }
                let isList = Predicate.compare(column, .equal, AnyContent.list(0).value)
                return .and([isList, .related(hops + [hop(position)], .any, rest)])
            case .key(let key):
                let isMap = Predicate.compare(column, .equal, AnyContent.dictionary(0).value)
                let isKey = Predicate.compare(.mapKey, .equal, .string(key))
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
        return .exists(path.hops, predicate, holdsForNil: holdsForNil)
    }
}
