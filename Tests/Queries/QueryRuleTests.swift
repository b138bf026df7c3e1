import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Null, order and negation in queries, for every ordered type.
@Suite struct QueryRuleTests {
    /// Four rows: 0 has low values, 1 has high ones, 2 and 3 have none. The required properties are
    /// low in all rows.
    private func things() async throws -> FrozenResults<Everything> {
        let realm = try await Realm.temporary([Everything.self])
        try await realm.write { tx in
            for id in 0..<4 {
                let thing = Everything()
                thing.id = id
                thing.flag = id == 0
                guard id < 2 else {
                    try tx.add(thing)
                    continue
                }
                thing.maybeFlag = id == 1
                thing.maybeNumber = id
                thing.maybeRatio = Double(id)
                thing.maybeText = "\(id)"
                thing.maybeData = Data([UInt8(id)])
                thing.maybeDate = Date(timeIntervalSinceReferenceDate: Double(id))
                thing.maybeUuid = UUID(
                    uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(id)))
                thing.maybeObjectId = try ObjectId(string: "00000000000000000000000\(id)")
                try tx.add(thing)
            }
        }
        return realm.snapshot().objects(Everything.self)
    }

    /// Checks the rules for one optional property whose value in row 1 is `high`.
    private func check<V: RequiredValue>(
        _ keyPath: KeyPath<Everything, V?>, _ high: V, _ name: Comment
    ) async throws where V._Basis: OrderedValue {
        let things = try await things()
        func ids(_ condition: (Query<V?>) -> Query<Bool>) -> [Int] {
            things.where { condition($0[dynamicMember: keyPath]) }.map(\.id)
        }
        expectEqual(ids { $0 == nil }, [2, 3], name)
        expectEqual(ids { $0 != nil }, [0, 1], name)
        expectEqual(ids { $0 == high }, [1], name)
        expectEqual(ids { $0 != high }, [0, 2, 3], name)
        expectEqual(ids { !($0 == high) }, [0, 2, 3], name)
        expectEqual(ids { $0 < high }, [0], name)
        expectEqual(ids { $0 > high }, [], name)
        expectEqual(ids { $0 <= high }, [0, 1], name)
        expectEqual(ids { $0 >= high }, [1], name)
        // Strings compared with the constant nil are the exception.
        let isString = V.self == String.self
        expectEqual(ids { $0 < nil }, [], name)
        expectTrue(ids { $0 > nil } == (isString ? [0, 1] : []), name)
        expectTrue(ids { $0 <= nil } == (isString ? [] : [2, 3]), name)
        expectTrue(ids { $0 >= nil } == (isString ? [0, 1] : [2, 3]), name)
        expectEqual(ids { !($0 < high) }, [1, 2, 3], name)
        expectTrue(ids { $0 == $0 } == [0, 1, 2, 3] && ids { $0 != $0 } == [], name)
        expectTrue(ids { $0 < $0 } == [] && ids { $0 <= $0 } == [0, 1, 2, 3], name)
        expectEqual(things.sorted(by: keyPath).map(\.id), [2, 3, 0, 1], name)
        expectEqual(things.sorted(by: keyPath, ascending: false).map(\.id), [1, 0, 2, 3], name)
    }

    // Covers 1.47, 3.6, 3.30, 3.40, 3.41, 3.42, 3.43, 3.44, 3.45
    @Test func nilFollowsItsRuleForEveryOrderedType() async throws {
        try await check(\.maybeNumber, 1, "Int")
        try await check(\.maybeRatio, 1, "Double")
        try await check(\.maybeText, "1", "String")
        try await check(\.maybeDate, Date(timeIntervalSinceReferenceDate: 1), "Date")
        let uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        try await check(\.maybeUuid, uuid, "UUID")
        try await check(
            \.maybeObjectId, try ObjectId(string: "000000000000000000000001"), "ObjectId")
    }

    // Covers 3.42, 3.43
    @Test func nilIsEqualToNilOnlyInTheUnorderedTypesToo() async throws {
        let things = try await things()
        expectEqual(things.where { $0.maybeData == nil }.map(\.id), [2, 3])
        expectEqual(things.where { $0.maybeData != Data([1]) }.map(\.id), [0, 2, 3])
        expectEqual(things.where { $0.maybeFlag == nil }.map(\.id), [2, 3])
        expectEqual(things.where { $0.maybeFlag != true }.map(\.id), [0, 2, 3])
    }

    // Covers 3.7, 3.39
    @Test func bareFlagMeansTrueAndItsNegationFalse() async throws {
        let things = try await things()
        expectEqual(things.where { $0.flag }.map(\.id), [0])
        expectEqual(things.where { !$0.flag }.map(\.id), [1, 2, 3])
        expectEqual(things.where { $0.maybeFlag }.map(\.id), [1])
        expectEqual(things.where { !$0.maybeFlag }.map(\.id), [0])
        expectEqual(things.where { !($0.maybeFlag == true) }.map(\.id), [0, 2, 3])
        expectEqual(things.where { !(!$0.maybeFlag) }.map(\.id), [1, 2, 3])
    }

    /// Only a property can be nil, which is neither true nor false.
    // Covers 3.7
    @Test func conditionsAreComparedLikeProperties() async throws {
        let realm = try await Breeders.realm()
        for (limit, names) in [(2, ["Ann", "Bob", "Dan"]), (4, ["Ann", "Dan"])] {
            let others = ["Ann", "Bob", "Cid", "Dan"].filter { !names.contains($0) }
            try await expectEqual(
                Breeders.names(realm) { $0.favourite.isGood == ($0.limit > limit) }, names)
            try await expectEqual(
                Breeders.names(realm) { ($0.limit > limit) == $0.favourite.isGood }, names)
            try await expectEqual(
                Breeders.names(realm) { $0.favourite.isGood != ($0.limit > limit) }, others)
            try await expectEqual(
                Breeders.names(realm) { ($0.limit > limit) != $0.favourite.isGood }, others)
        }
        // One of the pups is as good as the condition says.
        try await expectEqual(
            Breeders.names(realm) { $0.pups.isGood == ($0.limit > 4) }, ["Ann", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.isGood != ($0.limit > 4) }, ["Ann", "Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { ($0.limit > 3) == ($0.count > 2) }, ["Ann", "Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { ($0.limit > 3) != ($0.count > 2) }, ["Cid"])
    }

    // Covers 3.49
    @Test func stringsCompareByTheirBytesInWhereSortAndIndex() async throws {
        // Composed and decomposed, beyond the BMP (where UTF-16 order differs), and case.
        let texts = ["a", "Z", "\u{e9}", "e\u{301}", "\u{ff5e}", "\u{1f600}", "", "a\0", "ss", "ß"]
        let realm = try await Realm.temporary([Message.self])
        try await realm.write { tx in
            for text in texts { try tx.add(Message(text, text)) }
        }
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let sorted = texts.map(bytes).sorted { $0.lexicographicallyPrecedes($1) }
        let messages = realm.snapshot().objects(Message.self)
        expectEqual(messages.sorted(by: \.text).map { bytes($0.text) }, sorted)
        expectEqual(
            messages.sorted(by: \.room, ascending: false).map { bytes($0.room) }, sorted.reversed())
        for text in texts {
            let scanned = messages.where { $0.text == text }
            let indexed = messages.where { $0.room == text }
            expectEqual(scanned.map { bytes($0.text) }, [bytes(text)])
            expectEqual(indexed.map { bytes($0.room) }, [bytes(text)])
            let below = messages.where { $0.text < text }.sorted(by: \.text)
            expectEqual(
                below.map { bytes($0.text) },
                sorted.filter { $0.lexicographicallyPrecedes(bytes(text)) })
        }
    }

    // Covers 2.45
    @Test func unsortedResultsAreInOrderOfCreation() async throws {
        let realm = try await Realm.temporary([Room.self, Person.self])
        let names = ["m", "z", "a", "q", "b", "y"]
        for name in names {
            try await realm.write { tx in
                try tx.add(Room(name))
                try tx.add(Person(name, age: 0))
            }
        }
        try await realm.write { tx in
            tx.delete(tx.objects(Room.self).where { $0.name == "z" })
            tx.delete(tx.objects(Person.self).where { $0.name == "z" })
            tx.objects(Room.self)[0].topic = "changed"
            tx.objects(Person.self)[0].age = 9
            try tx.add(Room("z"))
            try tx.add(Person("z", age: 0))
            expectEqual(tx.objects(Room.self).map(\.name), ["m", "a", "q", "b", "y", "z"])
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Room.self).map(\.name), ["m", "a", "q", "b", "y", "z"])
        expectEqual(snapshot.objects(Person.self).map(\.name), ["m", "a", "q", "b", "y", "z"])
        let found = snapshot.objects(Room.self).where { $0.name > "l" }
        expectEqual(found.map(\.name), ["m", "q", "y", "z"])
    }

    /// A range isn't met by two objects that are each within one of its bounds.
    @Test func rangesAreMetByOneObject() async throws {
        let realm = try await Realm.temporary([WorldNode.self, WorldPart.self])
        try await realm.write { tx in
            for (id, numbers) in [[1, 9], [1, 4]].enumerated() {
                let node = WorldNode(value: ["id": id])
                for number in numbers {
                    let other = WorldNode(value: ["id": 10 + 10 * id + number])
                    other.intMap["key"] = number
                    for extra in 0..<number { other.intMap["\(extra)"] = -1 }
                    node.nodes.append(other)
                }
                try tx.add(node)
            }
        }
        let found = realm.snapshot().objects(WorldNode.self)
        expectEqual(found.where { $0.nodes.intMap["key"].contains(3...5) }.map(\.id), [1])
        expectEqual(found.where { $0.nodes.intMap["key"].contains(3..<5) }.map(\.id), [1])
        expectEqual(found.where { $0.nodes.intMap.count.contains(4...6) }.map(\.id), [1])
        expectEqual(found.where { $0.nodes.intMap.count.contains(4..<6) }.map(\.id), [1])
        expectEqual(found.where { $0.nodes.intMap.max.contains(3...5) }.map(\.id), [1])
    }
}
