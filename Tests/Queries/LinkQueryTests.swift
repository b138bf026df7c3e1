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
        #expect(try await Breeders.names(realm) { $0.favourite.age > 2 } == ["Ann", "Bob"])
        #expect(try await Breeders.names(realm) { $0.favourite.age == 1 } == ["Dan"])
        #expect(
            try await Breeders.names(realm) { $0.favourite.age != 1 } == ["Ann", "Bob", "Cid"])
        #expect(
            try await Breeders.names(realm) { !($0.favourite.age > 2) } == ["Cid", "Dan"])
        #expect(try await Breeders.names(realm) { $0.favourite.name.contains("o") } == ["Ann"])
        #expect(try await Breeders.names(realm) { $0.favourite.weight == nil } == ["Ann", "Cid"])
        #expect(try await Breeders.names(realm) { $0.favourite.weight != nil } == ["Bob", "Dan"])
        #expect(try await Breeders.names(realm) { $0.favourite.isGood } == ["Bob", "Dan"])
        #expect(try await Breeders.names(realm) { !$0.favourite.isGood } == ["Ann"])
        #expect(
            try await Breeders.names(realm) { $0.favourite.nick.in(["CY", nil]) }
                == ["Ann", "Bob", "Cid"])
    }

    // Covers 3.11, 3.40
    @Test func pathsOfAnyDepthLeadThroughLinksAndEmbeddedObjects() async throws {
        let realm = try await Breeders.realm()
        #expect(
            try await Breeders.names(realm) { $0.favourite.mother.name == "Ada" }
                == ["Ann", "Bob"])
        #expect(try await Breeders.pups(realm) { $0.mother.mother.name == "Ada" } == ["Di"])
        #expect(
            try await Breeders.pups(realm) { $0.mother.mother.mother.name == "Ada" } == [])
        #expect(try await Breeders.names(realm) { $0.kennel.city == "Oslo" } == ["Ann", "Dan"])
        #expect(try await Breeders.names(realm) { $0.kennel.size < 0 } == ["Dan"])
        #expect(try await Breeders.names(realm) { $0.kennel.yard.area > 0.1 } == ["Ann"])
        #expect(try await Breeders.names(realm) { $0.kennel.yard.area == 0.1 } == ["Dan"])
        #expect(
            try await Breeders.names(realm) { $0.kennel.yard.note == nil }
                == ["Ann", "Bob", "Cid"])
        #expect(try await Breeders.names(realm) { $0.kennel == nil } == ["Cid"])
        #expect(try await Breeders.names(realm) { $0.kennel.yard != nil } == ["Ann", "Dan"])
    }

    @Test func propertiesOfLinkedObjectsCompareWithEachOther() async throws {
        let realm = try await Breeders.realm()
        #expect(try await Breeders.pups(realm) { $0.age > $0.mother.age } == ["Bo", "Cy", "Di"])
        #expect(try await Breeders.pups(realm) { $0.coat == $0.mother.coat } == [])
        #expect(try await Breeders.names(realm) { $0.limit <= $0.favourite.age } == ["Ann", "Bob"])
        #expect(try await Breeders.pups(realm) { $0.mother == $0.mother.mother } == ["Ada"])
    }

    // Covers 3.2, 3.12
    @Test func linksAreComparedWithObjects() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let bo = try #require(tx.object(Pup.self, forPrimaryKey: "Bo"))
            let ada = try #require(tx.object(Pup.self, forPrimaryKey: "Ada"))
            let breeders = tx.objects(Breeder.self)
            #expect(breeders.where { $0.favourite == bo }.map(\.name) == ["Ann"])
            #expect(breeders.where { $0.favourite != bo }.map(\.name) == ["Bob", "Cid", "Dan"])
            #expect(breeders.where { $0.favourite == nil }.map(\.name) == ["Cid"])
            #expect(breeders.where { $0.favourite != nil }.count == 3)
            #expect(breeders.where { $0.favourite.in([bo, ada]) }.map(\.name) == ["Ann", "Dan"])
            #expect(breeders.where { $0.favourite.mother == ada }.map(\.name) == ["Ann", "Bob"])
            #expect(breeders.where { $0.pups.mother == ada }.map(\.name) == ["Ann", "Bob", "Dan"])
            // Nothing links to it.
            let stranger = Pup("Stranger", age: 1)
            #expect(breeders.where { $0.favourite == stranger }.isEmpty)
            #expect(breeders.where { $0.favourite != stranger }.count == 4)
            tx.delete(bo)
            #expect(breeders.where { $0.favourite == bo }.isEmpty)
            #expect(breeders.where { $0.favourite != bo }.count == 4)
            #expect(breeders.where { $0.favourite == nil }.map(\.name) == ["Ann", "Cid"])
        }
    }

    /// Nothing links to them: no link is equal to one, and every link differs from it.
    // Covers 3.2, 3.12, 3.15, 3.16
    @Test func deletedAndUnmanagedObjectsAreFoundNowhere() async throws {
        let realm = try await Breeders.realm()
        let all = ["Ann", "Bob", "Cid", "Dan"]
        let frozen = try #require(realm.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        try await realm.write { tx in
            let bo = try #require(tx.object(Pup.self, forPrimaryKey: "Bo"))
            let ada = try #require(tx.object(Pup.self, forPrimaryKey: "Ada"))
            tx.delete(bo)
            let breeders = tx.objects(Breeder.self)
            for pup in [bo, Pup("Bo", age: 3)] {
                #expect(breeders.where { $0.favourite == pup }.isEmpty)
                #expect(breeders.where { $0.favourite != pup }.map(\.name) == all)
                #expect(breeders.where { $0.favourite.in([pup]) }.isEmpty)
                #expect(breeders.where { $0.favourite.in([pup, ada]) }.map(\.name) == ["Dan"])
                #expect(breeders.where { !$0.favourite.in([pup]) }.map(\.name) == all)
                #expect(breeders.where { $0.pups.contains(pup) }.isEmpty)
                #expect(breeders.where { $0.pups.containsAny(in: [pup]) }.isEmpty)
                #expect(breeders.where { $0.pups.containsAny(in: [pup, ada]) }.count == 1)
            }
        }
        #expect(try await Breeders.names(realm) { $0.favourite == frozen } == [])
        #expect(try await Breeders.names(realm) { $0.favourite != frozen } == all)
        #expect(try await Breeders.names(realm) { $0.favourite.in([frozen]) } == [])
        #expect(try await Breeders.names(realm) { $0.pups.contains(frozen) } == [])
        #expect(try await Breeders.names(realm) { $0.pups.containsAny(in: [frozen]) } == [])
        // An object that is created with the same key is another one.
        try await realm.write { tx in
            let breeder = try #require(tx.objects(Breeder.self).first)
            breeder.favourite = try tx.create(Pup.self, value: ["name": "Bo"])
        }
        #expect(try await Breeders.names(realm) { $0.favourite == frozen } == [])
    }

    // Covers 3.12, 3.15
    @Test func linksAreComparedWithFrozenObjects() async throws {
        let realm = try await Breeders.realm()
        let bo = try #require(realm.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        let none = realm.snapshot().object(Pup.self, forPrimaryKey: "Nobody")
        #expect(try await Breeders.names(realm) { $0.favourite == bo } == ["Ann"])
        #expect(try await Breeders.names(realm) { $0.favourite != bo } == ["Bob", "Cid", "Dan"])
        #expect(try await Breeders.names(realm) { $0.favourite == none } == ["Cid"])
        #expect(try await Breeders.names(realm) { $0.favourite.in([bo]) } == ["Ann"])
        #expect(try await Breeders.names(realm) { $0.pups.contains(bo) } == ["Ann"])
    }

    // Covers 3.12, .invalidQuery
    @Test func objectOfAnotherRealmIsAnError() async throws {
        let (realm, other) = (try await Breeders.realm(), try await Breeders.realm())
        let bo = try #require(other.snapshot().object(Pup.self, forPrimaryKey: "Bo"))
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.read { $0.objects(Breeder.self).where { $0.favourite == bo }.count }
        }
        #expect(error?.code == .invalidQuery && error?.className == "Pup")
        let live = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ in
                realm.objects(Breeder.self).where { $0.favourite != bo }.isEmpty
            }
        }
        #expect(live?.code == .invalidQuery && live?.className == "Pup")
        // Just building the query doesn't evaluate it.
        try await realm.read { _ = $0.objects(Breeder.self).where { $0.favourite == bo } }
    }

    @Test func resultsThroughLinksSeeChangesOfOtherClasses() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let breeders = tx.objects(Breeder.self).where { $0.favourite.age > 2 }
            let byAge = tx.objects(Breeder.self).sorted(by: \.favourite?.age, ascending: false)
            let byCount = tx.objects(Breeder.self).where { $0.tags.count == 1 }
            #expect(breeders.map(\.name) == ["Ann", "Bob"])
            #expect(byAge.map(\.name) == ["Bob", "Ann", "Dan", "Cid"])
            #expect(byCount.map(\.name) == ["Cid", "Dan"])
            let ada = try #require(tx.object(Pup.self, forPrimaryKey: "Ada"))
            ada.age = 9
            #expect(breeders.map(\.name) == ["Ann", "Bob", "Dan"])
            #expect(byAge.map(\.name) == ["Dan", "Bob", "Ann", "Cid"])
            tx.objects(Breeder.self)[1].tags.append("new")
            #expect(byCount.map(\.name) == ["Bob", "Cid", "Dan"])
            tx.delete(ada)
            #expect(breeders.map(\.name) == ["Ann", "Bob"])
        }
    }
}
