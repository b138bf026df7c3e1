import Foundation

/// Full-text search without an index: each text is split into words, by rules written down once
/// more, from Unicode's own tables.
package enum NaiveWords {
    /// The distinct words of a text.
    package static func words(_ text: String) -> Set<String> { Set(list(text)) }

    /// The words of a text in order: runs of ASCII letters and digits and Latin-1 letters, in
    /// lowercase and without diacritics, cut after 64 letters.
    package static func list(_ text: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isLatin =
                (0xC0...0xFF).contains(scalar.value) && !"×÷".unicodeScalars.contains(scalar)
            let isASCII =
                scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isLatin || isASCII {
                if word.count == 64 { continue }
                let lower = scalar.properties.lowercaseMapping.decomposedStringWithCanonicalMapping
                word.append(lower.unicodeScalars[lower.unicodeScalars.startIndex])
            } else if !word.isEmpty {
                words.append(String(word))
                word = .init()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        return words
    }

    /// Words of many kinds: with upper case and diacritics, with common beginnings, longer than 64
    /// letters, with characters that separate words, and of other scripts.
    package static let vocabulary = [
        "a", "an", "ant", "Ants", "antelope", "swift", "SWIFTLY", "émigré", "Emigre", "Ångström",
        "angstrom", "naïve", "œuvre", "straße", "søster", "þing", "42", "42nd", "internat",
        "international", "Internationale", "internationalization", "日本", "мир", "x-ray", "it's",
        "don't", "foo×bar", "ÿ", "Æther", "",
        String(repeating: "x", count: 63), String(repeating: "x", count: 64),
        String(repeating: "x", count: 64) + "yz", String(repeating: "x", count: 65),
    ]

    private static let separators = [
        " ", " ", " ", ", ", ". ", " - ", "\n", "\u{A0}", "/", " мир ",
    ]

    /// Returns a text of a few words.
    package static func text(_ random: inout SeededRandom) -> String {
        var text = ""
        for _ in 0..<random.below(7) {
            text += random.oneOf(vocabulary) + random.oneOf(separators)
        }
        return text
    }
}

/// A text and its words.
package struct NaiveText {
    /// The words in order.
    package let list: [String]
    package let words: Set<String>

    /// `nil` has no words.
    package init(_ text: String?) {
        list = NaiveWords.list(text ?? "")
        words = Set(list)
    }

    fileprivate func contains(_ phrase: [String]) -> Bool {
        list.indices.contains { list[$0...].starts(with: phrase) }
    }
}

/// A search, evaluated naively.
package struct NaiveSearch {
    /// The search as it is written.
    package private(set) var text = ""
    private var required: Set<String> = []
    private var prefixes: Set<String> = []
    private var excluded: Set<String> = []
    private var phrases: [[String]] = []
    private var excludedPhrases: [[String]] = []

    /// Creates a valid search.
    package init(_ random: inout SeededRandom) {
        let single = NaiveWords.vocabulary.filter { NaiveWords.words($0).count == 1 }
        repeat {
            let spelled = random.oneOf(single)
            guard let word = NaiveWords.words(spelled).first else { continue }
            switch random.below(5) {
            case 0 where !required.contains(word):
                excluded.insert(word)
                add("-" + spelled)
            case 4:
                addPhrase(spelled, &random)
            case 1:
                let prefix = String(word.prefix(1 + random.below(word.count)))
                prefixes.insert(prefix)
                add(random.oneIn(2) ? prefix + "*" : prefix.uppercased(as: prefix) + "*")
            default:
                if excluded.contains(word) { continue }
                required.insert(word)
                add(spelled)
            }
        } while text.isEmpty || random.oneIn(2)
    }

    /// Adds a phrase of up to three words, of which the first may be any.
    private mutating func addPhrase(_ first: String, _ random: inout SeededRandom) {
        var spelled = first
        for _ in 0..<random.below(3) {
            spelled += random.oneOf([" ", ", ", " - "]) + random.oneOf(NaiveWords.vocabulary)
        }
        let words = NaiveWords.list(spelled)
        if random.oneIn(4) {
            if phrases.contains(words) || words.count == 1 && required.contains(words[0]) { return }
            if words.count == 1 { excluded.insert(words[0]) } else { excludedPhrases.append(words) }
            return add("-\"\(spelled)\"")
        }
        if !excluded.isDisjoint(with: words) || excludedPhrases.contains(words) { return }
        required.formUnion(words)
        phrases.append(words)
        add("\"\(spelled)\"")
    }

    private mutating func add(_ term: String) { text += (text.isEmpty ? "" : " ") + term }

    /// Whether a text has the words; `nil` has none.
    package func matches(_ text: String?) -> Bool { matches(NaiveText(text)) }

    package func matches(_ text: NaiveText) -> Bool {
        required.isSubset(of: text.words) && excluded.isDisjoint(with: text.words)
            && prefixes.allSatisfy { prefix in text.words.contains { $0.hasPrefix(prefix) } }
            && phrases.allSatisfy { text.contains($0) }
            && !excludedPhrases.contains { text.contains($0) }
    }
}

extension String {
    /// The text in capitals, or `other` if these have more letters, as those of ß.
    fileprivate func uppercased(as other: String) -> String {
        let upper = uppercased()
        return upper.unicodeScalars.count == unicodeScalars.count ? upper : other
    }
}
