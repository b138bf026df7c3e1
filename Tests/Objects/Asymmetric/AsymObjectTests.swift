import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Valid and refused declarations and contents of asymmetric objects.
@Suite struct AsymObjectTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func openError(_ types: [ObjectBase.Type]) async -> Realm.Error? {
        await realmError { try await Realm.open(folder.configuration("refused.realm", types)) }
    }

    // Covers 1.73
    @Test func linksToAsymmetricObjectsAreRefused() async throws {
        let error = await openError([AsymLinker.self, AsymEvent.self])
        expectEqual(error?.code, .invalidInput)
        let lines = error?.message.split(separator: "\n") ?? []
        expectTrue(
            lines.contains(
                "AsymLinker.event is of type AsymEvent?: an asymmetric object cannot be linked to, "
                    + "because it is removed once it is delivered."))
        expectTrue(lines.contains { $0.hasPrefix("AsymLinker.events is of type List<AsymEvent>:") })
        // The same if no classes are listed.
        let realm = try await Realm.open(folder.configuration())
        let late = await realmError {
            try await realm.write { tx in _ = try tx.create(AsymLinker.self) }
        }
        expectTrue(late?.code == .invalidInput && late?.className == "AsymLinker")
        await realm.close()
    }

    @Test func linksOfAsymmetricObjectsAreRefused() async throws {
        let error = await openError([AsymLinked.self, AsymSensor.self])
        expectEqual(error?.code, .invalidInput)
        expectEqual(
            error?.message.contains(
                "AsymLinked.sensor is of type AsymSensor?: an asymmetric object can hold values "
                    + "and embedded objects, but no links to other objects."), true)
        expectEqual(error?.message.contains("AsymLinked.sensors is of type List<AsymSensor>"), true)
        let inner = await openError([AsymHolder.self, AsymTag.self, AsymSensor.self])
        expectEqual(inner?.code, .invalidInput)
        expectEqual(inner?.message.contains("AsymTag.sensor, which AsymHolder holds, is"), true)
        let realm = try await Realm.open(folder.configuration())
        let drained = await realmError {
            try await realm.drain(AsymLinked.self, untilEmpty: true) { _ in }
        }
        expectEqual(drained?.code, .invalidInput)
        await realm.close()
    }

    @Test func createTakesWhatOtherObjectsTake() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in
            try tx.create(AsymReading.self, value: ["number": 1, "celsius": 20])
            try tx.create(AsymReading.self, value: [2, 21.5, ["x"], nil, [1.5]] as [Any?])
            let made = AsymReading(value: ["number": 3, "celsius": 22.5])
            made.place = AsymPlace(value: ["x": 9.5])
            try tx.create(AsymReading.self, value: made)
            try tx.create(AsymEvent.self)
            // The created object isn't the stored one.
            expectTrue(!made.isManaged)
        }
        let inbox = AsymInbox()
        try await realm.drain(AsymReading.self, untilEmpty: true) { batch in
            expectEqual(batch.map(\.celsius), [20, 21.5, 22.5])
            expectEqual(batch.map { $0.place?.x }, [nil, 1.5, 9.5])
            inbox.take(batch.map(\.number))
        }
        expectEqual(inbox.numbers, [1, 2, 3])
        await realm.close()
    }

    @Test func drainHoldsNoVersionWhileItWaits() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.makeReadings(0..<1)
        let hub = realm.core.coordinator.hub
        try await realm.drain(AsymReading.self, untilEmpty: true) { _ in
            let starts = hub.state.withLock { $0.entries.values.map { $0.start?.version } }
            expectEqual(starts, [nil])
        }
        await realm.close()
    }

    @Test func wrongValuesStoreNothing() async throws {
        let realm = try await Realm.open(folder.configuration())
        let error = await realmError {
            try await realm.write { tx in
                try tx.create(AsymReading.self, value: ["number": 1, "celsius": "warm"])
            }
        }
        expectEqual(error?.code, .invalidValue)
        expectTrue(error?.className == "AsymReading" && error?.property == "celsius")
        try await realm.makeReadings(1..<2)
        let twice = await realmError { try await realm.makeReadings(1..<2) }
        expectEqual(twice?.code, .duplicatePrimaryKey)
        try await expectEqual(realm.drain(AsymReading.self, untilEmpty: true) { _ in }, 1)
        await realm.close()
    }

    @Test func failedTransactionDeliversNothing() async throws {
        struct TakenBack: Error {}
        let realm = try await Realm.open(folder.configuration())
        await #expect(throws: TakenBack.self) {
            try await realm.write { tx in
                try tx.create(AsymEvent.self, value: ["number": 1])
                throw TakenBack()
            }
        }
        try await realm.write { tx in
            try tx.create(AsymEvent.self, value: ["number": 2])
            try? tx.savepoint {
                try tx.create(AsymEvent.self, value: ["number": 3])
                throw TakenBack()
            }
            try tx.create(AsymEvent.self, value: ["number": 4])
        }
        let inbox = AsymInbox()
        try await realm.drain(AsymEvent.self, untilEmpty: true) { inbox.take($0.map(\.number)) }
        expectEqual(inbox.numbers, [2, 4])
        await realm.close()
    }

    @Test func nobodyDeletesThemButADrain() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.makeReadings(0..<5)
        try await realm.write { tx in
            try tx.create(AsymSensor.self, value: ["name": "s"])
            tx.deleteAll()
        }
        expectTrue(realm.isEmpty)
        try await expectEqual(realm.drain(AsymReading.self, untilEmpty: true) { _ in }, 5)
        await realm.close()
    }

    @Test func aClassIsAsymmetricOrNot() async throws {
        enum Before {
            final class AsymShape: Object {
                @Persisted var text: String
            }
        }
        enum After {
            final class AsymShape: AsymmetricObject {
                @Persisted var text: String
            }
        }
        let realm = try await Realm.open(
            folder.configuration("test.realm", [Before.AsymShape.self]))
        try await realm.write { tx in _ = try tx.create(Before.AsymShape.self) }
        await realm.close()
        let error = await realmError {
            try await Realm.open(folder.configuration("test.realm", [After.AsymShape.self]))
        }
        expectEqual(error?.code, .schemaMismatch)
        expectEqual(
            error?.message.contains(
                "AsymShape is declared as an asymmetric class, but stored as a class of top-level "
                    + "objects."), true)
    }

    @Test func drainsThatCannotBeAreRefused() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.makeReadings(0..<1)
        let none = await realmError {
            try await realm.drain(AsymReading.self, batchSize: 0) { _ in }
        }
        expectEqual(none?.code, .invalidInput)
        await realm.close()
        var configuration = folder.configuration()
        configuration.readOnly = true
        let reader = try await Realm.open(configuration)
        let readOnly = await realmError { try await reader.drain(AsymReading.self) { _ in } }
        expectEqual(readOnly?.code, .readOnly)
        await reader.close()
    }
}
