import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The words of texts, and their keys.
@Suite struct WordTests {
    private let seed = Identity128(high: 1, low: 2)

    private func words(_ text: String) -> [Word] {
        withUTF8(text) { bytes in
            var reader = WordReader(bytes)
            var words: [Word] = []
            while let word = reader.next() { words.append(word) }
            return words
        }
    }

    private func word(_ text: String) throws -> Word {
        let words = words(text)
        expectEqual(words.count, 1)
        return try requireValue(words.first)
    }

    // Covers 10.9
    @Test func wordsAreRunsOfLettersAndDigits() throws {
        for (text, count) in [
            ("", 0), (" \n", 0), ("?!", 0), ("one", 1), ("one two", 2), ("one-two", 2),
            ("it's", 2), ("a1b2", 1), ("3.14", 2), ("snake_case", 2), ("a\0b", 2), ("a×b÷c", 3),
            ("日本語", 0), ("мир", 0), ("one日two", 2), ("\u{178} \u{17F} \u{212A}", 0),
            ("\u{AA}\u{B5}\u{BA}\u{B2}", 0),
            ("e\u{301}a", 2), ("\u{1F600}smile", 1), (" end.", 1),
        ] {
            expectEqual(words(text).count, count, "\(text)")
        }
    }

    // Covers 10.9
    @Test func caseAndDiacriticsOfLatinLettersAreFolded() throws {
        let pairs = [
            ("Swift", "sWIFT"), ("ÀÁÂÃÄÅ", "aaaaaa"), ("àáâãäå", "AAAAAA"), ("Çç", "cc"),
            ("ÈÉÊËèéêë", "eeeeeeee"), ("ÌÍÎÏìíîï", "iiiiiiii"), ("Ññ", "nn"),
            ("ÒÓÔÕÖòóôõö", "oooooooooo"), ("ÙÚÛÜùúûü", "uuuuuuuu"), ("Ýýÿ", "yyy"),
            ("ÆÐØÞ", "æðøþ"),
        ]
        for (a, b) in pairs { try expectTrue(word(a) == word(b), "\(a) \(b)") }
        let letters = try "abcdefghijklmnopqrstuvwxyz0123456789æðøþß".map { try word(String($0)) }
        for a in letters.indices {
            for b in letters.indices { expectEqual(letters[a] == letters[b], a == b) }
        }
        try expectTrue(!(word("ss") == word("ß")))
    }

    @Test func invalidBytesSeparateWords() {
        for bytes: [UInt8] in [
            [0x61, 0xC3, 0x62], [0x61, 0x80, 0x62], [0x61, 0xFF, 0x62], [0x61, 0xC3, 0xC3, 0xA9],
            [0x61, 0xC0, 0x80, 0x62, 0xC3],
        ] {
            let count = bytes.withUnsafeBytes { bytes in
                var reader = WordReader(bytes)
                var count = 0
                while reader.next() != nil { count += 1 }
                return count
            }
            expectEqual(count, 2, "\(bytes)")
        }
    }

    // Covers 10.9
    @Test func lettersBeyondTheLimitDoNotCount() throws {
        let max = Limits.maximumWordLetterCount
        let full = String(repeating: "x", count: max)
        for (length, count) in [(max - 1, max - 1), (max, max), (max + 1, max), (9 * max, max)] {
            try expectEqual(word(String(repeating: "x", count: length)).count, count)
        }
        try expectTrue(word(full) == word(full + "y"))
        try expectTrue(!(word(full.dropLast() + "y") == word(full)))
        try expectTrue(!(word(String(full.dropLast())) == word(full)))
        try expectTrue(word(full + "yz").hasPrefix(word(full + "a")))
        try expectEqual(
            WordKey.key(word(full), seed: seed), WordKey.key(word(full + "y"), seed: seed))
        expectEqual(words(full + "y z").count, 2)
    }

    // Covers 10.9
    @Test func wordsAndPrefixesAgreeWithTheNaiveOnes() throws {
        var random = SeededRandom("WordTests.wordsAndPrefixes")
        for _ in 0..<Effort.count(gate: 300, soak: 10_000) {
            let text = NaiveWords.text(&random)
            let other = NaiveWords.text(&random)
            let naive = NaiveWords.words(text)
            let keys = withUTF8(text) { WordKey.keys($0, seed: seed) }
            let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
            expectTrue(isAscending && keys.count <= naive.count, "\(text)")
            try expectEqual(keys, Set(naive.map { try key($0) }).sorted(), "\(text)")
            expectEqual(Set(keys), Set(words(text).map { WordKey.key($0, seed: seed) }))
            for name in naive {
                let found = try word(name)
                for otherName in NaiveWords.words(other) {
                    try expectEqual(found == word(otherName), name == otherName)
                    let prefix = String(otherName.prefix(1 + random.below(otherName.count)))
                    let hasPrefix = name.hasPrefix(prefix)
                    try expectEqual(found.hasPrefix(word(prefix)), hasPrefix, "\(name) \(prefix)")
                    let range = try WordKey.keys(prefix: word(prefix))
                    let isInRange = try range.contains(key(name))
                    if hasPrefix { expectTrue(isInRange, "\(name) \(prefix)") }
                    if try WordKey.isExact(word(prefix)) {
                        expectEqual(isInRange, hasPrefix, "\(name) \(prefix)")
                    }
                }
            }
        }
    }

    private func key(_ name: String) throws -> UInt64 { try WordKey.key(word(name), seed: seed) }

    @Test func shortWordsHaveKeysOfTheirOwn() throws {
        let names = ["a", "z", "0", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghj", "ßßßßßßßß"]
        let keys = try names.map { try key($0) }
        expectEqual(Set(keys).count, names.count)
        for (name, key) in zip(names, keys) {
            let isExact = try WordKey.isExact(word(name))
            expectEqual(isExact, name.count <= 8)
            expectEqual(key & 0xFFFF == 0, isExact)
        }
    }
}
