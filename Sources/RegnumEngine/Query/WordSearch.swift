package import RegnumStore

/// A search for words in a text, as in `TEXT 'words -excluded prefix* "some phrase"'`.
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

    /// Words that the text must have, including those of phrases.
    private(set) var required: [Term] = []
    /// Words that it must not have.
    private(set) var excluded: [Word] = []
    /// Sequences of two or more words that the text must have.
    private(set) var phrases: [[Word]] = []
    /// Sequences of two or more words that it must not have.
    private(set) var excludedPhrases: [[Word]] = []
    /// The number of words in all phrases.
    private var phraseWordCount = 0

    /// Parses the terms between white space, and phrases in quotation marks.
    ///
    /// Throws `invalidQuery` if the text has no terms or too many, if a term consists of several
    /// words, if a phrase doesn't end, if an excluded term is a prefix, or if a word or phrase is
    /// both required and excluded. Terms without any letter are ignored, as they are in a text.
    init(_ text: String) throws(StoreError) {
        var rest = text.unicodeScalars[...]
        while true {
            rest = rest.drop(while: \.properties.isWhitespace)
            guard let first = rest.first else { break }
            let phrase = first == "-" ? rest.dropFirst() : rest
            if phrase.first == "\"" {
                rest = try addPhrase(phrase.dropFirst(), isExcluded: first == "-")
            } else {
                let part = rest.prefix { !$0.properties.isWhitespace }
                try add(String(part))
                rest = rest[part.endIndex...]
            }
        }
        for word in excluded where required.contains(where: { !$0.isPrefix && $0.word == word }) {
            throw WordSearch.refused("\(text.quoted) requires and excludes the same word.")
        }
        for phrase in excludedPhrases where phrases.contains(phrase) {
            throw WordSearch.refused("\(text.quoted) requires and excludes the same phrase.")
        }
        guard !required.isEmpty || !excluded.isEmpty || !excludedPhrases.isEmpty else {
            throw WordSearch.refused("\(text.quoted) has no word to search for.")
        }
    }

    private mutating func add(_ part: String) throws(StoreError) {
        let isExcluded = part.utf8.first == UInt8(ascii: "-")
        let isPrefix = part.utf8.last == UInt8(ascii: "*")
        let words = WordSearch.words(part, limit: 2)
        guard let word = words.first else { return }
        guard words.count == 1 else {
            throw WordSearch.refused(
                "\(part.quoted) is more than one word: separate the words with spaces, or put them "
                    + "in quotation marks.")
        }
        if isExcluded, isPrefix {
            throw WordSearch.refused(
                "\(part.quoted) excludes a prefix: only whole words can be excluded.")
        }
        if isExcluded { exclude(word) } else { require(word, isPrefix: isPrefix) }
        try checkWordCount()  // before more words are compared with these
    }

    /// Adds the words up to the next quotation mark, and returns what follows it.
    private mutating func addPhrase(
        _ text: Substring.UnicodeScalarView, isExcluded: Bool
    ) throws(StoreError) -> Substring.UnicodeScalarView {
        guard let end = text.firstIndex(of: "\"") else {
            throw WordSearch.refused(
                "\(String(text).quoted) has no quotation mark at the end of the phrase.")
        }
        let rest = text[text.index(after: end)...]
        let appended = rest.prefix { !$0.properties.isWhitespace }
        guard appended.last != "*", !appended.contains("\""),
            WordSearch.words(String(appended), limit: 1).isEmpty
        else {
            throw WordSearch.refused(
                "\(String(appended).quoted) follows a phrase: separate them with a space.")
        }
        let words = WordSearch.words(
            String(text[..<end]), limit: Limits.maximumSearchWordCount + 1)
        if words.count > 1 {
            phraseWordCount += words.count
            if isExcluded { excludedPhrases.append(words) } else { phrases.append(words) }
        }
        if !isExcluded {
            for word in words { require(word, isPrefix: false) }
        } else if words.count == 1 {
            exclude(words[0])
        }
        try checkWordCount()
        return rest[appended.endIndex...]
    }

    private mutating func require(_ word: Word, isPrefix: Bool) {
        let isKnown = required.contains { $0.isPrefix == isPrefix && $0.word == word }
        if !isKnown { required.append(Term(word: word, isPrefix: isPrefix)) }
    }

    private mutating func exclude(_ word: Word) {
        if !excluded.contains(word) { excluded.append(word) }
    }

    private func checkWordCount() throws(StoreError) {
        let maximum = Limits.maximumSearchWordCount
        guard required.count + excluded.count <= maximum, phraseWordCount <= maximum else {
            throw WordSearch.refused("A full-text search can have at most \(maximum) words.")
        }
    }

    private static func words(_ text: String, limit: Int) -> [Word] {
        withUTF8(text) { bytes in
            var reader = WordReader(bytes)
            var words: [Word] = []
            while words.count < limit, let word = reader.next() { words.append(word) }
            return words
        }
    }

    private static func refused(_ message: String) -> StoreError {
        StoreError(.invalidQuery, message)
    }

    /// Whether an index of words doesn't decide the search.
    var hasPhrases: Bool { phraseWordCount > 0 }

    /// Whether a text has all required words and phrases and none of the excluded ones.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard hasWords(text) else { return false }
        return !hasPhrases
            || phrases.allSatisfy { WordSearch.isContained($0, in: text) }
                && !excludedPhrases.contains { WordSearch.isContained($0, in: text) }
    }

    private func hasWords(_ text: UnsafeRawBufferPointer) -> Bool {
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

    /// Whether a text has the words of a phrase one after the other.
    private static func isContained(_ phrase: [Word], in text: UnsafeRawBufferPointer) -> Bool {
        var reader = WordReader(text)
        let complete: UInt64 = 1 << UInt64(phrase.count - 1)
        // bit i: the last i + 1 words of the text are the first ones of the phrase
        var begun: UInt64 = 0
        while let word = reader.next() {
            let candidates = begun << 1 | 1
            begun = 0
            for index in phrase.indices
            where candidates & 1 << UInt64(index) != 0 && phrase[index] == word {
                begun |= 1 << UInt64(index)
            }
            if begun & complete != 0 { return true }
        }
        return false
    }

    /// Returns the number of words in a text, and adds to `counts`, from a position on, how many of
    /// them each required term matches.
    func count(
        in text: UnsafeRawBufferPointer, _ counts: inout [Int], from position: Int
    ) -> Int {
        var reader = WordReader(text)
        var wordCount = 0
        while let word = reader.next() {
            wordCount += 1
            for index in required.indices where required[index].matches(word) {
                counts[position + index] += 1
            }
        }
        return wordCount
    }

    /// Whether a value is a matching string. Null has no words.
    func matches(_ value: Value) -> Bool {
        guard case .string(let text) = value else { return matches(UnsafeRawBufferPointer.empty) }
        return withUTF8(text) { matches($0) }
    }

    /// Whether a null, like an empty text, matches: there are only excluded words and phrases.
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
