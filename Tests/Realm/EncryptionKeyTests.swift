import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumStore
@testable import RegnumTestModels

/// The key of a configuration. The library is built without encryption here; a stand-in for the
/// cipher is set as an option of the engine. (`Tests/Traits` has the tests with AES.)
@Suite struct EncryptionKeyTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "regnum-\(UUID().uuidString)")

    private func withFolder(_ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body()
    }

    private func configuration(_ key: EncryptionKey?) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(folder.appending(path: "test.realm")), objectTypes: [Room.self])
        configuration.adjust = { $0.store.key = key }
        return configuration
    }

    private func code(_ configuration: Realm.Configuration) async -> Realm.Error.Code? {
        do {
            let realm = try await Realm.open(configuration)
            await realm.close()
            return nil
        } catch {
            return (error as? Realm.Error)?.code
        }
    }

    // Covers 1.82
    @Test func keysHave32Or64Bytes() async throws {
        try await withFolder {
            for count in [0, 31, 33, 63, 65] {
                var configuration = configuration(nil)
                configuration.encryptionKey = Data(repeating: 1, count: count)
                let error = await #expect(throws: Realm.Error.self) {
                    try await Realm.open(configuration)
                }
                expectEqual(error?.code, .invalidInput)
                expectEqual(error?.message.contains("32 or 64 bytes"), true)
            }
            var inMemory = Realm.Configuration(location: .inMemory(identifier: "\(UUID())"))
            inMemory.encryptionKey = Data(repeating: 1, count: 32)
            expectEqual(await code(inMemory), .invalidInput)
            let isThere = try await Realm.fileExists(for: configuration(nil))
            expectTrue(!isThere)
        }
    }

    @Test func configurationsWithDifferentKeysDiffer() {
        var first = configuration(nil)
        var second = first
        second.encryptionKey = Data(repeating: 1, count: 32)
        expectTrue(first != second)
        expectEqual(first.differences(from: second), ["encryptionKey"])
        first.encryptionKey = Data(repeating: 1, count: 32)
        expectTrue(first == second)
        expectTrue(first.description.contains("encrypted"))
    }

    @Test func formerKeysNeedAKeyAndAreCompared() async {
        var first = configuration(nil)
        first.formerEncryptionKeys = [Data(repeating: 2, count: 64)]
        let error = await #expect(throws: Realm.Error.self) { try await Realm.open(first) }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("without the key"), true)
        first.encryptionKey = Data(repeating: 1, count: 32)
        first.formerEncryptionKeys.append(Data(repeating: 3, count: 31))
        let short = await #expect(throws: Realm.Error.self) { try await Realm.open(first) }
        expectEqual(short?.code, .invalidInput)
        expectEqual(short?.message.contains("A former encryption key has 32 or 64 bytes"), true)
        expectTrue(first.description.contains("2 former keys"))
        var second = first
        second.formerEncryptionKeys = []
        expectEqual(first.differences(from: second), ["formerEncryptionKeys"])
        var inMemory = Realm.Configuration(location: .inMemory(identifier: "\(UUID())"))
        inMemory.formerEncryptionKeys = first.formerEncryptionKeys
        expectEqual(await code(inMemory), .invalidInput)
    }

    // Covers 5.4, .wrongKey
    @Test func aCompactionGivesTheRealmAnotherKey() async throws {
        try await withFolder {
            let realm = try await Realm.open(configuration(.fake()))
            try await realm.write { tx in try tx.add(Room("a")) }
            await realm.close()
            let again = try await Realm.open(configuration(.fake(2, former: [1])))
            expectEqual(try await again.information()?.formerKeyFileCount, 1)
            let cursor = again.snapshot().cursor
            try await again.write { tx in try tx.add(Room("b")) }
            let report = try await again.compact()
            expectEqual(report.formerKeyFileCount, 0)
            expectEqual(report.historyByteCount, 0)
            expectTrue(!report.description.contains("former"))
            var changes = again.commits(since: cursor).makeAsyncIterator()
            let error = await #expect(throws: Realm.Error.self) { try await changes.next() }
            expectEqual(error?.code, .historyTrimmed)
            await again.close()
            expectEqual(await code(configuration(.fake())), .wrongKey)
            let last = try await Realm.open(configuration(.fake(2)))
            expectEqual(last.snapshot().objects(Room.self).count, 2)
            await last.close()
        }
    }

    // Covers 5.4, 12.16, .wrongKey, .keyRequired, .notEncrypted
    @Test func keysThatDoNotFitHaveTheirOwnErrors() async throws {
        try await withFolder {
            let realm = try await Realm.open(configuration(.fake()))
            try await realm.write { tx in try tx.add(Room("a")) }
            await realm.close()
            expectEqual(await code(configuration(.fake(2))), .wrongKey)
            expectEqual(await code(configuration(nil)), .keyRequired)
            let again = try await Realm.open(configuration(.fake()))
            expectEqual(again.snapshot().objects(Room.self).count, 1)
            let copy = folder.appending(path: "plain.realm")
            try await again.backup(to: copy, encryptionKey: nil)
            await again.close()
            var plain = configuration(.fake())
            plain.location = .file(copy)
            expectEqual(await code(plain), .notEncrypted)
            plain.adjust = nil
            expectNil(await code(plain))
        }
    }

    /// A realm that no user holds any more, but isn't closed yet, is opened again with its key
    /// only.
    @Test func anotherKeyIsComparedWhileTheRealmIsOpen() async throws {
        try await withFolder {
            do { _ = try await Realm.open(configuration(.fake())) }
            expectEqual(await code(configuration(.fake(2))), .wrongKey)
            do { _ = try await Realm.open(configuration(.fake())) }
            expectEqual(await code(configuration(nil)), .keyRequired)
            expectNil(await code(configuration(.fake())))
        }
    }
}
