import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct DeleteTests {
    /// Makes three books, the first of which is the target of every kind of link.
    private func filled() async throws -> Realm {
        let realm = try await Realm.temporary(bookClasses)
        try await realm.write { tx in
            let books = ["1", "2", "3"].map { Book($0) }
            books[1].sequel = books[0]
            books[1].related.append(objectsIn: [books[0], books[2], books[0]])
            let author = Author("A")
            author.masterpiece = books[0]
            books[0].author = author
            books[0].cover = Cover("red")
            books[0].cover?.badge = Badge()
            books[0].pages.append(objectsIn: [Page(1), Page(2)])
            let shelf = Shelf()
            shelf.books.append(objectsIn: [books[0], books[1], books[0], books[2]])
            try tx.add(shelf)
        }
        return realm
    }

    // Covers 2.51, 2.69, 7.55, 7.56, 7.57
    @Test func linksBecomeNilAndListsLoseEveryOccurrence() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let first = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            let second = try requireValue(tx.object(Book.self, forPrimaryKey: "2"))
            let shelf = try requireValue(tx.object(Shelf.self, forPrimaryKey: 0))
            let author = try requireValue(first.author)
            expectTrue(first.shelves.count >= 1)
            tx.delete(first)
            expectTrue(first.isInvalidated && first.isManaged)
            expectTrue(second.sequel == nil && author.masterpiece == nil)
            expectEqual(second.related.map(\.isbn), ["3"])
            expectEqual(shelf.books.map(\.isbn), ["2", "3"])
            expectTrue(!author.isInvalidated)  // no cascade along ordinary links
        }
        let snapshot = realm.snapshot()
        expectTrue(
            snapshot.objects(Book.self).count == 2 && snapshot.objects(Author.self).count == 1)
    }

    // Covers 7.46
    @Test func deletingAnObjectDeletesWhatBelongsToIt() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let book = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            let cover = try requireValue(book.cover)
            let badge = try requireValue(cover.badge)
            let pages = Array(book.pages)
            let list = book.pages
            tx.delete(book)
            expectTrue(cover.isInvalidated && badge.isInvalidated && list.isInvalidated)
            expectTrue(pages.allSatisfy { $0.isInvalidated })
        }
    }

    // Covers 7.51
    @Test func deletingAListDeletesItsObjectsAndEmptiesIt() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let shelf = try requireValue(tx.object(Shelf.self, forPrimaryKey: 0))
            tx.delete(shelf.books)
            expectTrue(shelf.books.isEmpty && tx.objects(Book.self).isEmpty)
        }
    }

    @Test func sequencesResultsAndInversesAreDeleted() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let third = try requireValue(tx.object(Book.self, forPrimaryKey: "3"))
            let second = try requireValue(tx.object(Book.self, forPrimaryKey: "2"))
            tx.delete(third.shelves)
            expectTrue(tx.objects(Shelf.self).isEmpty && third.shelves.isEmpty)
            tx.delete([second, third, second])
            expectTrue(second.isInvalidated && third.isInvalidated)
            tx.delete(tx.objects(Book.self).where { $0.isbn == "1" })
            tx.delete(tx.objects(Book.self))
            expectTrue(tx.objects(Book.self).isEmpty)
        }
    }

    // Covers 2.7, 7.58
    @Test func deletingWhileIteratingVisitsAll() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let shelf = try requireValue(tx.object(Shelf.self, forPrimaryKey: 0))
            var seen = 0
            for book in shelf.books {
                seen += 1
                if !book.isInvalidated { tx.delete(book) }
            }
            expectTrue(seen == 4 && shelf.books.isEmpty)
        }
        let other = try await filled()
        try await other.write { tx in
            var states: [Bool] = []
            for book in tx.objects(Book.self) {
                states.append(book.isInvalidated)
                tx.delete(tx.objects(Book.self).where { $0.isbn > "1" })
            }
            expectEqual(states, [false, true, true])
        }
    }

    // Covers 7.54
    @Test func deleteAllKeepsTheClasses() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let shelf = try requireValue(tx.objects(Shelf.self).first)
            tx.deleteAll()
            expectTrue(shelf.isInvalidated && tx.objects(Book.self).isEmpty)
            expectTrue(tx.objects(Author.self).isEmpty)
            try tx.add(Book("1"))
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["1"])
        expectTrue(realm.snapshot().objects(Shelf.self).isEmpty)
    }

    // Covers 7.59
    @Test func keyThatIsMadeAgainIsAnotherObject() async throws {
        let realm = try await filled()
        try await realm.write { tx in
            let old = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            tx.delete(old)
            let new = Book("1")
            try tx.add(new)
            expectTrue(old.isInvalidated && !new.isSameObject(as: old))
            expectTrue(new.cover == nil && new.pages.isEmpty && new.shelves.isEmpty)
        }
    }

    @Test func deletingThroughAnotherAccessorDoesNothing() async throws {
        let realm = try await Realm.temporary(bookClasses)
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            let again = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            tx.delete(book)
            tx.delete(again)
            tx.delete([book, again])
            try tx.add(Book("2"))
        }
        expectEqual(realm.snapshot().objects(Book.self).map(\.isbn), ["2"])
    }
}
