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
    @Test func wordsOfPhrasesFollowEachOther() throws {
        let text = "The quick brown fox — naïve, but quick — jumps over 2 dogs; dogs, dogs, cats."
        for (search, expected) in [
            ("\"quick brown\"", true), ("\"QUICK, Brown\"", true), ("\"brown quick\"", false),
            ("\"quick fox\"", false), ("\"fox naive but\"", true), ("\"the quick\" dogs", true),
            ("\"over 2 dogs\"", true), ("\"over 2 dog\"", false), ("\"but quick brown\"", false),
            ("\"dogs dogs cats\"", true), ("\"dogs dogs dogs\"", true),
            ("\"dogs dogs dogs dogs\"", false), ("\"2 dogs dogs cats\"", false),
            ("\"quick brown\" \"dogs cats\"", true), ("\"quick brown\" \"cats dogs\"", false),
            ("fox -\"brown fox\"", false), ("fox -\"fox brown\"", true),
            ("-\"fox brown\"", true), ("-\"brown fox\"", false), ("\"fox\"", true),
            ("\"cat\"", false), ("-\"fox\"", false), ("-\"cat\" fox", true),
            ("\"quick brown\" -cat ju*", true), ("\"quick brown\", fox", true),
            ("fox \"—\"", true), ("\"fox 日本 naive\"", true), ("fox\"", true),
            ("\"brown fox\" -\"brown dogs\"", true), ("\"the\tquick\"", true),
        ] {
            try expectEqual(matches(search, text), expected, "\(search)")
        }
    }

    // Covers 10.8
    @Test func nilAndEmptyTextsHaveNoWords() throws {
        for text in [nil, "", "—"] {
            try expectTrue(!matches("\"a fox\"", text) && matches("-\"a fox\"", text))
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
            ("a日b", "more than one word"), ("\"\"", "no word"), ("\"-\" &", "no word"),
            ("\"red fox", "no quotation mark"), ("red \"", "no quotation mark"),
            ("-\"red fox", "no quotation mark"), ("\"red fox\"es", "follows a phrase"),
            ("\"red fox\"*", "follows a phrase"), ("\"a b\"\"c d\"", "follows a phrase"),
            ("\"red fox\" -fox", "requires and excludes"),
            ("-\"fox\" fox", "requires and excludes"),
            ("\"red fox\" -\"Red, Fox\"", "the same phrase"),
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
        for prefix in ["", "-"] {
            func phrase(_ count: Int) -> String {
                "\(prefix)\"\(words.prefix(count).joined(separator: " "))\""
            }
            expectNil(refusal(phrase(max)))
            expectTrue(refusal(phrase(max + 1))?.contains("at most 64 words") ?? false)
            let two = "\(phrase(max / 2)) \(phrase(max / 2 + 1))"
            expectTrue(refusal(two)?.contains("at most 64 words") ?? false)
        }
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
