public import FoundationEssentials
internal import RegnumEngine

extension Query where Value: ScalarValue, Value._Basis == Data {
    /// Whether the data contains `part`. False for `nil`. Any data contains empty data.
    public func contains(_ part: Data) -> Query<Bool> { match(.contains, part) }

    /// Whether the data starts with `part`. False for `nil`.
    public func starts(with part: Data) -> Query<Bool> { match(.beginsWith, part) }

    /// Whether the data ends with `part`. False for `nil`.
    public func ends(with part: Data) -> Query<Bool> { match(.endsWith, part) }

    /// The same as `==`.
    public func equals(_ other: Value) -> Query<Bool> { self == other }

    /// The same as `!=`.
    public func notEquals(_ other: Value) -> Query<Bool> { self != other }

    private func match(_ match: TextMatch, _ part: Data) -> Query<Bool> {
        if case .entry(let hops, let key, let column) = node {
            let matches = Predicate.matchData(column, match, [UInt8](part))
            return condition(.entry(hops, key, matches, holdsForNil: false))
        }
        guard case .column(let hops, let column) = node else {
            preconditionFailure("A data operator requires a property.")
        }
        return condition(.exists(hops, .matchData(column, match, [UInt8](part))))
    }
}
