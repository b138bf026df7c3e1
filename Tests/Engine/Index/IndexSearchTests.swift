import CRegnum
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The searches within index nodes, compared with counting.
@Suite struct IndexSearchTests {
    /// Returns ascending words: equidistant, equidistant with a gap, with gaps, random, with many
    /// equal ones, and with the whole range at one end.
    private static func words(_ count: Int, _ kind: Int, _ random: inout some RandomNumberGenerator)
        -> [UInt64]
    {
        let starts: [UInt64] = [0, 1 << 63, UInt64.max - 100_000]
        let start = starts.randomElement(using: &random) ?? 0
        let step = [1, 2, 7, 128].randomElement(using: &random) ?? 1
        let words = (0..<count).map { index -> UInt64 in
            switch kind {
            case 0: start + UInt64(index * step)
            case 6: start + UInt64(index * step) + (index > count / 3 && index + 1 < count ? 1 : 0)
            case 1: start + UInt64(index * 7 + Int.random(in: 0..<7, using: &random))
            case 2: UInt64.random(in: 0...UInt64.max, using: &random)
            case 3: start + UInt64.random(in: 0..<3, using: &random)
            case 4: UInt64.max >> UInt64.random(in: 0..<64, using: &random)
            default: [0, UInt64.max].randomElement(using: &random) ?? 0
            }
        }
        return words.sorted()
    }

    @Test func searchesCountWhatIsLess() {
        var random = SeededRandom(#function)
        for round in 0..<140 {
            let count = Int.random(in: 0...130, using: &random)
            let words = Self.words(count, round % 7, &random)
            var keys: [UInt64] = [0, 1, UInt64.max, UInt64.max - 1]
            for word in words { keys += [word, word &- 1, word &+ 1] }
            keys.sort()
            var (below, through) = (0, 0)
            let wrong = keys.filter { key in
                while below < count, words[below] < key { below += 1 }
                while through < count, words[through] <= key { through += 1 }
                return cregnum_words_below(words, count, key) != below
                    || cregnum_words_through(words, count, key) != through
            }
            expectTrue(wrong.isEmpty, "\(words)")
        }
    }

    @Test func entriesAreComparedByKeyAndRow() {
        var random = SeededRandom(#function)
        for round in 0..<140 {
            let count = Int.random(in: 0...128, using: &random)
            let entries = zip(
                Self.words(count, round % 7, &random), Self.words(count, 2 + round % 2, &random)
            ).map { ($0, $1) }.sorted { $0 < $1 }
            let (keys, rows) = (entries.map(\.0), entries.map(\.1))
            for _ in 0..<20 {
                let entry =
                    entries.randomElement(using: &random).map {
                        ($0.0, $0.1 &+ UInt64.random(in: 0...2, using: &random) &- 1)
                    } ?? (UInt64.random(in: 0...9, using: &random), 0)
                let below = entries.count { $0 < entry }
                let through = entries.count { $0 <= entry }
                expectEqual(cregnum_index_below(keys, rows, count, entry.0, entry.1), below)
                expectEqual(cregnum_index_through(keys, rows, count, entry.0, entry.1), through)
            }
        }
    }
}
