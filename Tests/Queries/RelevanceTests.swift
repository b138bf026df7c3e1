import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class RankedNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var group: Int
    @Persisted(fullTextIndexed: true) var text: String
    @Persisted(fullTextIndexed: true) var title: String?
    @Persisted var reply: RankedNote?

    convenience init(_ id: Int, _ text: String, title: String? = nil, group: Int = 0) {
        self.init()
        (self.id, self.text, self.title, self.group) = (id, text, title, group)
    }
}

/// The order of full-text results by relevance, compared with a naive computation.
@Suite struct RelevanceTests {
    private typealias Hit = (id: Int, score: Double)

    private func realm(_ texts: [String]) async throws -> Realm {
        let realm = try await Realm.temporary([RankedNote.self])
        try await realm.write { tx in
            for (id, text) in texts.enumerated() { try tx.add(RankedNote(id, text)) }
        }
        return realm
    }

    // Covers 10.8
    @Test func scoresFollowTheFormula() async throws {
        let realm = try await realm(["green tea", "Tea tea téa coffee", "coffee", "green tea"])
        let notes = realm.objects(RankedNote.self).where { $0.text.matchesText("tea") }
        let hits = try notes.mostRelevant(limit: 10)
        // N = 4, n = 3, m = 8 / 3; f and l are 3 and 4, or 1 and 2.
        let weight = log(1 + 1.5 / 3.5)
        let first = weight * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 4 / (8.0 / 3)))
        let second = weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / (8.0 / 3)))
        // Equal scores keep the order of the results.
        expectEqual(hits.map(\.object.id), [1, 0, 3])
        for (hit, score) in zip(hits, [first, second, second]) {
            expectTrue(abs(hit.score - score) < 1e-12, "\(hit.score) instead of \(score)")
        }
        let descending = try notes.sorted(by: \.id, ascending: false).mostRelevant(limit: 2)
        expectEqual(descending.map(\.object.id), [1, 3])
        let prefix = try realm.snapshot().objects(RankedNote.self).filter("text TEXT 'co* -green'")
        try expectEqual(prefix.mostRelevant(limit: 1).map(\.object.id), [2])
    }

    // Covers 10.8, .invalidQuery, .invalidInput
    @Test func resultsWithoutASearchHaveNoRelevance() async throws {
        let realm = try await realm(["green tea", "coffee"])
        let notes = realm.snapshot().objects(RankedNote.self)
        for text in [
            "TRUEPREDICATE", "id > 0", "NOT text TEXT 'tea'", "text TEXT '-tea'",
            "reply.text TEXT 'tea'", "text CONTAINS 'tea'",
        ] {
            let results = try notes.filter(text)
            let frozen = await realmError { try results.mostRelevant(limit: 1) }
            expectEqual(frozen?.code, .invalidQuery, "\(text)")
            expectEqual(frozen?.className, "RankedNote", "\(text)")
            expectTrue(frozen?.message.contains("full-text search") ?? false, "\(text)")
            let confined = await realmError {
                try await realm.read { tx in
                    _ = try tx.objects(RankedNote.self).filter(text).mostRelevant(limit: 1)
                }
            }
            expectEqual(confined?.code, .invalidQuery, "\(text)")
        }
        let found = notes.where { $0.text.matchesText("tea") }
        let none = await realmError { try found.mostRelevant(limit: 0) }
        expectEqual(none?.code, .invalidInput)
        // A search that finds nothing is one, too.
        let missing = notes.where { $0.text.matchesText("tea milk") }
        try expectTrue(missing.mostRelevant(limit: 1).isEmpty)
        let more = notes.where { $0.text.matchesText("tea") || $0.id == 1 }
        let hits = try more.mostRelevant(limit: 5)
        expectTrue(hits.map(\.object.id) == [0, 1] && hits[0].score > 0 && hits[1].score == 0)
    }

    // Covers 10.8
    @Test func randomSearchesAgreeWithTheFormula() async throws {
        var random = SeededRandom()
        for _ in 0..<12 {
            let realm = try await Realm.temporary([RankedNote.self])
            let (count, seed) = (random.below(60), random.next())
            try await realm.write { tx in
                var random = SeededRandom(seed)
                for id in 0..<count { try tx.add(PlainNote.sample(id, &random).note) }
            }
            for _ in 0..<12 {
                let question = RankedQuestion.sample(&random)
                let snapshot = realm.snapshot()
                let plain = snapshot.objects(RankedNote.self).map {
                    PlainNote(id: $0.id, group: $0.group, text: $0.text, title: $0.title)
                }
                let expected = question.answer(plain)
                let limit = question.limit
                let frozen = question.results(snapshot.objects(RankedNote.self))
                try expect(frozen.mostRelevant(limit: limit).map(\.hit), expected, question)
                let live = question.results(realm.objects(RankedNote.self))
                try expect(live.mostRelevant(limit: limit).map(\.hit), expected, question)
                let string = try snapshot.objects(RankedNote.self).filter(frozen.predicate)
                try expect(string.mostRelevant(limit: limit).map(\.hit), expected, question)
                let change = random.next()
                try await realm.write { tx in
                    var random = SeededRandom(change)
                    for _ in 0..<3 {
                        let sample = PlainNote.sample(random.below(count + 1), &random)
                        try tx.add(sample.note, update: .modified)
                    }
                    let all = tx.objects(RankedNote.self)
                    let plain = all.map {
                        PlainNote(id: $0.id, group: $0.group, text: $0.text, title: $0.title)
                    }
                    let hits = try question.results(all).mostRelevant(limit: limit)
                    expect(
                        hits.map { (id: $0.object.id, score: $0.score) }, question.answer(plain),
                        question)
                }
            }
        }
    }

    // Covers 10.3, 10.8
    @Test func anIndexThatIsNotBuiltChangesNoScore() async throws {
        let realm = try await Realm.temporary([First.Page.self])
        try await realm.write { tx in
            for number in 0..<100 {
                let text = (0...number % 7).map { "w\($0 * number % 5)" }.joined(separator: " ")
                try tx.add(First.Page(value: ["number": number, "text": text]))
            }
        }
        let later = try LaterProgram.core(of: realm)
        func hits(_ search: String) throws -> [[Double]] {
            try later.snapshot().objects(Later.Page.self).where { $0.text.matchesText(search) }
                .mostRelevant(limit: 100).map { [Double($0.object.number), $0.score] }
        }
        let searches = ["w1", "w1 w2", "w*", "w1 w3* -w4"]
        let before = try searches.map(hits)
        expectTrue(before.allSatisfy { $0.count > 2 })
        try await later.write { tx in
            let page = try tx.create(Later.Page.self, value: ["number": 100])
            tx.delete(page)
        }
        try expectEqual(searches.map(hits), before)
    }

    private enum First {
        final class Page: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var text: String
        }
    }

    private enum Later {
        final class Page: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(fullTextIndexed: true) var text: String
        }
    }

    private func expect(
        _ hits: [Hit], _ expected: [Hit], _ question: RankedQuestion,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectEqual(
            hits.map(\.id), expected.map(\.id), "\(question)", sourceLocation: sourceLocation)
        for (hit, other) in zip(hits, expected) {
            expectTrue(
                abs(hit.score - other.score) < 1e-9, "\(hit) instead of \(other): \(question)",
                sourceLocation: sourceLocation)
        }
    }
}

extension SearchHit where Element == Frozen<RankedNote> {
    fileprivate var hit: (id: Int, score: Double) { (object.id, score) }
}

/// The values of a note.
private struct PlainNote {
    var id: Int
    var group: Int
    var text: String
    var title: String?

    var note: RankedNote { RankedNote(id, text, title: title, group: group) }

    static func sample(_ id: Int, _ random: inout SeededRandom) -> PlainNote {
        func text() -> String {
            let words = (0..<random.below(9)).map { _ in random.oneOf(RankedSearch.vocabulary) }
            return words.joined(separator: random.oneOf([" ", ", ", "-"]))
        }
        return PlainNote(
            id: id, group: random.below(3), text: text(), title: random.oneIn(3) ? nil : text())
    }
}

/// A search, and its scores without the library.
private struct RankedSearch: CustomStringConvertible {
    /// No two words of more than eight letters agree in the first eight, but some agree with the
    /// beginning of a prefix.
    static let vocabulary = [
        "tea", "Tea", "teapot", "te", "coffee", "café", "cafes", "a", "an", "milk",
        "international", "teaspoonful", "sugar",
    ]

    private var required: [(word: String, isPrefix: Bool)] = []
    private var excluded: [String] = []
    private var phrase: [String] = []

    static func sample(_ random: inout SeededRandom) -> RankedSearch {
        func word() -> String { NaiveWords.list(random.oneOf(vocabulary))[0] }
        var search = RankedSearch()
        for _ in 0...random.below(2) {
            switch random.below(5) {
            case 0: search.require(String(word().prefix(1 + random.below(10))), isPrefix: true)
            case 1 where search.phrase.isEmpty:
                search.phrase = [word(), word()]
                for word in search.phrase { search.require(word, isPrefix: false) }
            default: search.require(word(), isPrefix: false)
            }
        }
        let other = word()
        if random.oneIn(4), !search.required.contains(where: { $0.word == other }) {
            search.excluded.append(other)
        }
        return search
    }

    /// Terms that are required twice count once.
    private mutating func require(_ word: String, isPrefix: Bool) {
        if required.contains(where: { $0.word == word && $0.isPrefix == isPrefix }) { return }
        required.append((word, isPrefix))
    }

    /// The terms in the order in which they are required; those of the phrase are words as well.
    var description: String {
        var terms = required.map { $0.isPrefix ? "\($0.word)*" : $0.word }
        if !phrase.isEmpty { terms.append("\"\(phrase.joined(separator: " "))\"") }
        return (terms + excluded.map { "-\($0)" }).joined(separator: " ")
    }

    private func count(_ term: (word: String, isPrefix: Bool), _ words: [String]) -> Int {
        words.count { term.isPrefix ? $0.hasPrefix(term.word) : $0 == term.word }
    }

    func holds(_ words: [String]) -> Bool {
        let pairs = zip(words, words.dropFirst()).map { [$0, $1] }
        return required.allSatisfy { count($0, words) > 0 }
            && !excluded.contains { words.contains($0) }
            && (phrase.isEmpty || pairs.contains(phrase))
    }

    /// Returns the scores of the texts found, among all texts.
    func scores(_ found: [[String]], among all: [[String]]) -> [Double] {
        let mean = Double(found.reduce(0) { $0 + $1.count }) / Double(found.count)
        return found.map { words in
            guard holds(words) else { return 0 }
            return required.reduce(0.0) { score, term in
                // the index counts by the first eight letters of a prefix
                var known = term
                if term.isPrefix { known.word = String(term.word.prefix(8)) }
                let n = Double(all.count { count(known, $0) > 0 })
                let f = Double(count(term, words))
                let weight = log(1 + (Double(all.count) - n + 0.5) / (n + 0.5))
                let length = 1 - 0.75 + 0.75 * Double(words.count) / mean
                return score + weight * f * (1.2 + 1) / (f + 1.2 * length)
            }
        }
    }
}

/// A query with searches, and its most relevant objects without the library.
private struct RankedQuestion: CustomStringConvertible {
    private enum Form: CaseIterable { case text, both, either, andGroup, orGroup }

    private let form: Form
    private let isSorted: Bool
    private let text: RankedSearch
    private let title: RankedSearch
    let limit: Int

    static func sample(_ random: inout SeededRandom) -> RankedQuestion {
        RankedQuestion(
            form: random.oneOf(Form.allCases), isSorted: random.oneIn(2),
            text: .sample(&random), title: .sample(&random), limit: random.oneOf([1, 3, 1_000]))
    }

    var description: String { "\(form): text \(text), title \(title), limit \(limit)" }

    private var usesTitle: Bool { form == .both || form == .either }

    func results<Notes: Queryable>(_ notes: Notes) -> Notes where Notes.Model == RankedNote {
        let (text, title) = ("\(text)", "\(title)")
        let found =
            switch form {
            case .text: notes.where { $0.text.matchesText(text) }
            case .both: notes.where { $0.text.matchesText(text) && $0.title.matchesText(title) }
            case .either: notes.where { $0.text.matchesText(text) || $0.title.matchesText(title) }
            case .andGroup: notes.where { $0.group > 0 && $0.text.matchesText(text) }
            case .orGroup: notes.where { $0.group > 1 || $0.text.matchesText(text) }
            }
        return isSorted ? found.sorted(by: \.group) : found
    }

    private func holds(_ note: PlainNote) -> Bool {
        let isText = text.holds(NaiveWords.list(note.text))
        let isTitle = title.holds(NaiveWords.list(note.title ?? ""))
        return switch form {
        case .text: isText
        case .both: isText && isTitle
        case .either: isText || isTitle
        case .andGroup: note.group > 0 && isText
        case .orGroup: note.group > 1 || isText
        }
    }

    /// Returns the first notes by descending score; those with equal scores keep their order.
    func answer(_ notes: [PlainNote]) -> [(id: Int, score: Double)] {
        var found = notes.filter(holds)
        if isSorted {
            found = (0..<3).flatMap { group in found.filter { $0.group == group } }
        }
        var scores = text.scores(
            found.map { NaiveWords.list($0.text) }, among: notes.map { NaiveWords.list($0.text) })
        if usesTitle {
            let more = title.scores(
                found.map { NaiveWords.list($0.title ?? "") },
                among: notes.map { NaiveWords.list($0.title ?? "") })
            scores = zip(scores, more).map { $0 + $1 }
        }
        let order = scores.indices.sorted { (-scores[$0], $0) < (-scores[$1], $1) }
        return order.prefix(limit).map { (found[$0].id, scores[$0]) }
    }
}
