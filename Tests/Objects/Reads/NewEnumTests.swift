import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Before {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var number: Int
    }
}

private enum After {
    enum Size: Int, PersistableEnum {
        case large = 7
        case small = 0
    }
    enum Color: String, PersistableEnum { case red, blue }

    final class Parcel: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var size: Size
        @Persisted(indexed: true) var color: Color
        @Persisted var given = Color.blue
        @Persisted var maybe: Color?
    }
}

/// New required enum properties, which old rows don't have, in all views.
@Suite struct NewEnumTests {
    // Covers 6.8
    @Test func oldRowsHaveTheFirstCase() async throws {
        let old = try await Realm.temporary([Before.Parcel.self])
        try await old.write { tx in
            for number in 0..<3 {
                let parcel = Before.Parcel()
                parcel.number = number
                try tx.add(parcel)
            }
        }
        let new = try LaterProgram.core(of: old, [After.Parcel.self])
        for isStored in [false, true] {
            if isStored {
                try await new.write { tx in
                    let parcel = After.Parcel()
                    parcel.number = 3
                    try tx.add(parcel)
                }
            }
            let parcels = new.snapshot().objects(After.Parcel.self)
            expectTrue(parcels.allSatisfy { $0.size == .large && $0.color == .red })
            expectTrue(parcels.allSatisfy { $0.given == .blue && $0.maybe == nil })
            expectEqual(
                parcels.where { $0.color == .red && $0.size == .large }.count, parcels.count)
            expectEqual(parcels.max(of: \.size), .large)
            try await new.read { tx in
                let parcels = tx.objects(After.Parcel.self)
                expectTrue(parcels.allSatisfy { $0.size == .large && $0.color == .red })
                expectEqual(parcels.where { $0.size == .large }.count, parcels.count)
            }
            let encoded = try JSONEncoder().encode(parcels[0])
            expectTrue(String(decoding: encoded, as: UTF8.self).contains("\"color\":\"red\""))
        }
    }
}

/// Classes that are known only at run time.
@Suite struct MetatypeTests {
    private static var type: Object.Type { Hound.self }

    // Covers 2.46
    @Test func objectsOfAMetatypeInAVariableAreThoseOfItsClass() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            try tx.add(Hound(value: ["name": "Rex", "age": 3]))
            let hounds = tx.objects(Self.type)
            expectEqual(hounds.count, 1)
            let rex = try requireValue(hounds.first)
            expectTrue(rex is Hound && rex["name"] as? String == "Rex" && !rex.isInvalidated)
            expectTrue(rex.description.contains("name = Rex"))
            rex["age"] = 4
        }
        let frozen = try requireValue(realm.snapshot().objects(Self.type).first)
        expectTrue(frozen.description.contains("name = Rex"))
        expectTrue(frozen.description.contains("age = 4"))
        expectTrue("\(realm.snapshot().objects(Self.type))".contains("name = Rex"))
        expectEqual(realm.objects(Self.type).count, 1)
        try await realm.write { tx in tx.delete(tx.objects(Self.type)) }
        expectTrue(realm.snapshot().objects(Hound.self).isEmpty)
    }

    private func fill() async throws -> Realm {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            for (name, age) in [("Rex", 3), ("Max", 2), ("Ida", 3)] {
                try tx.add(Hound(name, age: Int8(age)))
            }
        }
        return realm
    }

    // Covers 2.46
    @Test func theyAreFrozenAndResolved() async throws {
        let realm = try await fill()
        let frozen = realm.snapshot().objects(Self.type)
        let rex = try requireValue(frozen.first)
        let names = try await realm.write { tx in
            let found = try requireValue(tx.resolve(rex))
            expectTrue(found is Hound && found["name"] as? String == "Rex")
            let results = try requireValue(tx.resolve(frozen))
            found["age"] = 5
            let before = try found.freeze()
            expectTrue(before.description.contains("age = 3"))
            expectEqual(results.freeze().count, 3)
            return results.map { $0["name"] as? String ?? "" }
        }
        expectEqual(names, ["Rex", "Max", "Ida"])
        expectEqual(realm.snapshot().object(Hound.self, forPrimaryKey: "Rex")?.age, 5)
        try expectEqual(rex["age"], .int(3))
    }

    // Covers 2.46, O53
    @Test func theyAreFollowed() async throws {
        let realm = try await fill()
        let live = realm.object(following: realm.snapshot().objects(Self.type)[1])
        try expectEqual(live.current?["name"], .string("Max"))
        var stream = live.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { $0.object(Hound.self, forPrimaryKey: "Max")?.age = 9 }
        guard case .changed(let old, let new, ["age"])? = try await stream.next() else {
            Issue.record("no change")
            return
        }
        try expectEqual(old["age"], .int(2))
        try expectEqual(new["age"], .int(9))
        await realm.close()
    }

    @Test func theyAreSortedAndMadeDistinctByNames() async throws {
        let realm = try await fill()
        func names(_ results: some Sequence<Frozen<Object>>) throws -> [String?] {
            try results.map { try $0["name"].stringValue }
        }
        for results in [realm.snapshot().objects(Self.type), realm.objects(Self.type).current] {
            try expectEqual(names(results.sorted(byKeyPath: "name")), ["Ida", "Max", "Rex"])
            try expectEqual(
                names(results.sorted(byKeyPath: "age", ascending: false)), ["Rex", "Ida", "Max"])
            try expectEqual(names(results.distinct(byKeyPaths: ["age"])), ["Rex", "Max"])
        }
        let live = try realm.objects(Self.type).sorted(byKeyPath: "name")
            .distinct(byKeyPaths: ["age"])
        try expectEqual(names(live.current), ["Ida", "Max"])
        let error = #expect(throws: Realm.Error.self) {
            try realm.objects(Self.type).sorted(byKeyPath: "no")
        }
        expectTrue(error?.className == "Hound" && error?.property == "no")
        try await realm.read { tx in
            let hounds = tx.objects(Self.type)
            let sorted = try hounds.sorted(byKeyPath: "name").distinct(byKeyPaths: ["age"])
            expectEqual(sorted.map { $0["name"] as? String }, ["Ida", "Max"])
        }
    }
}
