import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Operators, literals and arguments of predicate strings.
@Suite struct PredicateQueryTests {
    @Test func andBindsMoreTightlyThanOrAndNotMoreThanBoth() async throws {
        let same = try await GadgetCheck()
        try await same("number > 0 and flag == true or text == 'bob'") {
            ($0.number > 0 && $0.flag == true) || $0.text == "bob"
        }
        try await same("text == 'anna' || number > 0 && flag == true") {
            $0.text == "anna" || ($0.number > 0 && $0.flag == true)
        }
        try await same("number > 0 AND (flag == true OR text == 'Straße')") {
            $0.number > 0 && ($0.flag == true || $0.text == "Straße")
        }
        try await same("NOT number > 0 AND flag == true") { !($0.number > 0) && $0.flag == true }
        try await same("!(number > 0 || flag == true)") { !($0.number > 0 || $0.flag == true) }
        try await same("not not number > 0") { $0.number > 0 }
        try await same("!!!(number > 0)") { !($0.number > 0) }
        try await same("((number > 0))And(flag=TRUE)") { $0.number > 0 && $0.flag == true }
        try await same("TRUEPREDICATE") { $0.id >= 0 }
        try await same("FALSEPREDICATE OR number == 7") { $0.number == 7 }
        try await same("number == 7 OR truepredicate AND NOT falsepredicate") { $0.id >= 0 }
    }

    // Covers 3.66
    @Test func comparisonsHaveSeveralSpellings() async throws {
        let same = try await GadgetCheck()
        for text in ["number == 2", "number = 2", "number=2", "2 == number", "2=number"] {
            try await same(text) { $0.number == 2 }
        }
        for text in ["number != 2", "number <> 2", "2<>number", "NOT number == 2"] {
            try await same(text) { $0.number != 2 }
        }
        for text in ["number < 1", "number<1", "1 > number"] {
            try await same(text) { $0.number < 1 }
        }
        for text in ["number <= 1", "number =< 1", "1 >= number", "1=>number"] {
            try await same(text) { $0.number <= 1 }
        }
        for text in ["number > -1", "number>-1", "-1 < number"] {
            try await same(text) { $0.number > -1 }
        }
        for text in ["number >= 1", "number => 1", "1 <= number", "1=<number"] {
            try await same(text) { $0.number >= 1 }
        }
        for text in ["number IN {1, 7}", "number in {1,7}", "number In { 7 , 1 }"] {
            try await same(text) { $0.number.in([1, 7]) }
        }
        try await same("number == not") { $0.number == $0.not }
        try await same("number < like") { $0.number < $0.like }
        try await same("text == maybeText") { $0.text == $0.text && $0.id < 0 }
        try await same("number >= friend.number") { $0.number >= $0.friend.number }
    }

    @Test func nilFollowsTheRulesOfTypedConditions() async throws {
        let same = try await GadgetCheck()
        for text in ["maybeNumber == nil", "maybeNumber = NULL", "null == maybeNumber"] {
            try await same(text) { $0.maybeNumber == nil }
        }
        try await same("maybeNumber != nil") { $0.maybeNumber != nil }
        try await same("maybeNumber != 1") { $0.maybeNumber != 1 }
        try await same("NOT maybeNumber > 0") { !($0.maybeNumber > 0) }
        try await same("maybeNumber <= nil") { $0.maybeNumber <= nil }
        try await same("maybeNumber < nil") { $0.maybeNumber < nil }
        try await same("maybeText > nil") { $0.maybeText > nil }
        try await same("maybeText >= nil") { $0.maybeText >= nil }
        try await same("maybeText <= nil") { $0.maybeText <= nil }
        try await same("maybeText CONTAINS nil") { $0.maybeText.contains(nil) }
        try await same("maybeText CONTAINS ''") { $0.maybeText.contains("") }
        try await same("NOT maybeText LIKE nil") { !$0.maybeText.like(nil) }
        try await same("maybeFlag == false") { $0.maybeFlag == false }
        try await same("maybeFlag != true") { $0.maybeFlag != true }
        try await same("maybeNumber IN {nil, 12}") { $0.maybeNumber.in([nil, 12]) }
        try await same("maybeNumber IN {}") { $0.maybeNumber.in([]) }
        try await same("friend.maybeNumber == nil") { $0.friend.maybeNumber == nil }
        try await same("part.label == nil") { $0.part.label == nil }
    }

    @Test func textOperatorsCanIgnoreCase() async throws {
        let same = try await GadgetCheck()
        try await same("text BEGINSWITH 'An'") { $0.text.starts(with: "An") }
        try await same("text beginswith[c] 'AN'") {
            $0.text.starts(with: "AN", options: .caseInsensitive)
        }
        try await same("text ENDSWITH 'na'") { $0.text.ends(with: "na") }
        try await same("text ENDSWITH [c] 'NA'") {
            $0.text.ends(with: "NA", options: .caseInsensitive)
        }
        try await same("text CONTAINS 'nn'") { $0.text.contains("nn") }
        try await same("text Contains[C]'N'") { $0.text.contains("N", options: .caseInsensitive) }
        try await same("text LIKE '?nn*'") { $0.text.like("?nn*") }
        try await same("text LIKE[c] 'A*'") { $0.text.like("A*", caseInsensitive: true) }
        try await same("text ==[c] 'ANNA'") { $0.text.equals("ANNA", options: .caseInsensitive) }
        try await same("text !=[c] 'ANNA'") { $0.text.notEquals("ANNA", options: .caseInsensitive) }
        try await same("'ANNA' =[c] text") { $0.text.equals("ANNA", options: .caseInsensitive) }
        try await same("text IN[c] {'ANNA', 'BOB'}") {
            $0.text.equals("ANNA", options: .caseInsensitive)
                || $0.text.equals("BOB", options: .caseInsensitive)
        }
        try await same("maybeText IN[c] {'ANNA', nil}") {
            $0.maybeText.equals("ANNA", options: .caseInsensitive) || $0.maybeText == nil
        }
        try await same("maybeText ==[c] text") {
            $0.maybeText.equals($0.text, options: .caseInsensitive)
        }
        try await same("maybeText ==[c] maybeText") {
            $0.maybeText.equals($0.maybeText, options: .caseInsensitive)
        }
        try await same("maybeText !=[c] text") {
            $0.maybeText.notEquals($0.text, options: .caseInsensitive)
        }
        try await same("text BEGINSWITH maybeText") { $0.text.starts(with: $0.maybeText) }
        try await same("kind BEGINSWITH 'to' AND kind == 'toy'") { $0.kind == .toy }
        try await same("bytes CONTAINS B64'AQ=='") { $0.bytes.contains(Data([1])) }
        try await same("bytes BEGINSWITH 'bo'") { $0.bytes.starts(with: Data("bo".utf8)) }
        try await same("any CONTAINS 'ob'") { $0.any.contains("ob") }
    }

    // Covers 3.51
    @Test func textOperatorsCanIgnoreDiacritics() async throws {
        let same = try await GadgetCheck()
        let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        try await same("text ==[d] '\u{C4}nna'") {
            $0.text.equals("Anna", options: .diacriticInsensitive)
        }
        try await same("text ==[cd] '\u{E4}nna'") { $0.text.in(["Anna", "anna"]) }
        try await same("text !=[cd] '\u{E4}nna'") { !$0.text.in(["Anna", "anna"]) }
        try await same("text =[DC] 'STRASSE'") { $0.text == "Stra\u{DF}e" }
        try await same("text CONTAINS[d] '\u{F1}'") { $0.text.contains("n") }
        try await same("text BEGINSWITH[cd] 'a\u{301}'") {
            $0.text.starts(with: "A", options: both)
        }
        try await same("text ENDSWITH[Cd] '\u{C0}'") { $0.text.ends(with: "a") }
        try await same("text LIKE[cd] '\u{C5}N*'") { $0.text.like("an*", options: both) }
        try await same("text IN[cd] {'\u{E4}nna', 'B\u{F6}B'}") {
            $0.text.in(["Anna", "anna", "bob"])
        }
        try await same("maybeText ==[cd] text") { $0.maybeText.equals($0.text, options: both) }
        try await same("maybeText CONTAINS[cd] text") {
            $0.maybeText.contains($0.text, options: both)
        }
        try await same("maybeText LIKE[cd] text") { $0.maybeText.like($0.text, options: both) }
        try await same("any LIKE[cd] 'B\u{D6}?'") { $0.any.like("bob", options: both) }
        try await same("any ==[cd] 'B\u{D6}B'") { $0.any == .string("bob") }
        try await same("notes['a'] ==[cd] 'N\u{F3}TE'") { $0.notes["a"] == "Note" }
        try await same("ANY words ==[cd] '\u{C1}'") {
            $0.words.any { $0.equals("a", options: .caseInsensitive) }
        }
    }

    // MARK: Literals

    @Test func literalsAreReadAsTheTypeOfTheProperty() async throws {
        let same = try await GadgetCheck()
        try await same("number == 0x7") { $0.number == 7 }
        try await same("number == -0x3 OR number == +7") { $0.number.in([-3, 7]) }
        try await same("number == 2.0") { $0.number == 2 }
        try await same("number == 2e0") { $0.number == 2 }
        try await same("number == '7'") { $0.number == 7 }
        try await same("small == 100") { $0.small == 100 }
        try await same("small < 1000") { $0.small < 127 }
        try await same("ratio == 0.1") { $0.ratio == 0.1 }
        try await same("ratio == 1e10") { $0.ratio == 1e10 }
        try await same("ratio == 2.5f") { $0.ratio == 2.5 }
        try await same("ratio < inf") { $0.ratio < .infinity }
        try await same("ratio > -Infinity") { $0.ratio > -.infinity }
        try await same("ratio != nan") { $0.ratio != .nan }
        try await same("ratio >= '0.1'") { $0.ratio >= 0.1 }
        try await same("single == 0.1") { $0.single == 0.1 }
        try await same("single > 0.1") { $0.single > 0.1 }
        try await same("price == 0.1") { $0.price == "0.1" }
        try await same("price == 0.1000000000000000000001") {
            $0.price == "0.1000000000000000000001"
        }
        try await same("price > 0.1") { $0.price > "0.1" }
        try await same("price == '2.5'") { $0.price == "2.5" }
        try await same("flag == TRUE") { $0.flag == true }
        try await same("flag == false") { $0.flag == false }
        try await same("flag == YES") { $0.flag == true }
        try await same("flag == NO") { $0.flag == false }
        try await same("flag == 1") { $0.flag == true }
        try await same("rank == 9 OR rank == nil") { $0.rank == .high || $0.rank == nil }
        try await same("bytes == B64\"AQI=\"") { $0.bytes == Data([1, 2]) }
        try await same("bytes == binary('bob')") { $0.bytes == Data("bob".utf8) }
        try await same("bytes == bin(B64'AQI=')") { $0.bytes == Data([1, 2]) }
        try await same("bytes == 'bob'") { $0.bytes == Data("bob".utf8) }
        let uuid = UUID(uuidString: "01234567-89ab-cdef-0123-456789000003")!
        try await same("uuid == uuid(01234567-89ab-cdef-0123-456789000003)") { $0.uuid == uuid }
        try await same("uuid == '01234567-89AB-CDEF-0123-456789000003'") { $0.uuid == uuid }
        let oid = try ObjectId(string: "5f1b2c3d4e5f60718293a4b2")
        try await same("oid == oid(5f1b2c3d4e5f60718293a4b2)") { $0.oid == oid }
        try await same("oid > '5f1b2c3d4e5f60718293a4b2'") { $0.oid > oid }
        try await same("any == 1") { $0.any == .int(1) }
        try await same("any == true") { $0.any == .bool(true) }
        try await same("any == 'bob'") { $0.any == .string("bob") }
    }

    @Test func stringsHaveEscapes() async throws {
        let same = try await GadgetCheck()
        try await same("text == 'it\\'s'") { $0.text == "it's" }
        try await same("text == \"it's\"") { $0.text == "it's" }
        try await same("text == 'a\"\\\\n\\uD83D\\uDE00\\n'") { $0.text == "a\"\\n\u{1F600}\n" }
        try await same("text == 'Stra\\u00dfe'") { $0.text == "Straße" }
        try await same("text == '\\u0041nn\\a'") { $0.text == "Anna" }
    }

    @Test func datesAreInUTC() async throws {
        let same = try await GadgetCheck()
        let date = Gadgets.first
        // 1,700,000,000 seconds after 1970
        try await same("date == T1700000000:0") { $0.date == date }
        try await same("date == 2023-11-14@22:13:20") { $0.date == date }
        try await same("date == 2023-11-14T22:13:20Z") { $0.date == date }
        let half = date.addingTimeInterval(0.5)
        try await same("date == T1700000000:500000000") { $0.date == half }
        try await same("date == 2023-11-14@22:13:20:500000000") { $0.date == half }
        try await same("date == 2023-11-14@22:13:20.5") { $0.date == half }
        try await same("date >= 2023-11-14@22:13:21") { $0.date >= date.addingTimeInterval(1) }
        try await same("maybeDate < %@", [half]) { $0.maybeDate < half }
    }

    // Covers 3.83
    @Test func integersAreComparedWithFractionsExactly() async throws {
        let same = try await GadgetCheck()
        try await same("number > 1.5") { $0.number > 1 }
        try await same("number >= 1.5") { $0.number > 1 }
        try await same("number < 1.5") { $0.number <= 1 }
        try await same("number <= -2.5") { $0.number <= -3 }
        try await same("number > -2.5") { $0.number > -3 }
        try await same("-2.5 < number") { $0.number > -3 }
        try await same("number > %@", [1.5]) { $0.number > 1 }
        try await same("number > %@", ["1.5" as Decimal128]) { $0.number > 1 }
        try await same("number BETWEEN {0.5, 2.5}") { $0.number.in([1, 2]) }
        try await same("numbers.@count > 1.5") { $0.numbers.count > 1 }
        try await same("number < 1e300") { $0.id >= 0 }
        try await same("number > -1e300") { $0.id >= 0 }
        try await same("number < -1e300") { $0.id < 0 }
        try await same("number < inf AND number > -inf") { $0.id >= 0 }
        try await same("number < -9223372036854775808.5") { $0.id < 0 }
        try await same("number <= 9223372036854775807.5") { $0.id >= 0 }
        try await same("number > 9223372036854775806.5") { $0.id < 0 }
        try await same("number < 18446744073709551616") { $0.id >= 0 }
        try await same("number > %@", [UInt64.max]) { $0.id < 0 }
        // Not rounded to a double.
        let realm = same.realm
        try await realm.write { $0.objects(Gadget.self)[4].like = 9_007_199_254_740_993 }
        try await same.finds("like == 9007199254740993.0", [4])
        try await same.finds("like == 9007199254740992.0", [])
        try await same.finds("like > 9007199254740992.5", [4])
        try await same.finds("like < 9007199254740993.5 AND like > 9007199254740992", [4])
    }

    // Covers 3.77
    @Test func listsAreInBraces() async throws {
        let same = try await GadgetCheck()
        try await same("any IN {1, 'bob', null, true}") {
            $0.any.in([.int(1), .string("bob"), .none, .bool(true)])
        }
        try await same("number IN {1, $0, -3}", [7]) { $0.number.in([1, 7, -3]) }
        try await same("number IN {%@, %@}", [7, 2]) { $0.number.in([7, 2]) }
        try await same("ANY {1, 7} == number") { $0.number.in([1, 7]) }
        try await same("number != ALL {1, 7}") { !$0.number.in([1, 7]) }
        try await same("NONE {1, 7} == number") { !$0.number.in([1, 7]) }
        try await same("number > ALL {1, 2}") { $0.number > 2 }
        try await same("text CONTAINS ANY {'nn', 'ob'}") {
            $0.text.contains("nn") || $0.text.contains("ob")
        }
        try await same("number == ANY {}") { $0.id < 0 }
        try await same("number == ALL {}") { $0.id >= 0 }
    }

    // Covers 3.76
    @Test func betweenIncludesBothBounds() async throws {
        let same = try await GadgetCheck()
        try await same("number BETWEEN {0, 2}") { $0.number.contains(0...2) }
        try await same("number between {2, 0}") { $0.id < 0 }
        try await same("maybeNumber BETWEEN {0, 100}") { $0.maybeNumber.contains(0...100) }
        try await same("ratio BETWEEN {0, 0.1}") { $0.ratio.contains(0...0.1) }
        try await same("price BETWEEN {0.1, 3}") { $0.price.contains("0.1"..."3") }
        try await same("date BETWEEN %@", [[Gadgets.first, Gadgets.first + 1]]) {
            $0.date.contains(Gadgets.first...Gadgets.first.addingTimeInterval(1))
        }
        try await same("NOT number BETWEEN {0, 2}") { !$0.number.contains(0...2) }
        try await same("friend.number BETWEEN {0, 2}") { $0.friend.number.contains(0...2) }
        try await same("numbers BETWEEN {3, 6}") { $0.numbers.any { $0.contains(3...6) } }
        try await same("ALL numbers BETWEEN {1, 2}") { $0.numbers.all { $0.contains(1...2) } }
        try await same("friends.@count BETWEEN {1, 2}") { $0.friends.count.contains(1...2) }
    }

    // MARK: Arguments

    // Covers 3.82, 3.88
    @Test func argumentsAreGivenByPositionOrName() async throws {
        let same = try await GadgetCheck()
        try await same("number == %@", [7]) { $0.number == 7 }
        try await same("number == %d OR number = %ld", [7, 0]) { $0.number.in([7, 0]) }
        try await same("number == $1 OR number == $0 OR like == $1", [7, 0]) {
            $0.number.in([0, 7]) || $0.like == 0
        }
        try await same("%@ < number", [1]) { $0.number > 1 }
        try await same("%K > %@", ["number", 1]) { $0.number > 1 }
        try await same("$K0 > $1", ["friend.number", 0]) { $0.friend.number > 0 }
        try await same("friend.%K > %@", ["number", 0]) { $0.friend.number > 0 }
        try await same("number IN %@", [[1, 7]]) { $0.number.in([1, 7]) }
        try await same("number IN %@", [1...2]) { $0.number.in([1, 2]) }
        try await same("number IN $0", [Set([1, 7])]) { $0.number.in([1, 7]) }
        try await same("maybeNumber IN %@", [[nil, 12] as [Int?]]) { $0.maybeNumber.in([nil, 12]) }
        try await same("ANY $0 == number", [[1, 7]]) { $0.number.in([1, 7]) }
        try await same("number != ALL %@", [[1, 7]]) { !$0.number.in([1, 7]) }
        try await same("maybeNumber == %@", [nil]) { $0.maybeNumber == nil }
        try await same("number == %@", [Int8(7)]) { $0.number == 7 }
        try await same("number == %@", [UInt(7)]) { $0.number == 7 }
        try await same("ratio == %@", [0.1]) { $0.ratio == 0.1 }
        try await same("single == %f", [Float(0.1)]) { $0.single == 0.1 }
        try await same("single == %@", [0.1]) { $0.single == 0.1 }
        try await same("price == %@", [0.1]) { $0.price == "0.1" }
        try await same("price == %@", ["2.5" as Decimal128]) { $0.price == "2.5" }
        try await same("text == %@", ["bob" as Substring]) { $0.text == "bob" }
        try await same("bytes == %@", [Data([1])]) { $0.bytes == Data([1]) }
        try await same("kind == %@", [GadgetKind.tool]) { $0.kind == .tool }
        try await same("rank == %@", [GadgetRank.high]) { $0.rank == .high }
        try await same("flag == %@", [true]) { $0.flag == true }
        let uuid = UUID(uuidString: "01234567-89ab-cdef-0123-456789000003")!
        try await same("uuid == %@", [uuid]) { $0.uuid == uuid }
        try await same("scores[$0] > $1", ["a", 1]) { $0.scores["a"] > 1 }
        try await same.finds("numbers[$0] == 2", [2, 4], values: [1])
        let names: [String: Any?] = ["low": 1, "text": "Anna", "none": nil]
        let found = try realm(same).filter(
            "number >= $low OR text == $text OR maybeNumber == $none", named: names)
        expectEqual(found.map(\.id), [0, 2, 3, 4, 5])
    }

    private func realm(_ same: GadgetCheck) -> FrozenResults<Gadget> {
        same.realm.snapshot().objects(Gadget.self)
    }

    @Test func collectionsAndValuesOfAnyTypeAreArguments() async throws {
        let realm = try await Gadgets.realm()
        let confined = try await realm.write { tx in
            let all = tx.objects(Gadget.self)
            func ids(_ text: String, _ value: Any?) throws -> [Int] {
                try all.filter(text, value).map(\.id)
            }
            var found: [[Int]] = []
            found.append(try ids("number IN %@", all[2].numbers))
            found.append(try ids("any == %@", AnyRealmValue.int(1)))
            found.append(try ids("number == %@", AnyRealmValue.int(7)))
            found.append(try ids("friend == %@", all[0]))
            found.append(try ids("friend != %@", all[0]))
            found.append(try ids("friend IN %@", [all[0], all[3]]))
            found.append(try ids("friend IN %@", [nil, all[3]]))
            found.append(try ids("SELF == %@", all[3]))
            found.append(try ids("ANY friends == %@", all[4]))
            found.append(try ids("friends[0] == %@", all[1]))
            found.append(try ids("named['a'] == %@", all[2]))
            found.append(try ids("friend == %@", Gadget()))
            return found
        }
        expectEqual(
            confined,
            [
                [2, 3, 5], [1], [4], [1], [0, 2, 3, 4, 5], [1, 3], [0, 3, 4], [3], [3], [0], [2],
                [],
            ])
        let frozen = realm.snapshot().objects(Gadget.self)
        for all in [frozen, realm.objects(Gadget.self).current] {
            try expectEqual(all.filter("friend == %@", frozen[0]).map(\.id), [1])
            try expectEqual(all.filter("NONE friends == %@", frozen[4]).map(\.id), [0, 1, 2, 4, 5])
        }
        try expectEqual(realm.objects(Gadget.self).filter("SELF IN %@", [frozen[2]]).count, 1)
    }
}
