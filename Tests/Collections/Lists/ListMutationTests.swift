import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Changes of several elements of a list at once, in managed and unmanaged lists.
@Suite struct ListMutationTests {
    /// Runs a body with lists of values and of embedded objects with the numbers 0 to `count - 1`.
    private func withLists(
        _ count: Int, _ body: @Sendable (List<Int?>, List<Page>) -> Void
    ) async throws {
        let realm = try await Realm.temporary(bookClasses)
        for isManaged in [false, true] {
            try await realm.write { tx in
                let book = Book("1")
                if isManaged { try tx.add(book) }
                book.ratings.append(objectsIn: (0..<count).map { $0 })
                book.pages.append(objectsIn: (0..<count).map { Page($0) })
                body(book.ratings, book.pages)
                expectEqual(book.ratings.isManaged, isManaged)
            }
        }
    }

    private static func numbers(_ pages: List<Page>) -> [Int] { pages.map(\.number) }

    // Covers 2.56
    @Test func severalElementsAreInsertedAtOnce() async throws {
        try await withLists(3) { ratings, pages in
            ratings.insert(contentsOf: [10, nil], at: 0)
            expectEqual(Array(ratings), [10, nil, 0, 1, 2])
            ratings.insert(contentsOf: [20], at: 5)
            ratings.insert(contentsOf: [], at: 6)
            ratings.insert(contentsOf: ratings, at: 1)
            expectEqual(Array(ratings), [10, 10, nil, 0, 1, 2, 20, nil, 0, 1, 2, 20])
            pages.insert(contentsOf: [Page(7), Page(8)], at: 2)
            expectEqual(Self.numbers(pages), [0, 1, 7, 8, 2])
        }
    }

    // Covers 2.58
    @Test func elementsAreRemovedAtBothEnds() async throws {
        try await withLists(8) { ratings, pages in
            ratings.removeFirst()
            ratings.removeLast()
            expectEqual(Array(ratings), [1, 2, 3, 4, 5, 6])
            ratings.removeFirst(2)
            ratings.removeLast(3)
            expectEqual(Array(ratings), [3])
            ratings.removeFirst(0)
            ratings.removeLast(0)
            expectEqual(Array(ratings), [3])
            ratings.removeLast(1)
            expectTrue(ratings.isEmpty)
            ratings.removeFirst(0)
            ratings.removeLast(0)
            let last = pages[7]
            pages.removeLast(2)
            pages.removeFirst(5)
            expectTrue(Self.numbers(pages) == [5] && last.isInvalidated == pages[0].isManaged)
        }
    }

    /// On an empty list and on a list of three, managed and unmanaged.
    // Covers 2.58
    @Test(arguments: 0..<9, [false, true])
    func misuseTraps(misuse: Int, isManaged: Bool) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [misuse, isManaged] in
            let misuses: [@Sendable (List<Int?>) -> Void] = [
                { $0.removeFirst(4) }, { $0.removeLast(4) }, { $0.removeFirst(-1) },
                { $0.removeLast(-1) }, { $0.removeSubrange(1..<4) },
                { $0.insert(contentsOf: [1], at: 4) }, { $0.insert(contentsOf: [1], at: -1) },
                { list in
                    list.removeAll()
                    list.removeFirst()
                },
                { list in
                    list.removeAll()
                    list.removeLast()
                },
            ]
            let realm = try await Realm.temporary(bookClasses)
            try await realm.write { tx in
                let book = Book("1")
                if isManaged { try tx.add(book) }
                book.ratings.append(objectsIn: [1, 2, 3])
                misuses[misuse](book.ratings)
            }
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let calls = [
            "removeFirst(_:)", "removeLast(_:)", "removeFirst(_:)", "removeLast(_:)",
            "removeSubrange(_:)", "insert(contentsOf:at:)", "insert(contentsOf:at:)",
            "removeFirst(_:)", "removeLast(_:)",
        ]
        let name = isManaged ? "Book.ratings" : "List<Optional<Int>>"
        let said = [2, 3, 6].contains(misuse) ? "the negative index -1" : "but the count is"
        expectTrue(sentence.contains("\(calls[misuse]) of \(name) was given"), "\(sentence)")
        expectTrue(sentence.contains(said), "\(sentence)")
    }

    // Covers 2.60
    @Test func rangesAreRemoved() async throws {
        try await withLists(9) { ratings, pages in
            ratings.removeSubrange(1..<3)
            expectEqual(Array(ratings), [0, 3, 4, 5, 6, 7, 8])
            ratings.removeSubrange(0...1)
            expectEqual(Array(ratings), [4, 5, 6, 7, 8])
            ratings.removeSubrange(2..<2)
            ratings.removeSubrange(3...)
            expectEqual(Array(ratings), [4, 5, 6])
            ratings.removeSubrange(..<1)
            expectEqual(Array(ratings), [5, 6])
            ratings.removeSubrange(0..<2)
            expectTrue(ratings.isEmpty)
            let gone = pages[4]
            pages.removeSubrange(3...6)
            expectEqual(Self.numbers(pages), [0, 1, 2, 7, 8])
            expectEqual(gone.isInvalidated, pages[0].isManaged)
        }
    }

    /// Its count is 0, which is less than the lower bounds.
    @Test func rangeOfTheListOfADeletedObjectFailsTheTransaction() async throws {
        let realm = try await Realm.temporary(bookClasses)
        let error = await realmError {
            try await realm.write { tx in
                let book = Book("1")
                book.tags.append(objectsIn: ["a", "b", "c"])
                try tx.add(book)
                let tags = book.tags
                tx.delete(book)
                tags.removeSubrange(1...)
                tags.removeSubrange(1...2)
                expectEqual(Array(tags[1...]), [])
                expectEqual(Array(tags.suffix(from: 2)), [])
                expectEqual(Array(tags.prefix(tags.count - 1)), [])
                expectEqual(Array(tags[..<(tags.count - 1)]), [])
                tags[1...].reverse()
                tags[2...] = tags[2...]
            }
        }
        expectTrue(error?.code == .invalidInput && error?.property == "tags")
    }

    @Test func negativePositionInAFailedTransactionReadsAsNothing() async throws {
        let realm = try await Realm.temporary(bookClasses)
        let error = await realmError {
            try await realm.write { tx in
                let book = Book("1")
                try tx.add(book)
                book.isbn = "2"
                expectEqual(book.tags[-1], "")
                expectEqual(book.pages[-1].isInvalidated, true)
                expectEqual(Array(book.tags[-1..<0]), [])
                expectEqual(Array(book.tags.reversed()[3...]), [])
                expectEqual(tx.objects(Book.self)[3...].isEmpty, true)
                expectEqual(tx.objects(Book.self).prefix(2)[..<9].count, 1)
                expectEqual(book.tags.prefix(2)[1], "")
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "isbn")
    }

    /// The default implementations of `MutableCollection`, element by element.
    // Covers 2.60
    @Test func algorithmsOfTheStandardLibraryWork() async throws {
        try await withLists(9) { ratings, pages in
            var (ratings, pages) = (ratings, pages)
            ratings.reverse()
            expectEqual(Array(ratings), [8, 7, 6, 5, 4, 3, 2, 1, 0])
            let first = ratings.partition { ($0 ?? 0) % 2 == 0 }
            expectTrue(first == 4 && ratings[..<first].allSatisfy { ($0 ?? 0) % 2 == 1 })
            expectTrue(ratings[first...].allSatisfy { ($0 ?? 0) % 2 == 0 })
            expectEqual(Set(ratings), Set((0..<9).map { Optional($0) }))
            ratings.sort { ($0 ?? 0) < ($1 ?? 0) }
            expectTrue(Array(ratings) == (0..<9).map { $0 })
            ratings.swapAt(0, 8)
            expectTrue(ratings.first == 8 && ratings.last == 0)
            // Embedded objects keep their identity.
            let page = pages[0]
            pages.reverse()
            expectEqual(Self.numbers(pages), [8, 7, 6, 5, 4, 3, 2, 1, 0])
            expectTrue(pages[8].isSameObject(as: page))
            let middle = pages.partition { $0.number > 4 }
            expectTrue(middle == 5 && pages[..<middle].allSatisfy { $0.number <= 4 })
            expectTrue(!page.isInvalidated && Set(Self.numbers(pages)).count == 9)
        }
    }
}
