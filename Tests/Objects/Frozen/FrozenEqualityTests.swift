import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct FrozenEqualityTests {
    /// Returns whether Ann is equal before and after a change.
    private func staysEqual(
        _ change: @escaping @Sendable (Transaction, Walker) throws -> Void
    ) async throws -> Bool {
        let realm = try await Realm.kennel()
        let old = realm.ann
        try await realm.write { tx in try change(tx, tx.objects(Walker.self)[0]) }
        let new = realm.ann
        expectEqual(old.rowIdentity, new.rowIdentity)
        if old == new { expectEqual(old.hashValue, new.hashValue) }
        return old == new
    }

    @Test func untouchedObjectsOfTwoSnapshotsAreEqual() async throws {
        try await expectTrue(staysEqual { tx, _ in try tx.add(Walker("Cal")) })
        try await expectTrue(staysEqual { tx, _ in try tx.add(Whelp("Max")) })
        try await expectTrue(staysEqual { tx, _ in tx.objects(Walker.self)[1].tags.append("x") })
    }

    @Test func setPropertyIsAnotherContent() async throws {
        try await expectTrue(!staysEqual { _, ann in ann.name = "Anna" })
        try await expectTrue(!staysEqual { _, ann in ann.favourite = nil })
        try await expectTrue(
            !staysEqual { tx, _ in
                // Deletion removes the link.
                if let fido = tx.object(Whelp.self, forPrimaryKey: "Fido") { tx.delete(fido) }
            })
    }

    @Test func changedListIsAnotherContent() async throws {
        try await expectTrue(!staysEqual { _, ann in ann.tags.append("new") })
        try await expectTrue(!staysEqual { _, ann in ann.tags[0] = "new" })
        try await expectTrue(!staysEqual { _, ann in ann.tags.move(from: 0, to: 1) })
        try await expectTrue(!staysEqual { _, ann in ann.scores.remove(at: 1) })
        try await expectTrue(!staysEqual { _, ann in ann.pups.append(Whelp("Max")) })
        try await expectTrue(!staysEqual { _, ann in ann.pups.swapAt(0, 1) })
        try await expectTrue(!staysEqual { _, ann in ann.badges.removeLast() })
        try await expectTrue(
            !staysEqual { tx, _ in
                if let rex = tx.object(Whelp.self, forPrimaryKey: "Rex") { tx.delete(rex) }
            })
    }

    @Test func embeddedObjectsAreContentAndLinkedOnesAreNot() async throws {
        try await expectTrue(!staysEqual { _, ann in ann.badge?.code = "silver" })
        try await expectTrue(!staysEqual { _, ann in ann.badges[1].weight = 2 })
        try await expectTrue(staysEqual { _, ann in ann.favourite?.age = 6 })
        try await expectTrue(staysEqual { _, ann in ann.pups[0].age = 6 })
    }

    @Test func membersOfASetAreNoContentButWhichTheyAreIs() async throws {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { tx in
            let basket = Basket("a")
            basket.fruits.insert(objectsIn: [Fruit(1), Fruit(2)])
            try tx.add(basket)
        }
        let old = try requireValue(realm.snapshot().objects(Basket.self).first)
        try await realm.write { $0.object(Fruit.self, forPrimaryKey: 1)?.weight = 3 }
        let same = try requireValue(realm.snapshot().objects(Basket.self).first)
        expectTrue(old == same && old.hashValue == same.hashValue)
        try await realm.write { tx in
            let fruit = try requireValue(tx.object(Fruit.self, forPrimaryKey: 1))
            tx.objects(Basket.self)[0].fruits.remove(fruit)
        }
        try expectTrue(requireValue(realm.snapshot().objects(Basket.self).first) != old)
    }

    // Covers 2.38
    @Test func resultsAreEqualByContent() async throws {
        let realm = try await Realm.kennel()
        let old = realm.snapshot()
        try await realm.write { $0.object(Whelp.self, forPrimaryKey: "Rex")?.age = 4 }
        let new = realm.snapshot()
        let (a, b) = (old.objects(Whelp.self), new.objects(Whelp.self))
        expectTrue(a == old.objects(Whelp.self) && a != b)
        expectEqual(a.where { $0.name == "Fido" }, b.where { $0.name == "Fido" })
        expectTrue(a.where { $0.name == "Rex" } != b.where { $0.name == "Rex" })
        expectEqual(a.where { $0.age > 100 }, b.where { $0.age < 0 })
        expectTrue(old.objects(Walker.self)[0].pups != a)
    }

    @Test func objectsOfTwoRealmsAreNeverEqual() async throws {
        let first = try await Realm.kennel()
        let second = try await Realm.kennel()
        expectTrue(first.ann != second.ann && first.ann == first.ann)
        let pups = first.snapshot().objects(Whelp.self)
        let other = try requireValue(second.ann.favourite)
        expectTrue(pups.index(of: other) == nil && !pups.contains(other))
    }
}
