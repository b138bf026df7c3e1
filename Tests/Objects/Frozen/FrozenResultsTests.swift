import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

@Suite struct FrozenResultsTests {
    private func crowd(_ count: Int) async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for number in 0..<count { try tx.add(Person("p\(number % 7)", age: count - number)) }
        }
        return realm
    }

    // Covers 2.2, 2.3
    @Test func firstPrefixAndSlicesDoNotEvaluateTheRest() async throws {
        let realm = try await crowd(500)
        let people = realm.snapshot().objects(Person.self).sorted(by: \.age)
        expectTrue(people.first?.age == 1 && people.prefix(3).map(\.age) == [1, 2, 3])
        expectTrue(people[2..<5].map(\.age) == [3, 4, 5] && people[7].age == 8)
        expectTrue(people.count == 500 && !people.isEmpty)
        expectNil(people.query.knownTree)
        expectTrue(people[499].age == 500 && people.last?.age == 500)
        expectTrue(people.query.knownTree != nil)
        let all = realm.snapshot().objects(Person.self)
        expectTrue(all.last?.age == 1 && all.count == 500 && all.query.knownTree == nil)
    }

    @Test func slicesKeepTheirPositions() async throws {
        let realm = try await crowd(50)
        let people = realm.snapshot().objects(Person.self)
        let slice = people[10..<20]
        expectTrue(slice.startIndex == 10 && slice.count == 10 && slice[10].age == 40)
        expectTrue(slice.first == people[10] && slice.map(\.age) == Array((31...40).reversed()))
        expectTrue(
            people[50..<50].isEmpty && people.prefix(0).isEmpty && people.suffix(1).count == 1)
    }

    // Covers 2.11
    @Test func positionsOfObjectsAreFound() async throws {
        let realm = try await crowd(100)
        let old = realm.snapshot().objects(Person.self)[30]
        try await realm.write { $0.objects(Person.self)[30].height = 1.5 }
        for evaluates in [false, true] {
            let people = realm.snapshot().objects(Person.self)
            let sorted = people.sorted(by: \.age)
            let few = people.where { $0.name == "p1" }
            if evaluates { _ = (sorted.query.tree, few.query.tree, people.query.tree) }
            expectTrue(people.index(of: old) == 30 && sorted.index(of: old) == 69)
            expectTrue(few.index(of: old) == nil && !few.contains(old) && people.contains(old))
            expectEqual(people.firstIndex(of: people[12]), 12)
            expectTrue(few.contains(people[8]) && few.index(of: people[8]) == 1)
            expectEqual(people.objects(at: [3, 1]).map(\.age), [97, 99])
        }
    }

    @Test func largeResultsAreEvaluatedOnRequest() async throws {
        let realm = try await crowd(3_000)
        let people = realm.snapshot().objects(Person.self).sorted(by: \.age)
        let evaluated = await people.evaluated()
        expectTrue(people.query.knownTree != nil && evaluated == people && evaluated[9].age == 10)
        let few = await realm.snapshot().objects(Person.self).where { $0.age < 3 }.evaluated()
        expectEqual(few.map(\.age), [2, 1])
        await expectEqual(evaluated.evaluated().count, 3_000)
    }

    // Covers 2.39
    @Test func descriptionShowsAHundredElementsAndFiveLevels() async throws {
        let realm = try await crowd(150)
        let text = realm.snapshot().objects(Person.self).description
        #expect(text.hasPrefix("FrozenResults<Person> (\n    [0] Person {\n"))
        expectTrue(text.contains("\n    [99] Person {") && !text.contains("[100]"))
        expectTrue(text.hasSuffix("\n    … 50 more\n)"))
        let live = realm.objects(Person.self).where { $0.age == 1 }.description
        #expect(live.hasPrefix("LiveResults<Person> (\n    [0] Person {\n"))
        expectTrue(live.contains("        age = 1\n"))
        try await realm.read { tx in
            let some = tx.objects(Person.self).where { $0.age < 3 }
            #expect("\(some)".hasPrefix("Results<Person> (\n    [0] Person {\n"))
            expectEqual("\(some.where { $0.age > 3 })", "Results<Person> ()")
            expectTrue("\(tx.objects(Person.self))".hasSuffix("\n    … 50 more\n)"))
        }
        expectEqual("\(SortOrder<Person>.descending(\.age))", "descending(age)")
        let kennel = try await Realm.kennel()
        let confined = try await kennel.read { $0.objects(Walker.self)[0].description }
        expectEqual(kennel.ann.description, confined)
        expectTrue(confined.contains("\n    tags = List<String> ("))
        try await kennel.write { tx in
            var last = try requireValue(tx.object(Whelp.self, forPrimaryKey: "Rex"))
            for number in 0..<9 {
                last.friend = Whelp("friend \(number)")
                last = try requireValue(last.friend)
            }
        }
        let rex = try requireValue(kennel.snapshot().object(Whelp.self, forPrimaryKey: "Rex"))
        expectTrue(rex.description.contains("friend 3") && !rex.description.contains("friend 4"))
    }

    /// Foundation's description of such a date traps.
    @Test func aDateThatIsNaNHasADescription() {
        let date = Date(timeIntervalSinceReferenceDate: .nan)
        let values = List<AnyRealmValue>()
        values.append(.date(date))
        let dates = List<Date>()
        dates.append(date)
        expectEqual(AnyRealmValue.date(date).description, "NaN")
        expectTrue(values.description.contains("NaN") && dates.description.contains("NaN"))
        expectTrue("\(FrozenAnyValue.date(date))".contains("NaN"))
    }

    @Test func longDataIsAbbreviatedInDescriptions() async throws {
        let realm = try await Realm.temporary([Everything.self])
        try await realm.write { tx in
            let thing = Everything()
            thing.data = Data(repeating: 0xA5, count: 1_000)
            thing.maybeData = Data([1, 2])
            try tx.add(thing)
        }
        let text = realm.snapshot().objects(Everything.self)[0].description
        expectTrue(text.contains("(1000 bytes)") && text.contains("maybeData = <0102> (2 bytes)"))
        expectTrue(text.utf8.count < 1_000)
    }
}
