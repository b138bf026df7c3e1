import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Where no copy can be made: the error names the place, and nothing is left there.
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
            #expect(error?.code == .fileExists, "\(name)")
            #expect(error?.path == folder[name].path, "\(name)")
            #expect(error?.message.contains(folder[name].path) == true, "\(name)")
        }
        #expect(try folder.names() == names)
        #expect(try folder.names(in: "empty") == [])
        #expect(try folder.names(in: "full") == ["photo.jpg"])
        await realm.close()
    }

    // Covers .fileAccess
    @Test func placesThatCannotBeAreNamed() async throws {
        try Data("text".utf8).write(to: folder["file"])
        let long = String(repeating: "x", count: 300)
        for name in ["missing/copy.realm", "file/copy.realm", long] {
            let error = await realmError { try await realm.backup(to: folder[name]) }
            #expect(error?.code == .fileAccess, "\(name): \(String(describing: error))")
            #expect(error?.message.contains(folder[name].path) == true, "\(name)")
            #expect(error?.message.contains("unfinished-backup") == false, "\(name)")
        }
        let inside = await realmError {
            try await realm.backup(to: folder["test.realm"].appending(path: "copy"))
        }
        #expect(inside?.code == .invalidInput)
        let web = await realmError {
            try await realm.backup(to: #require(URL(string: "https://example.org/x")))
        }
        #expect(web?.code == .invalidInput)
        #expect(try folder.names() == ["file", "test.realm"])
        #expect(realm.snapshot().objects(BackupAccount.self).count == 100)
        await realm.close()
    }

    @Test func closedRealmIsNotCopied() async throws {
        await realm.close()
        let error = await realmError { try await realm.backup(to: folder["copy.realm"]) }
        #expect(error?.code == .closed)
        #expect(try folder.names() == ["test.realm"])
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
                try await #expect(Realm.deleteFiles(for: folder.configuration("copy \(round)")))
            case .failure(let error):
                #expect(error is CancellationError, "\(error)")
            }
            #expect(try folder.names() == ["test.realm"], "round \(round)")
        }
        #expect(completed < 12)
        await realm.close()
    }

    /// What a copy that was killed has left is removed by the next one; what is in use, or another's,
    /// is not.
    @Test func leftoversAreRemoved() async throws {
        try await realm.backup(to: folder[".unfinished-backup-1"])
        try await realm.backup(to: folder[".unfinished-backup-2"])
        try FileManager.default.createDirectory(
            at: folder[".unfinished-backup-3"], withIntermediateDirectories: false)
        try Data("x".utf8).write(to: folder[".unfinished-backup-3"].appending(path: "photo.jpg"))
        let used = try await Realm.open(folder.configuration(".unfinished-backup-2"))
        try await realm.backup(to: folder["copy.realm"])
        #expect(
            try folder.names() == [
                ".unfinished-backup-2", ".unfinished-backup-3", "copy.realm", "test.realm",
            ])
        await used.close()
        await realm.close()
    }
}
