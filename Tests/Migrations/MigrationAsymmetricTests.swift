import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Classes that become asymmetric, and asymmetric classes that become ordinary or embedded.
@Suite struct MigrationAsymmetricTests {
    private enum Plain {
        final class MigEvent: Object {
            @Persisted var number: Int
            @Persisted var place: MigSpot?
        }
        final class MigSpot: EmbeddedObject { @Persisted var name: String }
        final class MigSource: Object {
            @Persisted var name: String
            @Persisted var events: List<MigEvent>
        }
        static let types: [ObjectBase.Type] = [MigEvent.self, MigSpot.self, MigSource.self]
    }
    private enum Passed {
        final class MigEvent: AsymmetricObject {
            @Persisted var number: Int
            @Persisted var place: MigSpot?
        }
        final class MigSpot: EmbeddedObject { @Persisted var name: String }
        final class MigSource: Object { @Persisted var name: String }
        static let types: [ObjectBase.Type] = [MigEvent.self, MigSpot.self, MigSource.self]
    }
    private enum Owned {
        final class MigEvent: EmbeddedObject {
            @Persisted var number: Int
            @Persisted var place: MigSpot?
        }
        final class MigSpot: EmbeddedObject { @Persisted var name: String }
        final class MigSource: Object {
            @Persisted var name: String
            @Persisted var events: List<MigEvent>
        }
        static let types: [ObjectBase.Type] = [MigEvent.self, MigSpot.self, MigSource.self]
    }

    private static let dropLists: MigrationBlock = { migration, _ in
        try migration.deleteProperty(onType: "MigSource", "events")
    }

    /// Makes three events with places, two of which are in the list of a source.
    private func plainRealm() async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, Plain.types) { tx in
            let events = try (0..<3).map { (number: Int) in
                try tx.create(
                    Plain.MigEvent.self,
                    value: ["number": number, "place": ["name": "spot \(number)"]])
            }
            let source = try tx.create(Plain.MigSource.self, value: ["name": "s"])
            source.events.append(objectsIn: events.dropLast())
        }
        return realm
    }

    /// Returns the numbers and places that a drain delivers.
    private func drained(_ realm: MigrationRealm, _ version: UInt64) async throws -> [String] {
        let opened = try await Realm.open(realm.configuration(version, Passed.types))
        var found: [String] = []
        try await opened.drain(Passed.MigEvent.self, untilEmpty: true) { batch in
            found += batch.map { "\($0.number) \($0.place?.name ?? "nowhere")" }
        }
        await opened.close()
        return found
    }

    @Test func objectsBecomeAsymmetricAndAreDelivered() async throws {
        let realm = try await plainRealm()
        try await realm.migrate(2, Passed.types, Self.dropLists)
        try await realm.write(2, Passed.types) { tx in
            try tx.create(Passed.MigEvent.self, value: ["number": 3])
        }
        let expected = ["0 spot 0", "1 spot 1", "2 spot 2", "3 nowhere"]
        try await expectEqual(drained(realm, 2), expected)
        try await realm.read(2, Passed.types) { tx in
            expectEqual(tx.objects(Passed.MigSource.self).count, 1)
            let spots = try tx.dynamicObjects("MigSpot")
            expectTrue(spots.isEmpty)
        }
        try await expectEqual(drained(realm, 2), [])
    }

    @Test func withoutABlockNothingIsPassedOn() async throws {
        let realm = try await plainRealm()
        let error = await realmError { try await Realm.open(realm.configuration(2, Passed.types)) }
        expectTrue(error?.code == .schemaMismatch && error?.className == "MigEvent")
        expectEqual(error?.message.contains("Configuration.migration"), true)
        try await expectEqual(realm.version, 1)
    }

    // Covers .migrationFailed
    @Test func propertyThatLeadsToThemFailsTheMigration() async throws {
        let realm = try await plainRealm()
        let before = try realm.folder.state()
        let error = await realmError {
            try await Realm.open(realm.configuration(2, Passed.types) { _, _ in })
        }
        expectEqual(error?.code, .migrationFailed)
        expectTrue(error?.className == "MigSource" && error?.property == "events")
        expectEqual(error?.message.contains("MigSource.events of type List<MigEvent>"), true)
        expectEqual(error?.message.contains("MigEvent cannot become asymmetric"), true)
        try await expectEqual(realm.version, 1)
        try expectEqual(realm.folder.state().keys, before.keys)
        try await realm.read(1, Plain.types) { tx in
            expectEqual(tx.objects(Plain.MigSource.self).first?.events.map(\.number), [0, 1])
            expectEqual(tx.objects(Plain.MigEvent.self).map { $0.place?.name ?? "" }.count, 3)
        }
        try await realm.migrate(2, Passed.types, Self.dropLists)
        try await expectEqual(drained(realm, 2).count, 3)
    }

    @Test func asymmetricObjectsBecomeOrdinaryAndBack() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, Passed.types) { tx in
            for number in 0..<3 {
                try tx.create(
                    Passed.MigEvent.self,
                    value: ["number": number, "place": ["name": "spot \(number)"]])
            }
        }
        // Nothing is lost, so no block is needed.
        try await realm.read(2, Plain.types) { tx in
            let events = tx.objects(Plain.MigEvent.self)
            expectEqual(events.map(\.number), [0, 1, 2])
            expectEqual(events.map { $0.place?.name }, ["spot 0", "spot 1", "spot 2"])
        }
        try await realm.write(2, Plain.types) { tx in
            let source = try tx.create(Plain.MigSource.self, value: ["name": "s"])
            source.events.append(objectsIn: tx.objects(Plain.MigEvent.self))
            tx.delete(try requireValue(tx.objects(Plain.MigEvent.self).last))
        }
        try await realm.migrate(3, Passed.types, Self.dropLists)
        try await expectEqual(drained(realm, 3), ["0 spot 0", "1 spot 1"])
    }

    @Test func asymmetricObjectsBecomeEmbeddedWhereTheBlockGivesThemOwners() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, Passed.types) { tx in
            for number in 0..<4 {
                try tx.create(Passed.MigEvent.self, value: ["number": number])
            }
            try tx.create(Passed.MigSource.self, value: ["name": "s"])
        }
        let error = await realmError { try await Realm.open(realm.configuration(2, Owned.types)) }
        expectTrue(error?.code == .schemaMismatch && error?.className == "MigEvent")
        let block: MigrationBlock = { migration, _ in
            var even: [DynamicObject] = []
            try migration.enumerateObjects(ofType: "MigEvent") { _, new in
                if let new, (new["number"] as? Int ?? 1) % 2 == 0 { even.append(new) }
            }
            try migration.enumerateObjects(ofType: "MigSource") { _, new in
                new?["events"] = even
            }
        }
        try await realm.migrate(2, Owned.types, block) { tx in
            let source = try requireValue(tx.objects(Owned.MigSource.self).first)
            expectEqual(source.events.map(\.number), [0, 2])
            let events = try tx.dynamicObjects("MigEvent")
            expectEqual(events.count, 2)  // the others had no owner
        }
        // Embedded events become asymmetric.
        try await realm.migrate(3, Passed.types, Self.dropLists)
    }

    @Test func embeddedObjectsBecomeAsymmetric() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, Owned.types) { tx in
            let source = try tx.create(Owned.MigSource.self, value: ["name": "s"])
            for number in 0..<2 {
                let event = Owned.MigEvent()
                event.number = number
                source.events.append(event)
            }
        }
        // They are deleted with the list that owned them, so the block creates them again.
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigSource") { old, _ in
                guard let events = try old?.dynamicList("events") else { return }
                for case let event as DynamicObject in events {
                    try migration.create("MigEvent", value: ["number": event["number"]])
                }
            }
            try migration.enumerateObjects(ofType: "MigEvent") { _, new in
                if let new { try migration.delete(new) }
            }
            try migration.deleteProperty(onType: "MigSource", "events")
        }
        try await realm.migrate(2, Passed.types, block)
        try await expectEqual(drained(realm, 2), ["0 nowhere", "1 nowhere"])
    }

    @Test func reportTellsTheKinds() async throws {
        let realm = try await plainRealm()
        let report = try await Realm.previewMigration(
            for: realm.configuration(2, Passed.types, Self.dropLists))
        expectEqual(
            report?.changes, ["MigEvent becomes asymmetric.", "MigSource.events is removed."])
        expectEqual(report?.schemas.new["MigEvent"]?.isAsymmetric, true)
        expectEqual(report?.schemas.old["MigEvent"]?.isAsymmetric, false)
    }
}
