package import RegnumStore

/// A search for words in a text, as in `TEXT 'words -excluded prefix*'`.
struct WordSearch: Sendable {
    struct Term: Sendable {
        let word: Word
        /// Whether longer words that start with it count as well.
        let isPrefix: Bool

        @inline(__always)
        func matches(_ found: Word) -> Bool {
            isPrefix ? found.hasPrefix(word) : found == word
        }
    }

    /// Words that the text must have.
    private(set) var required: [Term] = []
    /// Words that it must not have.
    private(set) var excluded: [Word] = []

    /// Parses the terms between white space.
    ///
    /// Throws `invalidQuery` if the text has no terms or too many, if a term consists of several
    /// words, if an excluded term is a prefix, or if a word is both required and excluded. Terms
    /// without any letter are ignored, as they are in a text.
    init(_ text: String) throws(StoreError) {
        for part in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
            try add(String(part))
        }
        for word in excluded where required.contains(where: { !$0.isPrefix && $0.word == word }) {
            throw WordSearch.refused("\(text.quoted) requires and excludes the same word.")
        }
        guard !required.isEmpty || !excluded.isEmpty else {
            throw WordSearch.refused("\(text.quoted) has no word to search for.")
        }
    }

    private mutating func add(_ part: String) throws(StoreError) {
        let isExcluded = part.utf8.first == UInt8(ascii: "-")
        let isPrefix = part.utf8.last == UInt8(ascii: "*")
        let (first, second) = withUTF8(part) { bytes in
            var reader = WordReader(bytes)
            return (reader.next(), reader.next())
        }
        guard let word = first else { return }
        guard second == nil else {
            throw WordSearch.refused(
                "\(part.quoted) is more than one word: separate the words with spaces.")
        }
        if !isExcluded {
            let isKnown = required.contains { $0.isPrefix == isPrefix && $0.word == word }
            if !isKnown { required.append(Term(word: word, isPrefix: isPrefix)) }
        } else if isPrefix {
            throw WordSearch.refused(
                "\(part.quoted) excludes a prefix: only whole words can be excluded.")
        } else if !excluded.contains(where: { $0 == word }) {
            excluded.append(word)
        }
        // before more words are compared with these
        guard required.count + excluded.count <= Limits.maximumSearchWordCount else {
            throw WordSearch.refused(
                "A full-text search can have at most \(Limits.maximumSearchWordCount) words.")
        }
    }

    private static func refused(_ message: String) -> StoreError {
        StoreError(.invalidQuery, message)
    }

    /// Whether a text has all required words and none of the excluded ones.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var reader = WordReader(text)
        var missing: UInt64 = required.count < 64 ? 1 << UInt64(required.count) - 1 : .max
        if missing == 0, excluded.isEmpty { return true }
        while let word = reader.next() {
            for other in excluded where other == word { return false }
            for index in required.indices where required[index].matches(word) {
                missing &= ~(1 << UInt64(index))
            }
            if missing == 0, excluded.isEmpty { return true }
        }
        return missing == 0
    }

    /// Whether a value is a matching string. Null has no words.
    func matches(_ value: Value) -> Bool {
        guard case .string(let text) = value else { return matches(UnsafeRawBufferPointer.empty) }
        return withUTF8(text) { matches($0) }
    }

    /// Whether a null, like an empty text, matches: there are only excluded words.
    var matchesNull: Bool { required.isEmpty }
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}

extension String {
    /// The text in quotation marks for messages, shortened.
    fileprivate var quoted: String {
        let scalars = unicodeScalars.prefix(40)
        return "\"\(String(scalars))\(scalars.endIndex == unicodeScalars.endIndex ? "" : "…")\""
    }
}

extension Predicate {
    /// Throws `invalidQuery` if `matchWords` can't search for a text. Returns whether null matches.
    @discardableResult
    package static func check(search text: String) throws(StoreError) -> Bool {
        try WordSearch(text).matchesNull
    }
}
