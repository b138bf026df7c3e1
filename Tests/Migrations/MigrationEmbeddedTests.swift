import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Classes that become embedded, and embedded classes that become ordinary.
@Suite struct MigrationEmbeddedTests {
    private enum Loose {
        final class MigOwner: Object {
            @Persisted var name: String
            @Persisted var main: MigPart?
            @Persisted var parts: List<MigPart>
            @Persisted var named: Map<String, MigPart?>
        }
        final class MigPart: Object {
            @Persisted var text: String
            @Persisted var seals: List<MigSeal>
            @Persisted var friend: MigOwner?
            @Persisted var tags: List<String>
        }
        final class MigSeal: Object {
            @Persisted var number: Int
            @Persisted var notes: AnyRealmValue
        }
        static let types: [ObjectBase.Type] = [MigOwner.self, MigPart.self, MigSeal.self]
    }
    private enum Owned {
        final class MigOwner: Object {
            @Persisted var name: String
            @Persisted var main: MigPart?
            @Persisted var parts: List<MigPart>
            @Persisted var named: Map<String, MigPart?>
        }
        final class MigPart: EmbeddedObject {
            @Persisted var text: String
            @Persisted var seals: List<MigSeal>
            @Persisted var friend: MigOwner?
            @Persisted var tags: List<String>
        }
        final class MigSeal: EmbeddedObject {
            @Persisted var number: Int
            @Persisted var notes: AnyRealmValue
        }
        static let types: [ObjectBase.Type] = [MigOwner.self, MigPart.self, MigSeal.self]
    }

    /// Makes one part that is referred to everywhere, one that is nowhere, one seal of two parts,
    /// and one of none.
    private func looseRealm() async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, Loose.types) { tx in
            let shared = try tx.create(Loose.MigPart.self, value: ["text": "shared"])
            let lonely = try tx.create(Loose.MigPart.self, value: ["text": "lonely"])
            let seal = try tx.create(Loose.MigSeal.self, value: ["number": 1, "notes": [7]])
            try tx.create(Loose.MigSeal.self, value: ["number": 2])
            shared.seals.append(seal)
            lonely.seals.append(seal)
            shared.tags.append(objectsIn: ["x", "y"])
            for name in ["a", "b"] {
                let owner = try tx.create(Loose.MigOwner.self, value: ["name": name])
                owner.main = shared
                owner.parts.append(objectsIn: [shared, shared])
                owner.named["k"] = shared
                shared.friend = owner
            }
        }
        return realm
    }

    @Test func eachOwnerGetsItsOwn() async throws {
        let realm = try await looseRealm()
        let block: MigrationBlock = { _, _ in }
        try await realm.migrate(2, Owned.types, block) { tx in
            let owners = tx.objects(Owned.MigOwner.self)
            expectEqual(owners.map(\.name), ["a", "b"])
            for owner in owners {
                var parts: [Owned.MigPart?] = [owner.main, owner.named["k"] ?? nil]
                parts += owner.parts.map { $0 }
                expectEqual(parts.count, 4)
                for part in parts {
                    expectTrue(part?.text == "shared" && part?.friend?.name == "b")
                    expectEqual(part?.seals.map(\.number), [1])
                    guard case .list(let notes)? = part?.seals.first?.notes else {
                        Issue.record("The seal has no list.")
                        continue
                    }
                    expectTrue(notes.count == 1 && notes[0] == .int(7))
                    expectEqual(part.map { Array($0.tags) }, ["x", "y"])
                }
            }
            let parts = try tx.dynamicObjects("MigPart")
            let seals = try tx.dynamicObjects("MigSeal")
            expectTrue(parts.count == 8 && seals.count == 8)
        }
        try await realm.write(2, Owned.types) { tx in
            tx.delete(try requireValue(tx.objects(Owned.MigOwner.self).first))
        }
        try await realm.read(2, Owned.types) { tx in
            let parts = try tx.dynamicObjects("MigPart")
            let seals = try tx.dynamicObjects("MigSeal")
            expectTrue(parts.count == 4 && seals.count == 4)
        }
    }

    @Test func withoutABlockNothingIsDuplicatedOrDeleted() async throws {
        let realm = try await looseRealm()
        let error = await realmError {
            try await Realm.open(realm.configuration(2, Owned.types))
        }
        expectEqual(error?.code, .schemaMismatch)
        try await expectEqual(realm.version, 1)
    }

    @Test func ownersThatTheBlockSetsCount() async throws {
        let realm = try await looseRealm()
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigOwner") { old, new in
                guard let new else { return }
                new["main"] = ["text": "own \(old?["name"] as? String ?? "")"]
                new["parts"] = nil
                new["named"] = [String: Any]()
            }
        }
        try await realm.migrate(2, Owned.types, block) { tx in
            expectEqual(tx.objects(Owned.MigOwner.self).map { $0.main?.text }, ["own a", "own b"])
            let parts = try tx.dynamicObjects("MigPart")
            expectEqual(parts.count, 2)
        }
    }

    // Covers 6.24
    @Test func embeddedObjectsBecomeIndependent() async throws {
        let realm = try await looseRealm()
        try await realm.migrate(2, Owned.types, { _, _ in })
        try await realm.read(3, Loose.types) { tx in
            expectEqual(tx.objects(Loose.MigPart.self).count, 8)
            expectEqual(tx.objects(Loose.MigSeal.self).count, 8)
        }
        try await realm.write(3, Loose.types) { tx in
            tx.delete(tx.objects(Loose.MigOwner.self))
            try tx.create(Loose.MigPart.self, value: ["text": "new"])
        }
        try await realm.read(3, Loose.types) { tx in
            expectEqual(tx.objects(Loose.MigPart.self).count, 9)
        }
    }

    @Test func valueTurnsIntoAnEmbeddedObject() async throws {
        enum Before {
            final class MigPlace: Object { @Persisted var position: String }
        }
        enum After {
            final class MigPlace: Object { @Persisted var position: MigPoint? }
            final class MigPoint: EmbeddedObject {
                @Persisted var x: Int
                @Persisted var y: Int
            }
        }
        let realm = try MigrationRealm()
        try await realm.write(1, [Before.MigPlace.self]) { tx in
            for x in 0..<5 {
                try tx.create(Before.MigPlace.self, value: ["position": "\(x) \(-x)"])
            }
        }
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPlace") { old, new in
                let parts = (old?["position"] as? String ?? "").split(separator: " ")
                guard let x = Int(parts[0]), let y = Int(parts[1]) else { return }
                new?["position"] = ["x": x, "y": y]
            }
        }
        let types: [ObjectBase.Type] = [After.MigPlace.self, After.MigPoint.self]
        try await realm.migrate(2, types, block) { tx in
            let places = tx.objects(After.MigPlace.self)
            expectEqual(places.map { $0.position?.x }, [0, 1, 2, 3, 4])
            expectEqual(places.map { $0.position?.y }, [0, -1, -2, -3, -4])
        }
        // And back.
        let back: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPlace") { old, new in
                let point = old?["position"] as? DynamicObject
                new?["position"] = "\(point?.x as? Int ?? 0) \(point?.y as? Int ?? 0)"
            }
            migration.deleteData(forType: "MigPoint")
        }
        try await realm.migrate(3, [Before.MigPlace.self], back) { tx in
            expectEqual(tx.objects(Before.MigPlace.self).last?.position, "4 -4")
            let error = #expect(throws: Realm.Error.self) { try tx.dynamicObjects("MigPoint") }
            expectEqual(error?.message.contains("no class"), true)
        }
    }

    /// A set is in the order of its rows, and can't hold embedded objects.
    // Covers .migrationFailed
    @Test func setOfAnotherProgramKeepsItsObjectsFromBecomingEmbedded() async throws {
        enum Before {
            final class MigBag: Object { @Persisted var bits: MutableSet<MigBit> }
            final class MigBox: Object { @Persisted var bit: MigBit? }
            final class MigBit: Object { @Persisted var text: String }
            static let types: [ObjectBase.Type] = [MigBag.self, MigBox.self, MigBit.self]
        }
        enum After {
            final class MigBox: Object { @Persisted var bit: MigBit? }
            final class MigBit: EmbeddedObject { @Persisted var text: String }
            static let types: [ObjectBase.Type] = [MigBox.self, MigBit.self]
        }
        let realm = try MigrationRealm()
        try await realm.write(1, Before.types) { tx in
            let bits = try ["a", "b"].map { text in
                try tx.create(Before.MigBit.self, value: ["text": text])
            }
            try tx.create(Before.MigBox.self, value: ["bit": bits[0]])
            try tx.create(Before.MigBag.self).bits.insert(objectsIn: bits)
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(2, After.types) { _, _ in })
        }
        expectEqual(error?.code, .migrationFailed)
        expectTrue(error?.className == "MigBag" && error?.property == "bits")
        try await realm.read(1, Before.types) { tx in
            expectEqual(tx.objects(Before.MigBag.self)[0].bits.map(\.text), ["a", "b"])
        }
        let drop: MigrationBlock = { migration, _ in
            try migration.deleteProperty(onType: "MigBag", "bits")
        }
        try await realm.migrate(2, After.types, drop) { tx in
            expectEqual(tx.objects(After.MigBox.self).map { $0.bit?.text }, ["a"])
            try expectEqual(tx.dynamicObjects("MigBit").count, 1)
        }
    }

    /// The link of an embedded object back to its owner would own the owner.
    // Covers .migrationFailed
    @Test func objectsThatWouldContainThemselvesDoNotBecomeEmbedded() async throws {
        enum Before {
            final class MigBuyer: Object { @Persisted var orders: List<MigOrder> }
            final class MigOrder: Object {
                @Persisted var number: Int
                @Persisted var place: MigGoal?
            }
            final class MigGoal: EmbeddedObject { @Persisted var order: MigOrder? }
            static let types: [ObjectBase.Type] = [MigBuyer.self, MigOrder.self, MigGoal.self]
        }
        enum After {
            final class MigBuyer: Object { @Persisted var orders: List<MigOrder> }
            final class MigOrder: EmbeddedObject { @Persisted var number: Int }
            static let types: [ObjectBase.Type] = [MigBuyer.self, MigOrder.self]
        }
        let realm = try MigrationRealm()
        try await realm.write(1, Before.types) { tx in
            let (buyer, order) = (Before.MigBuyer(), Before.MigOrder())
            order.number = 1
            order.place = Before.MigGoal()
            buyer.orders.append(order)
            try tx.add(buyer)
            order.place?.order = order
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(2, After.types) { _, _ in })
        }
        expectEqual(error?.code, .migrationFailed)
        expectTrue(error?.className == "MigOrder" && error?.property == "place")
        let drop: MigrationBlock = { migration, _ in
            try migration.deleteProperty(onType: "MigOrder", "place")
        }
        try await realm.migrate(2, After.types, drop) { tx in
            expectEqual(tx.objects(After.MigBuyer.self)[0].orders.map(\.number), [1])
            let (orders, goals) = (
                try tx.dynamicObjects("MigOrder"), try tx.dynamicObjects("MigGoal")
            )
            expectTrue(orders.count == 1 && goals.isEmpty)
        }
    }
}
