import Foundation

/// Full-text search without an index: each text is split into words, by rules written down once
/// more, from Unicode's own tables.
package enum NaiveWords {
    /// The words of a text: runs of ASCII letters and digits and Latin-1 letters, in lowercase and
    /// without diacritics, cut after 64 letters.
    package static func words(_ text: String) -> Set<String> {
        var words: Set<String> = []
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
                words.insert(String(word))
                word = .init()
            }
        }
        if !word.isEmpty { words.insert(String(word)) }
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

/// A search, evaluated naively.
package struct NaiveSearch {
    /// The search as it is written.
    package private(set) var text = ""
    private var required: Set<String> = []
    private var prefixes: Set<String> = []
    private var excluded: Set<String> = []

    /// Creates a valid search.
    package init(_ random: inout SeededRandom) {
        let single = NaiveWords.vocabulary.filter { NaiveWords.words($0).count == 1 }
        repeat {
            let spelled = random.oneOf(single)
            guard let word = NaiveWords.words(spelled).first else { continue }
            switch random.below(4) {
            case 0 where !required.contains(word):
                excluded.insert(word)
                add("-" + spelled)
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

    private mutating func add(_ term: String) { text += (text.isEmpty ? "" : " ") + term }

    /// Whether a text has the words; `nil` has none.
    package func matches(_ text: String?) -> Bool {
        matches(words: NaiveWords.words(text ?? ""))
    }

    package func matches(words: Set<String>) -> Bool {
        required.isSubset(of: words) && excluded.isDisjoint(with: words)
            && prefixes.allSatisfy { prefix in words.contains { $0.hasPrefix(prefix) } }
    }
}

extension String {
    /// The text in capitals, or `other` if these have more letters, as those of ß.
    fileprivate func uppercased(as other: String) -> String {
        let upper = uppercased()
        return upper.unicodeScalars.count == unicodeScalars.count ? upper : other
    }
}
