import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Key paths with one and several components, in sorts, distinct results and aggregates.
@Suite struct KeyPathTests {
    // Covers 1.31, 2.16, 3.93
    @Test func sortsThroughLinksWithNilFirst() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.snapshot().objects(Breeder.self)
        #expect(breeders.sorted(by: \.favourite?.age).map(\.name) == ["Cid", "Dan", "Ann", "Bob"])
        #expect(
            breeders.sorted(by: \.favourite?.age, ascending: false).map(\.name)
                == ["Bob", "Ann", "Dan", "Cid"])
        #expect(breeders.sorted(by: \.kennel?.city).map(\.name) == ["Cid", "Ann", "Dan", "Bob"])
        #expect(
            breeders.sorted(by: \.kennel?.yard?.area).map(\.name) == ["Bob", "Cid", "Dan", "Ann"])
        #expect(
            breeders.sorted(by: .descending(\.kennel?.city), .ascending(\.kennel?.size))
                .map(\.name) == ["Bob", "Dan", "Ann", "Cid"])
        #expect(
            breeders.sorted(by: \.favourite?.mother?.name).map(\.name)
                == ["Cid", "Dan", "Ann", "Bob"])
        #expect(
            realm.objects(Breeder.self).sorted(by: \.favourite?.coat).current.map(\.name)
                == ["Cid", "Dan", "Ann", "Bob"])
        try await realm.read { tx in
            let pups = tx.objects(Pup.self).sorted(by: \.mother?.mother?.name, ascending: false)
            #expect(pups.map(\.name) == ["Di", "Ada", "Bo", "Cy"])
            #expect(pups.first?.name == "Di" && pups.prefix(2).map(\.name) == ["Di", "Ada"])
        }
    }

    // Covers 1.31
    @Test func computedPropertyThatGivesALinkedPropertyUnchangedNamesIt() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        #expect(pups.sorted(by: \.motherName).map(\.name) == ["Ada", "Bo", "Cy", "Di"])
        #expect(pups.where { $0.motherName == "Ada" }.map(\.name) == ["Bo", "Cy"])
        #expect(pups.where { $0.grandmother.name == "Ada" }.map(\.name) == ["Di"])
    }

    // Covers 1.31, 3.101
    @Test func computedPropertiesAreNoPaths() async {
        let fallback = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).sorted(by: \.motherNameOrNone)
        }
        #expect(sentence(fallback).contains("is not a @Persisted property of Pup"))
        let recursive = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).where { $0.line > 2 }
        }
        #expect(sentence(recursive).contains("is not a @Persisted property of Pup"))
        let linked = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).sorted(by: \.favourite?.ageAsText)
        }
        #expect(sentence(linked).contains("is not a @Persisted property of Breeder"))
        let forced = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).sorted(by: \.favourite!.age)
        }
        #expect(sentence(forced).contains("those of linked objects as \\.link?.property"))
        let collection = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).distinct(by: \.pups)
        }
        #expect(sentence(collection).contains("leads to objects or to a list"))
    }

    @Test func keyPathsFollowUpTo16Links() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        let longest: KeyPath<Pup, String?> =
            \.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?
            .mother?.mother?.mother?.mother?.mother?.mother?.name
        #expect(pups.sorted(by: longest).map(\.name) == ["Ada", "Bo", "Cy", "Di"])
        let links = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let longer: KeyPath<Pup, String?> =
                \.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?.mother?
                .mother?.mother?.mother?.mother?.mother?.mother?.mother?.name
            let realm = try await Breeders.realm()
            _ = realm.objects(Pup.self).sorted(by: longer)
        }
        #expect(sentence(links).contains("of Pup, or follows more than 16 links, the maximum"))
    }

    @Test func frozenObjectsHaveComputedPropertiesThatFollowLinks() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        #expect(pups.map(\.line) == [1, 2, 2, 3])
        #expect(pups.map(\.motherNameOrNone) == ["none", "Ada", "Ada", "Bo"])
        #expect(pups.map(\.motherName) == [nil, "Ada", "Ada", "Bo"])
        #expect(pups.map(\.initial) == ["A", "B", "C", "D"])
        #expect(pups[0].lastToy == "bone" && pups[0].grandmother == nil)
        #expect(pups[3].grandmother?.name == "Ada")
        // Reading computed properties didn't affect what queries resolve.
        #expect(pups.where { $0.motherName == "Ada" }.count == 2)
        #expect(pups.sorted(by: \.grandmother?.name, ascending: false)[0].name == "Di")
    }

    // Covers 2.19, 2.48, 3.98, 3.100, 3.101
    @Test func distinctKeepsTheFirstOfEachTuple() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        #expect(pups.distinct(by: \.coat).map(\.name) == ["Ada", "Bo", "Cy"])
        #expect(
            pups.sorted(by: \.age, ascending: false).distinct(by: \.coat).map(\.name)
                == ["Di", "Cy", "Bo"])
        // The distinct objects are chosen before sorting.
        #expect(
            pups.distinct(by: \.coat).sorted(by: \.age, ascending: false).map(\.name)
                == ["Cy", "Bo", "Ada"])
        #expect(pups.distinct(by: \.coat, \.isGood).map(\.name) == ["Ada", "Bo", "Cy", "Di"])
        #expect(pups.distinct(by: [\.coat, \.isGood]).count == 4)
        #expect(pups.distinct(by: \.isGood).distinct(by: \.coat).map(\.name) == ["Ada", "Bo"])
        #expect(
            pups.where { $0.age > 1 }.distinct(by: \.isGood).map(\.name) == ["Bo", "Cy"])
        #expect(
            pups.distinct(by: \.isGood).where { $0.age > 1 }.map(\.name) == ["Bo", "Cy"])
        #expect(pups.distinct(by: []).count == 4)
    }

    // Covers 2.19, 3.99
    @Test func distinctGroupsNilAndLeavesOutNilLinks() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.objects(Breeder.self)
        #expect(breeders.distinct(by: \.kennel?.city).current.map(\.name) == ["Ann", "Bob"])
        #expect(
            breeders.distinct(by: \.kennel?.yard?.note).current.map(\.name) == ["Ann", "Dan"])
        try await realm.write { tx in
            let pups = tx.objects(Pup.self)
            pups[0].weight = nil
            #expect(pups.distinct(by: \.weight).map(\.name) == ["Ada", "Cy", "Di"])
            #expect(pups.distinct(by: \.mother?.name, \.isGood).map(\.name) == ["Bo", "Cy", "Di"])
        }
    }

    // Covers 2.24
    @Test func aggregatesFollowLinks() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.snapshot().objects(Breeder.self)
        #expect(breeders.sum(of: \.favourite?.age) == 9)
        #expect(breeders.average(of: \.favourite?.age) == 3)
        #expect(breeders.min(of: \.kennel?.size) == -2)
        #expect(breeders.max(of: \.kennel?.yard?.area) == 1.5)
        #expect(realm.objects(Breeder.self).max(of: \.favourite?.age) == 5)
        try await realm.read { tx in
            #expect(tx.objects(Breeder.self).max(of: \.favourite?.age) == 5)
        }
    }

    @Test func sortOrdersAreReversedAndCompared() {
        let order = SortOrder<Pup>.ascending(\.age)
        #expect(order.reversed() == .descending(\.age) && order != order.reversed())
        #expect(order != .ascending(\.name) && order.reversed().reversed() == order)
        #expect(SortOrder<Pup>.ascending(\.mother?.age) != order)
    }

    // Covers 2.16
    @Test func sortsByTypesWithoutComparisonOperators() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.snapshot().objects(Pup.self)
        #expect(pups.sorted(by: \.isGood).map(\.name) == ["Bo", "Di", "Ada", "Cy"])
        #expect(pups.sorted(by: \.chip).map(\.name) == ["Bo", "Di", "Ada", "Cy"])
        #expect(pups.sorted(by: \.grade).map(\.name) == ["Bo", "Ada", "Di", "Cy"])
        #expect(
            pups.sorted(by: \.coat, ascending: false).map(\.name) == ["Cy", "Bo", "Ada", "Di"])
    }
}
