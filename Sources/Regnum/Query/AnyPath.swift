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

extension AnyStep {
    fileprivate var isAll: Bool { if case .all = self { true } else { false } }
}

extension AnyPath {
    /// Whether one of the steps leads to all elements of a list or dictionary.
    var hasAllStep: Bool { steps.contains(where: \.isAll) }

    /// Returns the condition that one of the values to which steps lead from a value matches. Only
    /// elements that exist count for `all`. From each of them, a key or position that it doesn't
    /// have leads to `nil`.
    ///
    /// - Parameter column: The value.
    fileprivate func matches(
        _ column: ColumnReference, _ steps: ArraySlice<AnyStep>, holdsForNil: Bool,
        _ isHeld: (ColumnReference) -> Predicate
    ) -> Predicate {
        let found = found(column, steps, holdsForNil: holdsForNil, isHeld)
        if !holdsForNil || steps.isEmpty || steps.contains(where: \.isAll) { return found }
        let exists = self.found(column, steps, holdsForNil: false) { _ in .constant(true) }
        return .or([found, .not(exists)])
    }

    private func found(
        _ column: ColumnReference, _ steps: ArraySlice<AnyStep>, holdsForNil: Bool,
        _ isHeld: (ColumnReference) -> Predicate
    ) -> Predicate {
        guard let step = steps.first else { return isHeld(column) }
        let hop = steps.startIndex == self.steps.startIndex ? self.step : inner
        let value = ColumnReference(name: "value", type: .any, missing: .null)
        let hops = column.hops
        let rest = steps.dropFirst()
        switch step {
        case .all:
            let isMatch = matches(value, rest, holdsForNil: holdsForNil, isHeld)
            return .related(hops + [hop(nil)], .any, isMatch)
        case .position, .last:
            // No list has an element at a negative position.
            let position =
                if case .position(let place) = step {
                    place < 0 ? Int.max : place
                } else {
                    Hop.last
                }
            let isList = Predicate.compare(column, .equal, AnyContent.list(0).value)
            let isMatch = found(value, rest, holdsForNil: holdsForNil, isHeld)
            return .and([isList, .related(hops + [hop(position)], .any, isMatch)])
        case .key(let key):
            let isMap = Predicate.compare(column, .equal, AnyContent.dictionary(0).value)
            let isKey = Predicate.compare(.mapKey, .equal, .string(key))
            let isMatch = found(value, rest, holdsForNil: holdsForNil, isHeld)
            return .and([isMap, .related(hops + [hop(nil)], .any, .and([isKey, isMatch]))])
        }
    }
}

extension Predicate {
    /// The condition that one of the values at the end of a path matches.
    ///
    /// - Parameters:
    ///   - isHeld: Returns the condition on a column.
    ///   - holdsForNil: Whether the condition holds for `nil`, to which keys and positions lead if
    ///     there is no such value. If a path leads to all elements of a list or dictionary and
    ///     there are none, no value matches.
    static func nested(
        _ path: AnyPath, holdsForNil: Bool, _ isHeld: (ColumnReference) -> Predicate
    ) -> Predicate {
        let predicate = path.matches(
            path.column, path.steps[...], holdsForNil: holdsForNil, isHeld)
        let holdsForNil = holdsForNil && !path.hasAllStep
        if let key = path.key {
            return .entry(path.hops, key, predicate, holdsForNil: holdsForNil)
        }
        return .exists(path.hops, predicate, holdsForNil: holdsForNil)
    }
}
