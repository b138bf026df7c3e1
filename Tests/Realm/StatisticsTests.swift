import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Statistics that services report.
@Suite struct StatisticsTests {
    @Test func checkpointsAndCompactionsAreCounted() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in try tx.add(Room("a")) }
        expectTrue(realm.stats().checkpoints == 0 && realm.stats().compactions == 0)
        try await realm.compact()
        expectTrue(realm.stats().checkpoints == 1 && realm.stats().compactions == 1)
        try await realm.write { tx in try tx.add(Room("b")) }
        try await realm.compact()
        expectTrue(realm.stats().checkpoints == 2 && realm.stats().compactions == 2)
        await realm.close()
    }

    @Test func aSnapshotHasAnAge() async throws {
        let realm = try await Realm.temporary([Room.self])
        let earliest = ContinuousClock.now
        let snapshot = realm.snapshot()
        let latest = ContinuousClock.now
        var ages: [Duration] = []
        // until the coarse clock has advanced a few times
        while ages.last ?? .zero < .milliseconds(30) {
            let minimum = latest.duration(to: .now) - .milliseconds(10)
            let age = try requireValue(realm.stats().snapshots.first).age
            expectTrue(age >= minimum && age <= earliest.duration(to: .now) + .milliseconds(10))
            ages.append(age)
            await Task.yield()
        }
        expectEqual(ages, ages.sorted())
        expectEqual(snapshot.version, realm.stats().version)
    }

    @Test func theSlowestStreamHasALag() async throws {
        let realm = try await Realm.temporary([Room.self, Person.self])
        var slow = realm.objects(Room.self).changes.makeAsyncIterator()
        var fast = realm.objects(Room.self).changes.makeAsyncIterator()
        _ = try await slow.next()
        _ = try await fast.next()
        expectEqual(realm.stats().streamLag, 0)
        for number in 1...5 {
            try await realm.write { tx in try tx.add(Room("\(number)")) }
            // One is behind by a commit, the other one by all of them. The first commit may not have
            // reached them yet.
            if number > 1 { expectEqual(realm.stats().streamLag, UInt64(number)) }
            _ = try await fast.next()
            expectEqual(realm.stats().streamLag, UInt64(number))
        }
        _ = try await slow.next()
        expectEqual(realm.stats().streamLag, 0)
    }
}
