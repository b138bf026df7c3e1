import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumEngine
@testable import RegnumTestModels

/// Copies of realms in one file: what can be done with them, and what is refused.
@Suite(.timeLimit(.minutes(8)), .disabled(if: Effort.isReduced))
struct FileCopyTests {
    private let folder: RealmFolder
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in
            for id in 0..<400 {
                let book = BackupBook(value: ["id": id, "title": "title \(id)"])
                book.cover = Data(repeating: UInt8(id & 255), count: id % 7 * 1_500)
                try tx.add(book)
            }
            tx.delete(tx.objects(BackupBook.self).where { $0.id < 50 })
        }
    }

    private func dump(_ snapshot: Snapshot) -> [String] {
        snapshot.objects(BackupBook.self).map { book in
            "\(book.id) \(book.title) \(book.cover.count) \(book.cover.first ?? 0)"
        }
    }

    private func reading(_ name: String) -> Realm.Configuration {
        var configuration = folder.configuration(name)
        configuration.readOnly = true
        return configuration
    }

    @Test func copyIsReadWithoutBeingUnpacked() async throws {
        let expected = dump(realm.snapshot())
        let cursor = realm.snapshot().cursor
        let version = try await realm.writeCopy(toFile: folder["copy.tar"])
        expectEqual(version, realm.snapshot().version)
        try expectEqual(folder.names(), ["copy.tar", "test.realm"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder["copy.tar"].path)
        expectEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
        try await realm.write { $0.deleteAll() }
        await realm.close()

        let report = try await Realm.verify(at: folder["copy.tar"])
        expectTrue(report.isSound, "\(report)")
        expectTrue(try await Realm.fileExists(for: reading("copy.tar")))
        try await expectEqual(Realm.schemaVersion(at: folder["copy.tar"]), 0)
        let copy = try await Realm.open(reading("copy.tar"))
        expectTrue(copy.recovery.isClean, "\(copy.recovery)")  // it has no LOCK to lose
        let snapshot = copy.snapshot()
        expectEqual(snapshot.version, version)
        expectEqual(snapshot.cursor, cursor)
        expectEqual(dump(snapshot), expected)
        try await snapshot.checkIntegrity()
        let error = await realmError { try await copy.write { $0.deleteAll() } }
        expectEqual(error?.code, .readOnly)
        // a copy of the copy, in a directory and in a file
        try await copy.backup(to: folder["second.realm"])
        try await copy.writeCopy(toFile: folder["second.tar"])
        for try await change in copy.objects(BackupBook.self).changes {
            expectEqual(change.collection.count, 350)
            break
        }
        await copy.close()
        for name in ["second.realm", "second.tar"] {
            let second = try await Realm.open(reading(name))
            expectEqual(dump(second.snapshot()), expected, "\(name)")
            await second.close()
        }
    }

    @Test func realmIsMadeOfACopy() async throws {
        let expected = dump(realm.snapshot())
        let version = try await realm.writeCopy(toFile: folder["copy.tar"])
        await realm.close()
        try await Realm.restore(from: folder["copy.tar"], to: folder["restored.realm"])
        try await Realm.restore(
            from: folder["copy.tar"], to: folder["same.realm"], upTo: .version(version))
        let error = await realmError {
            _ = try await Realm.restore(
                from: folder["copy.tar"], to: folder["none.realm"], upTo: .version(version + 1))
        }
        expectEqual(error?.code, .invalidInput)
        var seeded = folder.configuration("seeded.realm")
        seeded.seedFile = folder["copy.tar"]
        let configurations =
            ["restored.realm", "same.realm"].map { folder.configuration($0) } + [seeded]
        for configuration in configurations {
            let realm = try await Realm.open(configuration)
            expectEqual(dump(realm.snapshot()), expected)
            try await realm.write { try $0.add(BackupBook(value: ["id": 1_000])) }
            expectEqual(realm.snapshot().version, version + 1)
            await realm.close()
        }
        let temporary = try await Realm.temporary(
            [BackupBook.self, BackupShelf.self, BackupPlace.self], from: folder["copy.tar"])
        expectEqual(dump(temporary.snapshot()), expected)
        await temporary.close()
        let report = try await Realm.salvage(folder["copy.tar"], to: folder["saved.realm"])
        expectTrue(report.isComplete, "\(report)")
    }

    /// What another program unpacks is a backup, and what it packs is a copy.
    @Test func copyIsATarArchive() async throws {
        let expected = dump(realm.snapshot())
        try await realm.writeCopy(toFile: folder["copy.tar"])
        try FileManager.default.createDirectory(
            at: folder["unpacked.realm"], withIntermediateDirectories: false)
        try await tar(["-xf", folder["copy.tar"].path, "-C", folder["unpacked.realm"].path])
        let names = try folder.names(in: "unpacked.realm")
        expectEqual(names.map { $0.prefix { $0 != "-" } }, ["log", "nodes"])
        try await tar(
            ["--format=ustar", "-cf", folder["packed.tar"].path]
                + ["-C", folder["unpacked.realm"].path] + names)
        let unpacked = folder.configuration("unpacked.realm")
        for configuration in [reading("packed.tar"), unpacked] {
            let copy = try await Realm.open(configuration)
            expectEqual(dump(copy.snapshot()), expected)
            await copy.close()
        }
        try await realm.write { try $0.add(BackupBook(value: ["id": 1_000])) }
        let version = try await realm.updateBackup(at: folder["unpacked.realm"])
        expectEqual(version, realm.snapshot().version)
        let copy = try await Realm.open(unpacked)
        expectEqual(dump(copy.snapshot()), dump(realm.snapshot()))
        await copy.close()
        await realm.close()
    }

    private func tar(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["tar"] + arguments
        let code = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        expectEqual(code, 0)
    }

    // Covers .fileExists, .fileAccess
    @Test func whatCannotBeDoneIsRefused() async throws {
        try await realm.writeCopy(toFile: folder["copy.tar"])
        try FileManager.default.createDirectory(
            at: folder["empty"], withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            at: folder["link"], withDestinationURL: folder["nowhere"])
        let before = try Data(contentsOf: folder["copy.tar"])
        let names = try folder.names()
        for name in ["copy.tar", "test.realm", "empty", "link"] {
            let error = await realmError { try await realm.writeCopy(toFile: folder[name]) }
            expectEqual(error?.code, .fileExists, "\(name)")
            expectEqual(error?.message.contains(folder[name].path), true, "\(name)")
        }
        for (name, code) in [
            ("missing/copy.tar", .fileAccess), ("test.realm/copy.tar", .invalidInput),
            (String(repeating: "x", count: 300), .fileAccess),
        ] as [(String, Realm.Error.Code)] {
            let error = await realmError { try await realm.writeCopy(toFile: folder[name]) }
            expectEqual(error?.code, code, "\(name): \(String(describing: error))")
            expectEqual(error?.message.contains("unfinished-backup"), false, "\(name)")
        }
        let web = try requireValue(URL(string: "https://example.com/copy.tar"))
        let invalid = await realmError { try await realm.writeCopy(toFile: web) }
        expectEqual(invalid?.code, .invalidInput)

        let opened = await realmError {
            _ = try await Realm.open(folder.configuration("copy.tar"))
        }
        expectEqual(opened?.code, .fileAccess)
        expectEqual(opened?.message.contains("read-only, or restored"), true)
        let updated = await realmError { try await realm.updateBackup(at: folder["copy.tar"]) }
        expectEqual(updated?.code, .fileAccess)
        let deleted = await realmError {
            try await Realm.deleteFiles(for: folder.configuration("copy.tar"))
        }
        expectEqual(deleted?.code, .fileAccess)
        try Data("text".utf8).write(to: folder["text"])
        let other = await realmError { _ = try await Realm.open(reading("text")) }
        expectEqual(other?.code, .fileAccess)
        expectEqual(other?.message.contains("nor a copy of one in a file"), true)
        try expectEqual(folder.names(), (names + ["text"]).sorted())
        try expectEqual(Data(contentsOf: folder["copy.tar"]), before)
        await realm.close()
    }

    // Covers .diskFull
    @Test func failedCopyLeavesNothing() async throws {
        let faults = FaultInjector()
        let faulty = try await Realm.open(
            folder.configuration("faulty.realm", [BackupAccount.self]).testing(faults: faults))
        try await faulty.write { tx in
            for id in 0..<100 { try tx.add(BackupAccount(value: ["id": id, "amount": 1])) }
        }
        let names = try folder.names()
        faults.writeFailure = .diskFull
        let error = await realmError { try await faulty.writeCopy(toFile: folder["copy.tar"]) }
        expectEqual(error?.code, .diskFull)
        expectEqual(error?.path?.hasPrefix(folder["copy.tar"].path), true)
        try expectEqual(folder.names(), names)
        faults.clear()
        let task = Task {
            try Task.checkCancellation()
            return try await faulty.writeCopy(toFile: folder["copy.tar"])
        }
        task.cancel()
        switch await task.result {
        case .success: Issue.record("the copy wasn't cancelled")
        case .failure(let error): expectTrue(error is CancellationError, "\(error)")
        }
        try expectEqual(folder.names(), names)
        try await faulty.writeCopy(toFile: folder["copy.tar"])
        let copy = try await Realm.open(reading("copy.tar").testing(faults: faults))
        expectTrue(copy.recovery.isClean, "\(copy.recovery)")
        await copy.close()
        await faulty.close()
        await realm.close()
    }

    /// The caller would not find the copy there.
    // Covers .fileAccess
    @Test func copyIsNotLeftInADirectoryThatWasMoved() async throws {
        for name in ["backups", "moved"] {
            try FileManager.default.createDirectory(
                at: folder[name], withIntermediateDirectories: false)
        }
        let target = folder["backups"].path + "/copy.tar"
        let place = try UnfinishedRealm.make(target, "copy", PosixFileSystem.shared)
        _ = try place.directory.create("tmp-1-1")
        try FileManager.default.moveItem(
            at: folder["backups"], to: folder["moved"].appending(path: "backups"))
        try FileManager.default.createDirectory(
            at: folder["backups"], withIntermediateDirectories: false)
        var code: StoreError.Code?
        do throws(StoreError) { try place.complete(as: "tmp-1-1") } catch { code = error.code }
        expectEqual(code, .fileAccess)
        try expectEqual(folder.names(in: "backups"), [])
        let names = try folder.names(in: "moved/backups")
        expectTrue(!names.contains("copy.tar"), "\(names)")
        await realm.close()
    }

    /// The directory is moved once the log was written, or while the copy is packed, before it is
    /// read back. The caller must not take it for the realm that is copied.
    // Covers .fileAccess
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func directoryThatIsMovedDuringTheCopyIsNamed(isFile: Bool, isPacked: Bool) async throws {
        await realm.close()
        let (backups, moved) = (folder["backups"], folder["moved"])
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: false)
        let root = DatabaseRoot.makeEmpty()
        let copy = RealmCopy(
            of: root, Timelines(root.identity), to: backups.path + "/copy.tar",
            CoordinatorOptions(place: .memory(identifier: "moved")), isFile: isFile
        ) {
            // an unfinished file beside the log is the archive
            let files = FileManager.default.subpaths(atPath: backups.path) ?? []
            if files.contains(where: { $0.hasSuffix("/log-0-1") }),
                !isPacked || files.contains(where: { $0.contains("/tmp-") })
            {
                try? FileManager.default.moveItem(at: backups, to: moved)
            }
            return true
        }
        var found: StoreError?
        do throws(StoreError) { try await copy.make() } catch { found = error }
        expectEqual(found?.code, .fileAccess)
        expectEqual(found?.path, backups.path + "/copy.tar")
        let names = try folder.names(in: "moved")
        expectTrue(!names.contains("copy.tar"), "\(names)")
    }

    /// A new copy that takes the name of one that is open is another realm.
    // Covers .fileMoved
    @Test func replacedCopyIsNotFollowed() async throws {
        try await realm.writeCopy(toFile: folder["copy.tar"])
        let copy = try await Realm.open(reading("copy.tar"))
        let expected = dump(copy.snapshot())
        try await realm.write { $0.deleteAll() }
        try await realm.writeCopy(toFile: folder["new.tar"])
        try FileManager.default.removeItem(at: folder["copy.tar"])
        try FileManager.default.moveItem(at: folder["new.tar"], to: folder["copy.tar"])
        try await Task.sleep(for: .milliseconds(150))  // the place is checked every 100 ms at most
        let error = await realmError { try await copy.catchUp() }
        expectEqual(error?.code, .fileMoved)
        expectEqual(dump(copy.snapshot()), expected)
        await copy.close()
        let new = try await Realm.open(reading("copy.tar"))
        expectEqual(dump(new.snapshot()), [])
        await new.close()
        await realm.close()
    }

    /// A check lists the damage because of which a copy can't be opened.
    @Test func checkListsTheDamageOfACutCopy() async throws {
        try await realm.writeCopy(toFile: folder["copy.tar"])
        await realm.close()
        let path = folder["copy.tar"].path
        try Data(contentsOf: folder["copy.tar"]).dropLast(2_000).write(to: folder["copy.tar"])
        let report = try await Realm.verify(at: folder["copy.tar"])
        expectEqual(report.damages.map(\.path), [path])
        expectTrue(report.damages.first?.message.contains("too short") == true, "\(report)")
        expectNil(report.version)
    }

    /// A copy that was changed is refused, or found damaged, or has its content.
    @Test func damageIsFound() async throws {
        let seed = SeededRandom.seed()
        var random = SeededRandom(seed)
        let expected = dump(realm.snapshot())
        try await realm.writeCopy(toFile: folder["copy.tar"])
        await realm.close()
        let whole = try Data(contentsOf: folder["copy.tar"])
        let refusals: [Realm.Error.Code] = [
            .invalidDatabase, .fileAccess, .fileNotFound, .unsupportedFormat,
        ]
        var counts = (refused: 0, damaged: 0, sound: 0)
        for round in 0..<Effort.count(gate: 120, soak: 2_000) {
            var bytes = whole
            let place = random.below(whole.count)
            switch random.below(4) {
            case 0: bytes = whole.prefix(place)
            case 1:
                let end = min(place + random.below(5_000), whole.count)
                bytes.replaceSubrange(place..<end, with: repeatElement(0, count: end - place))
            case 2: bytes[place] ^= 1 << UInt8(random.below(8))
            default:
                // in the headers and the log
                bytes[random.below(4_096)] ^= 1 << UInt8(random.below(8))
            }
            let name = "damaged-\(round).tar"
            try bytes.write(to: folder[name])
            do {
                let copy = try await Realm.open(reading(name))
                do {
                    let snapshot = copy.snapshot()
                    try await snapshot.checkIntegrity()
                    expectEqual(dump(snapshot), expected, "round \(round)")
                    counts.sound += 1
                } catch let error as Realm.Error {
                    expectEqual(error.code, .invalidDatabase, "round \(round)")
                    counts.damaged += 1
                }
                await copy.close()
            } catch let error as Realm.Error {
                expectTrue(refusals.contains(error.code), "round \(round): \(error)")
                counts.refused += 1
            }
            try FileManager.default.removeItem(at: folder[name])
        }
        print("\(counts.refused) refused, \(counts.damaged) damaged, \(counts.sound) sound")
        expectTrue(min(counts.refused, counts.damaged, counts.sound) > 0, "\(counts)")
    }
}
