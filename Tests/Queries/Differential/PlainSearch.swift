import RegnumTestSupport

/// A full-text search, and what it finds without the library.
struct PlainSearch: Sendable {
    private var required: [String] = []
    private var prefixes: [String] = []
    private var excluded: [String] = []
    private var phrases: [[String]] = []
    /// The search as text.
    private(set) var text = ""

    /// Texts with such words.
    static let texts = [
        "red fox", "Red-fox7", "caf\u{e9} fox", "Cafe\u{301}s", "foxes, red", "\u{3b1} red", "b/a",
    ]

    static func sample(_ random: inout SeededRandom) -> PlainSearch {
        let words = [
            "red", "fox", "FOXES", "cafe", "CAF\u{c9}", "caf", "a", "b", "s", "fox7", "long", "lie",
        ]
        var search = PlainSearch()
        var terms: [String] = []
        for _ in 0...random.below(3) {
            let term = random.oneOf(words)
            let word = Self.words(term)[0]
            switch random.below(5) {
            case 4:
                let phrase = [term, random.oneOf(words)]
                let pair = phrase.map { Self.words($0)[0] }
                if pair.contains(where: { search.excluded.contains($0) }) { continue }
                search.required += pair
                search.phrases.append(pair)
                terms.append("\"\(phrase.joined(separator: random.oneOf([" ", ", "])))\"")
            case 0 where !search.required.contains(word):
                search.excluded.append(word)
                terms.append("-" + term)
            case 1:
                search.prefixes.append(word)
                terms.append(term + "*")
            default:
                // a word that is excluded and required is an error
                if search.excluded.contains(word) { continue }
                search.required.append(word)
                terms.append(term)
            }
        }
        search.text = terms.joined(separator: random.oneOf([" ", "  ", "\t"]))
        return search
    }

    /// Whether a text has all required words and phrases and none of the excluded ones.
    func holds(_ text: String) -> Bool {
        let words = Self.words(text)
        return required.allSatisfy { words.contains($0) }
            && prefixes.allSatisfy { prefix in words.contains { $0.hasPrefix(prefix) } }
            && !excluded.contains { words.contains($0) }
            && phrases.allSatisfy { phrase in
                words.indices.contains { words[$0...].starts(with: phrase) }
            }
    }

    /// Returns the words of a text. The only letter with a diacritic in the tests is é.
    private static func words(_ text: String) -> [String] {
        let letters = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "0"..."9": Character(scalar)
            case "A"..."Z": Character(Unicode.Scalar(UInt8(scalar.value) | 0x20))
            case "\u{e9}", "\u{c9}": "e"
            default: " "
            }
        }
        return letters.split(separator: " ").map { String($0) }
    }
}
