internal import RegnumEngine
internal import RegnumStore

/// Options for comparing strings in queries.
public struct StringOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Ignores the case of letters in all scripts: compares strings by the UTF-8 bytes of their
    /// full case foldings (`toCasefold`, Unicode Standard, section 3.13). `"STRASSE"` equals
    /// `"straße"`. This is slower, because each string is processed individually.
    public static let caseInsensitive = StringOptions(rawValue: 1)

    /// Ignores accents and other diacritics, whether they are parts of letters or combining
    /// characters: `"Zoë"` equals `"Zoe"`. Letters that Unicode doesn't decompose, such as `ø` and
    /// `ł`, stay as they are. This is slower, because each string is processed individually.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var folding: TextFolding {
        var folding: TextFolding = []
        if contains(.caseInsensitive) { folding.insert(.letterCase) }
        if contains(.diacriticInsensitive) { folding.insert(.diacritics) }
        return folding
    }
}

// The basis of enums of `String`, types stored as `String`, and the optionals of these is `String`.

extension Query where Value: ScalarValue, Value._Basis == String {
    /// Whether the string contains `part`. False if either is `nil`. Every string contains the
    /// empty one.
    ///
    ///     realm.objects(Dog.self).where { $0.name.contains("re", options: .caseInsensitive) }
    public func contains(_ part: String?, options: StringOptions = []) -> Query<Bool> {
        match(.contains, part, options)
    }

    /// Whether the string starts with `part`. False if either is `nil`.
    public func starts(with part: String?, options: StringOptions = []) -> Query<Bool> {
        match(.beginsWith, part, options)
    }

    /// Whether the string ends with `part`. False if either is `nil`.
    public func ends(with part: String?, options: StringOptions = []) -> Query<Bool> {
        match(.endsWith, part, options)
    }

    /// Whether the whole string matches the pattern: `?` matches any one code point, `*` any number
    /// of them. False if either is `nil`.
    ///
    ///     realm.objects(Dog.self).where { $0.name.like("R?x*") }
    ///
    /// - Complexity: O(n + m) for a string of n bytes and a pattern of m; O(n m) at worst, if the
    ///   pattern has a `?` between other characters after a `*`.
    public func like(_ pattern: String?, caseInsensitive: Bool = false) -> Query<Bool> {
        match(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the whole string matches the pattern, both folded as the options require: `?`
    /// matches any one code point of the folded string.
    public func like(_ pattern: String?, options: StringOptions) -> Query<Bool> {
        match(.like, pattern, options)
    }

    /// Whether the string equals `other`, compared as by `==` except for the options. `nil` equals
    /// `nil`.
    public func equals(_ other: String?, options: StringOptions = []) -> Query<Bool> {
        guard !options.folding.isEmpty, other != nil else {
            return compare(.equal, other.engineValue)
        }
        return match(.equals, other, options)
    }

    /// The complement of `equals`. If the path leads to several strings, whether at least one of
    /// them differs.
    public func notEquals(_ other: String?, options: StringOptions = []) -> Query<Bool> {
        guard !options.folding.isEmpty, let other else {
            return compare(.notEqual, other.engineValue)
        }
        return differs(from: other, options)
    }

    /// Whether the text matches a search for words. The property must have a full-text index:
    /// `@Persisted(fullTextIndexed: true)`.
    ///
    ///     snapshot.objects(Message.self).where { $0.text.matchesText("swift actor* -java") }
    ///
    /// White space separates the words. The text must contain all of them (`swift` as a whole word,
    /// `actor*` as the start of a word), but none of those preceded by a `-`. Words in quotation
    /// marks, as in `"swift actor" -"java bean"`, must or must not follow each other. Case and the
    /// diacritics of Latin-1 letters are ignored. Words consist of ASCII letters and digits and the
    /// letters of Latin-1; everything else, including the letters of other scripts, separates them.
    ///
    /// A search without a word, with a term of several words such as `re-entry` outside quotation
    /// marks, with a phrase that doesn't end, with an excluded prefix, or with a word or phrase
    /// that is both required and excluded fails with `.invalidQuery`, and so does one on a property
    /// without a full-text index. `nil` has no words.
    ///
    /// For words that a user has typed, call a function that throws this error, such as
    /// `mostRelevant`, `page` or `filter` (with `"text TEXT %@"`), or read the results in
    /// ``Snapshot/read(_:)``: a property such as `count` of frozen or live results traps elsewhere.
    public func matchesText(_ words: String) -> Query<Bool> {
        if case .column(_, let column) = node, column.isFullTextIndexed {
            do throws(StoreError) { try Predicate.check(search: words) } catch {
                scope.refuse(error.message)
                return condition(.constant(false))
            }
            return holds { .matchWords($0, StoredText(words)) }
        }
        scope.refuse("matchesText is used on a string that has no full-text index.")
        return condition(.constant(false))
    }

    private var column: (hops: [Hop], column: ColumnReference) {
        guard case .column(let hops, let column) = node else {
            scope.refuse(
                "A text operator can't compare an entry of a map with a property, only with a "
                    + "value.")
            return ([], ColumnReference(name: "", type: .string, missing: .null))
        }
        return (hops, column)
    }
}

extension Query {
    func match(
        _ match: TextMatch, _ text: String?, _ options: StringOptions
    ) -> Query<Bool> {
        let folding = options.folding
        return holds { column in
            text.map { .matchText(column, match, StoredText($0), ignoring: folding) }
                ?? .constant(false)
        }
    }

    func differs(from text: String, _ options: StringOptions) -> Query<Bool> {
        let folding = options.folding
        return holds(forNil: true) {
            .not(.matchText($0, .equals, StoredText(text), ignoring: folding))
        }
    }
}

// MARK: Compared with a property

extension Query where Value: ScalarValue, Value._Basis == String {
    /// Whether the string contains the string in another property. False if either is `nil`.
    public func contains<Other: ScalarValue>(
        _ part: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other._Basis == String {
        match(.contains, part, options)
    }

    /// Whether the string starts with the string in another property. False if either is `nil`.
    public func starts<Other: ScalarValue>(
        with part: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other._Basis == String {
        match(.beginsWith, part, options)
    }

    /// Whether the string ends with the string in another property. False if either is `nil`.
    public func ends<Other: ScalarValue>(
        with part: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other._Basis == String {
        match(.endsWith, part, options)
    }

    /// Whether the string matches the pattern in another property. False if either is `nil`.
    public func like<Other: ScalarValue>(
        _ pattern: Query<Other>, caseInsensitive: Bool = false
    ) -> Query<Bool> where Other._Basis == String {
        match(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the string matches the pattern in another property, both folded as the options
    /// require.
    public func like<Other: ScalarValue>(
        _ pattern: Query<Other>, options: StringOptions
    ) -> Query<Bool> where Other._Basis == String {
        match(.like, pattern, options)
    }

    /// Whether two properties have equal strings, compared with the options, or are both `nil`.
    public func equals<Other: ScalarValue>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other._Basis == String {
        let ((hops, left), right) = (column, operand(other))
        return condition(.exists(hops, .areEqual(left, right, ignoring: options.folding)))
    }

    /// The complement of `equals`.
    public func notEquals<Other: ScalarValue>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other._Basis == String {
        let ((hops, left), right) = (column, operand(other))
        return condition(.exists(hops, .not(.areEqual(left, right, ignoring: options.folding))))
    }

    private func match<Other: ScalarValue>(
        _ match: TextMatch, _ other: Query<Other>, _ options: StringOptions
    ) -> Query<Bool> where Other._Basis == String {
        let ((hops, column), other) = (column, operand(other))
        return condition(
            .exists(
                hops,
                .matchTextColumns(column, match, other, ignoring: options.folding)))
    }

    private func operand<Other: ScalarValue>(_ other: Query<Other>) -> ColumnReference
    where Other._Basis == String {
        let (hops, column) = other.column
        if column.parameter != nil { return column }
        scope.requireSame(other.scope)
        requireOneElement(self.column.hops, hops)
        return column
    }
}

extension Predicate {
    static func areEqual(
        _ a: ColumnReference, _ b: ColumnReference, ignoring folding: TextFolding
    ) -> Predicate {
        if folding.isEmpty { return .compareColumns(a, .equal, b) }
        return .or([
            .matchTextColumns(a, .equals, b, ignoring: folding),
            .and([.compare(a, .equal, .null), .compare(b, .equal, .null)]),
        ])
    }
}
