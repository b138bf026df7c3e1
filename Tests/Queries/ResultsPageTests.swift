import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

final class PagedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var rank: Int?
    @Persisted var name: String?

    convenience init(_ id: Int, rank: Int? = nil, name: String? = nil) {
        self.init()
        (self.id, self.rank, self.name) = (id, rank, name)
    }
}

final class PagedShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var items: List<PagedItem>
    @Persisted var chosen: MutableSet<PagedItem>
}

/// Pages that continue after the last object of the page before.
@Suite struct ResultsPageTests {
    private func makeRealm(_ items: [PagedItem] = []) async throws -> Realm {
        let realm = try await Realm.temporary([PagedItem.self, PagedShelf.self])
        try await realm.write { [items = items.map { ($0.id, $0.rank, $0.name) }] tx in
            let shelf = PagedShelf()
            try tx.add(shelf)
            for (id, rank, name) in items {
                let item = PagedItem(id, rank: rank, name: name)
                try tx.add(item)
                shelf.items.append(item)
            }
        }
        return realm
    }

    /// Returns the ids of all pages of a size.
    private func pages(
        _ limit: Int, _ read: (PageCursor?) throws -> (ids: [Int], cursor: PageCursor?, more: Bool)
    ) rethrows -> [[Int]] {
        var pages: [[Int]] = []
        var cursor: PageCursor?
        while true {
            let page = try read(cursor)
            pages.append(page.ids)
            cursor = page.cursor
            if !page.more { return pages }
        }
    }

    // Covers 3.103
    @Test func pagesKeepTheirPlaceWhileObjectsComeAndGo() async throws {
        let realm = try await makeRealm((0..<6).map { PagedItem($0, rank: $0 / 2 * 10) })
        let items = realm.objects(PagedItem.self).sorted(by: \.rank)
        let first = try items.page(limit: 3)
        expectEqual(first.map(\.id), [0, 1, 2])
        expectTrue(first.hasMore && first.count == 3 && first.last?.id == 2)
        try await realm.write { tx in
            // the last object of the page, one before it, and one behind it
            for id in [0, 2, 4] {
                try tx.delete(requireValue(tx.object(PagedItem.self, forPrimaryKey: id)))
            }
            try tx.add(PagedItem(10, rank: 5))
            try tx.add(PagedItem(11, rank: 15))
            try tx.add(PagedItem(12, rank: 10))
        }
        let second = try items.page(after: first.cursor, limit: 2)
        expectEqual(second.map(\.id), [3, 12])
        let third = try items.page(after: second.cursor, limit: 2)
        expectEqual(third.map(\.id), [11, 5])
        expectTrue(!third.hasMore)
        // What is added behind the end is found from there.
        let end = try items.page(after: third.cursor, limit: 2)
        expectTrue(end.isEmpty && !end.hasMore && end.cursor == third.cursor)
        try await realm.write { try $0.add(PagedItem(13, rank: 90)) }
        expectEqual(try items.page(after: end.cursor, limit: 2).map(\.id), [13])
    }

    // Covers 3.103
    @Test func nilIsAtTheEndThatTheSortPutsItAt() async throws {
        let ranks: [Int?] = [nil, 3, nil, -1, 3, nil, .min, .max]
        let names: [String?] = ["b", nil, "a", "b", nil, "é", "", "a"]
        // enough of them for a small page to be read in the order of an index
        let items = (0..<40).map { PagedItem($0, rank: ranks[$0 % 8], name: names[$0 * 5 / 3 % 8]) }
        let snapshot = try await makeRealm(items).snapshot().objects(PagedItem.self)
        let orders: [[Regnum.SortOrder<PagedItem>]] = [
            [], [.ascending(\.rank)], [.descending(\.rank)], [.ascending(\.name)],
            [.descending(\.name), .ascending(\.rank)], [.descending(\.rank), .descending(\.name)],
        ]
        for order in orders {
            let all = snapshot.sorted(by: order)
            for limit in [1, 2, 3, 7, 8, 19, 39, 40, 41] {
                let found = try pages(limit) { cursor in
                    let page = try all.page(after: cursor, limit: limit)
                    return (page.map(\.id), page.cursor, page.hasMore)
                }
                expectEqual(Array(found.joined()), all.map(\.id), "\(order)")
                expectEqual(found.count, (40 + limit - 1) / limit)
            }
        }
    }

    // Covers 3.103
    @Test func anIndexFindsAPageWithoutReadingTheRest() async throws {
        let realm = try await Realm.temporary([PagedItem.self])
        try await realm.write { tx in
            for id in 0..<20_000 {
                try tx.add(PagedItem(id, rank: id % 100 == 0 ? nil : id / 2, name: "\(id % 7)"))
            }
        }
        func check(
            _ expected: [Int], _ maximumCount: Int, _ results: FrozenResults<PagedItem>
        ) throws {
            let first = try results.page(limit: 9_000)
            let before = realm.stats()
            let page = try results.page(after: first.cursor, limit: 3)
            let after = realm.stats()
            expectEqual(page.map(\.id), expected)
            let count = after.queriedRows - before.queriedRows
            expectTrue(count <= maximumCount, "\(count) rows were queried")
            expectTrue(after.foundRows - before.foundRows <= 4)
        }
        let all = realm.snapshot().objects(PagedItem.self)
        try check([9_000, 9_001, 9_002], 2_048, all)
        // 200 items without a rank come first
        try check([8_889, 8_890, 8_891], 0, all.sorted(by: \.rank))
        try check(
            [8_889, 8_890, 8_891], 16, all.where { $0.id >= 0 || $0.name == "3" }.sorted(by: \.rank)
        )
    }

    // Covers 3.103
    @Test func pagesOfAListFollowItsPositions() async throws {
        let realm = try await makeRealm((0..<5).map { PagedItem($0) })
        try await realm.write { tx in
            let items = try requireValue(tx.objects(PagedShelf.self).first).items
            items.append(objectsIn: [items[1], items[1]])  // 0 1 2 3 4 1 1
            let read = {
                (cursor: PageCursor?) throws -> (ids: [Int], cursor: PageCursor?, more: Bool) in
                let page = try items.page(after: cursor, limit: 3)
                return (page.map(\.id), page.cursor, page.hasMore)
            }
            expectEqual(try pages(3, read), [[0, 1, 2], [3, 4, 1], [1]])
            let first = try items.page(limit: 3)
            items.move(from: 2, to: 0)  // 2 0 1 3 4 1 1
            items.remove(at: 3)
            expectEqual(try items.page(after: first.cursor, limit: 2).map(\.id), [0, 1])
            items.remove(at: 0)  // 0 1 4 1 1
            let error = #expect(throws: Realm.Error.self) {
                try items.page(after: first.cursor, limit: 2)
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("was removed from PagedShelf.items"), true)
            // Sorted by other values than its own, its place is clear.
            let sorted = items.sorted(by: \.id)
            let third = try sorted.where { $0.id <= 1 }.page(limit: 4)
            expectEqual(third.map(\.id), [0, 1, 1, 1])
            while let index = items.firstIndex(where: { $0.id == 1 }) { items.remove(at: index) }
            expectEqual(try sorted.page(after: third.cursor, limit: 2).map(\.id), [4])
        }
    }

    /// The elements of a set are in order of creation, so the place of one that was removed is
    /// clear.
    @Test func pagesOfASetGoOnBehindAnElementThatWasRemoved() async throws {
        let realm = try await makeRealm((0..<6).map { PagedItem($0, rank: $0 / 3) })
        try await realm.write { tx in
            let shelf = try requireValue(tx.object(PagedShelf.self, forPrimaryKey: 0))
            shelf.chosen.insert(objectsIn: shelf.items)
        }
        let chosen = realm.object(PagedShelf.self, forPrimaryKey: 0).chosen
        for items in [chosen, chosen.sorted(by: \.rank), chosen.where { $0.id != 3 }] {
            let first = try items.page(limit: 2)
            expectEqual(first.map(\.id), [0, 1])
            try await realm.write { tx in
                let shelf = try requireValue(tx.object(PagedShelf.self, forPrimaryKey: 0))
                shelf.chosen.remove(try requireValue(tx.object(PagedItem.self, forPrimaryKey: 1)))
            }
            let second = try items.page(after: first.cursor, limit: 1)
            expectEqual(second.map(\.id), [2])
            try await realm.write { tx in
                let shelf = try requireValue(tx.object(PagedShelf.self, forPrimaryKey: 0))
                expectEqual(try shelf.chosen.page(limit: 2).map(\.id), [0, 2])
                shelf.chosen.insert(try requireValue(tx.object(PagedItem.self, forPrimaryKey: 1)))
            }
        }
    }

    // Covers 3.103
    @Test func pagesOfAListEndWithItsOwner() async throws {
        let realm = try await makeRealm((0..<5).map { PagedItem($0) })
        let items = realm.object(PagedShelf.self, forPrimaryKey: 0).items
        let first = try items.page(limit: 2)
        expectEqual(first.map(\.id), [0, 1])
        try await realm.write { tx in tx.delete(tx.objects(PagedShelf.self)) }
        let second = try items.page(after: first.cursor, limit: 2)
        expectTrue(second.isEmpty && !second.hasMore && second.cursor == first.cursor)
        let some = items.current.where { $0.id > 0 }
        expectEqual(try some.page(after: first.cursor, limit: 2).count, 0)
        let error = #expect(throws: Realm.Error.self) {
            try items.sorted(by: \.id).page(after: first.cursor, limit: 2)
        }
        expectEqual(error?.message.contains("results that aren't sorted"), true)
        try await realm.write { tx in
            let shelf = PagedShelf()
            try tx.add(shelf)
            shelf.items.append(try requireValue(tx.object(PagedItem.self, forPrimaryKey: 4)))
        }
        // the list of another object with the same primary key
        #expect(throws: Realm.Error.self) { try items.page(after: first.cursor, limit: 2) }
        expectEqual(try items.page(limit: 2).map(\.id), [4])
    }

    @Test func distinctAndLimitedResultsHavePages() async throws {
        let realm = try await makeRealm((0..<12).map { PagedItem($0, rank: $0 % 5) })
        let all = realm.snapshot().objects(PagedItem.self)
        let results = [
            all.sorted(by: \.id, ascending: false).distinct(by: \.rank).sorted(by: \.rank),
            all.limited(to: 7), all.sorted(by: \.rank).limited(to: 7).limited(to: 8),
            all.sorted(by: \.rank, ascending: false).distinct(by: \.rank).limited(to: 3),
        ]
        for results in results {
            let found = try pages(2) { cursor in
                let page = try results.page(after: cursor, limit: 2)
                return (page.map(\.id), page.cursor, page.hasMore)
            }
            expectEqual(Array(found.joined()), results.map(\.id))
        }
    }

    // Covers 3.103
    @Test func dynamicObjectsHavePages() async throws {
        let realm = try await makeRealm((0..<5).map { PagedItem($0, rank: -$0) })
        let frozen = try realm.snapshot().dynamicObjects("PagedItem").sorted(byKeyPath: "rank")
        let first = try frozen.page(limit: 3)
        expectEqual(first.map { $0["id"] as? Int }, [4, 3, 2])
        // The cursor of a declared class, and that of one given by name, are the same.
        let typed = realm.objects(PagedItem.self).sorted(by: \.rank)
        expectEqual(try typed.page(limit: 3).cursor, first.cursor)
        try await realm.write { tx in
            let items = try tx.dynamicObjects("PagedItem").sorted(byKeyPath: "rank")
            let second = try items.page(after: first.cursor, limit: 3)
            expectEqual(second.map { $0["id"] as? Int }, [1, 0])
            expectTrue(!second.hasMore)
        }
    }

    // Covers .invalidInput
    @Test func aCursorOfOtherResultsIsRefused() async throws {
        let realm = try await makeRealm((0..<5).map { PagedItem($0, rank: $0, name: "\($0)") })
        let other = try await makeRealm((0..<5).map { PagedItem($0, rank: $0) })
        let all = realm.snapshot().objects(PagedItem.self)
        let byRank = try all.sorted(by: \.rank).page(limit: 2).cursor
        @Sendable func message(_ body: () throws -> Void) -> String {
            let error = #expect(throws: Realm.Error.self) { try body() }
            expectEqual(error?.code, .invalidInput)
            return error?.message ?? ""
        }
        expectEqual(
            message {
                _ = try all.sorted(by: \.rank, ascending: false).page(after: byRank, limit: 1)
            },
            "The page cursor belongs to results sorted by rank ASC, not to results sorted by "
                + "rank DESC.")
        expectEqual(
            message { _ = try all.page(after: byRank, limit: 1) },
            "The page cursor belongs to results sorted by rank ASC, not to results that aren't "
                + "sorted.")
        let shelves = realm.objects(PagedShelf.self)
        expectEqual(
            message { _ = try shelves.page(after: byRank, limit: 1) },
            "The page cursor belongs to a query for PagedItem, not for PagedShelf.")
        let shelf = try requireValue(shelves.first)
        expectEqual(
            message { _ = try shelf.items.sorted(by: \.rank).page(after: byRank, limit: 1) },
            "The page cursor belongs to all objects, not to PagedShelf.items of object 0.")
        expectEqual(
            message {
                _ = try other.objects(PagedItem.self).sorted(by: \.rank)
                    .page(after: byRank, limit: 1)
            },
            "The page cursor belongs to another realm, or to commits of another copy of it.")
        let limit = 0
        expectEqual(
            message { _ = try all.page(limit: limit) },
            "The limit of a page must be at least 1: 0.")
        // A refused page doesn't fail the transaction. Other conditions don't matter.
        try await realm.write { tx in
            let items = tx.objects(PagedItem.self)
            _ = message { _ = try items.page(after: byRank, limit: 1) }
            let some = items.where { $0.id > 2 }.sorted(by: \.rank)
            expectEqual(try some.page(after: byRank, limit: 1).map(\.id), [3])
        }
    }

    // Covers .invalidInput
    @Test func aCursorOfAnotherPropertyOfAnElementIsRefused() async throws {
        let realm = try await makeRealm([PagedItem(1, rank: 1)])
        let shelves = realm.snapshot().objects(PagedShelf.self)
        let byId = try shelves.filter("TRUEPREDICATE SORT(items[0].id ASC)")
        let byRank = try shelves.filter("TRUEPREDICATE SORT(items[0].rank ASC)")
        let cursor = try byId.page(limit: 1).cursor
        expectEqual(try byId.page(after: cursor, limit: 1).count, 0)
        let error = #expect(throws: Realm.Error.self) {
            try byRank.page(after: cursor, limit: 1)
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(
            error?.message,
            "The page cursor belongs to results sorted by items[0].id ASC, not to results sorted "
                + "by items[0].rank ASC.")
    }

    @Test func aCursorIsCodable() async throws {
        let realm = try await makeRealm([PagedItem(1, rank: 1, name: "\u{e9}?/~"), PagedItem(2)])
        let items = realm.objects(PagedItem.self).sorted(by: .descending(\.name), .ascending(\.id))
        let cursor = try requireValue(items.page(limit: 1).cursor)
        let json = try JSONEncoder().encode(["next": cursor])
        let decoded = try JSONDecoder().decode([String: PageCursor].self, from: json)
        expectEqual(decoded, ["next": cursor])
        expectEqual(try items.page(after: PageCursor("\(cursor)"), limit: 1).map(\.id), [2])
        let isPlain = "\(cursor)".utf8.allSatisfy { byte in
            "-_".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
                || Character(UnicodeScalar(byte)).isNumber
        }
        expectTrue(isPlain, "\(cursor)")
        for text in ["", "AQ", "A", "\(cursor)A", "\(cursor)=", " \(cursor)", "\u{e9}"] {
            expectNil(PageCursor(text), "\(text)")
            let json = Data("[\"\(text)\"]".utf8)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([PageCursor].self, from: json)
            }
        }
    }

    @Test func aCursorWithAnImpossibleNumberOfRepetitionsIsRefused() async throws {
        let realm = try await makeRealm((0..<4).map { PagedItem($0, rank: $0 % 2) })
        let items = realm.snapshot().objects(PagedItem.self).distinct(by: \.rank)
        let cursor = try requireValue(items.page(limit: 1).cursor)
        let text = "\(cursor)".replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let bytes = try [UInt8](requireValue(Data(base64Encoded: text + padding)))
        expectEqual(bytes.suffix(2), [0, 0])  // the row isn't repeated, and there are no values
        let counts: [[UInt8]] = [
            [0xff, 0xff, 0xff, 0xff, 0x0f], Array(repeating: 0xff, count: 8) + [0x7f],
        ]
        for count in counts {
            let forged = Data(bytes.dropLast(2) + count + [0]).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let other = try requireValue(PageCursor(forged))
            let error = #expect(throws: Realm.Error.self) {
                try items.page(after: other, limit: 1)
            }
            expectEqual(error?.code, .invalidInput)
        }
    }

    /// Clients can send any text.
    @Test func damagedCursorsAreRefusedOrLeadElsewhere() async throws {
        let content = (0..<9).map { PagedItem($0, rank: $0 % 3, name: "\($0 % 4)") }
        let realm = try await makeRealm(content)
        let items = realm.snapshot().objects(PagedItem.self)
            .sorted(by: .ascending(\.name), .descending(\.rank))
        let cursor = try requireValue(items.page(limit: 4).cursor)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var random = SeededRandom()
        var count = 0
        for _ in 0..<Effort.count(gate: 2_000, soak: 100_000) {
            var text = Array("\(cursor)")
            for _ in 0...random.below(2) { text[random.below(text.count)] = random.oneOf(letters) }
            if random.oneIn(8) { text.removeLast(random.below(text.count)) }
            guard let damaged = PageCursor(String(text)) else { continue }
            count += 1
            do throws(Realm.Error) {
                let page = try items.page(after: damaged, limit: 3)
                expectTrue(page.count <= 3)
            } catch {
                expectEqual(error.code, .invalidInput)
            }
        }
        expectTrue(count > 0)
    }
}
