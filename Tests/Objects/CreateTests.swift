import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct CreateTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    // Covers 7.10, 7.16, 7.40
    @Test func dictionariesMakeObjectsWithWhatTheyNest() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = try tx.create(
                Book.self,
                value: [
                    "isbn": "1", "title": "Emma", "year": 1815, "price": 3, "genre": "poem",
                    "oldGenre": Genre.essay, "pageCount": nil, "unknown": 7,
                    "cover": ["color": "red", "badge": ["text": "best", "winner": ["name": "J"]]],
                    "pages": [["number": 1, "text": "a"], [2, "b"]],
                    "sequel": ["isbn": "2"], "tags": ["x", "y"], "ratings": [1, nil, 3],
                    "genres": ["novel", Genre.poem], "related": [["isbn": "3"], Book("4")],
                ])
            expectTrue(book.isManaged)
            expectTrue(book.title == "Emma" && book.year == 1815 && book.price == 3)
            expectTrue(book.genre == .poem && book.oldGenre == .essay && book.pageCount == nil)
            expectTrue(book.cover?.color == "red" && book.cover?.badge?.text == "best")
            expectEqual(book.cover?.badge?.winner?.name, "J")
            expectTrue(book.pages.map(\.number) == [1, 2] && book.pages.map(\.text) == ["a", "b"])
            expectTrue(book.sequel?.isbn == "2" && book.sequel?.title == "untitled")
            expectTrue(Array(book.tags) == ["x", "y"] && Array(book.ratings) == [1, nil, 3])
            expectEqual(Array(book.genres), [.novel, .poem])
            expectEqual(book.related.map(\.isbn), ["3", "4"])
            expectEqual(tx.objects(Book.self).count, 4)
        }
        expectEqual(realm.snapshot().objects(Book.self).count, 4)
    }

    // Covers 7.11
    @Test func arraysGoByTheOrderOfDeclarationAndMayEndEarly() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let leaflet = try tx.create(Leaflet.self, value: ["Tea", 1999])
            expectTrue(leaflet.title == "Tea" && leaflet.year == 1999 && leaflet.price == 9.5)
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(Leaflet.self, value: ["Tea", 1999, 1.5, 4])
            }
            expectTrue(error?.code == .invalidInput && error?.className == "Leaflet")
            expectEqual(tx.objects(Leaflet.self).count, 1)
        }
    }

    // Covers 7.13, 7.14
    @Test func missingPropertiesGetFreshDefaults() async throws {
        let realm = try await Realm.temporary([Message.self, Room.self])
        try await realm.write { tx in
            let first = try tx.create(Message.self)
            let second = try tx.create(Message.self, value: [:])
            expectTrue(first.id != second.id)
            expectTrue(first.author == "nobody" && first.editedAt == nil)
            try expectEqual(tx.create(Room.self, value: ["name": "a"]).topic, "nothing yet")
        }
    }

    @Test func numbersOfOtherTypesFitWithoutLoss() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = try tx.create(
                Book.self,
                value: [
                    "isbn": "1", "year": UInt8(7), "price": Float(0.5), "weight": 2.5,
                    "isLent": 1, "pageCount": true,
                ])
            expectTrue(book.year == 7 && book.price == 0.5 && book.weight == 2.5)
            expectTrue(book.isLent && book.pageCount == 1)
            let other = try tx.create(
                Book.self, value: ["isbn": "2", "weight": Double.nan, "price": Int64(4)])
            expectTrue(other.weight.isNaN && other.price == 4)
        }
    }

    // Covers 7.22
    @Test func jsonCanBeStored() async throws {
        let realm = try await realm()
        let json = """
            {"isbn": "1", "year": 1815, "price": 3, "isLent": true, "pageCount": null,
             "cover": {"color": "red"}, "pages": [{"number": 1}], "ratings": [1, null]}
            """
        try await realm.write { tx in
            let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let book = try tx.create(Book.self, value: value)
            expectTrue(book.year == 1815 && book.price == 3 && book.isLent)
            expectTrue(book.pageCount == nil && book.cover?.color == "red")
            expectTrue(book.pages.map(\.number) == [1] && Array(book.ratings) == [1, nil])
        }
    }

    // Covers 2.52, 7.15
    @Test(arguments: [
        ("title", 3 as any Sendable, "String", "Int"),
        ("year", "three", "Int16", "String"),
        ("year", 2.0, "Int16", "Double"),
        ("year", 40_000, "Int16", "40000"),
        ("price", "3", "Double", "String"),
        ("price", 9_007_199_254_740_993, "Double", "9007199254740993"),
        ("weight", 1e300, "Float", "Double"),
        ("weight", 16_777_217, "Float", "16777217"),
        ("isLent", 2, "Bool", "Int"),
        ("genre", "crime", "Genre", "crime"),
        ("genre", 1, "Genre", "Int"),
        ("oldGenre", "crime", "Genre?", "crime"),
        ("cover", 3, "Cover?", "Int"),
        ("sequel", "2", "Book?", "String"),
        ("tags", [1], "List<String>", "Int"),
        ("tags", "word", "List<String>", "String"),
        ("tags", ["a": 1], "List<String>", "Dictionary"),
        ("genres", ["novel", "crime"], "List<Genre>", "crime"),
        ("related", [1], "List<Book>", "Int"),
        ("title", String?.none, "String", "nil"),
    ])
    func valuesOfWrongTypesAreNamed(
        property: String, value: any Sendable, expected: String, received: String
    ) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(
                    Book.self,
                    value: ["isbn": "1", "sequel": ["isbn": "2"], "author": ["name": "A"]]
                        .merging([property: value as Any]) { $1 } as [String: Any])
            }
            expectEqual(error?.code, .invalidValue)
            expectTrue(error?.className == "Book" && error?.property == property)
            expectEqual(error?.message.contains("Book.\(property)"), true)
            expectEqual(error?.message.contains(expected), true, "\(error?.message ?? "")")
            expectEqual(error?.message.contains(received), true, "\(error?.message ?? "")")
            expectTrue(tx.objects(Book.self).isEmpty && tx.objects(Author.self).isEmpty)
        }
        expectTrue(realm.snapshot().objects(Book.self).isEmpty)
    }

    /// Foundation's description of such a date traps.
    @Test func aDateThatIsNaNIsNamed() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let date = Date(timeIntervalSinceReferenceDate: .nan)
            let values: [(Any, String)] = [
                (date, "NaN (Date)"), ([date], "1 elements"), ([date] as Set, "1 elements"),
                ([date][...], "1 elements"), ([date: 1], "1 elements"),
                (CreateStay(date: date), "a value (CreateStay)"),
                ([CreateStay(date: date)], "1 elements"),
                (CreateStay(date: date, next: [1: CreateStay()]), "a value (CreateStay)"),
                (CreateStay(next: [1: CreateStay(date: date)]), "a value (CreateStay)"),
                (CreateStay(), "CreateStay(date: nil, next: [:]) (CreateStay)"),
            ]
            for (value, received) in values {
                let error = #expect(throws: Realm.Error.self) {
                    try tx.create(Book.self, value: ["title": value])
                }
                expectEqual(error?.message.contains(received), true, "\(error?.message ?? "")")
            }
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(Book.self, value: ["year": URL(filePath: "/a/b")])
            }
            expectEqual(error?.message.contains("file:///a/b (URL)"), true)
        }
    }

    @Test func creationThatFailsDeepInsideLeavesNothing() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.create(Book.self, value: ["isbn": "taken"])
            let before = tx.objects(Book.self).count
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(
                    Book.self,
                    value: [
                        "isbn": "1", "cover": ["color": "red"], "pages": [[1], [2]],
                        "author": ["name": "A", "masterpiece": ["isbn": "taken"]],
                    ])
            }
            expectTrue(error?.code == .duplicatePrimaryKey && error?.key?.contains("taken") == true)
            let long = longText(17 << 20)
            let limit = #expect(throws: Realm.Error.self) {
                try tx.create(Book.self, value: ["isbn": "1", "tags": ["a", long]])
            }
            expectEqual(limit?.code, .invalidValue)
            expectTrue(limit?.className == "Book" && limit?.property == "tags")
            expectEqual(
                limit?.message.contains("Book.tags cannot hold"), true, "\(limit?.message ?? "")")
            expectTrue(tx.objects(Book.self).count == before && tx.objects(Author.self).isEmpty)
        }
        expectEqual(realm.snapshot().objects(Book.self).count, 1)
    }

    // Covers 7.12, 7.19
    @Test func objectsAreCopiedByTheNamesOfTheirProperties() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1", title: "Emma")
            book.year = 1815
            book.sequel = Book("2")
            let copy = try tx.create(Book.self, value: book)
            expectTrue(!book.isManaged && copy !== book && copy.title == "Emma")
            expectTrue(copy.sequel?.isbn == "2" && book.sequel?.isManaged == false)
            let leaflet = try tx.create(Leaflet.self, value: copy)
            expectTrue(leaflet.title == "Emma" && leaflet.year == 1815 && leaflet.price == 0)
        }
    }

    // Covers 7.17, 7.44
    @Test func managedObjectsAreLinkedToAndEmbeddedOnesCopied() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let author = Author("A")
            try tx.add(author)
            let first = try tx.create(
                Book.self, value: ["isbn": "1", "author": author, "cover": Cover("red")])
            let second = try tx.create(
                Book.self, value: ["isbn": "2", "author": author, "cover": first.cover as Any])
            expectEqual(second.author?.isSameObject(as: author), true)
            expectTrue(second.cover?.color == "red" && first.cover?.color == "red")
            expectEqual(second.cover?.isSameObject(as: first.cover), false)
            expectEqual(tx.objects(Author.self).count, 1)
        }
    }

    // Covers 7.24, .duplicatePrimaryKey
    @Test func objectWithoutKeyIsCopiedAndOneWithItIsADuplicate() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            let author = Author("A")
            author.masterpiece = book
            try tx.add(author)
            let copy = try tx.create(Author.self, value: author)
            expectTrue(!copy.isSameObject(as: author) && copy.name == "A")
            expectEqual(copy.masterpiece?.isSameObject(as: book), true)
            let error = #expect(throws: Realm.Error.self) { try tx.create(Book.self, value: book) }
            expectEqual(error?.code, .duplicatePrimaryKey)
            let same = try tx.create(Book.self, value: book, update: .modified)
            expectTrue(same === book)
        }
    }

    @Test func cyclesOfUnmanagedObjectsAreCopiedAsWhatTheyAre() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let first = Book("1")
            let second = Book("2")
            first.sequel = second
            second.sequel = first
            let copy = try tx.create(Book.self, value: first)
            expectEqual(copy.sequel?.sequel?.isSameObject(as: copy), true)
            expectEqual(tx.objects(Book.self).count, 2)
        }
    }

    // Covers 1.6
    @Test func unmanagedObjectsAreMadeFromValues() async throws {
        let book = Book(value: ["isbn": "1", "year": 3, "cover": ["color": "red"], "tags": ["a"]])
        expectTrue(book.isbn == "1" && book.year == 3 && book.cover?.color == "red")
        expectTrue(Array(book.tags) == ["a"] && !book.isManaged)
        let page = Page(value: [3, "text"])
        expectTrue(page.number == 3 && page.text == "text")
        expectEqual(Room(value: ["name": "a"]).topic, "nothing yet")
        let sequel = Book("2")
        expectTrue(Book(value: ["sequel": sequel]).sequel === sequel)
    }

    // Covers 1.6
    @Test func copyOfAManagedObjectIsShallow() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1", title: "Emma")
            book.author = Author("A")
            book.cover = Cover("red")
            book.related.append(Book("2"))
            try tx.add(book)
            let copy = Book(value: book)
            expectTrue(!copy.isManaged && copy.title == "Emma")
            expectEqual(copy.author?.isSameObject(as: book.author), true)
            expectTrue(copy.related.map(\.isbn) == ["2"] && copy.related[0].isManaged)
            expectTrue(copy.cover?.color == "red" && copy.cover?.isManaged == false)
            copy.isbn = "3"
            try tx.add(copy)
            expectTrue(tx.objects(Book.self).count == 3 && tx.objects(Author.self).count == 1)
        }
    }

    // Covers 7.15
    @Test func nullFromFoundationIsNil() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = try tx.create(
                Book.self,
                value: ["isbn": "1", "pageCount": NSNull(), "cover": NSNull(), "tags": NSNull()])
            expectTrue(book.pageCount == nil && book.cover == nil && book.tags.isEmpty)
        }
    }

    // Covers 1.17, 7.25
    @Test func metatypeInAVariableDecides() async throws {
        let realm = try await Realm.temporary([Animal.self, Dog.self])
        try await realm.write { tx in
            let type: Animal.Type = Dog.self
            let animal = try tx.create(type, value: ["name": "Rex", "chip": 7])
            expectEqual((animal as? Dog)?.chip, 7)
            expectTrue(tx.objects(Animal.self).isEmpty && tx.objects(Dog.self).count == 1)
        }
    }

    @Test func wrongValueForAnInitialiserEndsTheProcessWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Book(value: ["year": "three"])
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(
            sentence.contains("Book.year is of type Int16 and cannot hold \"three\" (String)."))
    }
}

/// A program's own type, which no property can hold.
private struct CreateStay {
    var date: Date?
    var next: [Int: CreateStay] = [:]
}
