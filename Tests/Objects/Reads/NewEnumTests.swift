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
            #expect(parcels.allSatisfy { $0.size == .large && $0.color == .red })
            #expect(parcels.allSatisfy { $0.given == .blue && $0.maybe == nil })
            #expect(parcels.where { $0.color == .red && $0.size == .large }.count == parcels.count)
            #expect(parcels.max(of: \.size) == .large)
            try await new.read { tx in
                let parcels = tx.objects(After.Parcel.self)
                #expect(parcels.allSatisfy { $0.size == .large && $0.color == .red })
                #expect(parcels.where { $0.size == .large }.count == parcels.count)
            }
            let encoded = try JSONEncoder().encode(parcels[0])
            #expect(String(decoding: encoded, as: UTF8.self).contains("\"color\":\"red\""))
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
            #expect(hounds.count == 1)
            let rex = try #require(hounds.first)
            #expect(rex is Hound && rex["name"] as? String == "Rex" && !rex.isInvalidated)
            #expect(rex.description.contains("name = Rex"))
            rex["age"] = 4
        }
        let frozen = try #require(realm.snapshot().objects(Self.type).first)
        #expect(frozen.description.contains("name = Rex"))
        #expect(frozen.description.contains("age = 4"))
        #expect("\(realm.snapshot().objects(Self.type))".contains("name = Rex"))
        #expect(realm.objects(Self.type).count == 1)
        try await realm.write { tx in tx.delete(tx.objects(Self.type)) }
        #expect(realm.snapshot().objects(Hound.self).isEmpty)
    }
}
