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
}

extension Query {
    func match(_ match: TextMatch, _ part: Data) -> Query<Bool> {
        holds { .matchData($0, match, [UInt8](part)) }
    }
}
