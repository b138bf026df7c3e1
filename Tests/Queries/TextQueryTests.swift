import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Text operators and `in`, compared with Swift's own.
@Suite struct TextQueryTests {
    private static let names = [
        "", "a", "general", "General", "random general", "long enough to be stored elsewhere",
        "na\u{EF}ve", "*", "x?y", "\u{1F600} smile",
    ]

    private func people() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for (index, name) in Self.names.enumerated() { try tx.add(Person(name, age: index)) }
        }
        return realm
    }

    private func found(
        _ realm: Realm, _ condition: (Query<Person>) -> Query<Bool>
    ) async throws -> [String] {
        let frozen = realm.snapshot().objects(Person.self).where(condition).map(\.name)
        expectEqual(realm.snapshot().objects(Person.self).where(condition).count, frozen.count)
        return frozen
    }

    // Covers 3.26
    @Test func containsStartsAndEndsGoByBytes() async throws {
        let realm = try await people()
        for part in ["gen", "eral", "a", "stored else", "\u{EF}", "\u{1F600}", "*", "zzz"] {
            let names = Self.names
            try await expectEqual(
                found(realm) { $0.name.contains(part) },
                names.filter {
                    $0.utf8.split(
                        separator: part.utf8, maxSplits: 1, omittingEmptySubsequences: false
                    ).count > 1
                })
            try await expectEqual(
                found(realm) { $0.name.starts(with: part) },
                names.filter { $0.utf8.starts(with: part.utf8) })
            try await expectEqual(
                found(realm) { $0.name.ends(with: part) },
                names.filter { $0.utf8.reversed().starts(with: part.utf8.reversed()) })
        }
        try await expectEqual(found(realm) { $0.name.contains("") }, Self.names)
    }

    @Test func caseInsensitiveIgnoresTheCaseOfLetters() async throws {
        let realm = try await people()
        let both = ["general", "General"]
        try await expectEqual(
            found(realm) { $0.name.starts(with: "GENERAL", options: .caseInsensitive) }, both)
        try await expectEqual(
            found(realm) { $0.name.contains("\u{CF}", options: .caseInsensitive) }, ["na\u{EF}ve"])
        try await expectEqual(found(realm) { $0.name.like("GEN*", caseInsensitive: true) }, both)
    }

    // Covers 3.26, 3.27, 3.51
    @Test func optionsIgnoreCaseAndDiacriticsOfAllScripts() async throws {
        let realm = try await Realm.temporary([Person.self])
        let names = [
            "Zo\u{EB}", "Zoe\u{308}", "zoe", "Stra\u{DF}e", "\u{39F}\u{394}\u{39F}\u{3A3}",
            "\u{41}\u{30A}ngstr\u{F6}m", "\u{D8}re",
        ]
        try await realm.write { tx in for name in names { try tx.add(Person(name, age: 0)) } }
        func expect(
            _ expected: [Int], sourceLocation: SourceLocation = #_sourceLocation,
            _ condition: (Query<Person>) -> Query<Bool>
        ) async throws {
            try await expectEqual(
                found(realm, condition), expected.map { names[$0] }, sourceLocation: sourceLocation)
        }
        let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        try await expect([0, 1]) { $0.name.equals("Zoe", options: .diacriticInsensitive) }
        try await expect([0, 1, 2]) { $0.name.equals("ZO\u{C8}", options: both) }
        try await expect([2]) { $0.name.equals("ZOE", options: .caseInsensitive) }
        try await expect([0]) { $0.name.equals("zo\u{CB}", options: .caseInsensitive) }
        try await expect([3, 4, 5, 6]) { $0.name.notEquals("zoe", options: both) }
        try await expect([3]) { $0.name.equals("STRASSE", options: .caseInsensitive) }
        try await expect([4]) {
            $0.name.equals("\u{3BF}\u{3B4}\u{3BF}\u{3C2}", options: .caseInsensitive)
        }
        try await expect([5]) { $0.name.contains("STROM", options: both) }
        try await expect([0, 1, 2]) { $0.name.ends(with: "oe", options: .diacriticInsensitive) }
        try await expect([5]) { $0.name.starts(with: "\u{C5}", options: .diacriticInsensitive) }
        try await expect([0, 1, 2]) { $0.name.like("z?\u{EA}", options: both) }
        try await expect([6]) { $0.name.equals("\u{F8}RE", options: both) }
        try await expect([]) { $0.name.contains("O", options: .diacriticInsensitive) }
        try await expect([0, 1, 2, 3, 4, 5, 6]) { $0.name.contains("\u{301}", options: both) }
        try await expect([0, 1, 2, 3, 4, 5, 6]) { $0.name.equals($0.name, options: both) }
    }

    // Covers 3.28, 3.52
    @Test func likeMatchesTheWholeText() async throws {
        let realm = try await people()
        try await expectEqual(found(realm) { $0.name.like("gen") }, [])
        try await expectEqual(
            found(realm) { $0.name.like("*general") }, ["general", "random general"])
        try await expectEqual(found(realm) { $0.name.like("?") }, ["a", "*"])
        try await expectEqual(found(realm) { $0.name.like("? smile") }, ["\u{1F600} smile"])
        try await expectEqual(found(realm) { $0.name.like("*") }, Self.names)
    }

    // Covers 3.8, 3.54, 3.104
    @Test func inFindsEachOfTheValuesAlsoThroughAnIndex() async throws {
        let realm = try await people()
        try await expectEqual(
            found(realm) { $0.name.in(["a", "general", "none"]) }, ["a", "general"])
        try await expectEqual(found(realm) { $0.age.in([3, 1, 3]) }, ["a", "General"])
        try await expectEqual(found(realm) { $0.age.in([]) }, [])
        try await expectEqual(found(realm) { $0.height.in([nil, 1.5]) }, Self.names)
        try await expectEqual(found(realm) { !$0.name.in(["a"]) && $0.age < 3 }, ["", "general"])
    }

    @Test func nilMatchesNoText() async throws {
        let realm = try await Realm.temporary([Everything.self])
        try await realm.write { tx in
            try tx.add(Everything())
            let named = Everything()
            named.id = 1
            named.maybeText = "text"
            try tx.add(named)
        }
        let all = realm.snapshot().objects(Everything.self)
        expectEqual(all.where { $0.maybeText.contains("") }.count, 1)
        expectEqual(all.where { !$0.maybeText.contains("e") }.count, 1)
    }
}
