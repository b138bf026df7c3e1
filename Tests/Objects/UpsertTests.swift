import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct UpsertTests {
    private func realm() async throws -> Realm { try await Realm.temporary(bookClasses) }

    /// Returns the properties of books that a transaction modified.
    private func modifications(
        of realm: Realm, _ body: @Sendable (Transaction) throws -> Void
    ) async throws -> Set<String> {
        var changes = realm.object(Book.self, forPrimaryKey: "1").changes.makeAsyncIterator()
        _ = try await changes.next()
        let version = realm.snapshot().version
        try await realm.write { try body($0) }
        guard realm.snapshot().version > version,
            case .changed(_, _, let properties)? = try await changes.next()
        else { return [] }
        return Set(properties.map { "\($0)" })
    }

    // Covers 7.1, 7.35
    @Test func policyErrorRefusesAnExistingKeyAlsoWhereItIsNested() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.add(Book("1", title: "old"))
            let outer = Book("2")
            outer.sequel = Book("1", title: "new")
            let error = #expect(throws: Realm.Error.self) { try tx.add(outer) }
            expectEqual(error?.code, .duplicatePrimaryKey)
            expectTrue(error?.className == "Book" && error?.property == "isbn")
            expectTrue(!outer.isManaged && outer.sequel?.isManaged == false)
            expectEqual(tx.objects(Book.self).map(\.title), ["old"])
        }
    }

    // Covers 7.7, 7.33
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func addMakesTheInstanceAnAccessorOfTheExistingRow(policy: Realm.UpdatePolicy) async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let old = Book("1", title: "old")
            old.year = 7
            old.tags.append(objectsIn: ["a", "b", "c"])
            old.author = Author("A")
            try tx.add(old)
            let new = Book("1", title: "new")
            new.tags.append(objectsIn: ["a", "x"])
            try tx.add(new, update: policy)
            expectTrue(new.isManaged && new.isSameObject(as: old))
            expectEqual(old.title, "new")
            expectTrue(old.year == 0 && old.author == nil)  // the new object's defaults are used
            expectEqual(Array(old.tags), ["a", "x"])
            expectTrue(new.tags.isManaged && new.tags == old.tags)
            expectTrue(tx.objects(Book.self).count == 1 && tx.objects(Author.self).count == 1)
        }
    }

    // Covers 7.2, 7.3, 7.13, 7.24
    @Test func createUpdatesWhatIsGivenAndLeavesTheRest() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = try tx.create(
                Book.self,
                value: [
                    "isbn": "1", "title": "old", "year": 7, "cover": ["color": "red"],
                    "tags": ["a"],
                ])
            let updated = try tx.create(
                Book.self, value: ["isbn": "1", "title": "new"], update: .modified)
            expectTrue(updated.isSameObject(as: book))
            expectTrue(book.title == "new" && book.year == 7 && book.cover?.color == "red")
            expectEqual(Array(book.tags), ["a"])
            try tx.create(Book.self, value: ["isbn": "1", "tags": [], "cover": nil], update: .all)
            expectTrue(book.title == "new" && book.tags.isEmpty && book.cover == nil)
            try tx.create(Book.self, value: ["isbn": "2", "title": "other"], update: .all)
            expectEqual(tx.objects(Book.self).count, 2)
        }
    }

    // Covers 7.4, 7.7
    @Test func equalValuesAreNoModificationUnderModified() async throws {
        let realm = try await realm()
        let value: @Sendable () -> [String: Any?] = {
            [
                "isbn": "1", "title": "t", "year": 7, "price": Double.nan, "tags": ["a", "b"],
                "cover": ["color": "red"], "pages": [[1, "x"], [2, "y"]],
                "sequel": ["isbn": "2"], "related": [["isbn": "3"]],
            ]
        }
        try await realm.write { try $0.create(Book.self, value: value()) }
        let version = realm.snapshot().version
        try await realm.write { try $0.create(Book.self, value: value(), update: .modified) }
        expectEqual(realm.snapshot().version, version)
        try await realm.write { try $0.create(Book.self, value: value(), update: .all) }
        expectEqual(realm.snapshot().version, version + 1)
    }

    // Covers 7.2, 7.3, 7.4
    @Test func onlyWhatDiffersIsModifiedUnderModifiedAndAllThatIsGivenUnderAll() async throws {
        let realm = try await realm()
        try await realm.write {
            try $0.create(Book.self, value: ["isbn": "1", "title": "t", "year": 7])
        }
        let modified = try await modifications(of: realm) { tx in
            try tx.create(
                Book.self, value: ["isbn": "1", "title": "t", "year": 8], update: .modified)
        }
        expectEqual(modified, ["year"])
        let all = try await modifications(of: realm) { tx in
            try tx.create(Book.self, value: ["isbn": "1", "title": "t", "year": 8], update: .all)
        }
        expectEqual(all, ["title", "year"])
    }

    // Covers 7.5
    @Test func classWithoutKeyCannotBeUpdatedButIsCreatedWhereItIsNested() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            for policy in [Realm.UpdatePolicy.modified, .all] {
                let added = #expect(throws: Realm.Error.self) {
                    try tx.add(Author("A"), update: policy)
                }
                expectTrue(added?.code == .invalidInput && added?.className == "Author")
                let created = #expect(throws: Realm.Error.self) {
                    try tx.create(Author.self, value: ["name": "A"], update: policy)
                }
                expectEqual(created?.code, .invalidInput)
            }
            let value: [String: Any] = ["isbn": "1", "author": ["name": "A"]]
            try tx.create(Book.self, value: value, update: .modified)
            try tx.create(Book.self, value: value, update: .modified)
            expectEqual(tx.objects(Author.self).count, 2)
        }
    }

    // Covers 7.6, 7.16
    @Test func nestedObjectsFollowThePolicy() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let second = Book("2", title: "old")
            second.year = 5
            try tx.add(second)
            try tx.create(
                Book.self,
                value: ["isbn": "1", "sequel": ["isbn": "2", "title": "new"]], update: .modified)
            expectTrue(second.title == "new" && second.year == 5)
            expectEqual(tx.object(Book.self, forPrimaryKey: "1")?.sequel, second)
            let first = Book("1")
            first.related.append(Book("2", title: "newest"))
            first.related.append(Book("3"))
            try tx.add(first, update: .all)
            expectTrue(second.title == "newest" && second.year == 0)
            expectTrue(first.related.map(\.isbn) == ["2", "3"] && first.sequel == nil)
        }
    }

    // Covers 7.9
    @Test func embeddedObjectIsUpdatedInPlaceUnderModifiedAndReplacedUnderAll() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            book.cover = Cover("red")
            book.cover?.badge = Badge()
            book.pages.append(objectsIn: [Page(1), Page(2), Page(3)])
            try tx.add(book)
            let cover = try requireValue(book.cover)
            let badge = try requireValue(cover.badge)
            let pages = Array(book.pages)
            try tx.create(
                Book.self,
                value: [
                    "isbn": "1", "cover": ["badge": ["text": "best"]],
                    "pages": [["text": "x"], [20, "y"]],
                ], update: .modified)
            expectTrue(book.cover?.isSameObject(as: cover) == true && cover.color == "red")
            expectEqual(badge.text, "best")
            expectTrue(book.pages.count == 2 && book.pages[0].isSameObject(as: pages[0]))
            expectTrue(pages[0].number == 1 && pages[0].text == "x" && pages[1].number == 20)
            expectTrue(pages[2].isInvalidated)
            try tx.create(
                Book.self, value: ["isbn": "1", "cover": ["color": "blue"], "pages": [[1]]],
                update: .all)
            expectTrue(cover.isInvalidated && badge.isInvalidated)
            expectTrue(pages[0].isInvalidated && pages[1].isInvalidated)
            expectTrue(book.cover?.color == "blue" && book.cover?.badge == nil)
            expectEqual(book.pages.map(\.number), [1])
        }
    }

    @Test func updateThatIsRefusedChangesNothing() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1", title: "old")
            book.tags.append("a")
            try tx.add(book)
        }
        let version = realm.snapshot().version
        try await realm.write { tx in
            let book = try requireValue(tx.object(Book.self, forPrimaryKey: "1"))
            let long = longText(17 << 20)
            for policy in [Realm.UpdatePolicy.modified, .all] {
                let new = Book("1", title: "new")
                new.sequel = Book("2")
                new.author = Author("A")
                new.tags.append(objectsIn: ["b", long])
                let tags = #expect(throws: Realm.Error.self) { try tx.add(new, update: policy) }
                expectTrue(tags?.className == "Book" && tags?.property == "tags")
                new.tags.removeAll()
                new.related.append(Book("1", title: long))
                let title = #expect(throws: Realm.Error.self) { try tx.add(new, update: policy) }
                expectEqual(title?.property, "title")
                expectTrue(!new.isManaged)
                expectTrue(book.title == "old" && Array(book.tags) == ["a"] && book.sequel == nil)
                expectTrue(tx.objects(Book.self).count == 1 && tx.objects(Author.self).isEmpty)
            }
        }
        expectEqual(realm.snapshot().version, version)
    }

    @Test func cyclesAreUpdated() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.add(Book("1", title: "old"))
            let first = Book("1", title: "new")
            let second = Book("2")
            first.sequel = second
            second.sequel = first
            second.related.append(first)
            try tx.add(first, update: .modified)
            expectEqual(tx.objects(Book.self).count, 2)
            expectTrue(first.sequel?.sequel == first && second.related[0] == first)
            expectTrue(first.shelves.isEmpty && first.title == "new")
        }
    }

    @Test func twoObjectsOfOneKeyInACallAreOneRow() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let shelf = try tx.create(
                Shelf.self,
                value: [
                    "number": 1,
                    "books": [
                        ["isbn": "1", "title": "a", "pages": [[1], [2]]],
                        ["isbn": "1", "year": 4, "pages": [[5]]],
                    ],
                ], update: .modified)
            expectTrue(tx.objects(Book.self).count == 1 && shelf.books.count == 2)
            let book = shelf.books[0]
            expectTrue(book.title == "a" && book.year == 4 && book.pages.map(\.number) == [5])
        }
    }

    // Covers 7.9
    @Test func embeddedObjectsOfTwoObjectsOfOneKeyAreUpdatedInTurn() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            func shelve(_ books: [[String: Any?]]) throws -> Book {
                let shelf = try tx.create(
                    Shelf.self, value: ["number": 1, "books": books], update: .modified)
                expectEqual(shelf.books.count, books.count)
                return shelf.books[0]
            }
            var book = try shelve([
                ["isbn": "1", "cover": ["color": "red"], "pages": [[1, "x"], [8]]],
                ["isbn": "1", "cover": ["badge": ["text": "best"]], "pages": [[2], [3], [4]]],
                ["isbn": "2", "sequel": ["isbn": "1", "pages": [[5], ["text": "y"]]]],
            ])
            expectTrue(book.cover?.color == "red" && book.cover?.badge?.text == "best")
            expectEqual(book.pages.map(\.number), [5, 3])
            expectEqual(book.pages.map(\.text), ["x", "y"])
            book = try shelve([
                ["isbn": "1", "cover": nil, "pages": [["text": "z"]]],
                ["isbn": "1", "cover": ["color": "blue"], "pages": [[6], [7, "new"]]],
            ])
            expectTrue(book.cover?.color == "blue" && book.cover?.badge == nil)
            expectEqual(book.pages.map(\.number), [6, 7])
            expectEqual(book.pages.map(\.text), ["z", "new"])
            expectEqual(tx.objects(Book.self).map(\.isbn), ["1", "2"])
            let long = String(repeating: "x", count: 17 << 20)
            let refused = #expect(throws: Realm.Error.self) {
                _ = try shelve([["isbn": "3"], ["isbn": "3", "pages": [[1, long]]]])
            }
            expectTrue(refused?.className == "Page" && tx.objects(Book.self).count == 2)
        }
    }

    // Covers 7.9
    @Test func embeddedObjectsAreUpdatedInTurnByName() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let book = Book("1")
            try tx.add(book)
            func shelve(_ books: [[String: Any?]]) throws {
                try tx.dynamicCreate(
                    "Shelf", value: ["number": 1, "books": books], update: .modified)
            }
            try shelve([
                ["isbn": "1", "cover": ["color": "red"], "pages": [[1, "x"]]],
                [
                    "isbn": "1", "cover": ["badge": ["text": "best"]],
                    "pages": [["number": 2], [3]],
                ],
            ])
            expectTrue(book.cover?.color == "red" && book.cover?.badge?.text == "best")
            expectEqual(book.pages.map(\.number), [2, 3])
            expectEqual(book.pages.map(\.text), ["x", ""])
            try shelve([
                ["isbn": "1", "cover": nil, "pages": []],
                ["isbn": "1", "cover": ["color": "blue"], "pages": [[4]]],
            ])
            expectTrue(book.cover?.color == "blue" && book.cover?.badge == nil)
            expectEqual(book.pages.map(\.number), [4])
        }
    }

    // Covers 7.34
    @Test func sequencesAreAddedInOrder() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            try tx.add(
                [Book("1", title: "a"), Book("1", title: "b"), Book("2")], update: .modified)
            expectEqual(tx.objects(Book.self).map(\.title), ["b", "untitled"])
        }
    }

    /// Random graphs of books against a dictionary.
    // Covers 7.2, 7.3, 7.7
    @Test func randomUpdatesAgreeWithADictionary() async throws {
        var random = SeededRandom()
        let realm = try await realm()
        var expected: [String: (title: String, tags: [String], sequel: String?, pages: [Int])] = [:]
        for _ in 0..<60 {
            let policy: Realm.UpdatePolicy = Bool.random(using: &random) ? .modified : .all
            let steps = (0..<4).map { _ in
                (
                    isbn: "\(Int.random(in: 0..<6, using: &random))",
                    title: "\(Int.random(in: 0..<3, using: &random))",
                    tags: (0..<Int.random(in: 0..<4, using: &random)).map { "\($0)" },
                    sequel: Bool.random(using: &random)
                        ? "\(Int.random(in: 0..<6, using: &random))" : nil,
                    pages: (0..<Int.random(in: 0..<4, using: &random)).map { $0 * 7 }
                )
            }
            for step in steps {
                expected[step.isbn] = (step.title, step.tags, step.sequel, step.pages)
                if let sequel = step.sequel, expected[sequel] == nil {
                    expected[sequel] = ("untitled", [], nil, [])
                }
            }
            try await realm.write { tx in
                for step in steps {
                    try tx.create(
                        Book.self,
                        value: [
                            "isbn": step.isbn, "title": step.title, "tags": step.tags,
                            "sequel": step.sequel.map { ["isbn": $0] },
                            "pages": step.pages.map { [$0] },
                        ], update: policy)
                }
            }
            try await realm.read { tx in
                expectEqual(tx.objects(Book.self).count, expected.count)
                for (isbn, book) in expected {
                    let stored = try requireValue(tx.object(Book.self, forPrimaryKey: isbn))
                    expectTrue(stored.title == book.title && Array(stored.tags) == book.tags)
                    expectEqual(stored.sequel?.isbn, book.sequel)
                    expectEqual(stored.pages.map(\.number), book.pages)
                }
            }
        }
    }
}
