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
        let rex = try #require(live.current)
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
        let fido = try #require(realm.ann.favourite)
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
}
