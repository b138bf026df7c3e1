import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The folded forms of single characters, for all of Unicode.
@Suite struct TextFoldingTests {
    private static var scalars: some Sequence<Unicode.Scalar> {
        (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }
    }

    private func folded(_ text: String, _ folding: TextFolding) -> String {
        String(decoding: folding.folded(text), as: UTF8.self)
    }

    /// The hash was made with Python's `casefold`, which has the table of Unicode 14. The foldings
    /// of existing characters never change.
    @Test func caseFoldingIsThatOfTheStandard() {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for scalar in Self.scalars {
            guard let age = scalar.properties.age, age.major <= 14 else { continue }
            let text = String(scalar)
            let bytes = TextFolding.letterCase.folded(text)
            if bytes.elementsEqual(text.utf8) { continue }
            count += 1
            for byte in Array(text.utf8) + bytes {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        expectEqual(count, 1530)
        expectEqual(hash, 0x90E7_CF48_E707_C612)
    }

    @Test func diacriticsAreThoseOfTheDecompositions() {
        var different: [Unicode.Scalar] = []
        for scalar in Self.scalars {
            // Foundation has the table of Unicode 15.
            guard let age = scalar.properties.age, age.major <= 15 else { continue }
            // These have none, and are most of Unicode.
            if 0x3400...0x9FFF ~= scalar.value || 0xAC00...0xD7A3 ~= scalar.value { continue }
            if scalar.properties.generalCategory == .privateUse { continue }
            let expected = NaiveQuery.folded(String(scalar), .diacritics)
            let found = folded(String(scalar), .diacritics)
            if Array(found.unicodeScalars) != expected { different.append(scalar) }
        }
        expectEqual(different, [])
    }

    @Test func lettersAreFoldedByCase() {
        let foldings: KeyValuePairs = [
            "\u{DF}": "ss", "\u{1E9E}": "ss", "\u{3A3}": "\u{3C3}", "\u{3C2}": "\u{3C3}",
            "\u{17F}": "s", "\u{212A}": "k", "\u{FB01}": "fi", "\u{130}": "i\u{307}",
            "\u{131}": "\u{131}", "I": "i", "\u{1F0}": "j\u{30C}", "\u{AB70}": "\u{13A0}",
            "\u{13A0}": "\u{13A0}", "\u{416}": "\u{436}", "\u{1E900}": "\u{1E922}",
        ]
        for (text, expected) in foldings {
            expectEqual(Array(TextFolding.letterCase.folded(text)), Array(expected.utf8), "\(text)")
        }
    }

    @Test func lettersLoseTheirDiacritics() {
        let foldings: KeyValuePairs = [
            "\u{E9}": "e", "e\u{301}": "e", "\u{1EC7}": "e", "\u{386}": "\u{391}",
            "\u{439}": "\u{438}", "\u{304C}": "\u{304B}", "\u{5E9}\u{5C1}": "\u{5E9}",
            "\u{627}\u{64E}": "\u{627}", "\u{F8}": "\u{F8}", "\u{142}": "\u{142}",
            "\u{2260}": "\u{2260}", "\u{939}\u{941}": "\u{939}\u{941}",
            "\u{915}\u{94D}": "\u{915}\u{94D}", "\u{AC01}": "\u{AC01}", "\u{301}": "",
        ]
        for (text, expected) in foldings {
            expectEqual(Array(TextFolding.diacritics.folded(text)), Array(expected.utf8), "\(text)")
        }
    }

    @Test func bothAreFoldedTogether() {
        let both: TextFolding = [.letterCase, .diacritics]
        expectEqual(folded("STRA\u{1E9E}E \u{C9}\u{130}\u{38F}", both), "strasse ei\u{3C9}")
    }
}
