import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Predicate strings on classes that the program doesn't declare.
@Suite struct DynamicPredicateTests {
    /// Returns a realm with gadgets, and the same realm for a program without classes. The release
    /// of one of them closes both.
    private func realms() async throws -> (declared: Realm, bare: Realm) {
        let realm = try await Gadgets.realm()
        return (realm, try LaterProgram.core(of: realm, []))
    }

    private func ids(_ objects: some Sequence<DynamicObject>) -> [Int?] {
        objects.map { $0["id"] as? Int }
    }

    private func ids(_ objects: some Sequence<FrozenDynamicObject>) -> [Int?] {
        objects.map { $0["id"] as? Int }
    }

    // Covers 1.4, 3.88, 5.70
    @Test func stringsFindTheSameObjectsAsWithTheClass() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        for text in [
            "number > 1", "maybeNumber == nil OR text BEGINSWITH[c] 'A'", "kind == 'toy'",
            "rank == 9", "price == 0.10", "stored\\ name == 8", "friend.number >= 0",
            "ANY friends.number == 2", "ALL numbers > 0", "numbers[LAST] == 1", "part.size > 2",
            "parts.@count > 1", "scores['a'] == 2", "ANY scores.@keys == 'b'",
            "scores.@values.@max > 3", "named['a'].number == 7", "ANY named.@values.number > 1",
            "named.@values.@max.number == 7", "any['k'][1]['in'] == 'deep'", "any.@type == 'int'",
            "ANY items[*][0] == 2", "values['k'] == 's'", "friends.@max.number == 7",
            "@links.Gadget.friend.@count == 1", "@links.Gadget.named.number > 0",
            "@links.@count > 1", "friend == obj('Gadget', 0)", "tags == 'new'",
            "SUBQUERY(friends, $x, $x.number > 1 AND $x.flag == true).@count > 0",
            "number + 2 * first > 3", "uuid == uuid(01234567-89AB-CDEF-0123-456789000003)",
            "bytes == B64\"AQI=\"", "date > 2023-11-14T22:13:21Z", "TRUEPREDICATE SORT(text DESC)",
            "flag == true SORT(friend.number DESC, id ASC) DISTINCT(first) LIMIT(2)",
            "TRUEPREDICATE SORT(scores['a'] DESC) LIMIT(3)",
        ] {
            let expected = try declared.snapshot().objects(Gadget.self).filter(text).map(\.id)
            let frozen = try bare.snapshot().dynamicObjects("Gadget").filter(text)
            expectEqual(ids(frozen), expected, "frozen: \(text)")
            let confined = try await bare.read { tx in
                ids(try tx.dynamicObjects("Gadget").filter(text))
            }
            expectEqual(confined, expected, "confined: \(text)")
        }
    }

    // Covers 3.82, 3.88
    @Test func valuesAreGivenWithTheString() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        let gadgets = try bare.snapshot().dynamicObjects("Gadget")
        try expectEqual(ids(gadgets.filter("number > %@ AND %K == %@", 0, "flag", true)), [2, 4])
        try expectEqual(ids(gadgets.filter("text == $text", named: ["text": "bob"])), [2])
        try expectEqual(ids(gadgets.filter("friend == %@", gadgets[0])), [1])
        try expectEqual(ids(gadgets.filter("friends == %@", gadgets[4])), [3])
        try await bare.write { tx in
            let all = try tx.dynamicObjects("Gadget")
            try expectEqual(ids(all.filter("friend IN %@", [all[0], all[3]])), [1, 3])
        }
    }

    @Test func resultsAreSortedAndAggregatedByName() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        func check<Objects: DynamicQueryable>(_ all: Objects, _ ids: (Objects) -> [Int?]) throws {
            try expectEqual(ids(all.sorted(byKeyPath: "number")), [0, 1, 2, 3, 5, 4])
            try expectEqual(
                ids(all.sorted(byKeyPath: "scores['a']", ascending: false)), [2, 1, 5, 0, 3, 4])
            try expectEqual(
                ids(all.sorted(byKeyPath: "id", ascending: false).sorted(byKeyPath: "friend.id")),
                [4, 0, 1, 2, 5, 3])
            try expectEqual(ids(all.distinct(byKeyPaths: ["flag", "first"])), [0, 1, 2, 3, 4, 5])
            try expectEqual(ids(all.distinct(byKeyPaths: ["number"])), [0, 1, 2, 3, 4])
            try expectEqual(ids(all.distinct(byKeyPaths: []).limited(to: 2)), [0, 1])
            let some = try all.filter("number > 0").limited(to: 3)
            try expectEqual(some.sum(of: "number") as? Int, 10)
            try expectEqual(some.average(of: "number") as? Double, 10.0 / 3)
            try expectEqual(all.sum(of: "number") as? Int, 9)
            try expectEqual(all.sum(of: "scores['a']") as? Int, -1)
            try expectEqual(all.max(of: "friend.number") as? Int, 2)
            try expectEqual(all.min(of: "single") as? Float, -1)
            try expectEqual(all.max(of: "date") as? Date, Gadgets.first.addingTimeInterval(2.5))
            try expectNil(all.filter("FALSEPREDICATE").average(of: "number"))
        }
        try check(try bare.snapshot().dynamicObjects("Gadget")) { ids($0) }
        try await bare.read { tx in
            try check(try tx.dynamicObjects("Gadget")) { ids($0) }
        }
    }

    @Test func frozenObjectsHaveAllKindsOfValues() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        let gadgets = try bare.snapshot().dynamicObjects("Gadget")
        expectEqual(gadgets.count, 6)
        let last = gadgets[5]
        expectEqual(last.className, "Gadget")
        expectTrue(last.number as? Int == 2 && last["stored name"] as? Int == 5)
        expectTrue(last.friend as? FrozenDynamicObject == gadgets[2] && gadgets[0].friend == nil)
        expectEqual((last.part as? FrozenDynamicObject)?["label"] as? String, "P5")
        expectEqual((last.numbers as? [Any?])?.compactMap { $0 as? Int }, [7, 0])
        expectEqual((gadgets[3].friends as? [Any?])?.count, 3)
        let scores = gadgets[2].scores as? [String: Any?]
        expectEqual(scores?.compactMapValues { $0 as? Int }, ["a": 2, "b": 5])
        let any = last.any as? [String: Any?]
        let inner = any?["k"] as? [Any?]
        expectEqual(inner?.first as? Int, 1)
        expectEqual((inner?.last as? [String: Any?])?["in"] as? String, "deep")
        let names = last.propertyNames
        expectTrue(names.contains("stored name") && names.contains("scores"))
        expectTrue(!names.contains("renamed") && !names.contains("any[]"))
        #expect(throws: Realm.Error.self) { try last.value(of: "nonsense") }
    }

    @Test func confinedResultsShowTheCurrentState() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        try await bare.write { tx in
            let positive = try tx.dynamicObjects("Gadget").filter("number > 0")
            expectEqual(ids(positive), [2, 3, 4, 5])
            positive[0]["number"] = -1
            expectTrue(positive.count == 3 && positive.first?["id"] as? Int == 3)
            // a loop visits the objects that it started with
            var visited: [Int?] = []
            for gadget in positive {
                visited.append(gadget["id"] as? Int)
                gadget["number"] = 0
            }
            expectTrue(visited == [3, 4, 5] && positive.isEmpty)
        }
    }

    // Covers 3.87, .invalidQuery
    @Test func mistakesAreErrorsWithTheirPlace() async throws {
        let (declared, bare) = try await realms()
        defer { withExtendedLifetime((declared, bare)) {} }
        let gadgets = try bare.snapshot().dynamicObjects("Gadget")
        func expectRefused(
            _ says: String, _ code: Realm.Error.Code = .invalidQuery,
            sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
        ) {
            do {
                try body()
                Issue.record("nothing is thrown", sourceLocation: sourceLocation)
            } catch let error as Realm.Error {
                expectTrue(
                    error.code == code && error.message.contains(says), "\(error)",
                    sourceLocation: sourceLocation)
            } catch {
                Issue.record("\(error)", sourceLocation: sourceLocation)
            }
        }
        expectRefused("at column 1: Gadget has no property \"numbr\"; did you mean \"number\"?") {
            _ = try gadgets.filter("numbr > 3")
        }
        expectRefused("at column 10") { _ = try gadgets.filter("number > ") }
        expectRefused("has no property \"admirers\"") { _ = try gadgets.filter("admirers.id > 3") }
        expectRefused("The path \"friends\"") { _ = try gadgets.sorted(byKeyPath: "friends") }
        expectRefused("cannot be aggregated") { _ = try gadgets.sum(of: "text") }
        expectRefused("can't be negative") { _ = try gadgets.limited(to: -1) }
        expectRefused("no class \"Nothing\"", .invalidInput) {
            _ = try bare.snapshot().dynamicObjects("Nothing")
        }
        // what the program declares can be used, too
        let named = try declared.snapshot().dynamicObjects("Gadget")
        try expectEqual(ids(named.filter("renamed == 8 OR ANY admirers.id == 0")), [1, 2])
    }

    // Covers .invalidDatabase
    @Test func failureToLookUpAnObjectIsAnError() async throws {
        let realm = try await Gadgets.realm()
        let stored = StoredClasses(realm.snapshot().root.schema)
        let schema = try requireValue(stored.schema(named: "Gadget"))
        let objects = PredicateObjects(
            content: { (_, _) throws(Realm.Error) in
                throw Realm.Error(.invalidDatabase, "The file is damaged.")
            }, key: { _, _ in nil })
        let binder = PredicateBinder(
            schema, QueryScope(realm: nil), .positions([]), stored: stored, objects: objects)
        var plan = QueryPlan(tableName: "Gadget")
        do {
            try plan.add("any != obj('Gadget', 4)", binder, "Gadget")
            Issue.record("nothing is thrown")
        } catch {
            expectEqual(error.code, .invalidDatabase)
        }
    }
}
