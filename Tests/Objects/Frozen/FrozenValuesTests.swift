import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct FrozenValuesTests {
    // Covers 2.3, 2.41
    @Test func valuesAreACollection() async throws {
        let realm = try await Realm.kennel()
        let tags = realm.ann.tags
        expectTrue(
            tags.count == 3 && tags.first == "big" && tags.last == "big" && tags[1] == "loud")
        expectEqual(tags.map { $0 + "!" }, ["big!", "loud!", "big!"])
        expectTrue(tags.index(of: "loud") == 1 && tags.firstIndex(of: "none") == nil)
        expectTrue(tags.contains("big") && !tags.contains("none"))
        expectTrue(Array(tags[1...]) == ["loud", "big"] && Array(tags.prefix(1)) == ["big"])
        expectEqual(tags.array, ["big", "loud", "big"])
        let scores = realm.ann.scores
        expectTrue(scores.contains(nil) && scores.index(of: nil) == 1 && scores.index(of: 4) == 0)
        expectTrue(realm.ann.furs.contains(.short))
    }

    @Test func valuesAreSortedAndDistinct() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        expectEqual(ann.tags.sorted().array, ["big", "big", "loud"])
        expectEqual(ann.tags.distinct().array, ["big", "loud"])
        expectEqual(ann.tags.distinct().sorted(ascending: false).array, ["loud", "big"])
        expectEqual(ann.scores.sorted().array, [nil, 2, 4, 4])
        expectEqual(ann.scores.sorted(ascending: false).array, [4, 4, 2, nil])
        expectEqual(ann.scores.distinct().array, [4, nil, 2])
        let ratios = ann.ratios.sorted().array
        expectTrue(ratios[0].isNaN && ratios[1...] == [-1, 0.5])
    }

    @Test func valuesAreFolded() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        expectTrue(ann.scores.sum() == 10 && ann.scores.min() == 2 && ann.scores.max() == 4)
        expectEqual(ann.scores.average(), 10.0 / 3)
        expectTrue(ann.ratios.min() == -1 && ann.ratios.max() == 0.5)
        let bob = try requireValue(realm.snapshot().objects(Walker.self).last)
        expectTrue(bob.scores.sum() == 0 && bob.scores.min() == nil && bob.scores.average() == nil)
    }

    // Covers 2.38
    @Test func valuesAreEqualByContent() async throws {
        let realm = try await Realm.kennel()
        let old = realm.ann
        try await realm.write { tx in
            tx.objects(Walker.self)[0].tags[1] = "quiet"
            let bob = tx.objects(Walker.self)[1]
            bob.tags.append(objectsIn: ["big", "loud", "big"])
        }
        let new = realm.ann
        let bob = realm.snapshot().objects(Walker.self)[1]
        expectTrue(old.tags == old.tags && old.tags != new.tags)
        expectTrue(old.tags == bob.tags && old.tags.hashValue == bob.tags.hashValue)
        expectTrue(old.ratios == new.ratios && old.scores == new.scores)
        expectEqual(Set([old.tags, new.tags, bob.tags]).count, 2)
        expectTrue(new.tags.array == ["big", "quiet", "big"] && old.tags[1] == "loud")
    }

    // Covers 2.39
    @Test func valuesDescribeThemselves() async throws {
        let realm = try await Realm.kennel()
        expectEqual(
            "\(realm.ann.tags)", "FrozenValues<String> (\n    [0] big\n    [1] loud\n    [2] big\n)"
        )
        expectTrue("\(realm.ann.scores)".contains("\n    [1] nil\n    [2] 2\n"))
        try await realm.write { tx in
            tx.objects(Walker.self)[0].scores.append(objectsIn: (0..<200).map { $0 })
        }
        expectTrue("\(realm.ann.scores)".hasSuffix("\n    [99] 95\n    … 104 more\n)"))
    }
}
