import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Paths, collections and orders of predicate strings.
@Suite struct PredicatePathTests {
    // Covers 3.86
    @Test func propertiesHaveSwiftNamesAndStoredNames() async throws {
        let same = try await GadgetCheck()
        try await same("friend.friend.number == -3") { $0.friend.friend.number == -3 }
        try await same("SELF.number == 7") { $0.number == 7 }
        try await same("renamed == 8") { $0.renamed == 8 }
        try await same("stored\\ name == 8") { $0.renamed == 8 }
        try await same("friend.stored\\ name == 10") { $0.friend.renamed == 10 }
        try await same("%K == 8", ["stored name"]) { $0.renamed == 8 }
        try await same("größe == 9") { $0.größe == 9 }
    }

    @Test func keywordsAreNamesWhereTheyCanBe() async throws {
        let same = try await GadgetCheck()
        try await same("like == 3 AND not == 2 and first == 0 and limit == 1") { $0.like == 3 }
        try await same("like = 3 OR NOT not < 4") {
            $0.like == 3 || !($0.not < 4)
        }
        try await same("\\not == 2 AND \\like IN {3, 4}") { $0.like == 3 }
        try await same("limit == first LIMIT(6)") { $0.limit == $0.first }
        try await same("yes == 1") { $0.yes == 1 }
        try await same("\\true == 1") { $0.yes == 1 }
        try await same("any == 1 AND 1 == any AND any IN {1}") { $0.any == .int(1) }
        try await same("friend.like == 1 OR friend.not == 2") { $0.friend.like.in([1, 3]) }
    }

    @Test func positionsLeadToOneElement() async throws {
        let same = try await GadgetCheck()
        try await same.finds("numbers[0] == 1", [1, 2])
        try await same.finds("numbers[FIRST] == 2", [4])
        try await same.finds("numbers[1] > 0", [2, 3, 4])
        try await same.finds("numbers[5] == 1", [])
        try await same.finds("numbers[0] == nil", [0])
        try await same.finds("numbers[0] != 1", [0, 3, 4, 5])
        try await same.finds("words[0] == nil", [0, 3])
        try await same.finds("words[1] == nil", [0, 1, 2, 3])
        try await same.finds("words[0] >= nil", [1, 2, 4, 5])
        try await same.finds("words[first] BEGINSWITH[c] 'A'", [1, 2, 5])
        try await same.finds("friends[0].number == 2", [1])
        try await same.finds("friends[1].number == 1", [0])
        try await same.finds("friends[0] == nil", [2, 4])
        try await same.finds("friends[0] != nil", [0, 1, 3, 5])
        try await same.finds("friends[0].friend == nil", [2, 3, 4, 5])
        try await same.finds("parts[1].label == 'q'", [2, 3])
        try await same.finds("items[0] == 1", [1, 4])
        try await same.finds("items[0][0] == 2", [2, 5])
        try await same.finds("items[*][0] == 2", [2, 5])
    }

    /// What follows an element that there isn't is nil, too.
    @Test func pathsThroughMissingElementsLeadToNil() async throws {
        let same = try await GadgetCheck()
        try await same.finds("friends[0].numbers[0] != 1", [1, 2, 3, 4, 5])
        try await same.finds("friends[0].numbers[0] == nil", [2, 4, 5])
        try await same.finds("friends[0].scores['a'] != 1", [1, 2, 3, 4, 5])
        try await same.finds("friends[0].values['k'] != 1", [2, 3, 4, 5])
        try await same.finds("friends[LAST].any['k'] == nil", [0, 1, 2, 4, 5])
        try await same.finds("friends[LAST].any['k'] != 1", [0, 1, 2, 3, 4, 5])
        try await same.finds("friends[0].named['a'] == nil", [1, 2, 3, 4, 5])
        try await same.finds("friends[0].named['a'].number != 7", [1, 2, 3, 4, 5])
        try await same.finds("friends[0].friends[1] == nil", [0, 2, 3, 4])
        try await same.finds("friends[0].friends.@count != 1", [1, 2, 3, 4, 5])
        try await same.finds("NOT friends[0].friends.@count == 1", [1, 2, 3, 4, 5])
        try await same.finds("friends[0].friends.@count == 0", [3])
        try await same.finds("friends[0].friends.@count IN {0, nil}", [2, 3, 4])
        try await same.finds("friends[0].friends.@count BETWEEN {0, 1}", [0, 3])
        try await same.finds("friends[0].numbers.@max == nil", [2, 4, 5])
        try await same.finds("friends[0].numbers.@sum != 1", [1, 2, 3, 4, 5])
        try await same.finds("friends[5].friends[5].number == nil", [0, 1, 2, 3, 4, 5])
        try await same.finds("ANY friends.numbers[0] == nil", [5])
    }

    @Test func keysOfTheElementsOfAListLeadFurther() async throws {
        let same = try await GadgetCheck()
        try await same.realm.write { tx in
            let list = AnyRealmValue.fromArray([.int(1), .int(2)])
            tx.object(Gadget.self, forPrimaryKey: 0)?.items
                .append(.fromDictionary(["k": list]))
        }
        try await same.finds("items['k'][0] == 1", [0])
        try await same.finds("items['k'][0] == 2", [])
        try await same.finds("items.k[LAST] == 2", [0])
        try await same.finds("items['k'][*] == 2", [0])
        try await same.finds("ANY items[*]['k'][1] == 2", [0])
        try await same.finds("items['k'] == 1", [])
        try await same.finds("items['k'].@type == 'list'", [0])
        // as each element without the key has nil there
        try await same.finds("ALL items['k'].@type == 'list'", [0, 3])
        try await same.finds("ALL items['k'] != 1", [0, 1, 2, 3, 4, 5])
        try await same.finds("ALL items['k'] == nil", [1, 2, 3, 4, 5])
        try await same("ALL items['k'] == 1") { $0.items.all { $0["k"] == .int(1) } }
        try await same("ALL items[*][0] == 2") { $0.items.all { $0[0] == .int(2) } }
        try await same("ALL friends.any['k'] == 1") { $0.friends.all { $0.any["k"] == .int(1) } }
        try await same("ALL friends.values['k']['x'] > 1") {
            $0.friends.all { $0.values["k"]["x"] > .int(1) }
        }
    }

    // MARK: Maps and values of any type

    // Covers 3.69
    @Test func keysLeadIntoMapsAndValuesOfAnyType() async throws {
        let same = try await GadgetCheck()
        for text in ["scores.a == 2", "scores['a'] == 2", "scores[\"a\"] = 2", "2 == scores.a"] {
            try await same(text) { $0.scores["a"] == 2 }
        }
        try await same("scores['c d'] == 9") { $0.scores["c d"] == 9 }
        try await same("scores.c\\ d == 9") { $0.scores["c d"] == 9 }
        try await same("scores[%@] == 9", ["c d"]) { $0.scores["c d"] == 9 }
        try await same("scores.a != 1") { $0.scores["a"] != 1 }
        try await same("scores.a IN {1, 2}") { $0.scores["a"].in([1, 2]) }
        try await same("scores.a BETWEEN {0, 1.5}") { $0.scores["a"].contains(0...1) }
        try await same("scores.a == nil") { !($0.scores.keys == "a") }
        for text in ["scores[*] > 1", "scores.@values > 1", "ANY scores.@allValues > 1"] {
            try await same(text) { $0.scores.values > 1 }
        }
        try await same("scores.@keys == 'b'") { $0.scores.keys == "b" }
        try await same("scores.@allKeys BEGINSWITH 'c'") { $0.scores.keys.starts(with: "c") }
        try await same("NONE scores.@keys IN {'a', 'b'}") { !$0.scores.keys.in(["a", "b"]) }
        try await same("notes.a == nil") { $0.notes["a"] == nil }
        try await same("notes.b == ''") { $0.notes["b"] == "" }
        try await same("notes['a'] CONTAINS 'ot'") { $0.notes["a"].contains("ot") }
        try await same("notes['a'] !=[c] 'NOTE'") {
            $0.notes["a"].notEquals("NOTE", options: .caseInsensitive)
        }
        try await same("values.k == 1") { $0.values["k"] == .int(1) }
        try await same("any['k'][0] == 1") { $0.any["k"][0] == .int(1) }
        try await same("any.k[FIRST] == 1") { $0.any["k"][0] == .int(1) }
        try await same("any.k[$0] == 1", [0]) { $0.any["k"][0] == .int(1) }
        try await same("any.k[1].in == 'deep'") { $0.any["k"][1]["in"] == .string("deep") }
        try await same("any['k'][*].in LIKE 'd*'") { $0.any["k"].any["in"].like("d*") }
        try await same("any[*] == 'x'") { $0.any.any == .string("x") }
        try await same("any[#any] == 3") { $0.any.any == .int(3) }
        try await same("any[1] != 'x'") { $0.any[1] != .string("x") }
        try await same("any[0] IN {3, nil}") { $0.any[0].in([.int(3), .none]) }
        try await same.finds("ALL any[*] == 3", [0, 1, 2, 3])
        try await same.finds("NONE any[*] == 3", [0, 1, 2, 3, 5])
    }

    @Test func mapsOfObjectsLeadToTheirProperties() async throws {
        let same = try await GadgetCheck()
        try await same.finds("named.a.number == 7", [1])
        try await same.finds("named['a'].friend.number == 0", [2])
        try await same.finds("named.a == nil", [0, 3, 4, 5])
        try await same.finds("named.b != nil", [3])
        try await same.finds("ANY named.@values == obj('Gadget', 4)", [1])
        try await same.finds("named.@values.number == -3", [3])
        try await same.finds("named.@values == nil", [2])
        try await same.finds("named.@values.friend.number == 0", [2])
        try await same.finds("named.@count == 2", [2])
        try await same.finds("named.@values.@count == 2", [2])
        try await same.finds("named.@keys == 'b'", [2, 3])
        try await same.finds("named.@max.number == 7", [1])
    }

    // MARK: Collections

    // Covers 3.70
    @Test func quantifiersApplyToCollectionsAndLists() async throws {
        let same = try await GadgetCheck()
        for text in ["numbers > 1", "ANY numbers > 1", "some numbers > 1", "1 < ANY numbers"] {
            try await same(text) { $0.numbers > 1 }
        }
        try await same("ALL numbers > 0") { $0.numbers.all { $0 > 0 } }
        try await same("NONE numbers > 0") { $0.numbers.none { $0 > 0 } }
        try await same("2 == none numbers") { $0.numbers.none { $0 == 2 } }
        try await same("ALL friends.number >= 2") { $0.friends.all { $0.number >= 2 } }
        try await same("NONE friends.flag == true") { $0.friends.none { $0.flag == true } }
        try await same("NONE friends.friend == nil") { $0.friends.none { $0.friend == nil } }
        try await same("ANY friends.friends.number == 7") { $0.friends.friends.number == 7 }
        try await same("ANY friends.number < friends.like") {
            $0.friends.any { $0.number < $0.like }
        }
        try await same("ALL words ==[c] 'a'") {
            $0.words.all { $0.equals("a", options: .caseInsensitive) }
        }
        try await same("NONE words IN[c] {'A', 'B'}") {
            $0.words.none {
                $0.equals("a", options: .caseInsensitive)
                    || $0.equals("b", options: .caseInsensitive)
            }
        }
        try await same("ALL numbers IN {1, 2}") { $0.numbers.all { $0.in([1, 2]) } }
        try await same("ANY {1, 5} == numbers") { $0.numbers.containsAny(in: [1, 5]) }
        try await same("ALL {1, 2} == numbers") { $0.numbers == 1 && $0.numbers == 2 }
        try await same("NONE $0 == numbers", [[1, 5]]) { !$0.numbers.containsAny(in: [1, 5]) }
        try await same("numbers == ANY $0", [[1, 5]]) { $0.numbers.containsAny(in: [1, 5]) }
        try await same("'old' IN tags") { $0.tags.contains("old") }
        try await same("tags IN {'x', 'new'}") { $0.tags.containsAny(in: ["x", "new"]) }
        try await same("NONE friends.numbers.@count IN {1, 2}") {
            $0.friends.none { $0.numbers.count == 1 || $0.numbers.count == 2 }
        }
        try await same("NONE friends.scores.a == 1") { $0.friends.none { $0.scores["a"] == 1 } }
    }

    @Test func countsAreThoseOfElements() async throws {
        let same = try await GadgetCheck()
        for text in ["numbers.@count == 2", "numbers.@size == 2", "numbers[SIZE] == 2"] {
            try await same(text) { $0.numbers.count == 2 }
        }
        try await same("1 = tags.@count") { $0.tags.count == 1 }
        try await same("admirers.@count > 1") { $0.admirers.count > 1 }
        try await same("parts[size] >= 2") { $0.parts.count >= 2 }
        try await same("scores.@count IN {0, 2}") { $0.scores.count.in([0, 2]) }
        try await same("friend.numbers.@count == 0") { $0.friend.numbers.count == 0 }
        try await same("friends.numbers.@count > 1") { $0.friends.numbers.count > 1 }
        try await same("scores.@keys.@count == 2") { $0.scores.count == 2 }
    }

    // Covers 3.72
    @Test func aggregatesAreThoseOfValuesAndMembers() async throws {
        let same = try await GadgetCheck()
        try await same("numbers.@min == -1") { $0.numbers.min == -1 }
        try await same("numbers.@max > 4.5") { $0.numbers.max > 4 }
        try await same("numbers.@sum == 6") { $0.numbers.sum == 6 }
        try await same("numbers.@avg > 1.5") { $0.numbers.avg > 1.5 }
        try await same("numbers.@min == nil") { $0.numbers.min == nil }
        try await same("numbers.@average != nil") { $0.numbers.avg != nil }
        try await same("friend.numbers.@max == 2") { $0.friend.numbers.max == 2 }
        try await same("friends.@max.number == 7") { $0.friends.number.max == 7 }
        try await same("friends.number.@max == 7") { $0.friends.number.max == 7 }
        try await same("friends.@sum.number > 2") { $0.friends.number.sum > 2 }
        try await same("friends.@avg.number > 0.5") { $0.friends.number.avg > 0.5 }
        try await same("friends.@min.date < %@", [Gadgets.first.addingTimeInterval(1)]) {
            $0.friends.date.min < Gadgets.first.addingTimeInterval(1)
        }
        try await same("friends.@max.price == 0.10") { $0.friends.price.max == "0.1" }
        try await same("friends.@min.number BETWEEN {0, 2}") {
            $0.friends.number.min.contains(0...2)
        }
        try await same("scores.@max > 4") { $0.scores.max > 4 }
        try await same("scores.@sum == 7") { $0.scores.sum == 7 }
        try await same.finds("items.@max == 1", [1, 4])
        try await same.finds("items.@avg == 1", [1, 4])
        try await same.finds("items.@sum < 0.5", [0, 2, 3, 5])
    }

    @Test func inverseLinksNeedNoProperty() async throws {
        let same = try await GadgetCheck()
        try await same.finds("@links.Gadget.friend.number == 0", [0])
        try await same.finds("@links.Gadget.friend.@count == 0", [4, 5])
        try await same("@links.Gadget.friends.@count == 2") { $0.admirers.count == 2 }
        try await same("ANY @links.Gadget.friends.flag == true") { $0.admirers.flag == true }
        try await same("NONE SELF.@links.Gadget.friends.flag == true") {
            $0.admirers.none { $0.flag == true }
        }
        try await same("friend.@links.Gadget.friends.number == 2") {
            $0.friend.admirers.number == 2
        }
        try await same("@links.Gadget.friends.@max.number == 2") { $0.admirers.number.max == 2 }
        try await same.finds("@links.Gadget.named.number == 1", [2])
    }

    // Covers 3.73, 3.81
    @Test func classesAreFoundBeforeTheirFirstUse() async throws {
        let baskets = try await Realm.temporary().snapshot().objects(Basket.self)
        try expectEqual(baskets.filter("ANY fruits == obj('Fruit', 1)").count, 0)
        let fruits = try await Realm.temporary().snapshot().objects(Fruit.self)
        try expectEqual(fruits.filter("@links.Basket.fruits.@count == 1").count, 0)
    }

    // Covers 3.74
    @Test func subqueriesCountTheElementsThatMatch() async throws {
        let same = try await GadgetCheck()
        try await same("SUBQUERY(friends, $f, $f.number > 1 AND $f.flag == true).@count > 0") {
            $0.friends.any { $0.number > 1 && $0.flag == true }
        }
        try await same("subquery(friends,$f,$f.number>1).@count==0") {
            $0.friends.none { $0.number > 1 }
        }
        try await same("1 < SUBQUERY(friends, $f, $f.number > 1).@size") {
            ($0.friends.number > 1).count > 1
        }
        try await same(
            "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.number == 7).@count > 0).@count > 0"
        ) {
            $0.friends.any { $0.friends.any { $0.number == 7 } }
        }
        try await same("NOT SUBQUERY(parts, $p, $p.size > 1 AND $p.label == 'q').@count = 0") {
            $0.parts.any { $0.size > 1 && $0.label == "q" }
        }
        try await same("SUBQUERY(friends, $f, $f.any == nil OR $f.scores.a == 1).@count > 0") {
            $0.friends.any { $0.any == .none || $0.scores["a"] == 1 }
        }
        try await same("SUBQUERY(friends, $f, $f.any.k[0] == 1).@count > 0") {
            $0.friends.any { $0.any["k"][0] == .int(1) }
        }
        try await same("SUBQUERY(@links.Gadget.friends, $a, $a.flag == $0).@count > 0", [true]) {
            $0.admirers.any { $0.flag == true }
        }
        try await same.finds("SUBQUERY(numbers, $n, $n > 1 && $n < 6).@count == 1", [2, 3])
        try await same.finds("SUBQUERY(admirers, $a, TRUEPREDICATE).@count == 2", [4])
        try await same.finds("SUBQUERY(friend.friends, $f, $f.number == 1).@count == 1", [1])
        try await same.finds("SUBQUERY(friends, $f, $f == obj('Gadget', 4)).@count == 2", [3])
        try await same.finds("SUBQUERY(named.@values, $v, $v.number == 7).@count == 1", [1])
    }

    @Test func objectsAreComparedByTheirKeys() async throws {
        let same = try await GadgetCheck()
        try await same.finds("friend == obj('Gadget', 0)", [1])
        try await same.finds("friend != obj('Gadget', 0)", [0, 2, 3, 4, 5])
        try await same.finds("obj('Gadget', 2) == friend", [5])
        try await same.finds("friend == obj('Gadget', 77)", [])
        try await same.finds("friend.friend == obj(\"Gadget\", $0)", [2], values: [0])
        try await same.finds("SELF == obj('Gadget', 3)", [3])
        try await same.finds("ANY friends == obj('Gadget', 4)", [3])
        try await same.finds("NONE friends == obj('Gadget', 4)", [0, 1, 2, 4, 5])
        try await same.finds("friends[0] != obj('Gadget', 1)", [1, 2, 3, 4, 5])
        try await same("friend == friend.friend") { $0.friend == $0.friend.friend }
        try await same("friend != nil") { $0.friend != nil }
        try await same("part == nil") { $0.part == nil }
    }

    // MARK: Order

    // Covers 3.84
    @Test func ordersAndLimitsApplyFromLeftToRight() async throws {
        let same = try await GadgetCheck()
        try await same.finds("TRUEPREDICATE SORT(number DESC)", [4, 3, 5, 2, 1, 0])
        try await same.finds(
            "TRUEPREDICATE SORT(number DESC, like descending)", [4, 5, 3, 2, 1, 0])
        try await same.finds("number > 0 sort(text asc)", [3, 5, 2, 4])
        try await same.finds("number > 0 SORT(text)", [3, 5, 2, 4])
        try await same.finds("TRUEPREDICATE SORT(friend.number ASC) LIMIT(3)", [0, 4, 1])
        try await same.finds("TRUEPREDICATE SORT(like DESC) SORT(flag ASC)", [5, 3, 1, 4, 2, 0])
        try await same.finds("TRUEPREDICATE DISTINCT(number)", [0, 1, 2, 3, 4])
        try await same.finds("TRUEPREDICATE DISTINCT(flag, limit)", [0, 1])
        try await same.finds("TRUEPREDICATE SORT(like DESC) DISTINCT(number)", [5, 4, 2, 1, 0])
        try await same.finds("TRUEPREDICATE DISTINCT(number) SORT(like DESC)", [4, 3, 2, 1, 0])
        try await same.finds(
            "TRUEPREDICATE SORT(like DESC) DISTINCT(first) SORT(number ASC) LIMIT(2)", [5, 3])
        try await same.finds("TRUEPREDICATE LIMIT(4) limit(2)", [0, 1])
        // The numbers are -3, 0, 1, 2, 7, 2.
        try await same.finds("TRUEPREDICATE LIMIT(4) SORT(number DESC)", [3, 2, 1, 0])
        try await same.finds("number >= 0 LIMIT(4) SORT(number DESC) LIMIT(2)", [4, 3])
        try await same.finds("TRUEPREDICATE SORT(number DESC) LIMIT(3) SORT(id)", [3, 4, 5])
        try await same.finds(
            "TRUEPREDICATE SORT(number DESC) LIMIT(3) DISTINCT(number) SORT(id DESC)", [4, 3])
        try await same.finds("TRUEPREDICATE LIMIT(2) DISTINCT(flag) LIMIT(1) SORT(id)", [0])
        try await same.finds("TRUEPREDICATE SORT(friend.number) LIMIT(2) SORT(id DESC)", [4, 0])
        try await same.finds("TRUEPREDICATE LIMIT(0) SORT(id)", [])
        try await same.finds("TRUEPREDICATE LIMIT(0)", [])
    }

    // MARK: Collections of objects

    // Covers 2.9, 2.12
    @Test func collectionsOfAllKindsAreFiltered() async throws {
        let realm = try await Gadgets.realm()
        let (filtered, positions) = try await realm.write { tx in
            let all = tx.objects(Gadget.self)
            let friends = all[3].friends
            let filtered = [
                try friends.filter("number == %@", 7).map(\.id),
                try friends.filter("number == $n", named: ["n": 2]).map(\.id),
                try all[4].admirers.filter("limit == 1").map(\.id),
                try AnyRealmCollection(friends).filter("like > 4").map(\.id),
                try all.filter("number > 0").filter("flag == true").map(\.id),
                try all.where { $0.number > 0 }.filter("flag == true SORT(id DESC)").map(\.id),
            ]
            let positions = [
                try all.index(matching: "number == %@", 2),
                try all.index(matching: "number == 70"),
                try friends.index(matching: "number == 2"),
                try all.sorted(by: \.id, ascending: false).index(matching: "number == 2"),
            ]
            return (filtered, positions)
        }
        expectEqual(filtered, [[4, 4], [5], [3, 3], [5], [2, 4], [4, 2]])
        expectEqual(positions, [3, nil, 2, 0])
        let frozen = realm.snapshot().objects(Gadget.self)
        try expectEqual(frozen.index(matching: "number == %@", 2), 3)
        try expectEqual(frozen[3].friends.filter("number == 7").map(\.id), [4, 4])
        try expectEqual(frozen[3].friends.index(matching: "number == 2"), 2)
        let live = realm.objects(Gadget.self)
        try expectEqual(live.index(matching: "number == %@", 2), 3)
        try expectEqual(live.filter("number > $low", named: ["low": 1]).count, 3)
    }
}
