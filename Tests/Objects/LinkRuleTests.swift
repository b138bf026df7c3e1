import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class KeyedPart: EmbeddedObject {
    @Persisted(primaryKey: true) var number: Int
}

private final class Nested: EmbeddedObject {
    @Persisted var inner: List<Nested>
}

private final class Whole: Object {
    @Persisted var part: KeyedPart?
    @Persisted var nested: Nested?
}

private final class Wrong: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "nothing") var first: LinkingObjects<Whole>
    @Persisted(originProperty: "part") var second: LinkingObjects<Whole>
}

private final class NarrowKeyed: Object {
    @Persisted(primaryKey: true) var key: Int32?
    @Persisted var small: Int8
    @Persisted var list: List<Int16?>
    @Persisted var genres: List<Genre?>
}

/// Which declarations with links are valid, and the values of their properties.
@Suite struct LinkRuleTests {
    // Covers 1.2, 1.25, 1.50, 1.64, 1.72
    @Test func wrongDeclarationsAreToldTogether() async throws {
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.temporary([Whole.self, Wrong.self, KeyedPart.self, Nested.self])
        }
        let message = error?.message ?? ""
        expectEqual(error?.code, .invalidInput)
        for sentence in [
            "KeyedPart.number is a primary key", "Nested contains itself",
            "Whole has no such property", "does not link to Wrong",
        ] {
            expectTrue(message.contains(sentence), "\(message)")
        }
    }

    // Covers 1.71, 5.10
    @Test func targetOfALinkHasToBeListed() async throws {
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.temporary([Author.self])
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("Author.masterpiece is of type Book?"), true)
    }

    // Covers 7.15
    @Test func narrowIntegersAreKeysAndElements() async throws {
        let realm = try await Realm.temporary([NarrowKeyed.self])
        try await realm.write { tx in
            let value: [String: Any?] = [
                "key": nil, "small": -128, "list": [32_767, nil], "genres": ["poem", nil],
            ]
            let object = try tx.create(NarrowKeyed.self, value: value)
            expectTrue(object.key == nil && object.small == -128)
            expectTrue(
                Array(object.list) == [32_767, nil] && Array(object.genres) == [.poem, nil])
            try tx.create(NarrowKeyed.self, value: ["key": 5])
            expectEqual(tx.object(NarrowKeyed.self, forPrimaryKey: Int32(5))?.key, 5)
            expectEqual(tx.object(NarrowKeyed.self, forPrimaryKey: Int32?.none)?.small, -128)
            try tx.create(NarrowKeyed.self, value: ["key": nil, "small": 1], update: .modified)
            expectTrue(object.small == 1 && tx.objects(NarrowKeyed.self).count == 2)
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(NarrowKeyed.self, value: ["key": 6, "list": [40_000]])
            }
            expectEqual(error?.property, "list")
        }
    }

    // Covers 1.25, 1.50
    @Test func inversesFollowTheLinks() async throws {
        let realm = try await Realm.temporary(bookClasses)
        try await realm.write { tx in
            let book = Book("1")
            expectTrue(book.shelves.isEmpty)
            try tx.add(book)
            let shelves = (0..<3).map { Shelf(value: ["number": $0]) }
            try tx.add(shelves)
            shelves[2].books.append(book)
            shelves[0].books.append(book)
            expectEqual(book.shelves.map(\.number), [0, 2])
            let inverse = book.shelves
            shelves[1].books.append(book)
            expectEqual(inverse.map(\.number), [0, 1, 2])
            tx.delete(shelves[0])
            expectEqual(inverse.map(\.number), [1, 2])
            shelves[1].books.removeAll()
            expectEqual(inverse.map(\.number), [2])
        }
    }
}
