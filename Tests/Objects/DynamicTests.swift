import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct DynamicTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    @Test(arguments: [false, true]) func propertiesAreReadAndSetByName(isManaged: Bool) async throws
    {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            if isManaged { try tx.add(book) }
            book["title"] = "Emma"
            book["year"] = 1815
            book["genre"] = "poem"
            book["oldGenre"] = Genre.essay
            book["pageCount"] = nil
            book["cover"] = ["color": "red"]
            book["sequel"] = Book("2")
            book["tags"] = ["a", "b"]
            book["pages"] = [[1, "x"], [2, "y"]]
            expectTrue(book.title == "Emma" && book.year == 1815 && book.genre == .poem)
            expectTrue(book.oldGenre == .essay && book.pageCount == nil)
            expectTrue(book.cover?.color == "red" && book.sequel?.isbn == "2")
            expectTrue(Array(book.tags) == ["a", "b"] && book.pages.map(\.number) == [1, 2])
            expectTrue(book["title"] as? String == "Emma" && book["year"] as? Int == 1815)
            expectTrue(book["genre"] as? String == "poem" && book["pageCount"] == nil)
            expectTrue((book["cover"] as? Cover)?.color == "red" && book["author"] == nil)
            expectEqual((book["tags"] as? List<String>).map { Array($0) }, ["a", "b"])
            expectEqual((book["shelves"] as? LinkingObjects<Shelf>)?.count, 0)
            book["cover"] = nil
            book["tags"] = nil
            expectTrue(book.cover == nil && book.tags.isEmpty)
        }
    }

    @Test func wrongValueFailsTheTransaction() async throws {
        let realm = try await realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book["year"] = "three"
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "year")
    }

    final class NamedMix: Object {
        @Persisted var any: AnyRealmValue
        @Persisted var float: Float
        @Persisted var small: Int8?
        @Persisted var genre: Genre?
    }

    // Covers 1.14
    @Test(arguments: [false, true]) func readsGiveWhatIsStored(isManaged: Bool) async throws {
        let realm = try await Realm.temporary(bookClasses + [NamedMix.self])
        try await realm.write { tx in
            let mix = NamedMix(value: ["any": 1, "float": 2.5, "small": 3, "genre": Genre.essay])
            let author = Author("A")
            if isManaged {
                try tx.add(mix)
                try tx.add(author)
            }
            expectTrue(mix["any"] as? Int == 1 && mix["float"] as? Float == 2.5)
            expectTrue(mix["small"] as? Int == 3 && mix["genre"] as? String == "essay")
            mix.any = .object(author)
            expectEqual((mix["any"] as? Author)?.name, "A")
            mix.any = .fromArray([.string("x")])
            expectEqual((mix["any"] as? List<AnyRealmValue>)?.first, .string("x"))
            (mix.any, mix.small, mix.genre) = (.none, nil, nil)
            expectTrue(mix["any"] == nil && mix["small"] == nil && mix["genre"] == nil)
        }
    }

    // Covers 1.14
    @Test func unmanagedObjectIsAdded() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            let (sequel, cover, page) = (Book("2"), Cover(), Page())
            book["sequel"] = sequel
            book["cover"] = cover
            book["pages"] = [page]
            expectTrue(sequel.isSameObject(as: book.sequel))
            expectTrue(cover.isManaged && page.isManaged)
            sequel.title = "changed"
            expectTrue(book.sequel?.title == "changed" && tx.objects(Book.self).count == 2)
            let third = Book("3")
            try tx.objects(Book.self).setValue(third, forKey: "sequel")
            expectEqual(tx.objects(Book.self).map { $0.sequel?.isbn }, ["3", "3", nil])
        }
    }

    // Covers 12.27
    @Test func unknownPropertyTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Author("A")["age"]
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(sentence.contains("Author has no property \"age\": it has name, masterpiece."))
    }

    // Covers 12.27, .invalidInput
    @Test(arguments: [false, true])
    func unknownPropertyFailsTheTransaction(isSet: Bool) async throws {
        let realm = try await Realm.temporary(bookClasses)
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                if isSet { book["age"] = 3 } else { expectNil(book["age"]) }
            }
        }
        expectTrue(error?.code == .invalidInput && error?.property == "age")
        expectEqual(error?.className, "Book")
    }

    // Covers 1.16
    @Test func collectionsAreSeenWithoutTheirTypes() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = GenericOwner("Ann")
            owner.pets.append(GenericPet("Rex", 3))
            owner.grades.insert(objectsIn: [2.5, nil])
            owner.byRole["guard"] = owner.pets[0]
            try tx.add(owner)
            let pets = try owner.dynamicList("pets")
            expectEqual((pets[0] as? DynamicObject)?["name"] as? String, "Rex")
            try pets.append(["name": "Max", "age": 5])
            expectEqual(owner.pets.map(\.name), ["Rex", "Max"])
            let grades = try owner.dynamicMutableSet("grades")
            expectEqual(grades.map { $0 as? Double }, [nil, 2.5])
            try grades.insert(1.5)
            expectEqual(Array(owner.grades), [nil, 1.5, 2.5])
            let byRole = try owner.dynamicMap("byRole")
            expectEqual((byRole["guard"] as? DynamicObject)?["age"] as? Int, 3)
            try byRole.set(nil, forKey: "cook")
            expectTrue(owner.byRole.keys == ["cook", "guard"] && byRole["none"] == nil)
            // The names in the program, whatever is stored.
            let mapped = GenericMapped(1, "a")
            mapped.words.append("w")
            try tx.add(mapped)
            try expectEqual(mapped.dynamicList("words").map { $0 as? String }, ["w"])
            #expect(throws: Realm.Error.self) { try mapped.dynamicList("all_words") }
            try mapped.dynamicMap("counts").set(4, forKey: "k")
            expectEqual(mapped.counts["k"], 4)
        }
    }

    private final class Stall: Object {
        @Persisted var prices: Map<String, Int>
        @Persisted var extra: AnyRealmValue
    }

    /// A Swift dictionary would keep only one of two keys that are equal as Swift strings.
    // Covers .invalidValue
    @Test func frozenMapsWithEqualKeysAreErrors() async throws {
        let realm = try await Realm.temporary([Stall.self])
        try await realm.write { tx in
            let stall = try tx.create(Stall.self, value: [:] as [String: Any?])
            stall.prices["\u{E9}"] = 1
            let extra = Map<String, AnyRealmValue>()
            for key in ["\u{E9}", "e\u{301}"] { extra[key] = .int(2) }
            stall.extra = .dictionary(extra)
        }
        let first = try requireValue(realm.snapshot().dynamicObjects("Stall").first)
        let prices = try first.value(of: "prices") as? [String: Any?]
        expectTrue(prices?.count == 1 && prices?["\u{E9}"] as? Int == 1)
        try await realm.write { tx in tx.objects(Stall.self)[0].prices["e\u{301}"] = 2 }
        let second = try requireValue(realm.snapshot().dynamicObjects("Stall").first)
        for (stall, name) in [(second, "prices"), (first, "extra")] {
            let error = #expect(throws: Realm.Error.self) { try stall.value(of: name) }
            expectTrue(error?.code == .invalidValue && error?.className == "Stall")
            expectEqual(error?.property, name)
        }
    }

    // Covers 1.16
    @Test func removingFromASetAddsNoObjects() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = GenericOwner("Ann")
            let pet = GenericPet("Rex", 3)
            owner.friends.insert(pet)
            try tx.add(owner)
            let friends = try owner.dynamicMutableSet("friends")
            try friends.remove(GenericPet("Max", 5))
            #expect(throws: Realm.Error.self) { try friends.remove(["Max", 5]) }
            #expect(throws: Realm.Error.self) { try friends.remove(GenericOwner("Eve")) }
            expectTrue(tx.objects(GenericPet.self).count == 1 && friends.count == 1)
            try friends.remove(pet)
            expectTrue(tx.objects(GenericPet.self).count == 1 && friends.count == 0)
        }
    }

    @Test func whatIsNoSuchCollectionIsThrown() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = GenericOwner("Ann")
            #expect(throws: Realm.Error.self) { try owner.dynamicList("pets") }
            try tx.add(owner)
            let wrong: [(String, String, () throws -> Void)] = [
                ("none", "has no property", { _ = try owner.dynamicList("none") }),
                ("grades", "is not a list", { _ = try owner.dynamicList("grades") }),
                ("name", "is not a list", { _ = try owner.dynamicList("name") }),
                ("pets", "is not a set", { _ = try owner.dynamicMutableSet("pets") }),
                ("pets", "is not a map", { _ = try owner.dynamicMap("pets") }),
            ]
            for (name, sentence, call) in wrong {
                let error = #expect(throws: Realm.Error.self) { try call() }
                expectTrue(error?.code == .invalidInput && error?.className == "GenericOwner")
                expectTrue(error?.property == name && error?.message.contains(sentence) == true)
            }
            let pet = GenericPet("Rex")
            try tx.add(pet)
            #expect(throws: Realm.Error.self) { try pet.dynamicList("owners") }
        }
        try await realm.read { tx in
            let owner = tx.objects(GenericOwner.self)[0]
            let pets = try owner.dynamicList("pets")
            expectTrue(pets.isEmpty)
            #expect(throws: Realm.Error.self) { try pets.append(["name": "Rex"]) }
        }
    }

    // Covers 2.28
    @Test func setValueSetsAPropertyOfAll() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let shelf = Shelf()
            shelf.books.append(objectsIn: (0..<5).map { Book("\($0)") })
            try tx.add(shelf)
            let untitled = tx.objects(Book.self).where { $0.title == "untitled" }
            try untitled.setValue("new", forKey: "title")  // which removes them from the results
            expectTrue(untitled.isEmpty && tx.objects(Book.self).allSatisfy { $0.title == "new" })
            try shelf.books.setValue(7, forKey: "year")
            expectTrue(shelf.books.allSatisfy { $0.year == 7 })
            try shelf.books[0].shelves.setValue("s", forKey: "label")
            expectEqual(shelf.label, "s")
            // a sequence that can be read once
            try shelf.books.setValue(["a", "b"].makeIterator(), forKey: "tags")
            try shelf.books.setValue(AnyIterator([1, 2].makeIterator()), forKey: "ratings")
            expectTrue(shelf.books.allSatisfy { Array($0.tags) == ["a", "b"] })
            // a map, even an empty one, isn't a list
            #expect(throws: Realm.Error.self) {
                try shelf.books.setValue(Map<String, Int?>(), forKey: "ratings")
            }
            expectTrue(shelf.books.allSatisfy { Array($0.ratings) == [1, 2] })
            for (name, value) in [("isbn", "x"), ("nothing", "x"), ("shelves", "x")] {
                let error = #expect(throws: Realm.Error.self) {
                    try shelf.books.setValue(value, forKey: name)
                }
                expectTrue(error?.code == .invalidInput && error?.property == name)
            }
            let error = #expect(throws: Realm.Error.self) {
                try shelf.books.setValue("three", forKey: "year")
            }
            expectTrue(error?.code == .invalidValue && shelf.books.allSatisfy { $0.year == 7 })
        }
    }

    @Test func descriptionShowsPropertiesAndWhatTheyNest() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let author = Author("A")
            let shelf = Shelf()
            shelf.label = "top"
            let book = Book("1", title: "Emma")
            author.masterpiece = book
            book.author = author
            shelf.covers.append(Cover("red"))
            expectEqual(
                Author("B").description,
                """
                Author {
                    name = B
                    masterpiece = nil
                }
                """)
            try tx.add(shelf)
            expectEqual(
                "\(shelf)",
                """
                Shelf {
                    number = 0
                    label = top
                    books = List<Book> ()
                    covers = List<Cover> (
                        [0] Cover {
                            color = red
                            badge = nil
                        }
                    )
                }
                """)
            try tx.add(book)
            #expect(book.description.contains("masterpiece = Book { see above }"))
            tx.delete(book)
            expectEqual(book.description, "Book { deleted }")
        }
    }

    @Test func descriptionIsBounded() {
        var chain = Book("0")
        for number in 1..<10 {
            let next = Book("\(number)")
            next.sequel = chain
            chain = next
        }
        expectTrue(chain.description.contains("maximum depth exceeded"))
        expectEqual(
            chain.description.split(separator: "\n").count(where: { $0.contains("isbn") }), 5)
        let list = List((0..<250).map { $0 })
        expectTrue(list.description.contains("[99] 99\n    … 150 more"))
        expectEqual(
            list[1..<3].description, "ConfinedSlice<List<Int>> (\n    [1] 1\n    [2] 2\n)")
        let wide = Shelf()
        for first in 0..<100 {
            let book = Book("\(first)")
            for second in 0..<100 { book.related.append(Book("\(first) \(second)")) }
            wide.books.append(book)
        }
        expectTrue(wide.description.utf8.count < 2_000_000)
    }
}
