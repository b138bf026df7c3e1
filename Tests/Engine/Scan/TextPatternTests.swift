import CRegnum
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Text patterns, compared with the oracle's, and on texts for which comparing at each position
/// would take hours.
@Suite struct TextPatternTests {
    private static let megabyte = 1 << 20
    private static let characters = ["a", "a", "b", "\u{E9}", "*", "?"]
    /// Characters that are folded to others, and these.
    private static let letters = [
        "a", "A", "\u{E1}", "\u{C1}", "\u{301}", "s", "\u{DF}", "\u{3A3}", "\u{3C2}", "\u{3C3}",
    ]

    private func text(
        _ generator: inout SeededRandom, _ characters: [String], _ count: Int
    ) -> String {
        (0..<count).map { _ in characters[generator.below(characters.count)] }.joined()
    }

    @Test func patternsOfFewCharactersMatchLikeTheOracle() {
        var generator = SeededRandom("TextPatternTests.oracle")
        let matches: [TextMatch] = [.contains, .beginsWith, .endsWith, .like, .equals]
        for number in 0..<60_000 {
            let isOfLetters = number % 2 == 0
            let (text, pattern) =
                isOfLetters
                ? (
                    self.text(&generator, Self.letters, generator.below(8)),
                    self.text(&generator, Self.letters + ["*", "?"], generator.below(6))
                )
                : (
                    self.text(&generator, ["a", "a", "B", "\u{E9}"], generator.below(12)),
                    self.text(&generator, Self.characters, generator.below(9))
                )
            let match = matches[generator.below(matches.count)]
            let folding = TextFolding(rawValue: UInt8(generator.below(4)))
            let found = TextPattern(match, pattern, ignoring: folding).matches(.string(text))
            let expected = NaiveQuery.matchesText(.string(text), match, pattern, folding)
            expectEqual(found, expected, "\(text) \(match) \(pattern) \(folding)")
        }
    }

    /// Both end like a match at every position, or begin like one, or both.
    @Test func longPatternsAreFoundInLinearTime() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 8 * Self.megabyte)
        var needle = [UInt8](repeating: UInt8(ascii: "a"), count: 4 * Self.megabyte)
        for place in [needle.count - 1, needle.count / 2, 100, 0] {
            needle[place] = UInt8(ascii: "b")
            withBothKernels { _ in
                expectEqual(cregnum_find(text, text.count, needle, needle.count), -1)
            }
            var found = text
            found[5 * Self.megabyte] = UInt8(ascii: "b")
            withBothKernels { _ in
                let place = 5 * Self.megabyte - place
                let isInside = place + needle.count <= found.count
                expectEqual(
                    cregnum_find(found, found.count, needle, needle.count), isInside ? place : -1)
            }
            needle[place] = UInt8(ascii: "a")
        }
    }

    @Test func longPatternsMatchInLinearTime() {
        let run = String(repeating: "a", count: 2 * Self.megabyte)
        let text = Value.string(run + run)
        for folding in [[], .letterCase, .diacritics] as [TextFolding] {
            func matches(_ match: TextMatch, _ pattern: String) -> Bool {
                TextPattern(match, pattern, ignoring: folding).matches(text)
            }
            expectEqual(matches(.contains, run + "b"), false)
            expectEqual(matches(.like, "*\(run)b*"), false)
            expectEqual(matches(.like, "*\(run)*b"), false)
            expectEqual(matches(.like, "*??\(run)b??*"), false)
            let any = String(repeating: "?", count: 2 * Self.megabyte)
            expectEqual(matches(.like, "*\(run)\(any)*"), true)
            expectEqual(matches(.like, "*\(run)\(any)?*"), false)
            expectEqual(matches(.like, "a*\(run)*a"), true)
            expectEqual(
                matches(.like, String(repeating: "*a", count: Self.megabyte) + "*b*"), false)
        }
    }
}
