import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The files of realms: existence, deletion, seeds, paths and their spellings.
@Suite(.disabled(if: Effort.isReduced))
struct RealmFileTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    // MARK: Presence and deletion

    // Covers 5.73, 5.81
    @Test func realmIsThereOnceItWasOpened() async throws {
        let configuration = folder.configuration()
        #expect(try await !Realm.fileExists(for: configuration))
        #expect(try await !Realm.deleteFiles(for: configuration))
        try expectEqual(folder.names(), [])
        try await folder.makeRealm(rooms: [])
        #expect(try await Realm.fileExists(for: configuration))
        #expect(try await Realm.deleteFiles(for: configuration))
        #expect(try await !Realm.fileExists(for: configuration))
        try expectEqual(folder.names(), [])
        let again = try await Realm.open(configuration)
        expectTrue(again.isEmpty && again.snapshot().version == 0)
        await again.close()
    }

    // Covers 5.81
    @Test func whatIsNoRealmIsNeitherThereNorDeleted() async throws {
        try Data("text".utf8).write(to: folder["file.realm"])
        try FileManager.default.createDirectory(
            at: folder["photos"], withIntermediateDirectories: false)
        try Data("x".utf8).write(to: folder["photos"].appending(path: "photo.jpg"))
        for name in ["file.realm", "photos", "missing/deep"] {
            #expect(try await !Realm.fileExists(for: folder.configuration(name)))
            _ = try? await Realm.deleteFiles(for: folder.configuration(name))
        }
        try expectEqual(folder.names(), ["file.realm", "photos"])
        try expectEqual(folder.names(in: "photos"), ["photo.jpg"])
    }

    /// What a user puts in the place of `LOCK`, with a log beside it or not.
    // Covers .fileAccess
    @Test(
        arguments: ["directory", "pipe", "link to nowhere", "file of another user"], [true, false])
    func whatIsInThePlaceOfALockIsNamed(_ kind: String, hasLog: Bool) async throws {
        if kind == "file of another user", geteuid() != 0 { return }
        let original = try await Realm.open(folder.configuration("original.realm"))
        try await folder.makeRealm(rooms: ["general"])
        let lock = folder["test.realm"].appending(path: "LOCK")
        for name in try folder.names(in: "test.realm") where !hasLog || name == "LOCK" {
            try FileManager.default.removeItem(at: folder["test.realm"].appending(path: name))
        }
        switch kind {
        case "directory":
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        case "pipe": try #require(mkfifo(lock.path, 0o600) == 0)
        case "link to nowhere":
            try FileManager.default.createSymbolicLink(
                atPath: lock.path, withDestinationPath: "nowhere")
        default:
            try Data(count: 8_192).write(to: lock)
            try #require(chown(lock.path, 65_534, 65_534) == 0)
            try #require(chmod(folder["test.realm"].path, 0o777) == 0)
        }
        let before = try folder.names(in: "test.realm")
        let (url, copy) = (folder["test.realm"], folder["copy.realm"])
        let configuration = folder.configuration()
        var reading = configuration
        reading.readOnly = true
        var errors = [
            "open": await realmError { try await Realm.open(configuration) },
            "open read-only": await realmError { [reading] in try await Realm.open(reading) },
            "delete": await realmError { try await Realm.deleteFiles(for: configuration) },
            "schema version": await realmError { try await Realm.schemaVersion(at: url) },
            "preview": await realmError {
                try await Realm.previewMigration(for: configuration)
            },
            "verify": await realmError { try await Realm.verify(at: url) },
            "salvage": await realmError { try await Realm.salvage(url, to: copy) },
            "restore": await realmError { try await Realm.restore(from: url, to: copy) },
            "update": await realmError { try await original.updateBackup(at: url) },
        ]
        if hasLog {
            #expect(try await Realm.fileExists(for: configuration))
        } else {
            errors["exists"] = await realmError {
                try await Realm.fileExists(for: configuration)
            }
        }
        for (call, error) in errors {
            expectEqual(error?.code, .fileAccess, "\(call)")
            expectEqual(error?.path, lock.path, "\(call)")
            expectTrue(error?.message.contains(lock.path) == true, "\(call)")
        }
        try expectEqual(folder.names(in: "test.realm"), before)
        try expectEqual(folder.names(), ["original.realm", "test.realm"])
        await original.close()
    }

    /// A program that takes a realm for missing begins with an empty one.
    // Covers .ioFailed
    @Test func realmIsNotMissingWhileThereAreNoDescriptors() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try RealmFolder()
            try await folder.makeRealm(rooms: ["general"])
            let realm = try await Realm.open(folder.configuration())
            try await realm.writeCopy(toFile: folder["copy.tar"])
            await realm.close()
            let held = takeAllDescriptors()
            var codes: [Realm.Error.Code?] = []
            for name in ["test.realm", "copy.tar"] {
                let error = await realmError {
                    _ = try await Realm.fileExists(for: folder.configuration(name))
                }
                codes.append(error?.code)
            }
            for descriptor in held { close(descriptor) }
            let isThere = try await Realm.fileExists(for: folder.configuration())
            try FileManager.default.removeItem(at: folder.url)
            exit(codes == [.ioFailed, .ioFailed] && isThere ? 7 : 8)
        }
    }

    @Test func filesOfOthersStayWhenARealmIsDeleted() async throws {
        try await folder.makeRealm(rooms: ["general"])
        try Data("x".utf8).write(to: folder["test.realm"].appending(path: "photo.jpg"))
        // the name is that of a temporary file
        try FileManager.default.createDirectory(
            at: folder["test.realm"].appending(path: "tmp-photos"),
            withIntermediateDirectories: false)
        #expect(try await Realm.deleteFiles(for: folder.configuration()))
        #expect(try await !Realm.fileExists(for: folder.configuration()))
        try expectEqual(folder.names(in: "test.realm"), ["photo.jpg", "tmp-photos"])
    }

    // Covers 12.13, .alreadyOpen
    @Test func openRealmIsNotDeleted() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { try $0.add(Room("general")) }
        try FileManager.default.createSymbolicLink(
            at: folder["link.realm"], withDestinationURL: folder["test.realm"])
        for name in [
            "test.realm", "test.realm/", "../\(folder.url.lastPathComponent)/test.realm",
            "link.realm",
        ] {
            let error = await realmError {
                try await Realm.deleteFiles(for: folder.configuration(name))
            }
            expectEqual(error?.code, .alreadyOpen, "\(name)")
        }
        expectEqual(realm.snapshot().objects(Room.self).count, 1)
        try await realm.write { try $0.add(Room("random")) }
        await realm.close()
        #expect(try await Realm.deleteFiles(for: folder.configuration()))
        try expectEqual(folder.names(), ["link.realm"])
    }

    // Covers 5.3
    @Test func memoryHasNoFiles() async throws {
        let configuration = Realm.Configuration(location: .inMemory(identifier: "no files"))
        #expect(try await !Realm.fileExists(for: configuration))
        #expect(try await !Realm.deleteFiles(for: configuration))
        let realm = try await Realm.open(configuration)
        #expect(try await !Realm.fileExists(for: configuration))
        let error = await realmError { try await Realm.deleteFiles(for: configuration) }
        expectEqual(error?.code, .alreadyOpen)
        await realm.close()
    }

    // MARK: Seeds

    // Covers 5.12, 5.88
    @Test func newRealmBeginsWithItsSeed() async throws {
        try await folder.makeRealm("seed.realm", rooms: ["general", "random"])
        let before = try folder.state(of: "seed.realm")
        var configuration = folder.configuration("new.realm", [Room.self])
        configuration.seedFile = folder["seed.realm"]
        let realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["general", "random"])
        try await realm.write { tx in
            #expect(throws: Realm.Error.self) { try tx.add(Room("general")) }
            tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "random")))
            try tx.add(Room("new"))
        }
        await realm.close()
        try expectEqual(folder.state(of: "seed.realm"), before)
        // From now on it is a realm like any other, and the seed is ignored.
        try await folder.makeRealm("other.realm", rooms: ["other"])
        configuration.seedFile = folder["other.realm"]
        for _ in 0..<3 {
            let again = try await Realm.open(configuration)
            expectEqual(again.snapshot().objects(Room.self).map(\.name), ["general", "new"])
            try await again.write { tx in
                try requireValue(tx.object(Room.self, forPrimaryKey: "new")).topic += "!"
            }
            await again.close()
        }
        try expectEqual(folder.names(in: "new.realm").filter { $0.hasPrefix("unfinished") }, [])
    }

    @Test func seedMayBeLargeAndInUse() async throws {
        let seed = try await Realm.open(folder.configuration("seed.realm"))
        for round in 0..<4 {
            try await seed.write { tx in
                for number in 0..<5000 {
                    try tx.add(Message("room \(round)", "message \(number)"))
                }
            }
        }
        var configuration = folder.configuration("new.realm", [Message.self])
        configuration.seedFile = folder["seed.realm"]
        let writing = Task {
            for number in 0..<50 {
                try await seed.write { try $0.add(Message("late", "\(number)")) }
            }
        }
        let realm = try await Realm.open(configuration)
        try await writing.value
        let messages = realm.snapshot().objects(Message.self)
        let late = messages.where { $0.room == "late" }.map(\.text)
        expectEqual(messages.where { $0.room == "room 2" }.count, 5000)
        expectTrue(Array(late) == (0..<late.count).map { "\($0)" })
        await realm.close()
        await seed.close()
        let again = try await Realm.open(configuration)
        expectEqual(again.snapshot().objects(Message.self).count, messages.count)
        await again.close()
    }

    // Covers 5.12, 12.5, .fileNotFound
    @Test func seedThatIsMissingOrDamagedLeavesNothingBehind() async throws {
        var configuration = folder.configuration("new.realm")
        configuration.seedFile = folder["seed.realm"]
        let missing = await realmError { try await Realm.open(configuration) }
        expectTrue(missing?.code == .fileNotFound && missing?.path == folder["seed.realm"].path)
        try await folder.makeRealm("seed.realm", rooms: ["general"])
        let log = folder["seed.realm"].appending(path: "log-0-0")
        var bytes = try Data(contentsOf: log)
        bytes[4200] ^= 1
        try bytes.write(to: log)
        let damaged = await realmError { try await Realm.open(configuration) }
        expectEqual(damaged?.code, .invalidDatabase)
        expectEqual(damaged?.path?.contains("seed.realm"), true)
        try expectEqual(folder.names(), ["seed.realm"])
        configuration.seedFile = nil
        let realm = try await Realm.open(configuration)
        expectTrue(realm.isEmpty)
        await realm.close()
    }

    // Covers 5.3
    @Test func memoryCanBeginWithASeed() async throws {
        try await folder.makeRealm("seed.realm", rooms: ["general"])
        var configuration = Realm.Configuration(location: .inMemory(identifier: "seeded"))
        configuration.seedFile = folder["seed.realm"]
        let realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().objects(Room.self).count, 1)
        await realm.close()
    }

    // MARK: Places

    @Test func oneRealmMayBeSpelledInSeveralWays() async throws {
        let realm = try await Realm.open(folder.configuration())
        let names = ["test.realm", "test.realm/", "./test.realm", "nowhere/../test.realm"]
        try FileManager.default.createDirectory(
            at: folder["nowhere"], withIntermediateDirectories: false)
        for name in names {
            let url = URL(fileURLWithPath: folder.url.path + "/" + name)
            #expect(try await Realm.open(.init(location: .file(url))) === realm, "\(name)")
        }
        await realm.close()
    }

    @Test(arguments: [
        "with space.realm", "mit Umlaut ä é 漢字 🦊.realm", "50%.realm", "a?b#c&d=e.realm",
        "a%20b.realm",
        "new\nline.realm", "-rf.realm", "\"quoted\" 'name'.realm", "back\\slash.realm", ".hidden",
        String(repeating: "n", count: 255),
    ])
    func strangeNamesArePossible(_ name: String) async throws {
        let url = URL(fileURLWithPath: folder.url.path + "/" + name)
        let configuration = Realm.Configuration(location: .file(url))
        let realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Room("general")) }
        await realm.close()
        try expectEqual(folder.names(), [name])
        #expect(try await Realm.fileExists(for: configuration))
        let again = try await Realm.open(configuration)
        expectEqual(again.snapshot().objects(Room.self).count, 1)
        await again.close()
        #expect(try await Realm.deleteFiles(for: configuration))
        try expectEqual(folder.names(), [])
    }

    @Test func impossiblePlacesAreNamed() async throws {
        let long = String(repeating: "n", count: 256)
        try Data("text".utf8).write(to: folder["file"])
        let cases: [(String, Realm.Error.Code)] = [
            (long, .fileAccess), ("missing/a.realm", .fileAccess), ("file", .fileAccess),
            ("file/a.realm", .fileAccess),
        ]
        for (name, code) in cases {
            for readOnly in [false, true] {
                let url = URL(fileURLWithPath: folder.url.path + "/" + name)
                var configuration = Realm.Configuration(location: .file(url))
                configuration.readOnly = readOnly
                let error = await realmError { try await Realm.open(configuration) }
                let isMissing = readOnly && name.hasPrefix("missing")
                expectTrue(error?.code == (isMissing ? .fileNotFound : code), "\(name)")
                expectTrue(error?.errno != nil && error?.path?.contains(name) == true, "\(name)")
                expectEqual(error?.message.contains(name), true, "\(name)")
            }
        }
        try expectEqual(folder.names(), ["file"])
    }

    // Covers .invalidInput
    @Test func urlsThatAreNotOfFilesAreRefused() async throws {
        let file = folder["file"]
        try Data().write(to: file)
        let web = try requireValue(URL(string: "https://example.org" + file.path))
        let bare = try requireValue(URL(string: file.path))
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { try $0.add(Room("general")) }
        let snapshot = realm.snapshot()
        var configuration = folder.configuration("other.realm")
        for url in [web, bare] {
            var errors = [
                await realmError { try await Realm.open(.init(location: .file(url))) },
                await realmError { try await realm.backup(to: url) },
                await realmError { try await snapshot.exportJSON(to: url) },
                await realmError { try await realm.importJSON(from: url) },
            ]
            configuration.migrationBackup = url
            errors.append(
                await realmError { [configuration] in try await Realm.open(configuration) })
            for error in errors {
                expectTrue(error?.code == .invalidInput && error?.path == url.absoluteString)
                expectEqual(error?.message.contains(url.absoluteString), true)
            }
        }
        try expectEqual(Data(contentsOf: file), Data())
        await realm.close()
    }

    /// As a realm leaves it that couldn't be created because the disk was full.
    @Test(arguments: [0, 8_192])
    func aDirectoryWithNothingButAnEmptyLockBecomesARealm(byteCount: Int) async throws {
        let directory = folder["test.realm"]
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Data(count: byteCount).write(to: directory.appending(path: "LOCK"))
        for count in 1...2 {
            let realm = try await Realm.open(folder.configuration())
            try await realm.write { try $0.add(Room("\(count)")) }
            expectEqual(realm.snapshot().objects(Room.self).count, count)
            try await realm.snapshot().checkIntegrity()
            await realm.close()
        }
        try await Realm.deleteFiles(for: folder.configuration())
        try expectEqual(folder.names(), [])
    }

    // MARK: Versions that are held

    // Covers .busy
    @Test func writeIsRefusedWhileTooManyVersionsAreHeld() async throws {
        var configuration = folder.configuration()
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try await Realm.open(configuration)
        var held: [Snapshot] = []
        for number in 0..<3 {
            held.append(realm.snapshot())
            held.append(realm.snapshot())  // of the same version
            if number == 2 { break }
            try await realm.write { try $0.add(Room("\(number)")) }
        }
        try await realm.write { try $0.add(Room("the third")) }
        let error = await realmError { try await realm.write { try $0.add(Room("one more")) } }
        expectTrue(error?.code == .busy && error?.message.contains("ActiveVersions is 3") == true)
        expectEqual(error?.message.contains("RealmFileTests.swift"), true)
        held.removeFirst(2)
        try await realm.write { try $0.add(Room("one more")) }
        expectEqual(held.count, 4)
        await realm.close()
    }
}
