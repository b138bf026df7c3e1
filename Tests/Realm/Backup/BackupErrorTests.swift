import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Where no copy can be made, the error names the path, and nothing is left there.
@Suite(.disabled(if: Effort.isReduced))
struct BackupErrorTests {
    private let folder: RealmFolder
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in
            for id in 0..<100 { try tx.add(BackupAccount(value: ["id": id, "amount": 1])) }
        }
    }

    // Covers 12.4, .fileExists
    @Test func placeMustBeFree() async throws {
        try Data("text".utf8).write(to: folder["file"])
        for name in ["empty", "full"] {
            try FileManager.default.createDirectory(
                at: folder[name], withIntermediateDirectories: false)
        }
        try Data("x".utf8).write(to: folder["full"].appending(path: "photo.jpg"))
        try FileManager.default.createSymbolicLink(
            at: folder["link"], withDestinationURL: folder["nowhere"])
        try await realm.backup(to: folder["copy.realm"])
        let names = try folder.names()
        for name in ["file", "empty", "full", "link", "copy.realm", "test.realm"] {
            let error = await realmError { try await realm.backup(to: folder[name]) }
            expectEqual(error?.code, .fileExists, "\(name)")
            expectEqual(error?.path, folder[name].path, "\(name)")
            expectEqual(error?.message.contains(folder[name].path), true, "\(name)")
        }
        try expectEqual(folder.names(), names)
        try expectEqual(folder.names(in: "empty"), [])
        try expectEqual(folder.names(in: "full"), ["photo.jpg"])
        await realm.close()
    }

    // Covers .fileAccess
    @Test func placesThatCannotBeAreNamed() async throws {
        try Data("text".utf8).write(to: folder["file"])
        let long = String(repeating: "x", count: 300)
        for name in ["missing/copy.realm", "file/copy.realm", long] {
            let error = await realmError { try await realm.backup(to: folder[name]) }
            expectEqual(error?.code, .fileAccess, "\(name): \(String(describing: error))")
            expectEqual(error?.message.contains(folder[name].path), true, "\(name)")
            expectEqual(error?.message.contains("unfinished-backup"), false, "\(name)")
        }
        // also with a name whose first character is combined with the slash
        for name in ["copy", "\u{301}copy"] {
            let inside = await realmError {
                try await realm.backup(to: folder["test.realm"].appending(path: name))
            }
            expectEqual(inside?.code, .invalidInput)
        }
        let web = await realmError {
            try await realm.backup(to: requireValue(URL(string: "https://example.org/x")))
        }
        expectEqual(web?.code, .invalidInput)
        try expectEqual(folder.names(), ["file", "test.realm"])
        expectEqual(realm.snapshot().objects(BackupAccount.self).count, 100)
        await realm.close()
    }

    /// The place could be used later.
    // Covers .ioFailed
    @Test func placeThatCannotBeExaminedNowIsNotRefused() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try RealmFolder()
            try await folder.makeRealm(rooms: ["general"])
            let realm = try await Realm.open(folder.configuration())
            let held = takeAllDescriptors()
            let error = await realmError { try await realm.backup(to: folder["copy.realm"]) }
            for descriptor in held { close(descriptor) }
            try await realm.backup(to: folder["copy.realm"])
            await realm.close()
            try FileManager.default.removeItem(at: folder.url)
            let isNamed = error?.message.hasPrefix("Cannot create") == true
            exit(error?.code == .ioFailed && isNamed ? 7 : 8)
        }
    }

    @Test func closedRealmIsNotCopied() async throws {
        await realm.close()
        let error = await realmError { try await realm.backup(to: folder["copy.realm"]) }
        expectEqual(error?.code, .closed)
        try expectEqual(folder.names(), ["test.realm"])
    }

    @Test func cancelledCopyLeavesNothing() async throws {
        for amount in 0..<6 {
            try await realm.write { tx in
                for number in 0..<20 {
                    try tx.add(
                        BackupBook(
                            value: [
                                "id": amount * 100 + number,
                                "cover": Data(repeating: UInt8(number), count: 200_000),
                            ] as [String: Any?]))
                }
            }
        }
        var completed = 0
        for round in 0..<12 {
            let url = folder["copy \(round)"]
            let task = Task { [realm] in try await realm.backup(to: url) }
            for _ in 0..<round * 20 { await Task.yield() }
            if round % 4 == 3 { try await Task.sleep(for: .milliseconds(round)) }
            task.cancel()
            switch await task.result {
            case .success:
                completed += 1
                #expect(try await Realm.fileExists(for: folder.configuration("copy \(round)")))
                try await expectTrue(Realm.deleteFiles(for: folder.configuration("copy \(round)")))
            case .failure(let error):
                expectTrue(error is CancellationError, "\(error)")
            }
            try expectEqual(folder.names(), ["test.realm"], "round \(round)")
        }
        expectTrue(completed < 12)
        await realm.close()
    }

    /// The leftovers of a killed copy are removed by the next one; but not if they are in use,
    /// belong to another copy, or aren't marked as such a copy.
    @Test func leftoversAreRemoved() async throws {
        for number in 1...2 {
            let copy = folder[".unfinished-backup-\(number)"]
            try await realm.backup(to: copy)
            try Data().write(to: copy.appending(path: RealmLog.backupMarkName))
        }
        try await realm.backup(to: folder[".unfinished-backup-4"])
        try FileManager.default.createDirectory(
            at: folder[".unfinished-backup-5"], withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            at: folder[".unfinished-backup-3"], withIntermediateDirectories: false)
        try Data("x".utf8).write(to: folder[".unfinished-backup-3"].appending(path: "photo.jpg"))
        let used = try await Realm.open(folder.configuration(".unfinished-backup-2"))
        try Data().write(
            to: folder[".unfinished-backup-2"].appending(path: RealmLog.backupMarkName))
        try await realm.backup(to: folder["copy.realm"])
        try expectEqual(
            folder.names(),
            [
                ".unfinished-backup-2", ".unfinished-backup-3", ".unfinished-backup-4",
                "copy.realm", "test.realm",
            ])
        await used.close()
        await realm.close()
    }

    /// A link that somebody planted next to the copy points to a realm, which must stay.
    @Test func plantedLinkIsNotFollowed() async throws {
        try await folder.makeRealm("victim.realm", rooms: ["general"])
        for mark in [false, true] {
            let place = folder["victim.realm"].appending(path: RealmLog.backupMarkName)
            if mark { try Data().write(to: place) }
            let link = folder[".unfinished-backup-\(mark ? 1 : 2)"]
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: folder["victim.realm"])
            let names = try folder.names(in: "victim.realm")
            try await realm.backup(to: folder["copy \(mark)"])
            try expectEqual(folder.names(in: "victim.realm"), names)
        }
        let victim = try await Realm.open(folder.configuration("victim.realm"))
        expectEqual(victim.snapshot().objects(Room.self).count, 1)
        try expectTrue(!folder.names(in: "victim.realm").contains(RealmLog.backupMarkName))
        await victim.close()
        await realm.close()
    }

    /// A directory of another user is left alone, however it is marked.
    @Test(.enabled(if: geteuid() == 0, "needs root to give files away"))
    func directoryOfAnotherUserStays() async throws {
        let copy = folder[".unfinished-backup-1"]
        try await realm.backup(to: copy)
        try Data().write(to: copy.appending(path: RealmLog.backupMarkName))
        try #require(chown(copy.path, 65534, 65534) == 0)
        let names = try folder.names(in: ".unfinished-backup-1")
        try await realm.backup(to: folder["copy.realm"])
        try expectEqual(folder.names(in: ".unfinished-backup-1"), names)
        await realm.close()
    }
}
