import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct SavepointTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    @Test func innerFailureUndoesTheInnerPartOnly() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1", title: "old")
            book.tags.append("a")
            book.cover = Cover("red")
            try tx.add(book)
            let cover = try requireValue(book.cover)
            let tags = book.tags
            let all = tx.objects(Book.self)
            expectEqual(all.count, 1)
            var added: [Book] = []
            #expect(throws: Undo.self) {
                try tx.savepoint {
                    book.title = "new"
                    tags.append("b")
                    book.cover = nil
                    let second = Book("2")
                    try tx.add(second)
                    book.sequel = second
                    added.append(second)
                    expectEqual(all.count, 2)
                    throw Undo()
                }
            }
            expectTrue(book.title == "old" && Array(tags) == ["a"] && book.sequel == nil)
            expectTrue(!cover.isInvalidated && cover.color == "red")
            expectTrue(all.count == 1 && added[0].isInvalidated)
            let third = Book("3")
            try tx.add(third)
            expectTrue(added[0].isInvalidated && !added[0].isSameObject(as: third))
            let fourth = try tx.savepoint {
                let fourth = Book("4")
                try tx.add(fourth)
                return fourth
            }
            expectTrue(!fourth.isInvalidated)
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["1", "3", "4"])
    }

    @Test func deletedObjectsAreThereAgain() async throws {
        let realm = try await realm()
        try await realm.write { try $0.add([Book("1"), Book("2")]) }
        let version = realm.snapshot().version
        try await realm.write { tx in
            let first = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            try? tx.savepoint {
                tx.deleteAll()
                expectTrue(first.isInvalidated)
                throw Undo()
            }
            expectTrue(!first.isInvalidated && first.isbn == "1")
            expectTrue(tx.object(Book.self, forPrimaryKey: "2") != nil)
        }
        expectEqual(realm.snapshot().version, version)  // no net change
    }

    /// Positions computed from placeholders don't trap in a savepoint either.
    @Test func invalidPositionInASavepointOfAFailedTransactionDoesNotTrap() async throws {
        let realm = try await realm()
        let error = await realmError {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book.isbn = "2"
                try tx.savepoint {
                    _ = book.tags[3]
                    book.tags.remove(at: 3)
                    try tx.savepoint { _ = tx.objects(Book.self)[3] }
                }
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "isbn")
    }

    @Test func violationInsideIsUndoneAndThrown() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            let error = #expect(throws: Realm.Error.self) {
                try tx.savepoint {
                    book.title = "new"
                    book.isbn = "2"
                }
            }
            expectTrue(error?.code == .invalidValue && error?.property == "isbn")
            expectEqual(book.title, "untitled")
            #expect(throws: Undo.self) {
                try tx.savepoint {
                    book.isbn = "3"
                    throw Undo()
                }
            }
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["1"])
    }

    @Test func violationBeforeASavepointStillFailsTheTransaction() async throws {
        let realm = try await realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book.isbn = "2"
                try tx.savepoint { book.title = "new" }
            }
        }
        expectEqual(error?.property, "isbn")
    }

    @Test func savepointsNest() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.savepoint {
                try tx.add(Book("1"))
                try? tx.savepoint {
                    try tx.add(Book("2"))
                    try tx.savepoint { try tx.add(Book("3")) }
                    throw Undo()
                }
                expectEqual(tx.objects(Book.self).map(\.isbn), ["1"])
                try tx.savepoint { try tx.add(Book("4")) }
            }
            try? tx.savepoint {
                try tx.savepoint { try tx.add(Book("5")) }
                throw Undo()
            }
            expectEqual(tx.objects(Book.self).map(\.isbn), ["1", "4"])
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["1", "4"])
    }

    @Test func classesThatJoinedInsideAreTakenBackAndJoinAgain() async throws {
        let realm = try await Realm.temporary()
        let version = realm.snapshot().version
        try await realm.write { tx in
            var inner: [ObjectBase] = []
            var lists: [List<Book>] = []
            try? tx.savepoint {
                let shelf = Shelf()
                let book = Book("1")
                book.cover = Cover("red")
                shelf.books.append(book)
                try tx.add(shelf)
                inner = [shelf, book, try requireValue(book.cover)]
                lists = [shelf.books]
                throw Undo()
            }
            expectTrue(inner.allSatisfy { $0.isInvalidated } && lists[0].isInvalidated)
            expectTrue(tx.objects(Book.self).isEmpty)
            try? tx.savepoint {
                // A different order of classes.
                try tx.add(Author("A"))
                throw Undo()
            }
            expectTrue(inner.allSatisfy { $0.isInvalidated })
        }
        expectEqual(realm.snapshot().version, version)
        try await realm.write { tx in
            let author = Author("A")
            let books = tx.objects(Book.self)
            expectTrue(books.isEmpty)
            var lost: [Book] = []
            try? tx.savepoint {
                let book = Book("1")
                try tx.add(book)
                lost = [book]
                expectEqual(books.count, 1)
                throw Undo()
            }
            expectTrue(books.isEmpty)
            try tx.add(author)
            let book = Book("2")
            try tx.add(book)
            expectTrue(lost[0].isInvalidated && books.map(\.isbn) == ["2"])
            author.masterpiece = book
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["2"])
        expectEqual(realm.snapshot().objects(Author.self).map(\.name), ["A"])
    }

    @Test func valuesAreThoseOfBeforeAsOftenAsItIsUndone() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("a", topic: "old")) }
        try await realm.write { tx in
            let room = try requireValue(tx.object(Room.self, forPrimaryKey: "a"))
            for _ in 0..<3 {
                try? tx.savepoint {
                    room.topic = "new"
                    try tx.add(Room("b"))
                    throw Undo()
                }
                expectTrue(room.topic == "old" && tx.objects(Room.self).count == 1)
            }
        }
    }

    /// Random nested savepoints against a dictionary of titles.
    @Test func randomSavepointsAgreeWithADictionary() async throws {
        var random = SeededRandom()
        let realm = try await realm()
        var expected: [String: String] = [:]
        func step(_ tx: Transaction, _ depth: Int) throws {
            for _ in 0..<Int.random(in: 1..<6, using: &random) {
                let key = "\(Int.random(in: 0..<8, using: &random))"
                switch Int.random(in: 0..<(depth < 3 ? 4 : 3), using: &random) {
                case 0:
                    let title = "\(Int.random(in: 0..<100, using: &random))"
                    try tx.create(
                        Book.self, value: ["isbn": key, "title": title], update: .modified)
                    expected[key] = title
                case 1:
                    if let book = tx.object(Book.self, forPrimaryKey: key) { tx.delete(book) }
                    expected[key] = nil
                case 2:
                    tx.object(Book.self, forPrimaryKey: key)?.title = "set"
                    if expected[key] != nil { expected[key] = "set" }
                default:
                    let before = expected
                    let isUndone = Bool.random(using: &random)
                    do {
                        try tx.savepoint {
                            try step(tx, depth + 1)
                            if isUndone { throw Undo() }
                        }
                    } catch is Undo {
                        expected = before
                    }
                }
            }
            let found = tx.objects(Book.self).map { ($0.isbn, $0.title) }
            expectEqual(Dictionary(uniqueKeysWithValues: found), expected)
        }
        for _ in 0..<40 {
            // Guard: called once, by the write that follows.
            nonisolated(unsafe) let body = { (tx: Transaction) in try step(tx, 0) }
            try await realm.write { try body($0) }
            let stored = realm.snapshot().objects(Book.self).map { ($0.isbn, $0.title) }
            expectEqual(Dictionary(uniqueKeysWithValues: stored), expected)
        }
    }
}
