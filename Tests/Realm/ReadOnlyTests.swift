import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `Configuration.readOnly`: reads what is stored, and never writes a byte.
@Suite struct ReadOnlyTests {
    private func readOnly(
        _ folder: RealmFolder, _ types: [ObjectBase.Type]? = nil
    ) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", types)
        configuration.readOnly = true
        return configuration
    }

    // Covers 5.73
    @Test func everythingIsReadAndNothingIsWritten() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general", "random"])
        let before = try folder.state()
        let realm = try await Realm.open(readOnly(folder, [Room.self]))
        expectTrue(realm.configuration.readOnly && !realm.isEmpty)
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["general", "random"])
        let topic = try await realm.read { tx in
            tx.object(Room.self, forPrimaryKey: "random")?.topic
        }
        expectEqual(topic, "nothing yet")
        expectEqual(realm.object(Room.self, forPrimaryKey: "general").current?.name, "general")
        var stream = realm.objects(Room.self).changes.makeAsyncIterator()
        guard case .initial(let rooms)? = try await stream.next() else {
            Issue.record("the stream has no initial element")
            return
        }
        expectEqual(rooms.count, 2)
        await realm.close()
        try expectEqual(folder.state(), before)
    }

    // Covers .readOnly
    @Test func writesThrowAndRunNoBody() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        let realm = try await Realm.open(readOnly(folder))
        for durability in [Realm.Durability.full, .relaxed(within: .seconds(1))] {
            let error = await realmError {
                try await realm.write(durability: durability) { tx in
                    Issue.record("the body ran")
                    try tx.add(Room("new"))
                }
            }
            expectTrue(error?.code == .readOnly && error?.message.contains("read-only") == true)
        }
        await realm.close()
        await expectEqual(realmError { try await realm.write { _ in } }?.code, .closed)
    }

    // Covers .filePermissionDenied
    @Test(.enabled(if: geteuid() == 0, "needs root to give files away"))
    func directoryOfAStrangerThatEverybodyMayWriteToIsRefused() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        let path = folder["test.realm"].path
        try #require(chown(path, 65534, 65534) == 0)
        for (mode, code) in [
            (0o777, .filePermissionDenied), (0o1777, .filePermissionDenied), (0o755, nil),
        ] as [(mode_t, Realm.Error.Code?)] {
            try #require(chmod(path, mode) == 0)
            let error = await realmError { try await Realm.open(readOnly(folder)).close() }
            expectEqual(error?.code, code)
            expectTrue(error == nil || error?.path == path)
        }
    }

    // Covers 12.5, .fileNotFound
    @Test func whatIsNotThereIsNotMade() async throws {
        let folder = try RealmFolder()
        let missing = await realmError { try await Realm.open(readOnly(folder)) }
        expectTrue(missing?.code == .fileNotFound && missing?.path == folder["test.realm"].path)
        try expectEqual(folder.names(), [])
        for content in [nil, "photo.jpg"] {
            try FileManager.default.createDirectory(
                at: folder["test.realm"], withIntermediateDirectories: true)
            if let content {
                try Data("x".utf8).write(to: folder["test.realm"].appending(path: content))
            }
            let before = try folder.state()
            let error = await realmError { try await Realm.open(readOnly(folder)) }
            expectTrue(error?.code == .fileNotFound && error?.path == folder["test.realm"].path)
            try expectEqual(folder.state(), before)
        }
    }

    /// For root, permissions don't matter, but it matters that nothing is modified.
    // Covers 5.88
    @Test func permissionToReadIsEnough() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        let manager = FileManager.default
        for name in try folder.names(in: "test.realm") {
            try manager.setAttributes(
                [.posixPermissions: 0o400],
                ofItemAtPath: folder["test.realm"].appending(path: name).path)
        }
        try manager.setAttributes(
            [.posixPermissions: 0o500], ofItemAtPath: folder["test.realm"].path)
        let before = try folder.state()
        let realm = try await Realm.open(readOnly(folder))
        expectEqual(realm.snapshot().objects(Room.self).count, 1)
        await realm.close()
        try expectEqual(folder.state(), before)
        try manager.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: folder["test.realm"].path)
    }

    /// As on a medium where the realm was never opened.
    // Covers 5.88
    @Test func noLockIsNeeded() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        try FileManager.default.removeItem(at: folder["test.realm"].appending(path: "LOCK"))
        let before = try folder.state()
        let realm = try await Realm.open(readOnly(folder))
        expectEqual(realm.snapshot().objects(Room.self).count, 1)
        let template = try await Realm.temporary([Room.self], from: folder["test.realm"])
        expectEqual(template.snapshot().objects(Room.self).count, 1)
        await realm.close()
        try expectEqual(folder.state(), before)
    }

    @Test func listedClassMustBeStoredWholeOrNotAtAll() async throws {
        enum Earlier {
            final class Paper: Object { @Persisted var text: String }
        }
        enum Later {
            final class Paper: Object {
                @Persisted var text: String
                @Persisted var author: String
            }
            final class Pencil: Object { @Persisted var color: String }
        }
        enum Other {
            final class Paper: Object { @Persisted var text: Int }
        }
        let folder = try RealmFolder()
        let first = try await Realm.open(folder.configuration())
        try await first.write { try $0.add(Earlier.Paper()) }
        await first.close()
        let lacking = await realmError {
            try await Realm.open(readOnly(folder, [Later.Paper.self]))
        }
        expectEqual(lacking?.code, .schemaMismatch)
        expectTrue(lacking?.className == "Paper" && lacking?.property == "author")
        expectEqual(lacking?.message.contains("Paper.author"), true)
        let other = await realmError {
            try await Realm.open(readOnly(folder, [Other.Paper.self]))
        }
        expectTrue(other?.code == .schemaMismatch && other?.property == "text")
        let realm = try await Realm.open(
            readOnly(folder, [Earlier.Paper.self, Later.Pencil.self]))
        expectEqual(realm.snapshot().objects(Earlier.Paper.self).count, 1)
        expectTrue(realm.snapshot().objects(Later.Pencil.self).isEmpty)
        await realm.close()
        // A class list that omits what is stored makes no difference either.
        let few = try await Realm.open(readOnly(folder, [Later.Pencil.self]))
        expectTrue(few.snapshot().objects(Later.Pencil.self).isEmpty && !few.isEmpty)
        await few.close()
    }

    @Test func realmIsOpenInOneWayAtATime() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        let reader = try await Realm.open(readOnly(folder))
        #expect(try await Realm.open(readOnly(folder)) === reader)
        let writing = await realmError { try await Realm.open(folder.configuration()) }
        expectTrue(writing?.code == .alreadyOpen && writing?.message.contains("readOnly") == true)
        await reader.close()
        let writer = try await Realm.open(folder.configuration())
        await expectEqual(realmError { try await Realm.open(readOnly(folder)) }?.code, .alreadyOpen)
        try await writer.write { try $0.add(Room("new")) }
        await writer.close()
        let again = try await Realm.open(readOnly(folder))
        expectEqual(again.snapshot().objects(Room.self).count, 2)
        await again.close()
    }

    @Test func realmThatNobodyHoldsCanBeOpenedOtherwise() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm(rooms: ["general"])
        for _ in 0..<20 {
            _ = try await Realm.open(readOnly(folder))
            let writer = try await Realm.open(folder.configuration())
            try await writer.write { tx in
                let room = try requireValue(tx.object(Room.self, forPrimaryKey: "general"))
                room.topic += "."
            }
        }
        let realm = try await Realm.open(readOnly(folder))
        expectEqual(realm.snapshot().objects(Room.self).first?.topic.hasSuffix("..."), true)
        await realm.close()
    }

    @Test func settingsThatContradictReadOnlyAreRefused() async throws {
        let folder = try RealmFolder()
        var seeded = readOnly(folder)
        seeded.seedFile = folder["seed.realm"]
        var memory = Realm.Configuration(location: .inMemory(identifier: "read-only"))
        memory.readOnly = true
        for (configuration, sentence) in [
            (seeded, "Configuration.seedFile can't be combined with readOnly."),
            (memory, "An in-memory realm starts empty, so it can't be opened read-only."),
        ] {
            let error = await realmError { try await Realm.open(configuration) }
            expectTrue(error?.code == .invalidInput && error?.message.contains(sentence) == true)
        }
    }
}
