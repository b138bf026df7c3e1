import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct EmbeddedTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    private func sentence(
        _ realm: Realm, _ body: @Sendable (Transaction) throws -> Void
    ) async -> Realm.Error? {
        await #expect(throws: Realm.Error.self) { try await realm.write { try body($0) } }
    }

    // Covers 1.2, 7.41
    @Test func replacingOrRemovingTheLinkDeletesTheOldOne() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            let red = Cover("red")
            book.cover = red
            expectTrue(red.isManaged && book.cover?.color == "red")
            book.cover = Cover("blue")
            expectTrue(red.isInvalidated && book.cover?.color == "blue")
            let blue = try requireValue(book.cover)
            book.cover = blue
            expectTrue(!blue.isInvalidated && book.cover?.isSameObject(as: blue) == true)
            book.cover = nil
            expectTrue(blue.isInvalidated && book.cover == nil)
        }
    }

    @Test func settingALinkToItsOwnObjectIsNoModification() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.cover = Cover("red")
            try tx.add(book)
        }
        let version = realm.snapshot().version
        try await realm.write { tx in
            let book = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            book.cover = book.cover
        }
        expectEqual(realm.snapshot().version, version)
    }

    // Covers 2.57, 2.59, 2.61, 7.42
    @Test func elementsThatAreTakenOutAreDeleted() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.pages.append(objectsIn: (0..<6).map { Page($0) })
            try tx.add(book)
            let pages = Array(book.pages)
            book.pages.remove(at: 0)
            book.pages.replaceSubrange(0..<2, with: [Page(10)])
            book.pages[1] = Page(11)
            book.pages.swapAt(0, 1)
            book.pages.move(from: 2, to: 0)
            expectEqual(book.pages.map(\.number), [4, 11, 10, 5])
            expectEqual(pages.map(\.isInvalidated), [true, true, true, true, false, false])
            book.pages.removeAll()
            expectTrue(pages.allSatisfy { $0.isInvalidated })
        }
    }

    // Covers 2.53, 12.29
    @Test func managedOneCannotGetASecondOwner() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.cover = Cover("red")
            book.pages.append(Page(1))
            try tx.add(book)
            try tx.add(Book("2"))
            try tx.add(Shelf())
        }
        let misuses: [@Sendable (Book, Book, Shelf) -> Void] = [
            { first, second, _ in second.cover = first.cover },
            { first, _, shelf in shelf.covers.append(first.cover!) },
            { first, _, _ in first.pages.append(first.pages[0]) },
            { first, second, _ in second.pages.append(first.pages[0]) },
        ]
        for misuse in misuses {
            let error = await sentence(realm) { tx in
                misuse(
                    tx.object(Book.self, forPrimaryKey: "1")!,
                    tx.object(Book.self, forPrimaryKey: "2")!, tx.objects(Shelf.self)[0])
            }
            expectEqual(error?.code, .invalidValue)
            expectEqual(error?.message.contains("belongs to another property"), true)
        }
        try await realm.write { tx in
            let pages = tx.object(Book.self, forPrimaryKey: "1")!.pages
            let page = pages[0]
            pages[0] = page
            expectTrue(pages.count == 1 && !page.isInvalidated && pages[0].isSameObject(as: page))
        }
        let twice = await sentence(realm) { tx in
            let page = Page(1)
            tx.object(Book.self, forPrimaryKey: "1")?.pages.append(objectsIn: [page, page])
        }
        expectTrue(twice?.className == "Book" && twice?.property == "pages")
        try await realm.write { tx in
            let book = Book("3")
            let cover = Cover("red")
            book.cover = cover
            let shelf = Shelf()
            shelf.number = 7
            shelf.covers.append(cover)
            shelf.books.append(book)
            let error = #expect(throws: Realm.Error.self) { try tx.add(shelf) }
            expectEqual(error?.message.contains("used twice"), true)
            expectTrue(!shelf.isManaged && !cover.isManaged)
            book.cover = Cover(value: cover)
            try tx.add(shelf)
        }
    }

    // Covers 7.45
    @Test func deletingItTakesItFromItsOwner() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.cover = Cover("red")
            book.pages.append(objectsIn: [Page(1), Page(2), Page(3)])
            try tx.add(book)
            tx.delete(try requireValue(book.cover))
            tx.delete(book.pages[1])
            expectTrue(book.cover == nil && book.pages.map(\.number) == [1, 3])
            tx.delete(book.pages)
            expectTrue(book.pages.isEmpty && !book.isInvalidated)
        }
    }

    // Covers 1.25, 7.47, 7.48
    @Test func inverseGivesTheOwnerAndLinksToObjectsAreOrdinary() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let author = Author("A")
            let book = Book("1")
            book.cover = Cover("red")
            book.cover?.badge = Badge()
            book.cover?.badge?.winner = author
            try tx.add(book)
            expectEqual(book.cover?.books.map(\.isbn), ["1"])
            tx.delete(author)
            expectNil(book.cover?.badge?.winner)
        }
    }

    // Covers 7.48
    @Test func unmanagedOneMayHoldManagedObjects() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let author = Author("A")
            try tx.add(author)
            let badge = Badge()
            badge.winner = author
            let cover = Cover("red")
            cover.badge = badge
            let shelf = Shelf()
            try tx.add(shelf)
            shelf.covers.append(cover)
            expectEqual(shelf.covers[0].badge?.winner?.isSameObject(as: author), true)
            expectEqual(tx.objects(Author.self).count, 1)
        }
    }

    // Covers 1.2, 7.30, 7.40
    @Test func isNotStoredByItself() throws {
        let text = """
            import Regnum
            final class Part: EmbeddedObject { @Persisted var number: Int }
            func use(_ tx: Transaction) throws {
                try tx.add(Part())
                try tx.create(Part.self, value: ["number": 1])
                _ = tx.objects(Part.self)
                tx.delete(Part())
            }
            """
        let outcome = try SwiftCompiler.compile(text, as: .library)
        expectEqual(outcome.errorLines, [4, 5, 6])
        expectTrue(outcome.output.contains("an embedded object is stored with its owner"))
    }
}
