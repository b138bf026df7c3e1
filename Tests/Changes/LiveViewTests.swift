import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct LiveViewTests {
    @Test func liveObjectShowsItsCurrentValueWithAllThatItReaches() async throws {
        let realm = try await Realm.kennel()
        let live = realm.object(Whelp.self, forPrimaryKey: "Rex")
        expectTrue(live.current?.walkers.count == 2 && live.current?.friend?.name == "Fido")
        let rex = try requireValue(live.current)
        try await realm.write { tx in
            tx.objects(Walker.self)[0].pups.removeAll()
            tx.resolve(rex)?.friend = nil
        }
        expectTrue(live.current?.walkers.isEmpty == true && live.current?.friend == nil)
        try await realm.write { tx in tx.delete(tx.objects(Whelp.self)) }
        expectNil(live.current)
    }

    // Covers 2.2, 2.3
    @Test func liveResultsAnswerOfTheNewestVersion() async throws {
        let realm = try await Realm.kennel()
        let pups = realm.objects(Whelp.self).sorted(by: \.age)
        let fido = try requireValue(realm.ann.favourite)
        expectTrue(pups.count == 2 && pups.first?.name == "Rex" && pups.last == fido)
        expectTrue(pups[1] == fido && pups.index(of: fido) == 1 && pups.contains(fido))
        expectEqual(pups.objects(at: [1, 0]).map(\.name), ["Fido", "Rex"])
        expectTrue(pups.prefix(1).map(\.name) == ["Rex"] && !pups.isEmpty)
        expectTrue(pups[1..<2].map(\.name) == ["Fido"] && pups.index { $0.age > 4 } == 1)
        expectTrue(pups.sum(of: \.age) == 8 && pups.max(of: \.age) == 5)
        expectTrue(pups.min(of: \.level) == -3 && pups.average(of: \.age) == 4)
        try await realm.write { tx in tx.resolve(fido)?.age = 1 }
        expectTrue(pups.first?.name == "Fido" && pups.index(of: fido) == 0)
        try await realm.write { tx in tx.delete(tx.objects(Whelp.self)) }
        expectTrue(pups.isEmpty && pups.first == nil && pups.last == nil && !pups.contains(fido))
    }
    @Test func handlesPrintWhatTheyShow() async throws {
        let realm = try await Realm.temporary(
            [Hound.self, Keeper.self, Collar.self] + mapClasses)
        let rex = realm.object(Hound.self, forPrimaryKey: "Rex")
        expectEqual(rex.description, "nil")
        try await realm.write { tx in
            let hound = Hound("Rex", age: 3)
            hound.tags.append("big")
            try tx.add(hound)
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            try tx.add(keeper)
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.description, "Snapshot(version: \(snapshot.version))")
        expectEqual(rex.description, rex.current?.description)
        expectEqual(rex.tags.description, "LiveValues<String> (\n    [0] big\n)")
        let scores = realm.object(MapKeeper.self, forPrimaryKey: 1).scores
        expectEqual(scores.current.description, "FrozenMap<String, Int> (\n    [a] 1\n)")
        expectEqual(scores.description, "LiveMap<String, Int> (\n    [a] 1\n)")
        let hounds = realm.objects(Hound.self).description
        #expect(hounds.hasPrefix("LiveResults<Hound> (\n    [0] Hound {"))
        expectEqual(rex.changes.description, "Changes<ObjectChange<Hound>>")
        expectEqual(realm.commits.description, "CommitSequence")
    }
}
