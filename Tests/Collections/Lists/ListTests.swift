import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ListTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    /// Random changes of lists of values, objects and embedded objects, managed and unmanaged,
    /// against arrays.
    // Covers 2.54, 2.55, 2.57, 2.62, 2.63, 2.64
    @Test func randomChangesAgreeWithAnArray() async throws {
        var random = SeededRandom()
        let realm = try await realm()
        try await realm.write { tx in try tx.add([Book("0")]) }
        for round in 0..<30 {
            // Guard: called once, by the write that follows.
            nonisolated(unsafe) let body = { (tx: Transaction) in
                let book = round == 0 ? Book("u") : tx.objects(Book.self)[0]
                var tags = Array(book.tags)
                var pages = book.pages.map(\.number)
                for _ in 0..<20 {
                    let at = Int.random(in: 0...tags.count, using: &random)
                    let word = "\(Int.random(in: 0..<50, using: &random))"
                    let number = Int(word) ?? 0
                    let pageAt = Int.random(in: 0...pages.count, using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0:
                        book.tags.append(word)
                        tags.append(word)
                        book.pages.append(Page(number))
                        pages.append(number)
                    case 1:
                        book.tags.insert(word, at: at)
                        tags.insert(word, at: at)
                        book.pages.insert(Page(number), at: pageAt)
                        pages.insert(number, at: pageAt)
                    case 2 where at < tags.count:
                        book.tags[at] = word
                        tags[at] = word
                    case 3 where at < tags.count:
                        book.tags.remove(at: at)
                        tags.remove(at: at)
                    case 4 where pageAt < pages.count:
                        book.pages.remove(at: pageAt)
                        pages.remove(at: pageAt)
                    case 5:
                        book.tags.replaceSubrange(0..<at, with: [word, "x"])
                        tags.replaceSubrange(0..<at, with: [word, "x"])
                    case 6 where pageAt < pages.count:
                        let to = Int.random(in: 0..<pages.count, using: &random)
                        book.pages.move(from: pageAt, to: to)
                        pages.insert(pages.remove(at: pageAt), at: to)
                        book.pages.swapAt(pageAt, to)
                        pages.swapAt(pageAt, to)
                    case 7:
                        book.tags.append(objectsIn: book.tags)
                        tags += tags
                        if tags.count > 30 {
                            book.tags.removeSubrange(3...)
                            tags.removeSubrange(3...)
                        }
                    case 8:
                        book.tags.sort()
                        tags.sort()
                    case 9:
                        let offsets = Set(tags.indices.filter { _ in Bool.random(using: &random) })
                        book.tags.move(fromOffsets: offsets, toOffset: at)
                        let moved = tags.indices.filter { offsets.contains($0) }.map { tags[$0] }
                        tags =
                            tags.indices.filter { $0 < at && !offsets.contains($0) }.map {
                                tags[$0]
                            }
                            + moved
                            + tags.indices.filter { $0 >= at && !offsets.contains($0) }
                            .map { tags[$0] }
                    default: break
                    }
                    expectEqual(Array(book.tags), tags)
                    expectEqual(book.tags.indices.map { book.tags[$0] }, tags)
                    expectEqual(book.pages.map(\.number), pages)
                    expectTrue(book.tags.first == tags.first && book.tags.last == tags.last)
                    expectEqual(book.tags.index(of: word), tags.firstIndex(of: word))
                }
            }
            try await realm.write { body($0) }
        }
    }

    // Covers 1.28, 2.53
    @Test func listTakenBeforeAddingBecomesThatOfTheObject() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let shelf = Shelf()
            let books = shelf.books
            books.append(Book("1"))
            try tx.add(shelf)
            expectTrue(books.isManaged && books == shelf.books && books[0].isManaged)
            books.append(Book("2"))
            expectEqual(shelf.books.map(\.isbn), ["1", "2"])
        }
    }

    // Covers 1.27
    @Test func assignmentCopiesTheElements() async throws {
        let realm = try await realm()
        let loose = List(["a", "b"])
        let book = Book("1")
        book.tags = loose
        loose.append("c")
        expectEqual(Array(book.tags), ["a", "b"])
        let instance = book.tags
        book.tags = List(["x"])
        expectTrue(instance === book.tags && Array(instance) == ["x"])
        book.tags = book.tags
        expectEqual(Array(book.tags), ["x"])
        // Guard: used by the body only, while this task waits for it.
        nonisolated(unsafe) let given = book
        try await realm.write { tx in
            try tx.add(given)
            let other = Book("2")
            other.tags.append(objectsIn: ["p", "q"])
            try tx.add(other)
            given.tags = other.tags
            expectTrue(Array(given.tags) == ["p", "q"] && given.tags != other.tags)
            given.tags = given.tags
            expectTrue(Array(given.tags) == ["p", "q"] && Array(other.tags) == ["p", "q"])
        }
    }

    // Covers 1.30
    @Test func listOutlivesTheAccessorOfItsObject() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let tags: List<String> = try {
                let book = Book("1")
                book.tags.append("a")
                try tx.add(book)
                return tx.objects(Book.self)[0].tags
            }()
            tags.append("b")
            expectTrue(Array(tags) == ["a", "b"] && !tags.isInvalidated)
            tx.deleteAll()
            expectTrue(tags.isInvalidated)
        }
    }

    // Covers 2.7, 2.52
    @Test func iterationWalksTheElementsOfItsStart() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.tags.append(objectsIn: ["a", "b", "c"])
            book.ratings.append(objectsIn: [1, nil, 3])
            book.related.append(objectsIn: [Book("2"), book, Book("3")])
            try tx.add(book)
            var seen: [String] = []
            for tag in book.tags {
                seen.append(tag)
                if book.tags.count < 5 { book.tags.append("\(tag)!") }
                book.tags.swapAt(0, 1)
            }
            expectEqual(seen, ["a", "b", "c"])
            expectEqual(book.ratings.map { $0 }, [1, nil, 3])
            var isbns: [String] = []
            for other in book.related {
                isbns.append(other.isbn)
                book.related.removeAll()
            }
            expectEqual(isbns, ["2", "1", "3"])
            expectNil(book.related.first)
        }
    }

    @Test func indexOfGoesByRowsAndStoredValues() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let shelf = Shelf()
            let books = ["1", "2"].map { Book($0) }
            shelf.books.append(objectsIn: [books[0], books[1], books[0]])
            expectEqual(shelf.books.index(of: books[1]), 1)
            try tx.add(shelf)
            expectEqual(shelf.books.index(of: books[1]), 1)
            expectEqual(shelf.books.index(of: tx.objects(Book.self)[0]), 0)
            expectNil(shelf.books.index(of: Book("1")))
            books[0].ratings.append(objectsIn: [nil, 4])
            expectTrue(books[0].ratings.index(of: 4) == 1 && books[0].ratings.index(of: nil) == 0)
            expectNil(books[0].ratings.index(of: 5))
        }
    }

    // Covers 2.61, 2.63, 2.68
    @Test func settingAnElementToItselfIsAModification() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.tags.append("a")
            book.related.append(book)
            try tx.add(book)
        }
        let changes: [@Sendable (Book) -> Void] = [
            { $0.tags[0] = $0.tags[0] }, { $0.related[0] = $0.related[0] },
        ]
        for change in changes {
            let version = realm.snapshot().version
            try await realm.write { change($0.objects(Book.self)[0]) }
            expectEqual(realm.snapshot().version, version + 1)
        }
        let version = realm.snapshot().version
        try await realm.write { tx in
            tx.objects(Book.self)[0].tags.move(from: 0, to: 0)
            tx.objects(Book.self)[0].tags.swapAt(0, 0)
        }
        expectEqual(realm.snapshot().version, version)
    }

    // Covers 2.65
    @Test(arguments: [false, true]) func offsetsAreTakenOutTogether(isManaged: Bool) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            if isManaged { try tx.add(book) }
            book.tags.append(objectsIn: ["a", "b", "c", "d", "e"])
            book.tags.remove(atOffsets: IndexSet([3, 0, 4]))
            expectEqual(Array(book.tags), ["b", "c"])
            book.tags.append(objectsIn: ["d", "e"])
            book.tags.move(fromOffsets: IndexSet([0, 2]), toOffset: 4)
            expectEqual(Array(book.tags), ["c", "e", "b", "d"])
        }
    }

    @Test func valueBeyondItsLimitsNamesClassAndProperty() async throws {
        let realm = try await realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book.tags.append(longText(17 << 20))
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectTrue(error?.className == "Book" && error?.property == "tags")
        expectEqual(
            error?.message.contains("Book.tags cannot hold"), true, "\(error?.message ?? "")")
    }

    // Covers 2.55
    @Test(arguments: [0, 1, 2, 3, 4])
    func positionsThatTheListDoesNotHaveTrap(misuse: Int) async {
        await #expect(processExitsWith: .failure) { [misuse] in
            let misuses: [@Sendable (List<String>) -> Void] = [
                { _ = $0[1] }, { _ = $0[-1] }, { $0.removeFirst(2) }, { $0.insert("x", at: 2) },
                { $0[1] = "x" },
            ]
            let realm = try await Realm.temporary(bookClasses)
            try await realm.write { tx in
                let book = Book("1")
                book.tags.append("a")
                try tx.add(book)
                misuses[misuse](book.tags)
            }
        }
    }

    // Covers 2.68
    @Test func changingAListInAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary(bookClasses)
            try await realm.write { try $0.add(Book("1")) }
            try await realm.read { $0.objects(Book.self)[0].tags.append("a") }
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(sentence.contains("Book.tags was changed in the read at"))
    }
}
