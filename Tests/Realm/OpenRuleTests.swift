import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumStore
@testable import RegnumTestModels

/// Opening, configurations and the form of errors.
@Suite struct OpenRuleTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "regnum-\(UUID().uuidString)")

    private var place: Realm.Configuration.Location {
        .file(folder.appending(path: "test.realm"))
    }

    private func withFolder(_ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body()
    }

    // Covers 5.15, 12.13, .alreadyOpen
    @Test func openRealmWithAnotherConfigurationIsAlreadyOpen() async throws {
        try await withFolder {
            var configuration = Realm.Configuration(location: place, objectTypes: [Room.self])
            configuration.historyRetention = .standard
            let realm = try await Realm.open(configuration)
            let changes: [(name: String, change: (inout Realm.Configuration) -> Void)] = [
                ("objectTypes", { $0.objectTypes = [] }), ("objectTypes", { $0.objectTypes = nil }),
                ("schemaVersion", { $0.schemaVersion = 1 }), ("readOnly", { $0.readOnly = true }),
                ("durability", { $0.durability = .relaxed(within: .seconds(1)) }),
                ("historyRetention", { $0.historyRetention = .nothing }),
                ("deleteRealmIfMigrationNeeded", { $0.deleteRealmIfMigrationNeeded = true }),
                ("writeTimeout", { $0.writeTimeout = .seconds(1) }),
                ("maximumNumberOfActiveVersions", { $0.maximumNumberOfActiveVersions = 9 }),
                ("scrubBytesPerSecond", { $0.scrubBytesPerSecond = 1 }),
            ]
            for (name, change) in changes {
                var other = configuration
                change(&other)
                let error = await #expect(throws: Realm.Error.self) { try await Realm.open(other) }
                expectEqual(error?.code, .alreadyOpen, "\(name)")
                expectEqual(
                    error?.message,
                    "The realm \"test.realm\" is open in this process with a different "
                        + "configuration; these settings differ: \(name). Use the same "
                        + "configuration, or close the realm first.")
            }
            // All of them are named.
            var other = configuration
            for (name, change) in changes where name != "readOnly" { change(&other) }
            let all = await #expect(throws: Realm.Error.self) { try await Realm.open(other) }
            for (name, _) in changes where name != "readOnly" {
                expectEqual(all?.message.contains(name), true, "\(name)")
            }
            var same = configuration
            same.name = "another name in the logs"
            same.migration = { _, _ in }
            same.migrationBackup = folder.appending(path: "backup.realm")
            same.resumableMigration = ResumableMigration()
            same.seedFile = folder.appending(path: "seed.realm")
            #expect(try await Realm.open(same) === realm)
            await realm.close()
            let again = try await Realm.open(.init(location: place))
            await again.close()
        }
    }

    /// If the log were read, its damage would be found.
    // Covers 5.29
    @Test func openingAnOpenRealmAgainReadsNoFile() async throws {
        try await withFolder {
            let configuration = Realm.Configuration(location: place, objectTypes: [Room.self])
            let realm = try await Realm.open(configuration)
            let log = folder.appending(path: "test.realm/log-0-0")
            let content = try Data(contentsOf: log)
            let file = try FileHandle(forWritingTo: log)
            try file.write(contentsOf: Data(repeating: 7, count: 5000))
            #expect(try await Realm.open(configuration) === realm)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: content)
            await realm.close()
        }
    }

    // Covers 5.75
    @Test func configurationTellsHowTheRealmWasOpened() async throws {
        try await withFolder {
            var configuration = Realm.Configuration(location: place, objectTypes: [Room.self])
            configuration.durability = .relaxed(within: .milliseconds(5))
            configuration.writeTimeout = .seconds(9)
            let realm = try await Realm.open(configuration)
            var copy = realm.configuration
            expectTrue(copy.location == place && copy.name == "test.realm")
            expectEqual(
                copy.objectTypes?.map { ObjectIdentifier($0) }, [ObjectIdentifier(Room.self)])
            expectEqual(copy.durability, configuration.durability)
            expectTrue(
                copy.writeTimeout == .seconds(9) && copy.schemaVersion == 0 && !copy.readOnly)
            copy.name = "changed"
            expectEqual(realm.configuration.name, "test.realm")
            await realm.close()
        }
    }

    @Test func realmIsOpenedFromAnyIsolation() async throws {
        actor Opener {
            func open() async throws -> Realm {
                try await Realm.open(.init(location: .inMemory(identifier: "isolation")))
            }
        }
        let fromActor = try await Opener().open()
        let fromMain = try await Task { @MainActor in
            try await Realm.open(.init(location: .inMemory(identifier: "isolation")))
        }.value
        let detached = try await Task.detached {
            try await Realm.open(.init(location: .inMemory(identifier: "isolation")))
        }.value
        expectTrue(fromActor === fromMain && fromMain === detached)
        await fromActor.close()
    }

    // Covers .invalidDatabase
    @Test func logOfAnotherRealmIsRefused() async throws {
        try await withFolder {
            let urls = ["one.realm", "two.realm"].map { folder.appending(path: $0) }
            for (number, url) in urls.enumerated() {
                let realm = try await Realm.open(
                    .init(location: .file(url), objectTypes: [Person.self]))
                try await realm.write { try $0.add(Person("a", age: number)) }
                await realm.close()
            }
            let manager = FileManager.default
            for name in try manager.contentsOfDirectory(atPath: urls[1].path)
            where name.hasPrefix("log-") || name.hasPrefix("nodes-") {
                let place = urls[0].appending(path: name)
                try? manager.removeItem(at: place)
                try manager.copyItem(at: urls[1].appending(path: name), to: place)
            }
            for isReadOnly in [false, true] {
                var configuration = Realm.Configuration(
                    location: .file(urls[0]), objectTypes: [Person.self])
                configuration.readOnly = isReadOnly
                let error = await #expect(throws: Realm.Error.self) {
                    try await Realm.open(configuration)
                }
                expectEqual(error?.code, .invalidDatabase)
                expectEqual(error?.message.contains("different realms"), true)
            }
        }
    }

    // Covers 12.2, .fileAccess
    @Test func realmAtAFileOrWithoutParentIsRefusedAndNothingIsTouched() async throws {
        try await withFolder {
            let file = folder.appending(path: "text.realm")
            try Data("not a realm".utf8).write(to: file)
            let foreign = folder.appending(path: "foreign")
            try FileManager.default.createDirectory(
                at: foreign, withIntermediateDirectories: false)
            try Data("x".utf8).write(to: foreign.appending(path: "photo.jpg"))
            for (url, code) in [(file, Realm.Error.Code.fileAccess), (foreign, .invalidDatabase)] {
                let error = await #expect(throws: Realm.Error.self) {
                    try await Realm.open(.init(location: .file(url)))
                }
                expectEqual(error?.code, code, "\(String(describing: error))")
                expectEqual(error?.path?.contains(url.lastPathComponent), true)
            }
            try expectEqual(Data(contentsOf: file), Data("not a realm".utf8))
            try expectEqual(
                FileManager.default.contentsOfDirectory(atPath: foreign.path), ["photo.jpg"])
            let orphan = folder.appending(path: "missing/test.realm")
            let error = await #expect(throws: Realm.Error.self) {
                try await Realm.open(.init(location: .file(orphan)))
            }
            expectTrue(error?.code == .fileAccess && error?.errno == ENOENT)
            expectEqual(error?.path?.contains("missing"), true)
            expectTrue(!FileManager.default.fileExists(atPath: orphan.path))
        }
    }

    // Covers 12.20
    @Test func openingInACancelledTaskThrowsAndLeavesNothingBehind() async throws {
        try await withFolder {
            let configuration = Realm.Configuration(location: place, objectTypes: [Room.self])
            func openCancelled() async -> Result<Realm, any Error> {
                await Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await Realm.open(configuration)
                }.result
            }
            await #expect(throws: CancellationError.self) { try await openCancelled().get() }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), [])
            let realm = try await Realm.open(configuration)
            await #expect(throws: CancellationError.self) { try await openCancelled().get() }
            expectTrue(!realm.isClosed)
            await realm.close()
            // If it were open, a different configuration would be refused.
            await #expect(throws: CancellationError.self) { try await openCancelled().get() }
            let other = try await Realm.open(.init(location: place))
            await other.close()
        }
    }

    /// A process that is stopped while it recovers the realm holds its locks.
    // Covers 5.24, 12.20
    @Test(.timeLimit(.minutes(8)))
    func openingThatWaitsForAnotherProcessEndsWhenCancelled() async throws {
        try await withFolder {
            let configuration = Realm.Configuration(location: place, objectTypes: [Room.self])
            let first = try await Realm.open(configuration)
            await first.close()
            let options = try configuration.coordinatorOptions()
            guard case .directory(let path) = options.place else { return }
            let lock = try PosixFileSystem().openDirectory(path, .existing).openLock()
            try expectTrue(lock.tryLock(.session, .exclusive))
            let waiting = CoordinatorRegistry.Opening(path, options)
            let opening = Task { try await Realm.open(configuration) }
            while CoordinatorRegistry.shared.openerCount(waiting) == 0 { await Task.yield() }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
            lock.unlock(.session)
            let realm = try await Realm.open(configuration)
            expectEqual(realm.snapshot().objects(Room.self).count, 0)
            await realm.close()
        }
    }

    @Test func inMemoryRealmNeedsAnIdentifier() async throws {
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.open(.init(location: .inMemory(identifier: "")))
        }
        expectEqual(error?.code, .invalidInput)
    }

    @Test func defaultRealmIsInTheCurrentDirectory() {
        let here = FileManager.default.currentDirectoryPath
        let location = Realm.Configuration.default.location
        guard case .file(let url) = location else {
            Issue.record("the default realm is in memory")
            return
        }
        expectEqual(url.path, here + "/default.realm")
    }

    // Covers 12.19
    @Test func errorsMatchTheirCodeAndTellTheirPlaces() async throws {
        try await withFolder {
            let file = folder.appending(path: "text.realm")
            try Data("not a realm".utf8).write(to: file)
            do {
                _ = try await Realm.open(.init(location: .file(file)))
                Issue.record("a text file was opened")
            } catch Realm.Error.Code.invalidInput {
                Issue.record("the wrong code matched")
            } catch Realm.Error.Code.fileAccess {
            }
            do {
                _ = try await Realm.open(.init(location: .file(file)))
            } catch let error as Realm.Error {
                expectEqual(error.path, file.path)
                expectTrue(error.description.hasPrefix("fileAccess: "))
                expectTrue(error.description.contains(file.path))
            }
        }
    }

    // Covers 12.11, .ioFailed
    @Test func failedSystemCallBecomesAnErrorWithItsPathAndNumber() {
        let codes: [(Int32, Realm.Error.Code)] = [
            (EIO, .ioFailed), (ENOMEM, .ioFailed), (EACCES, .filePermissionDenied),
            (EROFS, .filePermissionDenied), (ENOSPC, .diskFull), (ENOTDIR, .fileAccess),
        ]
        for (number, code) in codes {
            let error = Realm.Error(StoreError.system(number, "write to", "/a/log-0-0"))
            expectEqual(error.code, code)
            expectTrue(error.path == "/a/log-0-0" && error.errno == number)
            expectTrue(error.message.contains("Cannot write to \"/a/log-0-0\""))
        }
        let error = Realm.Error(.ioFailed, "No luck.", path: "/x", errno: 5)
        expectEqual(error.description, "ioFailed: No luck. (path: /x, errno: 5)")
        expectEqual((error as any Error).localizedDescription, "No luck.")
        expectTrue(Realm.Error.Code.ioFailed ~= error)
        expectTrue(!(Realm.Error.Code.diskFull ~= error))
        expectTrue(!(Realm.Error.Code.ioFailed ~= CancellationError()))
    }
}
