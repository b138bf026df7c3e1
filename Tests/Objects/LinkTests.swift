import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct LinkTests {
    private func realm() async throws -> Realm {
        try await Realm.temporary(bookClasses + [Shelter.self, Animal.self, Dog.self])
    }

    // Covers 7.19, 7.36, 7.38
    @Test func unmanagedObjectIsAddedWithWhatItLinksTo() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            let sequel = Book("2")
            sequel.author = Author("A")
            book.sequel = sequel
            expectTrue(sequel.isManaged && book.sequel === book.sequel || book.sequel == sequel)
            expectEqual(tx.objects(Author.self).count, 1)
            book.sequel = nil
            expectTrue(book.sequel == nil && tx.objects(Book.self).count == 2)
        }
    }

    // Covers 7.36
    @Test func linkToAnObjectOfATakenKeyFailsTheTransaction() async throws {
        let realm = try await realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book.sequel = Book("1")
            }
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
        expectTrue(realm.snapshot().objects(Book.self).isEmpty)
    }

    // Covers 7.39
    @Test func settingTheSameObjectIsAModification() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.sequel = Book("2")
            try tx.add(book)
        }
        let version = realm.snapshot().version
        try await realm.write { tx in
            let book = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            book.sequel = book.sequel
        }
        expectEqual(realm.snapshot().version, version + 1)
    }

    // Covers 1.17, 2.53
    @Test func objectOfADerivedClassFailsTheTransaction() async throws {
        let realm = try await realm()
        let misuses: [(String, @Sendable (Shelter) -> Void)] = [
            ("guest", { $0.guest = Dog() }), ("animals", { $0.animals.append(Dog()) }),
            ("animals", { $0.animals[0] = Dog() }),
        ]
        for (property, misuse) in misuses {
            for isStored in [false, true] {
                let error = await #expect(throws: Realm.Error.self) {
                    try await realm.write { tx in
                        let kennel = Shelter()
                        kennel.animals.append(Animal())
                        if isStored { try tx.add(kennel) }
                        misuse(kennel)
                        if !isStored { try tx.add(kennel) }
                    }
                }
                expectEqual(error?.code, .invalidValue)
                expectTrue(error?.className == "Shelter" && error?.property == property)
                expectEqual(error?.message.contains("Dog"), true)
            }
        }
        let managed = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let dog = Dog()
                try tx.add(dog)
                let kennel = Shelter()
                try tx.add(kennel)
                kennel.guest = dog
            }
        }
        expectEqual(managed?.property, "guest")
        expectTrue(realm.snapshot().objects(Shelter.self).isEmpty)
    }

    @Test func deletedObjectCannotBeLinkedTo() async throws {
        let realm = try await realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let book = Book("1")
                let sequel = Book("2")
                try tx.add([book, sequel])
                tx.delete(sequel)
                book.sequel = sequel
            }
        }
        expectTrue(error?.message.contains("deleted") == true && error?.property == "sequel")
    }

    // Covers 7.26
    @Test func longChainIsAdded() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let first = Book("0")
            var last = first
            for number in 1..<100_000 {
                let next = Book("\(number)")
                last.sequel = next
                last = next
            }
            last.sequel = first
            try tx.add(first)
            expectEqual(tx.objects(Book.self).count, 100_000)
            expectTrue(first.sequel?.sequel?.isbn == "2" && last.sequel == first)
        }
    }

    // Covers 7.26
    @Test func instancesOfACycleAreReleasedOnceItIsStored() async throws {
        let realm = try await realm()
        let witness = Witness()
        try await realm.write { tx in
            let first = Book("1")
            first.sequel = Book("2")
            first.sequel?.sequel = first
            first.related.append(first)
            witness.watch(first)
            try tx.add(first)
        }
        expectTrue(witness.isReleased)
    }

    // Covers 1.11, 1.12
    @Test func equalityGoesByRowsForObjectsWithAKeyAndByInstancesForOthers() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.add(Book("1"))
            try tx.add(Author("A"))
            let books = (0..<2).map { _ in tx.objects(Book.self)[0] }
            let authors = (0..<2).map { _ in tx.objects(Author.self)[0] }
            expectTrue(books[0] !== books[1] && books[0] == books[1])
            expectEqual(Set(books).count, 1)
            expectTrue(authors[0] !== authors[1] && authors[0] != authors[1])
            expectEqual(Set(authors).count, 2)
            expectTrue(authors[0].isSameObject(as: authors[1]))
            expectTrue(!authors[0].isSameObject(as: nil) && !books[0].isSameObject(as: authors[0]))
            let (one, other) = (Book("2"), Book("2"))
            expectTrue(one != other && one == one && !one.isSameObject(as: other))
        }
    }
}

/// Records whether an object of another task has been released.
///
/// Guard of the `@unchecked Sendable`: `watch` is called in a transaction body and `isReleased`
/// after it, one after the other.
private final class Witness: @unchecked Sendable {
    private weak var object: AnyObject?

    func watch(_ object: AnyObject) { self.object = object }

    var isReleased: Bool { object == nil }
}
