import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// A class that gets an index in a later version of its program, which doesn't list its classes, so
/// that opening can't build the index.
@Suite struct IndexGrowthTests {
    private enum First {
        final class Parcel: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var city: String
        }
    }

    private enum Later {
        final class Parcel: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(indexed: true) var city: String

            convenience init(_ number: Int, _ city: String) {
                self.init()
                self.number = number
                self.city = city
            }
        }
    }

    private enum Counted {
        final class Crate: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var weight: Int
        }
    }

    private enum Weighed {
        final class Crate: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(indexed: true) var weight: Int
        }

        final class Ship: Object {
            @Persisted var crate: Crate?
        }
    }

    @Test func indexThatJoinsWithAnotherClassIsKeptByObjectsThatWereThereBefore() async throws {
        let realm = try await Realm.temporary([Counted.Crate.self])
        try await realm.write { tx in
            try tx.create(Counted.Crate.self, value: ["number": 1, "weight": 10])
        }
        let later = try LaterProgram.core(of: realm)
        try await later.write { tx in
            let crate = try requireValue(tx.object(Weighed.Crate.self, forPrimaryKey: 1))
            crate.weight = 11
            try tx.add(Weighed.Ship())
            crate.weight = 12
            let crates = tx.objects(Weighed.Crate.self)
            expectEqual(crates.where { $0.weight == 12 }.count, 1)
            expectTrue(crates.where { $0.weight == 11 }.isEmpty)
        }
        expectEqual(later.snapshot().objects(Weighed.Crate.self).where { $0.weight == 12 }.count, 1)
    }

    private func hasIndex(_ realm: Realm) -> Bool {
        let schema = realm.core.coordinator.published.schema
        return schema.table(named: "Parcel")?.column(named: "city")?.hasIndex ?? false
    }

    @Test func declaredIndexIsBuiltByTheFirstWriteThatStoresAnObject() async throws {
        let realm = try await Realm.temporary([First.Parcel.self])
        try await realm.write { tx in
            for number in 0..<3_000 {
                try tx.create(
                    First.Parcel.self, value: ["number": number, "city": "c\(number % 7)"])
            }
        }
        let later = try LaterProgram.core(of: realm)
        expectTrue(!hasIndex(realm))
        expectEqual(
            later.snapshot().objects(Later.Parcel.self).where { $0.city == "c3" }.count, 429)
        try await later.write { tx in
            let parcels = tx.objects(Later.Parcel.self).where { $0.city == "c3" }
            expectEqual(parcels.count, 429)
            try tx.add(Later.Parcel(5_000, "c3"))
            expectEqual(parcels.count, 430)
            parcels[0].city = "elsewhere"
            expectEqual(parcels.count, 429)
        }
        expectTrue(hasIndex(realm))
        let found = realm.snapshot().objects(First.Parcel.self).where { $0.city == "c3" }
        expectTrue(found.count == 429 && found.last?.number == 5_000)
        // The older program continues, and maintains the index.
        try await realm.write { tx in
            try tx.create(First.Parcel.self, value: ["number": 6_000, "city": "c3"])
        }
        expectTrue(hasIndex(realm))
        expectEqual(
            later.snapshot().objects(Later.Parcel.self).where { $0.city == "c3" }.count, 430)
    }

    @Test func abortedWriteBuildsNoIndex() async throws {
        let realm = try await Realm.temporary([First.Parcel.self])
        try await realm.write { tx in
            try tx.create(First.Parcel.self, value: ["number": 1, "city": "c"])
        }
        let later = try LaterProgram.core(of: realm)
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await later.write { tx in
                try tx.add(Later.Parcel(2, "c"))
                throw Stop()
            }
        }
        expectTrue(!hasIndex(realm))
    }
}
