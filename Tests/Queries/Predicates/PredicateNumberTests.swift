import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Calculations, sizes and types in predicate strings.
@Suite struct PredicateNumberTests {
    // Covers 3.65, 3.75
    @Test func productsBindMoreTightlyThanSums() async throws {
        let same = try await GadgetCheck()
        // The numbers are -3, 0, 1, 2, 7, 2; `like` is the id; `not` is 5 minus the id.
        try await same.finds("number + 1 == 3", [3, 5])
        try await same.finds("3 == number + 1", [3, 5])
        try await same.finds("number + 2 * 3 == 8", [3, 5])
        try await same.finds("2 * 3 + number == 8", [3, 5])
        try await same.finds("(number + 2) * 3 == 9", [2])
        try await same.finds("number - 1 - 1 == 0", [3, 5])
        try await same.finds("number - (1 - 1) == 0", [1])
        try await same.finds("8 / number / 2 == 2", [3, 5])
        try await same.finds("like + not == 5", [0, 1, 2, 3, 4, 5])
        try await same.finds("like * not > 5 AND number > 0", [2, 3])
        try await same.finds("like - not >= number - 3", [0, 1, 2, 3, 5])
        try await same.finds("NOT (like + 1) * 2 > 4 OR (id > 4)", [0, 1, 5])
        try await same.finds("((like + 1)) <= 1 OR ((id) == 5)", [0, 5])
        try await same.finds("((like + 1) * 2 > 4 AND (number == 1))", [2])
        try await same.finds("friend.number + 1 > number", [3])
        try await same.finds("part.size * 2 == like + %@", [1], values: [1])
        try await same.finds("number + 1 IN {1, 8}", [1, 4])
        try await same.finds("number * 2 BETWEEN {2, 4}", [2, 3, 5])
        try await same.finds("number -1 == 1", [3, 5])
        try await same.finds("number == 1 + 1", [3, 5])
    }

    // Covers 3.75
    @Test func resultsHaveTheTypesOfTheOperands() async throws {
        let same = try await GadgetCheck()
        try await same.finds("number / 2 == 1", [3, 5])
        try await same.finds("number / 2 == 3", [4])
        try await same.finds("number / 2.0 == 3.5", [4])
        try await same.finds("number / 2 == -1", [0])
        try await same.finds("6 / number == nil", [1])
        try await same.finds("6 / number != 3", [0, 1, 2, 4])
        try await same.finds("6 / number > 0", [2, 3, 5])
        try await same.finds("ratio * 2 == 5", [3])
        try await same.finds("ratio + 1 == 1.1", [2])
        try await same.finds("ratio / 0 > 1", [2, 3, 4])
        try await same.finds("price + 0.2 == 0.3", [0, 1])
        try await same.finds("price * 2 == ratio * 2 AND id < 5", [3])
        try await same.finds("number * 9223372036854775807 > 9223372036854775807", [3, 4, 5])
        try await same.finds("maybeNumber + 1 == nil", [0, 3])
        try await same.finds("maybeNumber + 1 != 2", [0, 1, 3, 4, 5])
        try await same.finds("maybeNumber + 1 < 100", [1, 2, 4, 5])
        try await same.finds("maybeNumber + nil == nil", [0, 1, 2, 3, 4, 5])
    }

    // Covers 3.75
    @Test func calculationsApplyToEachElement() async throws {
        let same = try await GadgetCheck()
        // The numbers of the lists are [], [1], [1, 2], [-1, 5], [2, 2, 2], [7, 0].
        try await same.finds("numbers + 1 == 2", [1, 2])
        try await same.finds("ALL numbers * 2 > 3", [0, 4])
        try await same.finds("NONE numbers - 1 == 0", [0, 3, 4, 5])
        try await same.finds("ANY numbers + 1 BETWEEN {5, 7}", [3])
        try await same.finds("ANY friends.number + friends.like > 10", [3])
        try await same.finds("friends.@count + 1 == 3", [0])
        try await same.finds("like == friends.@count", [1, 3])
        try await same.finds("numbers.@count > friends.@count", [2, 4, 5])
        try await same.finds("SUBQUERY(numbers, $x, $x + 1 > 5).@count > 0", [3, 5])
        try await same.finds(
            "SUBQUERY(friends, $f, $f.number * 2 == $f.like + 1).@count * 2 == 2", [1])
        try await same.finds("numbers[0] + 1 != 3", [0, 1, 2, 3, 5])
        try await same.finds("numbers[0] + 1 == nil", [0])
    }

    // Covers 3.71
    @Test func stringsAndDataHaveASizeInBytes() async throws {
        let same = try await GadgetCheck()
        // Anna, anna, bob, Straße, it's, and nine bytes
        try await same.finds("text.@size == 4", [0, 1, 4])
        try await same.finds("text.@count == 7", [3])
        try await same.finds("text[SIZE] > 7", [5])
        try await same.finds("maybeText.@size == nil", [0, 3])
        try await same.finds("maybeText.@size == 0", [4])
        try await same.finds("bytes.@size IN {2, 3}", [2, 3, 4])
        try await same.finds("bytes.@size BETWEEN {2, 3}", [2, 3, 4])
        try await same.finds("2 == bytes.@count", [2, 3])
        try await same.finds("friend.text.@size == 3", [5])
        try await same.finds("friends.text.@size == 7", [1])
        try await same.finds("words.@size == 2", [2, 4, 5])
        try await same.finds("words[*].@size == 1", [1, 2, 4, 5])
        try await same.finds("text.@size == numbers.@count + 1", [2, 4])
    }

    // Covers 3.73
    @Test func allLinksToAnObjectAreCounted() async throws {
        let same = try await GadgetCheck()
        // By `friend`, `friends` and `named`, also repeatedly.
        try await same.finds("@links.@count == 0", [])
        try await same.finds("@links.@count == 1", [5])
        try await same.finds("@links.@count == 2", [1, 3])
        try await same.finds("@links.@count == 3", [0, 2, 4])
        try await same.finds("friend.@links.@count == 3", [1, 5])
        try await same.finds("@links.@count > friends.@count", [0, 1, 2, 4])
        try await same.finds("SUBQUERY(friends, $f, $f.@links.@count > 2).@count == 2", [3])
    }

    /// Also the links of classes that the program doesn't have, or hasn't used so far.
    // Covers 3.73
    @Test func linksOfAllStoredClassesAreCounted() async throws {
        let folder = try RealmFolder()
        let all = try await Realm.open(folder.configuration("all", Station.types))
        try await all.write { tx in
            let city = City()
            city.stations.append(objectsIn: [Station(0), Station(7)])
            city.main = city.stations[0]
            try tx.add(city)
        }
        await all.close()
        for types in [nil, [Station.self, Spot.self, Caption.self] as [ObjectBase.Type]] {
            let realm = try await Realm.open(folder.configuration("all", types))
            let stations = realm.snapshot().objects(Station.self)
            try expectEqual(stations.filter("@links.@count == 2").map(\.id.number), [0])
            try expectEqual(stations.filter("@links.@count == 1").map(\.id.number), [7])
            await realm.close()
        }
    }

    // Covers 3.68
    @Test func theLastElementHasAName() async throws {
        let same = try await GadgetCheck()
        try await same.finds("numbers[LAST] == 2", [2, 4])
        try await same.finds("numbers[last] == nil", [0])
        try await same.finds("friends[LAST].number == 2", [1, 3])
        try await same.finds("words[LAST] ==[c] 'B'", [5])
        try await same.finds("any[LAST] == 'x'", [4])
        try await same.finds("any['k'][LAST]['in'] == 'deep'", [5])
        try await same.finds("any[LAST] == nil", [0, 1, 2, 3, 5])
    }

    // Covers 3.64, 3.80
    @Test func valuesOfAnyTypeHaveANamedType() async throws {
        let same = try await GadgetCheck()
        // nil, 1, true, "bob", a list, a dictionary
        let types: [([String], [Int])] = [
            (["null", "NULL"], [0]),
            (
                ["int", "Integer", "INT16", "int32", "int64", "short", "long", "byte", "char"], [1]
            ),
            (["bool", "boolean"], [2]), (["string"], [3]), (["array", "list"], [4]),
            (["object", "dictionary"], [5]), (["collection"], [4, 5]), (["numeric"], [1]),
            (["binary", "data", "bytearray", "byte[]", "bindata"], []),
            (["date", "timestamp", "datetimeoffset"], []), (["float"], []), (["double"], []),
            (["decimal", "decimal128"], []), (["objectid"], []), (["uuid", "guid"], []),
            (["link", "objectlink"], []),
        ]
        for (names, ids) in types {
            for name in names {
                try await same.finds("any.@type == '\(name)'", ids)
                try await same.finds(
                    "'\(name)' != any.@type", (0..<6).filter { !ids.contains($0) })
            }
        }
        try await same.finds("any.@type IN {'int', 'string', 'null'}", [0, 1, 3])
        try await same.finds("any.@type == {'int', 'string'}", [1, 3])
        try await same.finds("any.@type IN $0", [2], values: [["bool", "uuid"]])
        try await same.finds("friend.any.@type == 'null'", [0, 1, 4])
        try await same.finds("values['k'].@type == 'double'", [3])
        try await same.finds("any[0].@type == 'int'", [4])
        try await same.finds("any['k'].@type == 'list'", [5])
        try await same.finds("ANY items.@type == 'int'", [1, 4])
        try await same.finds("NONE items.@type == 'list'", [0, 1, 3, 4])
        try await same.finds("NONE $0 == items.@type", [0, 1, 3, 4], values: ["list"])
        try await same.finds("any.@type != {'int', 'string'}", [0, 2, 4, 5])
        try await same.finds("items[LAST].@type == 'null'", [0, 2, 3, 5])
    }

    // Covers 3.80
    @Test func kindsOfAllValuesAreDistinguished() async throws {
        let realm = try await Gadgets.realm()
        let values: [(value: @Sendable () -> AnyRealmValue, name: String)] = [
            ({ .float(1) }, "float"), ({ .double(1) }, "double"), ({ .decimal128(1) }, "decimal"),
            ({ .data(Data([1])) }, "data"), ({ .date(Gadgets.first) }, "date"),
            ({ .objectId(ObjectId.generate()) }, "objectid"), ({ .uuid(UUID()) }, "uuid"),
        ]
        for (value, name) in values {
            try await realm.write { tx in
                guard let gadget = tx.object(Gadget.self, forPrimaryKey: 3) else { return }
                gadget.any = value()
            }
            let all = realm.snapshot().objects(Gadget.self)
            try expectEqual(all.filter("any.@type == '\(name)'").map(\.id), [3], "\(name)")
            let isNumber = ["float", "double", "decimal"].contains(name)
            try expectEqual(all.filter("any.@type == 'numeric'").count, isNumber ? 2 : 1)
        }
        try await realm.write { tx in
            guard let gadget = tx.object(Gadget.self, forPrimaryKey: 3) else { return }
            gadget.any = .object(gadget)
        }
        let all = realm.snapshot().objects(Gadget.self)
        try expectEqual(all.filter("any.@type == 'link'").map(\.id), [3])
    }

    /// Not by way of a `Double`, which would make them equal to other numbers.
    @Test func literalsAreRoundedOnceIfAtAll() async throws {
        let realm = try await Gadgets.realm()
        try await realm.write { tx in
            let gadgets = tx.objects(Gadget.self)
            gadgets[0].single = 1
            gadgets[0].any = .decimal128("18446744073709551616")
            gadgets[1].any = .decimal128("18446744073709551617")
            gadgets[2].any = .double(18_446_744_073_709_551_616)
        }
        let found = realm.snapshot().objects(Gadget.self)
        let single = "single < 1.0000000596046447753906250001 AND single >= 1"
        for (text, ids) in [
            (single, [0]), ("any == 18446744073709551616", [0, 2]),
            ("any == 18446744073709551617", [1]), ("any == -18446744073709551617", []),
            ("any > 18446744073709551616 AND any < inf", [1]),
            ("any < 18446744073709551617 AND any > 1", [0, 2]),
            ("any == 1.8446744073709552e19", [0, 2]),
        ] {
            try expectEqual(found.filter(text).map(\.id), ids, "\(text)")
        }
    }
}
