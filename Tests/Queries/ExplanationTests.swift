import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class ExplainedOwner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var notes: List<ExplainedNote>
}

final class ExplainedNote: Object {
    @Persisted(indexed: true) var number: Int
    @Persisted(indexed: true) var room: String
    @Persisted var text: String
    @Persisted(fullTextIndexed: true) var words: String
    @Persisted var owner: ExplainedOwner?
}

/// Explanations of how queries are evaluated.
@Suite struct ExplanationTests {
    /// Returns a realm with 200 notes in 20 rooms, each of 20 owners having 10.
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([ExplainedOwner.self, ExplainedNote.self])
        try await realm.write { tx in
            let owners = try (0..<20).map { number in
                let owner = ExplainedOwner(value: ["name": "P\(number)"])
                try tx.add(owner)
                return owner
            }
            for number in 0..<200 {
                let note = ExplainedNote(value: [
                    "number": number, "room": "r\(number % 20)", "text": "text \(number)",
                    "words": "all word\(number % 5)",
                ])
                note.owner = owners[number / 10]
                try tx.add(note)
                owners[number / 10].notes.append(note)
            }
        }
        return realm
    }

    private func check(
        _ text: String, _ expected: [String], in realm: Realm,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = expected.map { $0.replacing("%", with: "200 objects of ExplainedNote") }
            .joined(separator: "\n")
        let frozen = try realm.snapshot().objects(ExplainedNote.self).filter(text).explain()
        expectEqual(frozen, expected, "frozen", sourceLocation: sourceLocation)
        let live = try realm.objects(ExplainedNote.self).filter(text).explain()
        expectEqual(live, expected, "live", sourceLocation: sourceLocation)
        let confined = try await realm.read { tx in
            try tx.objects(ExplainedNote.self).filter(text).explain()
        }
        expectEqual(confined, expected, "confined", sourceLocation: sourceLocation)
    }

    @Test func indexesAreNamed() async throws {
        let realm = try await realm()
        try await check(
            "text CONTAINS '1' AND room == 'r3'",
            [
                "Finds 10 candidates among % using the index on room.",
                "Checks, in this order: room == 'r3'; text CONTAINS '1'.",
                "Examined 10 objects and 10 index entries; the result has 5 objects.",
            ], in: realm)
        try await check(
            "number >= 190",
            [
                "Finds 10 objects among % using the index on number.",
                "The lookup covers the conditions: number >= 190.",
                "Examined 10 objects and 10 index entries; the result has 10 objects.",
            ], in: realm)
        try await check(
            "room == 'r3' OR number == 5",
            [
                "Finds 11 candidates among % using the index on number and the index on room.",
                "Checks: room == 'r3' OR number == 5.",
                "Examined 11 objects and 11 index entries; the result has 11 objects.",
            ], in: realm)
    }

    @Test func conditionsOnContentsAreNotTakenApart() async throws {
        let all = try await Gadgets.realm().snapshot().objects(Gadget.self)
        let text = try all.where {
            $0.any["k"][0] == .int(1) && $0.number > 0 && $0.any["x"] == .none
        }.explain()
        expectTrue(text.contains("number > 0; any['x'] == nil; any['k'][0] == 1."), "\(text)")
    }

    @Test func scansAreReasoned() async throws {
        let realm = try await realm()
        try await check(
            "TRUEPREDICATE",
            [
                "Takes all %.",
                "Examined 200 objects and 0 index entries; the result has 200 objects.",
            ], in: realm)
        try await check(
            "number > 20",
            [
                "Scans all %: indexes would find 179 candidates, too many to look up one by one.",
                "Checks: number > 20.",
                "Examined 200 objects and 0 index entries; the result has 179 objects.",
            ], in: realm)
        try await check(
            "text == 'text 7' SORT(number DESC) LIMIT(3)",
            [
                "Scans all %: there is no index for the conditions.", "Checks: text == 'text 7'.",
                "Examined 200 objects and 0 index entries; the result has 1 object.",
                "Then: SORT(number DESC) LIMIT(3).",
            ], in: realm)
        try await check(
            "number < 3 AND number > 5",
            [
                "Reads nothing: no object of ExplainedNote can match.",
                "The conditions are: number < 3; number > 5.",
                "Examined 0 objects and 0 index entries; the result has 0 objects.",
            ], in: realm)
    }

    @Test func wordsAndLinksAreFollowedBackward() async throws {
        let realm = try await realm()
        let all = realm.snapshot().objects(ExplainedNote.self)
        let words = try all.where { $0.words.matchesText("word3") }.explain()
        expectTrue(words.contains(" using the full-text index on words."), "\(words)")
        expectTrue(words.hasSuffix("the result has 40 objects."), "\(words)")
        for (phrase, count) in [("\"all word3\"", 40), ("\"word3 all\"", 0)] {
            let found = try all.where { $0.words.matchesText(phrase) }.explain()
            expectTrue(found.contains(" using the full-text index on words."), "\(found)")
            expectTrue(
                found.hasSuffix(
                    "Examined 40 objects and 40 index entries; the result has \(count) objects."),
                "\(found)")
        }
        let linked = try all.where { $0.owner.name == "P7" && $0.number > 0 }.explain()
        expectTrue(
            linked.hasPrefix(
                "Finds 10 candidates among 200 objects of ExplainedNote using reverse traversal "
                    + "of owner from matching objects.\n"), "\(linked)")
        // the owner by its key, and its notes by their link
        expectTrue(
            linked.contains("Examined 11 objects and 11 index entries;"), "\(linked)")
        try await realm.write { tx in
            let owner = tx.objects(ExplainedOwner.self)[7]
            let listed = try owner.notes.where { $0.number > 75 }.explain()
            expectEqual(
                listed,
                """
                Reads the objects of the collection ExplainedOwner.notes.
                Checks: number > 75.
                Examined 10 objects and 0 index entries; the result has 4 objects.
                """)
        }
    }

    // Covers .invalidQuery
    @Test func anInvalidQueryIsAnError() async throws {
        let realm = try await realm()
        let results = realm.snapshot().objects(ExplainedNote.self).limited(to: -1)
        let error = #expect(throws: Realm.Error.self) { try results.explain() }
        expectEqual(error?.code, .invalidQuery)
    }
}
