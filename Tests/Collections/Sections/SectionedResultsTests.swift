import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Returns the ids of the lines in each section.
private func ids<Key>(_ sections: FrozenSections<Key, Log.Line>) -> [[Int]] {
    sections.map { section in section.map(\.id) }
}

private func ids<Key>(_ sections: SectionedResults<Key, Log.Line>) -> [[Int]] {
    sections.map { section in section.map(\.id) }
}

/// Sectioned results in transactions and snapshots.
@Suite struct SectionedResultsTests {
    typealias Line = Log.Line

    // Covers 2.33, 2.107
    @Test func propertyDividesTheSortedObjects() async throws {
        let realm = try await Log.realm()
        let lines = realm.snapshot().objects(Line.self)
        let rooms = lines.sectioned(by: \.room)
        expectEqual(rooms.allKeys, ["a", "b", "c"])
        expectEqual(ids(rooms), [[2, 5], [1, 3], [4]])
        let down = lines.sectioned(by: \.room, ascending: false)
        expectEqual(down.allKeys, ["c", "b", "a"])
        expectEqual(ids(down), [[4], [1, 3], [2, 5]])
        // an existing order breaks ties
        let latest = lines.sorted(by: \.id, ascending: false).where { $0.id > 1 }
        expectEqual(ids(latest.sectioned(by: \.room)), [[5, 2], [3], [4]])
        expectEqual(realm.objects(Line.self).sectioned(by: \.room).current, rooms)
        expectEqual(realm.objects(Line.self).sectioned(by: \.room, ascending: false).current, down)
        try await realm.read { tx in
            let lines = tx.objects(Line.self)
            expectEqual(ids(lines.sectioned(by: \.room)), [[2, 5], [1, 3], [4]])
            expectEqual(lines.sectioned(by: \.room, ascending: false).allKeys, ["c", "b", "a"])
            expectEqual(ids(lines.sectioned(by: \.author?.name)), [[2, 3, 5], [1, 4]])
        }
        expectEqual(lines.where { $0.id > 9 }.sectioned(by: \.room).count, 0)
    }

    // Covers 2.34
    @Test func sortDescriptorsOrderSectionsAndRows() async throws {
        let realm = try await Log.realm()
        let orders: [SortOrder<Line>] = [.descending(\.room), .descending(\.text)]
        let lines = realm.snapshot().objects(Line.self)
        let rooms = lines.sectioned(by: \.room, sortDescriptors: orders)
        expectEqual(rooms.allKeys, ["c", "b", "a"])
        expectEqual(ids(rooms), [[4], [3, 1], [2, 5]])
        let live = realm.objects(Line.self).sectioned(by: \.room, sortDescriptors: orders)
        expectEqual(live.current, rooms)
        try await realm.read { tx in
            let rooms = tx.objects(Line.self).sectioned(by: \.room, sortDescriptors: orders)
            expectEqual(ids(rooms), [[4], [3, 1], [2, 5]])
        }
    }

    // Covers 2.35, 2.36, 2.107
    @Test func closureMayGiveOneKeyToObjectsThatAreApart() async throws {
        let realm = try await Log.realm()
        let lines = realm.snapshot().objects(Line.self)
        let byID: [SortOrder<Line>] = [.ascending(\.id)]
        let first = lines.sectioned(by: { $0.room == "b" }, sortDescriptors: byID)
        expectEqual(first.allKeys, [true, false])
        expectEqual(ids(first), [[1, 3], [2, 4, 5]])
        let trailing = lines.sectioned(sortDescriptors: byID) { $0.room == "b" }
        expectEqual(trailing, first)
        let live = realm.objects(Line.self)
        expectEqual(
            live.sectioned(by: { $0.room == "b" }, sortDescriptors: byID).current, first)
        expectEqual(live.sectioned(sortDescriptors: byID) { $0.room == "b" }.current, first)
        // no sort descriptors are needed
        expectEqual(
            ids(lines.sectioned(sortDescriptors: []) { $0.text.count }), [[1, 5], [2, 3], [4]])
        try await realm.read { tx in
            let lines = tx.objects(Line.self)
            let first = lines.sectioned(by: { $0.room == "b" }, sortDescriptors: byID)
            expectEqual(first.allKeys, [true, false])
            expectEqual(ids(first), [[1, 3], [2, 4, 5]])
            let initials = lines.sectioned(sortDescriptors: [.ascending(\.text)]) {
                String($0.text.prefix(1))
            }
            expectEqual(initials.allKeys, ["a", "b", "c"])
            expectEqual(ids(initials), [[5, 2], [1, 3], [4]])
        }
    }

    // Covers 2.109, .invalidQuery
    @Test func sectionKeyMustBeThePrimaryOrder() async throws {
        let realm = try await Log.realm()
        for orders in [[], [.ascending(\.text), .ascending(\.room)]] as [[SortOrder<Line>]] {
            let confined = await #expect(throws: Realm.Error.self) {
                try await realm.read { tx in
                    tx.objects(Line.self).sectioned(by: \.room, sortDescriptors: orders).count
                }
            }
            expectTrue(confined?.code == .invalidQuery && confined?.className == "Line")
            let frozen = #expect(throws: Realm.Error.self) {
                try realm.snapshot().read { snapshot in
                    snapshot.objects(Line.self).sectioned(by: \.room, sortDescriptors: orders).count
                }
            }
            expectEqual(frozen?.code, .invalidQuery)
            expectTrue(
                frozen?.message.contains(
                    orders.isEmpty ? "at least one sort descriptor" : "must match the primary sort")
                    == true)
            let live = realm.objects(Line.self).sectioned(by: \.room, sortDescriptors: orders)
            var stream = live.changes.makeAsyncIterator()
            do throws(Realm.Error) {
                _ = try await stream.next(isolation: #isolation)
                Issue.record("the stream has begun")
            } catch {
                expectEqual(error.code, .invalidQuery)
            }
        }
    }

    // Covers 2.110
    @Test func sectionsAreReadByPosition() async throws {
        let realm = try await Log.realm()
        let rooms = realm.snapshot().objects(Line.self).sectioned(by: \.room)
        expectTrue(rooms.count == 3 && rooms.allKeys == ["a", "b", "c"])
        expectTrue(rooms[1].key == "b" && rooms[1].count == 2 && rooms[1][1].id == 3)
        expectEqual(rooms[SectionPath(section: 0, row: 1)].id, 5)
        let five = try requireValue(realm.snapshot().object(Line.self, forPrimaryKey: 5))
        expectEqual(rooms.path(of: five), SectionPath(section: 0, row: 1))
        expectEqual(rooms.section(forKey: "c")?.map(\.id), [4])
        expectNil(rooms.section(forKey: "d")?.key)
        expectEqual(
            rooms.description,
            """
            FrozenSections<String, Line> (
                [0] a: 2
                [1] b: 2
                [2] c: 1
            )
            """)
        try await realm.write { tx in
            let rooms = tx.objects(Line.self).sectioned(by: \.room)
            expectTrue(rooms.count == 3 && rooms.allKeys == ["a", "b", "c"])
            expectTrue(rooms[1].key == "b" && rooms[1].count == 2 && rooms[1][1].id == 3)
            expectTrue(rooms.first?.key == "a" && rooms.last?.key == "c" && !rooms.isEmpty)
            expectTrue(rooms[1].first?.id == 1 && rooms[1].last?.id == 3)
            expectEqual(rooms[SectionPath(section: 0, row: 1)].id, 5)
            expectEqual(rooms.section(forKey: "c")?.map(\.id), [4])
            // loops go on with what was there when they started
            var seen: [String] = []
            for room in rooms {
                seen.append(room.key)
                for line in room { line.room = "z" }
            }
            expectEqual(seen, ["a", "b", "c"])
            expectEqual(rooms.allKeys, ["z"])
        }
    }

    // Covers 2.111, .invalidInput
    @Test func sectionIsBoundToItsKey() async throws {
        let realm = try await Log.realm()
        try await realm.write { tx in
            let rooms = tx.objects(Line.self).sectioned(by: \.room)
            let (second, third) = (rooms[1], rooms[2])
            expectTrue(second.key == "b" && second.id == "b" && third.count == 1)
            try tx.add(Line(6, "aa"))
            expectTrue(rooms[1].key == "aa" && second.map(\.id) == [1, 3])
            try tx.line(4).room = "d"
            expectTrue(third.isInvalidated && !second.isInvalidated)
            try tx.line(4).room = "c"
            expectTrue(!third.isInvalidated && third.first?.id == 4)
        }
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let section = tx.objects(Line.self).sectioned(by: \.room)[3]
                try tx.line(4).room = "d"
                return section.count
            }
        }
        expectEqual(error?.code, .invalidInput)
    }

    // Covers 2.112
    @Test func changesOfTheTransactionAreSeen() async throws {
        let realm = try await Log.realm()
        try await realm.write { tx in
            let lines = tx.objects(Line.self)
            let rooms = lines.sectioned(by: \.room)
            let names = lines.sectioned(sortDescriptors: [.ascending(\.id)]) {
                $0.author?.name
            }
            expectTrue(rooms.count == 3 && names.allKeys == ["Ann", nil])
            tx.delete(try tx.line(4))
            expectEqual(ids(rooms), [[2, 5], [1, 3]])
            try tx.line(1).room = "c"
            expectEqual(ids(rooms), [[2, 5], [3], [1]])
            // an object of another class
            tx.object(Log.Author.self, forPrimaryKey: 1)?.name = "Eve"
            expectEqual(names.allKeys, ["Eve", nil])
            tx.deleteAll()
            expectTrue(rooms.isEmpty && names.allKeys == [])
        }
    }

    // Covers 2.113
    @Test func sectionsAreFrozenAndCompared() async throws {
        let realm = try await Log.realm()
        let (frozen, closure, kept, section) = try await realm.write { tx in
            let lines = tx.objects(Line.self)
            let rooms = lines.sectioned(by: \.room)
            let sizes = lines.sectioned(sortDescriptors: []) { $0.text.count }
            expectTrue(rooms == lines.sectioned(by: \.room) && rooms == rooms)
            expectTrue(rooms != lines.sectioned(by: \.room, ascending: false))
            expectTrue(sizes != lines.sectioned(sortDescriptors: []) { $0.text.count })
            expectTrue(rooms[0] == rooms[0] && rooms[0] != rooms[1])
            expectTrue(rooms.realm === realm && !rooms.isInvalidated)
            try tx.line(4).room = "a"
            try tx.line(4).text = ""
            let kept = tx.objects(Line.self).where { $0.room == "b" }.sectioned(by: \.room)
            return (
                rooms.freeze(), sizes.freeze(), kept.freeze(),
                lines.sectioned(by: \.room, ascending: false)[1].freeze()
            )
        }
        // the state at the start of the transaction
        expectEqual(ids(frozen), [[2, 5], [1, 3], [4]])
        expectEqual(closure.allKeys, [4, 5, 7])
        expectEqual(ids(kept), [[1, 3]])
        expectEqual(section?.map(\.id), [2, 5])
        let now = realm.snapshot().objects(Line.self)
        expectTrue(frozen != now.sectioned(by: \.room))
        expectEqual(frozen[1], now.sectioned(by: \.room)[1])
        expectEqual(now.sectioned(by: \.room), now.sectioned(by: \.room))
        expectEqual(frozen.results.count, 5)
        let resolved = try await realm.read { tx in
            tx.resolve(frozen.results)?.sectioned(by: \.room).allKeys
        }
        expectEqual(resolved, ["a", "b"])
    }

    // Covers 2.114
    @Test func projectionsAreDividedByTheirProperties() async throws {
        let realm = try await Log.realm()
        let cards = realm.snapshot().objects(Log.LineCard.self)
        let places = cards.sectioned(by: \.place)
        expectEqual(places.allKeys, ["a", "b", "c"])
        expectEqual(places[1].map(\.text), ["beta", "bravo"])
        expectEqual(cards.sectioned(by: \.by).allKeys, [nil, "Ann"])
        let sorted = cards.sectioned(
            by: \.place, sortDescriptors: [.descending(\.place), .descending(\.text)])
        expectEqual(
            sorted.map { $0.map(\.text) }, [["charlie"], ["bravo", "beta"], ["alpha", "able"]])
        let lengths = cards.sectioned(by: { $0.text.count }, sortDescriptors: [])
        expectEqual(lengths.allKeys, [4, 5, 7])
        expectEqual(realm.objects(Log.LineCard.self).sectioned(by: \.place).current, places)
        try await realm.write { tx in
            let places = tx.objects(Log.LineCard.self).sectioned(by: \.place)
            expectEqual(places.allKeys, ["a", "b", "c"])
            expectEqual(places[0].map(\.text), ["alpha", "able"])
            let trailing = tx.objects(Log.LineCard.self)
                .sectioned(sortDescriptors: [.ascending(\.text)]) { $0.by ?? "nobody" }
            expectEqual(trailing.allKeys, ["nobody", "Ann"])
        }
    }

    // Covers 2.33, 2.107
    @Test func collectionsOfObjectsAreDivided() async throws {
        let realm = try await Log.realm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(Log.Author.self, forPrimaryKey: 1))
            ann.lines.append(objectsIn: try [4, 2, 4].map { try tx.line($0) })
            // each occurrence
            expectEqual(ids(ann.lines.sectioned(by: \.room)), [[2], [4, 4]])
            let anyLines = AnyRealmCollection(ann.lines)
            expectEqual(anyLines.sectioned(by: \.room).allKeys, ["a", "c"])
            let owners = try tx.line(4).owners.sectioned(by: \.name)
            expectEqual(owners.map { $0.map(\.id) }, [[1, 1]])
        }
        let ann = realm.object(Log.Author.self, forPrimaryKey: 1)
        let live = ann.lines.sectioned(by: \.room, ascending: false)
        expectEqual(ids(live.current), [[4, 4], [2]])
        expectEqual(live.allKeys, ["c", "a"])
        expectEqual(live.count, 2)
        expectEqual(live.section(forKey: "a").current?.map(\.id), [2])
        expectNil(live.section(forKey: "b").current?.key)
        let frozen = try requireValue(realm.snapshot().object(Log.Author.self, forPrimaryKey: 1))
        expectEqual(frozen.lines.sectioned(by: \.room, ascending: false), live.current)
    }
}
