import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// What a full-text search means, and which ones are refused.
@Suite struct WordSearchTests {
    private func matches(_ search: String, _ text: String?) throws -> Bool {
        try WordSearch(search).matches(text.map { .string($0) } ?? .null)
    }

    private func refusal(_ search: String) -> String? {
        do throws(StoreError) {
            _ = try WordSearch(search)
            return nil
        } catch {
            expectEqual(error.code, .invalidQuery)
            return error.message
        }
    }

    // Covers 10.8, 3.78
    @Test func allWordsAreRequiredAndExcludedOnesForbidden() throws {
        let text = "The quick brown fox — naïve, but quick — jumps over 2 dogs."
        for (search, expected) in [
            ("quick", true), ("QUICK fox", true), ("fox quick the", true), ("quick cat", false),
            ("quic", false), ("quic*", true), ("q* b* f*", true), ("dogs2*", false),
            ("quick*", true), ("quick -cat", true), ("quick -fox", false), ("-cat", true),
            ("-fox", false), ("-cat -cow", true), ("-cat -FOX", false), ("naive", true),
            ("Näïve", true), ("2", true), ("fox, dogs!", true), ("--cat fox", true),
            ("fox\tdogs\nover", true), ("quick quick", true),
            ("fox 日本", true), ("fox - &", true),
        ] {
            try expectEqual(matches(search, text), expected, "\(search)")
        }
    }

    // Covers 10.8
    @Test func nilAndEmptyTextsHaveNoWords() throws {
        for text in [nil, "", "—"] {
            try expectTrue(!matches("fox", text) && !matches("f*", text) && matches("-fox", text))
        }
    }

    // Covers 10.8, .invalidQuery
    @Test func searchesWithoutAMeaningAreRefused() {
        for (search, reason) in [
            ("", "no word"), ("  ", "no word"), ("-", "no word"), ("* &", "no word"),
            ("日本", "no word"), ("fox -qu*", "excludes a prefix"), ("-*fox*", "excludes a prefix"),
            ("fox -fox", "requires and excludes"), ("-Élan elan", "requires and excludes"),
            ("full-text", "more than one word"), ("it's", "more than one word"),
            ("-a.b", "more than one word"), ("fo*x", "more than one word"),
            ("a日b", "more than one word"),
        ] {
            expectTrue(
                refusal(search)?.contains(reason) ?? false, "\(search): \(refusal(search) ?? "")")
        }
        // A prefix of the excluded word is another term.
        expectNil(refusal("fo* -fox"))
    }

    // Covers 10.8
    @Test func searchesHaveAsManyWordsAsTheLimit() throws {
        let max = Limits.maximumSearchWordCount
        let words = (0...max).map { "w\($0)" }
        expectNil(refusal(words.prefix(max - 1).joined(separator: " ")))
        expectNil(refusal(words.prefix(max).joined(separator: " ")))
        expectTrue(refusal(words.joined(separator: " "))?.contains("at most 64 words") ?? false)
        // Terms beyond the limit aren't read.
        let more = words.joined(separator: " ") + " full-text"
        expectTrue(refusal(more)?.contains("at most 64 words") ?? false)
        let all = words.prefix(max).joined(separator: " ")
        try expectTrue(matches(all, all) && !matches(all, words.dropFirst().joined(separator: " ")))
    }

    // Covers 10.8, 10.9
    @Test func searchesAgreeWithTheNaiveOnes() throws {
        var random = SeededRandom("WordSearchTests.searchesAgree")
        for _ in 0..<Effort.count(gate: 3_000, soak: 100_000) {
            let (search, text) = (NaiveSearch(&random), NaiveWords.text(&random))
            try expectEqual(
                matches(search.text, text), search.matches(text), "\(search.text) in \(text)")
        }
    }
}
