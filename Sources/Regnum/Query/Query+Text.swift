internal import RegnumEngine

/// How text is compared in queries.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Texts are compared by the bytes of what `lowercased()` makes of them. Slower: each text is
    /// looked at on its own.
    public static let caseInsensitive = StringOptions(rawValue: 1)
}

/// `String` and `String?`: what text operators of queries take.
public protocol TextValue: ScalarValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension Query where Value: TextValue {
    /// Whether the text contains `part`. False for nil; every text contains the empty one.
    public func contains(_ part: String, options: StringOptions = []) -> Query<Bool> {
        match(.contains, part, options)
    }

    /// Whether the text begins with `part`. False for nil.
    public func starts(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.beginsWith, part, options)
    }

    /// Whether the text ends with `part`. False for nil.
    public func ends(with part: String, options: StringOptions = []) -> Query<Bool> {
        match(.endsWith, part, options)
    }

    /// Whether the whole text is as the pattern says: `?` stands for any one code point, `*` for any
    /// number of them. False for nil.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        match(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    private func match(
        _ match: TextMatch, _ text: String, _ options: StringOptions
    ) -> Query<Bool> {
        guard case .column(let column) = node else {
            fatalError("Only a stored property can be compared with text.")
        }
        return Query<Bool>(
            .predicate(
                .matchText(
                    column, match, text,
                    caseInsensitive: options.contains(.caseInsensitive))))
    }
}

extension Query where Value: ScalarValue {
    /// Whether the property has one of the values, as `==` compares; false for no values.
    public func `in`(_ values: some Sequence<Value>) -> Query<Bool> {
        guard case .column(let column) = node else {
            fatalError("Only a stored property can be one of some values.")
        }
        return Query<Bool>(.predicate(.isIn(column, values.map(\.engineValue))))
    }
}
