import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

private class Vessel: Object {
    @Persisted var name: String
    @Persisted var length: Int
    @Persisted var next: Person?
    @Persisted var tags: List<String>
    @Persisted var extra: AnyRealmValue

    var label: String { "\(name) \(length)" }
    var lastTags: List<String> { List(tags.suffix(1)) }
}

private final class Tanker: Vessel {
    override class func propertiesMapping() -> [String: String] {
        ["name": "title", "length": "metres", "next": "owner"]
    }
}

/// Key paths with one and several components, in sorts, distinct results and aggregates.
@Suite struct KeyPathTests {
    // Covers 1.31, 2.16, 3.93
    @Test func sortsThroughLinksWithNilFirst() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.snapshot().objects(Breeder.self)
        expectEqual(
            breeders.sorted(by: \.favourite?.age).map(\.name), ["Cid", "Dan", "Ann", "Bob"])
        expectEqual(
            breeders.sorted(by: \.favourite?.age, ascending: false).map(\.name),
            ["Bob", "Ann", "Dan", "Cid"])
        expectEqual(breeders.sorted(by: \.kennel?.city).map(\.name), ["Cid", "Ann", "Dan", "Bob"])
        expectEqual(
            breeders.sorted(by: \.kennel?.yard?.area).map(\.name), ["Bob", "Cid", "Dan", "Ann"])
        expectEqual(
            breeders.sorted(by: .descending(\.kennel?.city), .ascending(\.kennel?.size))
                .map(\.name), ["Bob", "Dan", "Ann", "Cid"])
        expectEqual(
            breeders.sorted(by: \.favourite?.mother?.name).map(\.name),
            ["Cid", "Dan", "Ann", "Bob"])
        expectEqual(
            realm.objects(Breeder.self).sorted(by: \.favourite?.coat).current.map(\.name),
            ["Cid", "Dan", "Ann", "Bob"])
        try await realm.read { tx in
            let pups = tx.objects(Pup.self).sorted(by: \.mother?.mother?.name, ascending: false)
            expectEqual(pups.map(\.name), ["Di", "Ada", "Bo", "Cy"])
            expectTrue(pups.first?.name == "Di" && pups.prefix(2).map(\.name) == ["Di", "Ada"])
        }
    }

    // Covers 1.31
    @Test func computedPropertyThatGivesALinkedPropertyUnchangedNamesIt() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        expectEqual(pups.sorted(by: \.motherName).map(\.name), ["Ada", "Bo", "Cy", "Di"])
        expectEqual(pups.where { $0.motherName == "Ada" }.map(\.name), ["Bo", "Cy"])
        expectEqual(pups.where { $0.grandmother.name == "Ada" }.map(\.name), ["Di"])
    }

    // Covers 1.31, 3.101
    @Test func computedPropertiesAreNoPaths() async {
        let fallback = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).sorted(by: \.motherNameOrNone)
        }
        expectTrue(sentence(fallback).contains("is not a @Persisted property of Pup"))
        let recursive = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).where { $0.line > 2 }
        }
        expectTrue(sentence(recursive).contains("is not a @Persisted property of Pup"))
        let linked = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).sorted(by: \.favourite?.ageAsText)
        }
        expectTrue(sentence(linked).contains("is not a @Persisted property of Breeder"))
        let forced = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).sorted(by: \.favourite!.age)
        }
        expectTrue(sentence(forced).contains("those of linked objects (\\.link?.property)"))
        let collection = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).distinct(by: \.pups)
        }
        expectTrue(sentence(collection).contains("is a link or a collection"))
    }

    @Test func copiesOfCollectionsAreNoPaths() async {
        let copy = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Vessel.self, Person.self])
            _ = realm.objects(Vessel.self).where { $0.lastTags.count > 1 }
        }
        expectTrue(sentence(copy).contains("is not a @Persisted property of Vessel"))
    }

    @Test func keyPathsFollowUpTo16Links() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        let longest: KeyPath<Pup, String?> =
            \.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?
            .mother?.mother?.mother?.mother?.mother?.mother?.name
        expectEqual(pups.sorted(by: longest).map(\.name), ["Ada", "Bo", "Cy", "Di"])
        let links = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let longer: KeyPath<Pup, String?> =
                \.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?
                .mother?.mother?.mother?.mother?.mother?.mother?.mother?.name
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).sorted(by: longer)
        }
        expectTrue(sentence(links).contains("of Pup, or follows more than 16 links, the maximum"))
    }

    @Test func frozenObjectsHaveComputedPropertiesThatFollowLinks() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        expectEqual(pups.map(\.line), [1, 2, 2, 3])
        expectEqual(pups.map(\.motherNameOrNone), ["none", "Ada", "Ada", "Bo"])
        expectEqual(pups.map(\.motherName), [nil, "Ada", "Ada", "Bo"])
        expectEqual(pups.map(\.initial), ["A", "B", "C", "D"])
        expectTrue(pups[0].lastToy == "bone" && pups[0].grandmother == nil)
        expectEqual(pups[3].grandmother?.name, "Ada")
        // Reading computed properties didn't affect what queries resolve.
        expectEqual(pups.where { $0.motherName == "Ada" }.count, 2)
        expectEqual(pups.sorted(by: \.grandmother?.name, ascending: false)[0].name, "Di")
    }

    // Covers 2.19, 2.48, 3.98, 3.100, 3.101
    @Test func distinctKeepsTheFirstOfEachTuple() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        expectEqual(pups.distinct(by: \.coat).map(\.name), ["Ada", "Bo", "Cy"])
        expectEqual(
            pups.sorted(by: \.age, ascending: false).distinct(by: \.coat).map(\.name),
            ["Di", "Cy", "Bo"])
        // The distinct objects are chosen before sorting.
        expectEqual(
            pups.distinct(by: \.coat).sorted(by: \.age, ascending: false).map(\.name),
            ["Cy", "Bo", "Ada"])
        expectEqual(pups.distinct(by: \.coat, \.isGood).map(\.name), ["Ada", "Bo", "Cy", "Di"])
        expectEqual(pups.distinct(by: [\.coat, \.isGood]).count, 4)
        expectEqual(pups.distinct(by: \.isGood).distinct(by: \.coat).map(\.name), ["Ada", "Bo"])
        expectEqual(pups.where { $0.age > 1 }.distinct(by: \.isGood).map(\.name), ["Bo", "Cy"])
        expectEqual(pups.distinct(by: \.isGood).where { $0.age > 1 }.map(\.name), ["Bo", "Cy"])
        expectEqual(pups.distinct(by: []).count, 4)
    }

    // Covers 2.19, 3.99
    @Test func distinctGroupsNilAndLeavesOutNilLinks() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.objects(Breeder.self)
        expectEqual(breeders.distinct(by: \.kennel?.city).current.map(\.name), ["Ann", "Bob"])
        expectEqual(
            breeders.distinct(by: \.kennel?.yard?.note).current.map(\.name), ["Ann", "Dan"])
        try await realm.write { tx in
            let pups = tx.objects(Pup.self)
            pups[0].weight = nil
            expectEqual(pups.distinct(by: \.weight).map(\.name), ["Ada", "Cy", "Di"])
            expectEqual(
                pups.distinct(by: \.mother?.name, \.isGood).map(\.name), ["Bo", "Cy", "Di"])
        }
    }

    // Covers 2.24
    @Test func aggregatesFollowLinks() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.snapshot().objects(Breeder.self)
        expectEqual(breeders.sum(of: \.favourite?.age), 9)
        expectEqual(breeders.average(of: \.favourite?.age), 3)
        expectEqual(breeders.min(of: \.kennel?.size), -2)
        expectEqual(breeders.max(of: \.kennel?.yard?.area), 1.5)
        expectEqual(realm.objects(Breeder.self).max(of: \.favourite?.age), 5)
        try await realm.read { tx in
            expectEqual(tx.objects(Breeder.self).max(of: \.favourite?.age), 5)
        }
    }

    @Test func sortOrdersAreReversedAndCompared() {
        let order = SortOrder<Pup>.ascending(\.age)
        expectTrue(order.reversed() == .descending(\.age) && order != order.reversed())
        expectTrue(order != .ascending(\.name) && order.reversed().reversed() == order)
        expectTrue(SortOrder<Pup>.ascending(\.mother?.age) != order)
    }

    // Covers 2.16
    @Test func sortsByTypesWithoutComparisonOperators() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        expectEqual(pups.sorted(by: \.isGood).map(\.name), ["Bo", "Di", "Ada", "Cy"])
        expectEqual(pups.sorted(by: \.chip).map(\.name), ["Bo", "Di", "Ada", "Cy"])
        expectEqual(pups.sorted(by: \.grade).map(\.name), ["Bo", "Ada", "Di", "Cy"])
        expectEqual(
            pups.sorted(by: \.coat, ascending: false).map(\.name), ["Cy", "Bo", "Ada", "Di"])
    }

    // Covers 2.46
    @Test func aMetatypeInAVariableStandsForItsClassInQueries() async throws {
        let realm = try await Realm.temporary([Tanker.self, Person.self])
        let type: Vessel.Type = Tanker.self
        try await realm.write { tx in
            for (name, length) in [("b", 2), ("a", 3), ("c", 1)] {
                let tanker = Tanker()
                tanker.name = name
                tanker.length = length
                tanker.tags.append(name)
                tanker.extra = .fromArray([.string(name)])
                tanker.next = Person(name, age: length)
                try tx.add(tanker)
            }
            let all = tx.objects(type)
            expectTrue(all.sum(of: \.length) == 6 && all.min(of: \.length) == 1)
            expectEqual(all.average(of: \.length), 2)
            expectEqual(all.where { $0.length > 1 }.map(\.name), ["b", "a"])
            expectEqual(all.where { $0.next.age == 1 }.map(\.name), ["c"])
            expectEqual(all.where { $0.tags.contains("a") }.map(\.name), ["a"])
            expectEqual(all.where { $0.extra[0] == .string("c") }.map(\.name), ["c"])
            expectEqual(all.index(matching: { $0.name == "a" }), 1)
            expectEqual(all.sorted(by: \.name).map(\.name), ["a", "b", "c"])
            expectEqual(all.sorted(by: \.next?.age).map(\.name), ["c", "b", "a"])
            expectEqual(all.distinct(by: \.name).count, 3)
        }
        let frozen = realm.snapshot().objects(type)
        expectEqual(frozen.sum(of: \.length), 6)
        expectEqual(frozen.where { $0.name == "a" }.map(\.length), [3])
        expectEqual(frozen.sorted(by: .descending(\.length)).map(\.name), ["a", "b", "c"])
        let live = realm.objects(type).where { $0.length == 3 }
        expectTrue(live.current.map(\.name) == ["a"] && live.max(of: \.length) == 3)
    }

    // Covers 2.46, O54
    @Test func aMetatypeInAVariableStandsForItsClassInSectionsAndProjections() async throws {
        let realm = try await Realm.temporary([Tanker.self, Person.self])
        let type: Vessel.Type = Tanker.self
        let keys = try await realm.write { tx in
            for (name, length) in [("b", 2), ("a", 1), ("c", 2)] {
                let tanker = Tanker()
                (tanker.name, tanker.length) = (name, length)
                try tx.add(tanker)
            }
            let lengths = tx.objects(type).sectioned(
                by: \.length, sortDescriptors: [.descending(\.length), .descending(\.name)])
            expectEqual(lengths.map { $0.map(\.name) }, [["c", "b"], ["a"]])
            return lengths.allKeys
        }
        expectEqual(keys, [2, 1])
        let frozen = realm.snapshot().objects(type)
        expectEqual(frozen.sectioned(by: \.length).map { $0.map(\.name) }, [["a"], ["b", "c"]])
        let initials = frozen.sectioned(sortDescriptors: [.descending(\.name)]) { $0.length }
        expectEqual(initials.map { $0.map(\.name) }, [["c", "b"], ["a"]])
        let live = realm.objects(type)
        let sections = live.sectioned(by: \.length, ascending: false)
        expectEqual(sections.current.allKeys, [2, 1])
        var changes = sections.changes.makeAsyncIterator()
        var labels = live.projectTo.label.changes.makeAsyncIterator()
        _ = try await (changes.next(), labels.next())
        try await realm.write { $0.objects(Tanker.self)[0].length = 1 }
        guard case .update(_, let moved)? = try await changes.next(within: .zero).element,
            case .update(_, let shown)? = try await labels.next(within: .zero).element
        else {
            Issue.record("an element is missing")
            return
        }
        expectTrue(moved.deletions.count == 1 && moved.insertions.count == 1)
        expectTrue(shown.modified.map(\.old) == ["b 2"] && shown.modified.map(\.new) == ["b 1"])
    }
}
