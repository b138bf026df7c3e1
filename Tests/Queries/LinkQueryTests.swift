import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions on linked and embedded objects.
@Suite struct LinkQueryTests {
    // Covers 2.13, 3.8, 3.11, 3.40, 3.41
    @Test func memberOfALinkIsNilWhereThereIsNoObject() async throws {
        let realm = try await Breeders.realm()
        try await expectTrue(Breeders.names(realm) { $0.favourite.age > 2 } == ["Ann", "Bob"])
        try await expectTrue(Breeders.names(realm) { $0.favourite.age == 1 } == ["Dan"])
        try await expectTrue(
            Breeders.names(realm) { $0.favourite.age != 1 } == ["Ann", "Bob", "Cid"])
        try await expectTrue(Breeders.names(realm) { !($0.favourite.age > 2) } == ["Cid", "Dan"])
        try await expectTrue(Breeders.names(realm) { $0.favourite.name.contains("o") } == ["Ann"])
        try await expectTrue(
            Breeders.names(realm) { $0.favourite.weight == nil } == ["Ann", "Cid"])
        try await expectTrue(
            Breeders.names(realm) { $0.favourite.weight != nil } == ["Bob", "Dan"])
        try await expectTrue(Breeders.names(realm) { $0.favourite.isGood } == ["Bob", "Dan"])
        try await expectTrue(Breeders.names(realm) { !$0.favourite.isGood } == ["Ann"])
        try await expectTrue(
            Breeders.names(realm) { $0.favourite.nick.in(["CY", nil]) }
                == ["Ann", "Bob", "Cid"])
    }

    // Covers 3.11, 3.40
    @Test func pathsOfAnyDepthLeadThroughLinksAndEmbeddedObjects() async throws {
        let realm = try await Breeders.realm()
        try await expectTrue(
            Breeders.names(realm) { $0.favourite.mother.name == "Ada" }
                == ["Ann", "Bob"])
        try await expectTrue(Breeders.pups(realm) { $0.mother.mother.name == "Ada" } == ["Di"])
        try await expectTrue(Breeders.pups(realm) { $0.mother.mother.mother.name == "Ada" } == [])
        try await expectTrue(Breeders.names(realm) { $0.kennel.city == "Oslo" } == ["Ann", "Dan"])
        try await expectTrue(Breeders.names(realm) { $0.kennel.size < 0 } == ["Dan"])
        try await expectTrue(Breeders.names(realm) { $0.kennel.yard.area > 0.1 } == ["Ann"])
        try await expectTrue(Breeders.names(realm) { $0.kennel.yard.area == 0.1 } == ["Dan"])
        try await expectTrue(
            Breeders.names(realm) { $0.kennel.yard.note == nil }
                == ["Ann", "Bob", "Cid"])
        try await expectTrue(Breeders.names(realm) { $0.kennel == nil } == ["Cid"])
        try await expectTrue(Breeders.names(realm) { $0.kennel.yard != nil } == ["Ann", "Dan"])
    }

    @Test func propertiesOfLinkedObjectsCompareWithEachOther() async throws {
        let realm = try await Breeders.realm()
        try await expectTrue(Breeders.pups(realm) { $0.age > $0.mother.age } == ["Bo", "Cy", "Di"])
        try await expectTrue(Breeders.pups(realm) { $0.coat == $0.mother.coat } == [])
        try await expectTrue(
            Breeders.names(realm) { $0.limit <= $0.favourite.age } == ["Ann", "Bob"])
        try await expectTrue(Breeders.pups(realm) { $0.mother == $0.mother.mother } == ["Ada"])
    }

    // Covers 3.2, 3.12
    @Test func linksAreComparedWithObjects() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let bo = try requireValue(tx.object(Pup.self, forPrimaryKey: "Bo"))
            let ada = try requireValue(tx.object(Pup.self, forPrimaryKey: "Ada"))
            let breeders = tx.objects(Breeder.self)
            expectTrue(breeders.where { $0.favourite == bo }.map(\.name) == ["Ann"])
            expectTrue(breeders.where { $0.favourite != bo }.map(\.name) == ["Bob", "Cid", "Dan"])
            expectTrue(breeders.where { $0.favourite == nil }.map(\.name) == ["Cid"])
            expectTrue(breeders.where { $0.favourite != nil }.count == 3)
            expectTrue(
                breeders.where { $0.favourite.in([bo, ada]) }.map(\.name) == ["Ann", "Dan"])
            expectTrue(breeders.where { $0.favourite.mother == ada }.map(\.name) == ["Ann", "Bob"])
            expectTrue(
                breeders.where { $0.pups.mother == ada }.map(\.name) == ["Ann", "Bob", "Dan"])
            // Nothing links to it.
            let stranger = Pup("Stranger", age: 1)
            expectTrue(breeders.where { $0.favourite == stranger }.isEmpty)
            expectTrue(breeders.where { $0.favourite != stranger }.count == 4)
            tx.delete(bo)
            expectTrue(breeders.where { $0.favourite == bo }.isEmpty)
            expectTrue(breeders.where { $0.favourite != bo }.count == 4)
            expectTrue(breeders.where { $0.favourite == nil }.map(\.name) == ["Ann", "Cid"])
        }
    }

    /// Nothing links to them: no link is equal to one, and every link differs from it.
    // Covers 3.2, 3.12, 3.15, 3.16
    @Test func deletedAndUnmanagedObjectsAreFoundNowhere() async throws {
        let realm = try await Breeders.realm()
        let all = ["Ann", "Bob", "Cid", "Dan"]
        let frozen = try requireValue(realm.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        try await realm.write { tx in
            let bo = try requireValue(tx.object(Pup.self, forPrimaryKey: "Bo"))
            let ada = try requireValue(tx.object(Pup.self, forPrimaryKey: "Ada"))
            tx.delete(bo)
            let breeders = tx.objects(Breeder.self)
            for pup in [bo, Pup("Bo", age: 3)] {
                expectTrue(breeders.where { $0.favourite == pup }.isEmpty)
                expectTrue(breeders.where { $0.favourite != pup }.map(\.name) == all)
                expectTrue(breeders.where { $0.favourite.in([pup]) }.isEmpty)
                expectTrue(breeders.where { $0.favourite.in([pup, ada]) }.map(\.name) == ["Dan"])
                expectTrue(breeders.where { !$0.favourite.in([pup]) }.map(\.name) == all)
                expectTrue(breeders.where { $0.pups.contains(pup) }.isEmpty)
                expectTrue(breeders.where { $0.pups.containsAny(in: [pup]) }.isEmpty)
                expectTrue(breeders.where { $0.pups.containsAny(in: [pup, ada]) }.count == 1)
            }
        }
        try await expectTrue(Breeders.names(realm) { $0.favourite == frozen } == [])
        try await expectTrue(Breeders.names(realm) { $0.favourite != frozen } == all)
        try await expectTrue(Breeders.names(realm) { $0.favourite.in([frozen]) } == [])
        try await expectTrue(Breeders.names(realm) { $0.pups.contains(frozen) } == [])
        try await expectTrue(Breeders.names(realm) { $0.pups.containsAny(in: [frozen]) } == [])
        // An object that is created with the same key is another one.
        try await realm.write { tx in
            let breeder = try requireValue(tx.objects(Breeder.self).first)
            breeder.favourite = try tx.create(Pup.self, value: ["name": "Bo"])
        }
        try await expectTrue(Breeders.names(realm) { $0.favourite == frozen } == [])
    }

    // Covers 3.12, 3.15
    @Test func linksAreComparedWithFrozenObjects() async throws {
        let realm = try await Breeders.realm()
        let bo = try requireValue(realm.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        let none = realm.snapshot().object(Pup.self, forPrimaryKey: "Nobody")
        try await expectTrue(Breeders.names(realm) { $0.favourite == bo } == ["Ann"])
        try await expectTrue(Breeders.names(realm) { $0.favourite != bo } == ["Bob", "Cid", "Dan"])
        try await expectTrue(Breeders.names(realm) { $0.favourite == none } == ["Cid"])
        try await expectTrue(Breeders.names(realm) { $0.favourite.in([bo]) } == ["Ann"])
        try await expectTrue(Breeders.names(realm) { $0.pups.contains(bo) } == ["Ann"])
    }

    // Covers 3.12, .invalidQuery
    @Test func objectOfAnotherRealmIsAnError() async throws {
        let (realm, other) = (try await Breeders.realm(), try await Breeders.realm())
        let bo = try requireValue(other.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.read { $0.objects(Breeder.self).where { $0.favourite == bo }.count }
        }
        expectTrue(error?.code == .invalidQuery && error?.className == "Pup")
        let live = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ in
                realm.objects(Breeder.self).where { $0.favourite != bo }.isEmpty
            }
        }
        expectTrue(live?.code == .invalidQuery && live?.className == "Pup")
        // Just building the query doesn't evaluate it.
        try await realm.read { _ = $0.objects(Breeder.self).where { $0.favourite == bo } }
    }

    @Test func resultsThroughLinksSeeChangesOfOtherClasses() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let breeders = tx.objects(Breeder.self).where { $0.favourite.age > 2 }
            let byAge = tx.objects(Breeder.self).sorted(by: \.favourite?.age, ascending: false)
            let byCount = tx.objects(Breeder.self).where { $0.tags.count == 1 }
            expectEqual(breeders.map(\.name), ["Ann", "Bob"])
            expectEqual(byAge.map(\.name), ["Bob", "Ann", "Dan", "Cid"])
            expectEqual(byCount.map(\.name), ["Cid", "Dan"])
            let ada = try requireValue(tx.object(Pup.self, forPrimaryKey: "Ada"))
            ada.age = 9
            expectEqual(breeders.map(\.name), ["Ann", "Bob", "Dan"])
            expectEqual(byAge.map(\.name), ["Dan", "Bob", "Ann", "Cid"])
            tx.objects(Breeder.self)[1].tags.append("new")
            expectEqual(byCount.map(\.name), ["Bob", "Cid", "Dan"])
            tx.delete(ada)
            expectEqual(breeders.map(\.name), ["Ann", "Bob"])
        }
    }
}
