import Regnum
import RegnumTestSupport
import Testing

final class PageItem: Object {
    @Persisted var number: Int
    @Persisted(indexed: true) var group: Int
}

final class PageShelf: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var items: List<PageItem>
    @Persisted var numbers: List<Int>
    @Persisted var content: AnyRealmValue
}

/// A page of twenty out of a hundred thousand objects, with the rows read for it counted. Rows of a
/// class are examined in blocks of 1,024.
@Suite struct PaginationTests {
    private static let count = 100_000
    /// The items with even numbers, in descending order.
    private static let page = (0..<20).map { count - 2 - 2 * $0 }

    private static func realm() async throws -> Realm {
        let realm = try await Realm.temporary([PageItem.self, PageShelf.self])
        try await realm.write { tx in
            let shelf = PageShelf(value: ["name": "s"])
            try tx.add(shelf)
            var items: [PageItem] = []
            for number in 0..<count {
                let item = PageItem()
                item.number = number
                item.group = number % 10
                items.append(item)
            }
            shelf.items.append(objectsIn: items)
            shelf.numbers.append(objectsIn: 0..<count)
        }
        return realm
    }

    /// Returns the cost of a page: rows for which a condition was evaluated, and rows that were
    /// listed.
    private func cost(_ realm: Realm, _ body: () throws -> Void) rethrows -> (Int, Int) {
        let before = realm.stats()
        try body()
        let after = realm.stats()
        return (after.queriedRows - before.queriedRows, after.foundRows - before.foundRows)
    }

    // Covers 2.41, 3.103
    @Test func aPageReadsItsRowsAndNotTheRest() async throws {
        let realm = try await Self.realm()
        let first = Array(0..<20)
        // Frozen and live; of a class, of a list, and of values.
        let snapshot = realm.snapshot()
        let shelf = try requireValue(snapshot.object(PageShelf.self, forPrimaryKey: "s"))
        let live = realm.object(PageShelf.self, forPrimaryKey: "s")
        let pages: [(String, () -> [Int])] = [
            ("frozen", { snapshot.objects(PageItem.self)[0..<20].map(\.number) }),
            ("frozen prefix", { snapshot.objects(PageItem.self).prefix(20).map(\.number) }),
            ("live", { realm.objects(PageItem.self)[0..<20].map(\.number) }),
            ("frozen list", { shelf.items[0..<20].map(\.number) }),
            ("live list", { live.items[0..<20].map(\.number) }),
            ("frozen values", { shelf.numbers[0..<20].map { $0 } }),
            ("live values", { live.numbers.current.prefix(20).map { $0 } }),
        ]
        for (name, page) in pages {
            let (queried, found) = cost(realm, { expectEqual(page(), first, "\(name)") })
            expectTrue(queried <= 1_024 && found <= 20, "\(name): \(queried), \(found)")
        }
        // A condition is evaluated up to the last row needed, in blocks of 1,024 rows.
        let (queried, found) = cost(realm) {
            let even = snapshot.objects(PageItem.self).where { $0.group.in([0, 2, 4, 6, 8]) }
            expectTrue(even[0..<20].map(\.number) == (0..<20).map { 2 * $0 })
        }
        expectTrue(queried <= 1_024 && found == 20, "\(queried), \(found)")
        // A page of sorted rows doesn't list other rows.
        let (_, sorted) = cost(realm) {
            let items = realm.objects(PageItem.self).where { $0.group.in([0, 2, 4, 6, 8]) }
                .sorted(by: \.number, ascending: false)
            expectEqual(items[0..<20].map(\.number), Self.page)
        }
        expectEqual(sorted, 20)
    }

    // Covers 3.103
    @Test func confinedPagesDoToo() async throws {
        let realm = try await Self.realm()
        try await realm.write { tx in
            let shelf = try requireValue(tx.object(PageShelf.self, forPrimaryKey: "s"))
            let first = Array(0..<20)
            let all = tx.objects(PageItem.self)
            let numbers = shelf.items.projectTo.number
            let pages: [(String, () -> [Int])] = [
                ("results", { all[0..<20].map(\.number) }),
                ("any results", { AnyRealmCollection(all)[0..<20].map(\.number) }),
                ("any prefix", { AnyRealmCollection(all).prefix(20).map(\.number) }),
                ("list", { shelf.items[0..<20].map(\.number) }),
                ("any list", { AnyRealmCollection(shelf.items)[0..<20].map(\.number) }),
                ("projected", { numbers[0..<20].map { $0 } }),
                ("values", { shelf.numbers[0..<20].map { $0 } }),
                ("any values", { AnyRealmCollection(shelf.numbers)[0..<20].map { $0 } }),
                ("list results", { shelf.items.where { $0.group >= 0 }[0..<20].map(\.number) }),
            ]
            for (name, page) in pages {
                let (queried, found) = cost(realm, { expectEqual(page(), first, "\(name)") })
                expectTrue(queried <= 1_024 && found <= 20, "\(name): \(queried), \(found)")
            }
            let (_, found) = cost(realm) {
                let even = all.where { $0.group.in([0, 2, 4, 6, 8]) }
                    .sorted(by: \.number, ascending: false)
                expectEqual(AnyRealmCollection(even)[0..<20].map(\.number), Self.page)
            }
            expectEqual(found, 20)
        }
    }
}
