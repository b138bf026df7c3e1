import Foundation
import Regnum
import Testing
import TraitModels

/// Realms encrypted with AES-256-GCM.
@Suite struct EncryptedRealmTests {
    private let directory = TemporaryDirectory()
    private let other = TemporaryDirectory()

    private static func key(_ count: Int, _ first: UInt8 = 1) -> Data {
        Data((0..<count).map { first &+ UInt8($0) &* 37 })
    }

    private func configuration(_ key: Data?, _ url: URL? = nil) -> Realm.Configuration {
        var configuration = Realm.Configuration.ofTests(url ?? directory.url)
        configuration.encryptionKey = key
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

    /// Makes a realm with 200 notes, most of them in a checkpoint.
    private func make(_ key: Data?) async throws {
        let realm = try await Realm.open(configuration(key))
        try await realm.addNotes(150)
        _ = try await realm.compact()
        try await realm.addNotes(50)
        await realm.close()
    }

    private func files(_ url: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            files[name] = try Data(contentsOf: url.appending(path: name))
        }
        return files
    }

    private func contains(_ text: String, in url: URL) throws -> Bool {
        try files(url).values.contains { $0.range(of: Data(text.utf8)) != nil }
    }

    @Test(arguments: [32, 64])
    func contentComesBackAndIsNotInTheFiles(byteCount: Int) async throws {
        try await make(Self.key(byteCount))
        let nodesFiles = try files(directory.url).keys.filter { $0.hasPrefix("nodes-") }
        #expect(!nodesFiles.isEmpty)
        #expect(try !contains("Note", in: directory.url))
        #expect(try !contains("note 1", in: directory.url))
        let realm = try await Realm.open(configuration(Self.key(byteCount)))
        let texts = realm.snapshot().objects(Note.self).map(\.text)
        #expect(texts.count == 200)
        #expect(texts.contains("note 149"))
        let found = realm.snapshot().objects(Note.self).where { $0.text == "note 7" }
        #expect(found.count == 2)
        await realm.close()
    }

    @Test func theSearchFindsWhatIsNotEncrypted() async throws {
        try await make(nil)
        #expect(try contains("note 1", in: directory.url))
    }

    @Test func keysThatDoNotFitAreRefused() async throws {
        try await make(Self.key(32))
        #expect(await code(configuration(Self.key(32, 2))) == .wrongKey)
        #expect(await code(configuration(Self.key(64))) == .wrongKey)
        #expect(await code(configuration(nil)) == .keyRequired)
        #expect(await code(configuration(Self.key(16))) == .invalidInput)
        let realm = try await Realm.open(configuration(Self.key(32)))
        #expect(await code(configuration(Self.key(32, 2))) == .alreadyOpen)
        try await realm.backup(to: other.url, encryptionKey: nil)
        await realm.close()
        #expect(await code(configuration(Self.key(32), other.url)) == .notEncrypted)
        #expect(await code(configuration(nil, other.url)) == nil)
    }

    @Test func copiesHaveTheSameKeyOrAnotherOne() async throws {
        try await make(Self.key(32))
        let realm = try await Realm.open(configuration(Self.key(32)))
        try await realm.backup(to: other.url, encryptionKey: Self.key(64))
        #expect(try !contains("note 1", in: other.url))
        let copy = try await Realm.open(configuration(Self.key(64), other.url))
        #expect(copy.snapshot().objects(Note.self).count == 200)
        await copy.close()
        let third = TemporaryDirectory()
        try await realm.backup(to: third.url)
        await realm.close()
        #expect(await code(configuration(Self.key(32), third.url)) == nil)
        #expect(try await Realm.schemaVersion(at: third.url, encryptionKey: Self.key(32)) == 0)
    }

    @Test func copiesInAFileHaveTheSameKeyOrAnotherOne() async throws {
        try await make(Self.key(32))
        let realm = try await Realm.open(configuration(Self.key(32)))
        try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
        let (same, changed) = (
            other.url.appending(path: "same.tar"), other.url.appending(path: "changed.tar")
        )
        try await realm.writeCopy(toFile: same)
        try await realm.writeCopy(toFile: changed, encryptionKey: Self.key(64))
        await realm.close()
        #expect(try !contains("note 1", in: other.url))
        for (url, key, wrong) in [
            (same, Self.key(32), Self.key(64)), (changed, Self.key(64), Self.key(32)),
        ] {
            var refused = configuration(wrong, url)
            refused.readOnly = true
            #expect(await code(refused) == .wrongKey)
            let restored = url.appendingPathExtension("realm")
            try await Realm.restore(from: url, to: restored, encryptionKey: key)
            let copy = try await Realm.open(configuration(key, restored))
            #expect(copy.snapshot().objects(Note.self).count == 200)
            await copy.close()
        }
    }

    // Covers 13.3
    @Test(.timeLimit(.minutes(8))) func processesShareARealm() async throws {
        try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
        let right = other.url.appending(path: "right")
        let wrong = other.url.appending(path: "wrong")
        try Self.key(32).write(to: right)
        try Self.key(32, 2).write(to: wrong)
        try await make(Self.key(32))
        let realm = try await Realm.open(configuration(Self.key(32)))
        #expect(try await runPeer(directory.url, noteCount: 20, key: right) == 0)
        for try await change in realm.objects(Note.self).changes
        where change.collection.count == 220 {
            break
        }
        try await realm.addNotes(5)
        _ = try await realm.compact()
        #expect(try await runPeer(directory.url, noteCount: 3, key: wrong) == 2)
        #expect(try await runPeer(directory.url, noteCount: 3, key: right) == 0)
        for try await change in realm.objects(Note.self).changes
        where change.collection.count == 228 {
            break
        }
        await realm.close()
    }

    /// Each changed byte of the log and of the nodes files is an error or has no effect.
    @Test func changedBytesNeverChangeContent() async throws {
        try await make(Self.key(32))
        let original = try files(directory.url)
        for (name, data) in original where name != "LOCK" {
            for offset in stride(from: 0, to: min(data.count, 24_000), by: 401) {
                try? FileManager.default.removeItem(at: other.url)
                try FileManager.default.copyItem(at: directory.url, to: other.url)
                var changed = data
                changed[changed.startIndex + offset] ^= 0x20
                try changed.write(to: other.url.appending(path: name))
                do {
                    let realm = try await Realm.open(configuration(Self.key(32), other.url))
                    let read = Result {
                        try realm.snapshot().read { $0.objects(Note.self).map(\.text) }
                    }
                    await realm.close()
                    let texts = try read.get()
                    #expect(texts.count == 200, "\(name) \(offset)")
                    let areNotes = texts.allSatisfy { $0.hasPrefix("note ") }
                    #expect(areNotes, "\(name) \(offset)")
                } catch let error as Realm.Error {
                    #expect(
                        [.invalidDatabase, .unsupportedFormat].contains(error.code),
                        "\(name) \(offset): \(error)")
                }
            }
        }
    }
}
