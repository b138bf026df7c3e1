import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `Configuration.schemaVersion`, as far as it works without migrations.
@Suite struct SchemaVersionTests {
    private enum Earlier {
        final class Paper: Object { @Persisted var text: String }
    }
    private enum Later {
        final class Paper: Object { @Persisted var text: Int }
    }

    private func configuration(
        _ folder: RealmFolder, _ version: UInt64, _ types: [ObjectBase.Type]? = nil
    ) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", types)
        configuration.schemaVersion = version
        return configuration
    }

    // Covers 5.6
    @Test func versionIsStoredAtOpen() async throws {
        let folder = try RealmFolder()
        let url = folder["test.realm"]
        let realm = try await Realm.open(configuration(folder, 0))
        try await expectTrue(Realm.schemaVersion(at: url) == 0 && realm.snapshot().version == 0)
        await realm.close()
        for version: UInt64 in [3, 3, 4, .max - 1] {
            let realm = try await Realm.open(configuration(folder, version))
            try await expectEqual(Realm.schemaVersion(at: url), version)
            try await realm.write { try $0.add(Room("version \(version) \(UUID())")) }
            await realm.close()
            try await expectEqual(Realm.schemaVersion(at: url), version)
        }
        let last = try await Realm.open(configuration(folder, .max - 1))
        expectEqual(last.snapshot().objects(Room.self).count, 4)
        expectEqual(last.snapshot().version, 7)  // four objects, three versions
        await last.close()
    }

    // Covers 5.6, 6.3
    @Test func lowerVersionIsRefusedWithBothNamed() async throws {
        let folder = try RealmFolder()
        try await Realm.open(configuration(folder, 12)).close()
        for version: UInt64 in [0, 11] {
            for readOnly in [false, true] {
                var lower = configuration(folder, version)
                lower.readOnly = readOnly
                let error = await realmError { try await Realm.open(lower) }
                expectEqual(error?.code, .schemaMismatch)
                expectEqual(error?.message.contains("version 12"), true)
                expectEqual(error?.message.contains("has \(version)"), true)
            }
        }
        try await expectEqual(Realm.schemaVersion(at: folder["test.realm"]), 12)
    }

    @Test func higherVersionDoesNotHelpAClassThatDiffers() async throws {
        let folder = try RealmFolder()
        let first = try await Realm.open(configuration(folder, 1, [Earlier.Paper.self]))
        try await first.write { try $0.add(Earlier.Paper()) }
        await first.close()
        for version: UInt64 in [1, 2] {
            let error = await realmError {
                try await Realm.open(configuration(folder, version, [Later.Paper.self]))
            }
            expectEqual(error?.code, .schemaMismatch)
            expectTrue(error?.className == "Paper" && error?.property == "text")
            expectEqual(error?.message.contains("migration"), true)
        }
        try await expectEqual(Realm.schemaVersion(at: folder["test.realm"]), 1)
    }

    // Covers 5.83
    @Test func versionSurvivesCheckpoints() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(configuration(folder, 5))
        try await realm.write { tx in  // a bulk commit, which is a checkpoint
            for number in 0..<5 {
                try tx.add(Room("\(number)", topic: longText(1 << 20)))
            }
        }
        await realm.close()
        try expectTrue(folder.names(in: "test.realm").contains("nodes-1"))
        try await expectEqual(Realm.schemaVersion(at: folder["test.realm"]), 5)
        await expectTrue(realmError { try await Realm.open(configuration(folder, 4)) } != nil)
    }

    // Covers 5.83
    @Test func versionIsReadWithoutAChange() async throws {
        let folder = try RealmFolder()
        try await Realm.open(configuration(folder, 5)).close()
        let before = try folder.state()
        try await expectEqual(Realm.schemaVersion(at: folder["test.realm"]), 5)
        try expectEqual(folder.state(), before)
        let missing = await realmError {
            try await Realm.schemaVersion(at: folder["missing.realm"])
        }
        expectTrue(missing?.code == .fileNotFound && missing?.path == folder["missing.realm"].path)
        try expectEqual(folder.names(), ["test.realm"])
    }

    @Test func realmIsOpenAtOneVersion() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(configuration(folder, 1))
        let error = await realmError { try await Realm.open(configuration(folder, 2)) }
        expectTrue(error?.code == .alreadyOpen && error?.message.contains("schemaVersion") == true)
        try await expectEqual(Realm.schemaVersion(at: folder["test.realm"]), 1)
        await realm.close()
    }

    // Covers 5.6
    @Test func greatestNumberIsReserved() async throws {
        let folder = try RealmFolder()
        let error = await realmError { try await Realm.open(configuration(folder, .max)) }
        expectEqual(error?.code, .invalidInput)
        try expectEqual(folder.names(), [])
    }

    @Test func memoryHasAVersionToo() async throws {
        var configuration = Realm.Configuration(location: .inMemory(identifier: "versions"))
        configuration.schemaVersion = 3
        let realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().version, 1)
        try await realm.write { try $0.add(Room("general")) }
        expectEqual(realm.snapshot().version, 2)
        await realm.close()
    }
}
