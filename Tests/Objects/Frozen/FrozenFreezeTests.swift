import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct FrozenFreezeTests {
    // Covers 1.10, 2.32, 5.62
    @Test func whatAReadFreezesIsTheVersionThatItReads() async throws {
        let realm = try await Realm.kennel()
        let (ann, walkers, pups, tags, origins, wrapped) = try await realm.read { tx in
            let ann = tx.objects(Walker.self)[0]
            return (
                try ann.freeze(), tx.objects(Walker.self).sorted(by: \.name).freeze(),
                try ann.pups.freeze(), try ann.tags.freeze(),
                try ann.pups[0].walkers.freeze(), try AnyRealmCollection(ann.pups).freeze()
            )
        }
        try await realm.write { tx in
            for walker in tx.objects(Walker.self) { tx.delete(walker) }
        }
        expectTrue(ann.name == "Ann" && walkers.map(\.name) == ["Ann", "Bob"])
        expectTrue(
            pups.map(\.name) == ["Rex", "Fido", "Rex"] && tags.array == ["big", "loud", "big"])
        expectTrue(
            origins.map(\.name) == ["Ann", "Ann"] && origins.first == ann && wrapped == pups)
    }

    // Covers 1.10, 5.60, 5.61
    @Test func whatAWriteFreezesIsTheStateAtItsStart() async throws {
        let realm = try await Realm.kennel()
        let before = realm.snapshot()
        let (ann, walkers, tags, all) = try await realm.write { tx in
            let ann = tx.objects(Walker.self)[0]
            ann.name = "Anna"
            ann.tags.append("new")
            try tx.add(Walker("Cal"))
            return (
                try ann.freeze(), tx.objects(Walker.self).freeze(), try ann.tags.freeze(),
                tx.freeze()
            )
        }
        expectTrue(ann.name == "Ann" && walkers.count == 2 && tags.count == 3)
        expectTrue(ann == before.objects(Walker.self)[0] && walkers == before.objects(Walker.self))
        expectTrue(all.version == before.version && all.objects(Walker.self).count == 2)
        expectTrue(realm.ann.name == "Anna" && realm.ann != ann)
    }

    // Covers 1.10, 5.61
    @Test func objectOfThisTransactionCannotBeFrozen() async throws {
        let realm = try await Realm.kennel()
        try await realm.write { tx in
            let cal = Walker("Cal")
            let unmanaged = #expect(throws: Realm.Error.self) { try cal.freeze() }
            expectTrue(unmanaged?.code == .invalidInput && unmanaged?.className == "Walker")
            try tx.add(cal)
            let error = #expect(throws: Realm.Error.self) { try cal.freeze() }
            expectTrue(error?.code == .invalidInput && error?.className == "Walker")
            expectEqual(error?.message.contains("added in this transaction"), true)
            #expect(throws: Realm.Error.self) { try cal.tags.freeze() }
            #expect(throws: Realm.Error.self) { try cal.pups.freeze() }
            let max = Whelp("Max")
            #expect(throws: Realm.Error.self) { try max.walkers.freeze() }
            #expect(throws: Realm.Error.self) { try List<Int>().freeze() }
        }
        // The refusal doesn't fail the transaction.
        expectEqual(realm.snapshot().objects(Walker.self).count, 3)
    }

    @Test func embeddedObjectsAreFrozen() async throws {
        let realm = try await Realm.kennel()
        let badge = try await realm.read { try $0.objects(Walker.self)[0].badge?.freeze() }
        expectTrue(badge?.code == "gold" && badge == realm.ann.badge)
    }

    // Covers 1.10, 5.63, 5.76
    @Test func frozenObjectIsResolvedInATransaction() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        let badge = try requireValue(ann.badge)
        try await realm.write { tx in
            let live = try requireValue(tx.resolve(ann))
            live.name = "Anna"
            expectTrue(live.isSameObject(as: tx.objects(Walker.self)[0]))
            let collar = try requireValue(tx.resolve(badge))
            collar.code = "silver"
        }
        expectTrue(
            ann.name == "Ann" && realm.ann.name == "Anna" && realm.ann.badge?.code == "silver")
        try await realm.read { tx in expectEqual(tx.resolve(ann)?.name, "Anna") }
        try await realm.write { tx in tx.delete(tx.objects(Walker.self)) }
        try await realm.write { tx in
            expectTrue(tx.resolve(ann) == nil && tx.resolve(badge) == nil)
            try tx.add(Walker("Ann"))
            expectNil(tx.resolve(ann))
        }
        // Of a version that the read doesn't show yet.
        let new = realm.ann
        try await realm.read { tx in expectEqual(tx.resolve(new)?.name, "Ann") }
    }

    // Covers 2.32, 5.63, 5.76
    @Test func frozenResultsAreResolvedInATransaction() async throws {
        let realm = try await Realm.kennel()
        let pups = realm.ann.pups.where { $0.age > 3 }
        let walkers = realm.snapshot().objects(Walker.self).sorted(by: \.name, ascending: false)
        try await realm.write { tx in
            expectEqual(tx.resolve(walkers)?.map(\.name), ["Bob", "Ann"])
            let live = try requireValue(tx.resolve(pups))
            expectEqual(live.map(\.name), ["Fido"])
            tx.objects(Walker.self)[0].pups.append(Whelp("Max", age: 10))
            expectEqual(live.map(\.name), ["Fido", "Max"])
            tx.delete(tx.objects(Walker.self)[0])
            expectTrue(tx.resolve(pups) == nil && tx.resolve(walkers)?.count == 1)
        }
    }

    // Covers 5.63, 5.76
    @Test func frozenObjectOfAnotherRealmFailsTheTransaction() async throws {
        let first = try await Realm.kennel()
        let second = try await Realm.kennel()
        let ann = first.ann
        let error = await #expect(throws: Realm.Error.self) {
            try await second.write { tx in
                expectNil(tx.resolve(ann))
                tx.objects(Walker.self)[0].name = "nobody"
            }
        }
        expectTrue(error?.code == .invalidInput && error?.className == "Walker")
        expectEqual(second.ann.name, "Ann")
    }

    // Covers 5.63, 5.76
    @Test func frozenObjectOfAnUnlistedClassFailsTheTransaction() async throws {
        let ann = try await Realm.kennel().ann
        let others = ann.snapshot.objects(Walker.self)
        let realm = try await Realm.temporary([Room.self])
        for resolvesAll in [false, true] {
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.write { tx in
                    let isFound =
                        resolvesAll ? tx.resolve(others) != nil : tx.resolve(ann) != nil
                    expectTrue(!isFound)
                }
            }
            expectTrue(error?.code == .invalidInput && error?.className == "Walker")
        }
    }

    // Covers 5.66
    @Test func whatIsFrozenHoldsItsVersionAndLetsGoOfIt() async throws {
        let realm = try await Realm.kennel()
        let held = realm.stats().snapshots.count
        var frozen: Frozen<Walker>? = try await realm.write { tx in
            try tx.add(Walker("Cal"))
            return try tx.objects(Walker.self)[0].freeze()
        }
        expectTrue(frozen?.name == "Ann" && realm.stats().snapshots.count == held + 1)
        expectTrue(realm.stats().snapshots[0].place.contains("FrozenFreezeTests"))
        frozen = nil
        expectEqual(realm.stats().snapshots.count, held)
    }
}
