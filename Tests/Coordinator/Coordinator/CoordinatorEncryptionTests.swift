import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Encrypted realms in several processes, their checkpoints and copies, with a stand-in for the
/// cipher.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorEncryptionTests {
    private let disk = SimFileSystem(seed: 29)

    private func open(
        _ path: String = "/sim", _ key: EncryptionKey? = .fake(),
        _ change: (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws -> Coordinator {
        try await openBusy(path, SimView(disk)) { options in
            options.store.key = key
            change(&options)
        }
    }

    private func expectNumbers(
        _ expected: Range<Int>, in path: String, _ key: EncryptionKey?, _ comment: String,
        isReadOnly: Bool = false
    ) async throws {
        let coordinator = try await open(path, key) { $0.isReadOnly = isReadOnly }
        expectEqual(numbers(coordinator.published), Array(expected), "\(comment)")
        try coordinator.published.checkIntegrity { false }
        await coordinator.close()
    }

    /// Makes a realm with 50 numbers: commits of two processes, a bulk commit, checkpoints.
    private func make(_ path: String = "/sim", _ key: EncryptionKey? = .fake()) async throws {
        let peers = [try await open(path, key), try await open(path, key)]
        for number in 0..<10 { try await insert(number, into: peers[number % 2]) }
        let turn = try await peers[0].beginWrite()
        let bulk = try makeBulk(10..<40, on: turn.base)
        try await peers[0].commit(turn, bulk, durability: .full)
        try await checkpointNow(peers[0])
        for number in 40..<50 { try await insert(number, into: peers[number % 2]) }
        for peer in peers {
            try await peer.catchUp()
            expectEqual(numbers(peer.published), Array(0..<50))
            await peer.close()
        }
    }

    private func contains(_ text: String, in path: String) -> Bool {
        let wanted = Array(text.utf8)
        return disk.fileNames(in: path).contains { name in
            let bytes = disk.contents(of: name, in: path) ?? []
            return bytes.indices.dropLast(wanted.count).contains { start in
                bytes[start] == wanted[0]
                    && bytes[start..<start + wanted.count].elementsEqual(wanted)
            }
        }
    }

    // Covers 13.3
    @Test func processesShareAnEncryptedRealm() async throws {
        try await make()
        expectTrue(disk.fileNames(in: "/sim").contains { $0.hasPrefix("nodes-") })
        expectTrue(!contains("Number", in: "/sim"))
        try await expectNumbers(0..<50, in: "/sim", .fake(), "opened again")
        let coordinator = try await open()
        _ = try await coordinator.compact()
        try await insert(50, into: coordinator)
        await coordinator.close()
        try await expectNumbers(0..<51, in: "/sim", .fake(), "compacted")
        expectTrue(!contains("Number", in: "/sim"))
        try await make("/plain", nil)
        expectTrue(contains("Number", in: "/plain"), "the search finds what isn't encrypted")
    }

    // Covers 5.4, 12.16, .wrongKey, .keyRequired, .notEncrypted
    @Test func keysThatDoNotFitAreRefused() async throws {
        try await make()
        try await make("/plain", nil)
        for isReadOnly in [false, true] {
            for (path, key, code): (String, EncryptionKey?, StoreError.Code) in [
                ("/sim", .fake(2), .wrongKey), ("/sim", nil, .keyRequired),
                ("/plain", .fake(), .notEncrypted),
            ] {
                let found = await storeErrorCode {
                    try await open(path, key) { $0.isReadOnly = isReadOnly }
                }
                expectEqual(found, code, "\(path), \(isReadOnly)")
            }
        }
        try await expectNumbers(0..<50, in: "/sim", .fake(), "after the attempts")
        try await expectNumbers(0..<50, in: "/plain", nil, "after the attempts")
    }

    /// Copies are written like any realm, with the key of their options.
    // Covers 5.79
    @Test func copiesHaveTheKeyOfTheirOptions() async throws {
        try await make()
        let coordinator = try await open()
        _ = try disk.openDirectory("/copies", .creating)
        let keys: [(name: String, key: EncryptionKey?)] = [
            ("same", .fake()), ("other", .fake(2)), ("none", nil),
        ]
        for (name, key) in keys {
            var options = coordinator.options
            options.store.key = key
            try await RealmCopy(
                of: coordinator.published, coordinator.timelines, to: "/copies/\(name)", options
            ) { true }.make()
            expectEqual(contains("Number", in: "/copies/\(name)"), key == nil, "\(name)")
            try await expectNumbers(0..<50, in: "/copies/\(name)", key, name)
        }
        let code = await storeErrorCode { try await open("/copies/other", .fake()) }
        expectEqual(code, .wrongKey)
        try await insert(50, into: coordinator)
        let version = try await CopyExtension(of: coordinator, at: "/copies/same") { true }.make()
        expectEqual(version, coordinator.published.version)
        try await expectNumbers(0..<51, in: "/copies/same", .fake(), "updated")
        await coordinator.close()
        let restored = try await RealmRestore(
            of: "/sim", at: .newest, to: "/copies/restored", key: .fake(), fileSystem: SimView(disk)
        ) { true }.make()
        expectEqual(restored, version)
        try await expectNumbers(0..<51, in: "/copies/restored", .fake(), "restored")
    }

    // Covers 5.79
    @Test func copiesInAFileHaveTheKeyOfTheirOptions() async throws {
        try await make()
        let coordinator = try await open()
        for (name, key): (String, EncryptionKey?) in [
            ("same", .fake()), ("other", .fake(2)), ("none", nil),
        ] {
            _ = try disk.openDirectory("/\(name)", .creating)
            var options = coordinator.options
            options.store.key = key
            try await RealmCopy(
                of: coordinator.published, coordinator.timelines, to: "/\(name)/copy", options,
                isFile: true
            ) { true }.make()
            expectEqual(disk.fileNames(in: "/\(name)"), ["copy"])
            expectEqual(contains("Number", in: "/\(name)"), key == nil, "\(name)")
            try await expectNumbers(
                0..<50, in: "/\(name)/copy", key, name, isReadOnly: true)
        }
        let code = await storeErrorCode {
            try await open("/other/copy", .fake()) { $0.isReadOnly = true }
        }
        expectEqual(code, .wrongKey)
        await coordinator.close()
    }

    @Test func seedsMayBePlainOrHaveTheKey() async throws {
        try await make("/plain", nil)
        try await make("/encrypted")
        for seed in ["/plain", "/encrypted"] {
            let path = "/from\(seed.dropFirst())"
            let coordinator = try await open(path) { $0.seedPath = seed }
            expectEqual(numbers(coordinator.published), Array(0..<50))
            await coordinator.close()
            expectTrue(!contains("Number", in: path))
            let code = await storeErrorCode { try await open(path, nil) }
            expectEqual(code, .keyRequired)
        }
    }

    @Test func damagedEncryptedRealmsAreVerifiedAndSalvaged() async throws {
        let realm = TemporaryRealm()
        let target = TemporaryRealm()
        let coordinator = try await openPeer(realm.path) { $0.store.key = .fake() }
        for number in 0..<20 { try await insert(number, into: coordinator) }
        await coordinator.close()
        func findings(_ path: String, _ key: EncryptionKey?) throws -> IntegrityFindings {
            try RealmCheck.run(path, key, limit: 100) { false }
        }
        try expectEqual(findings(realm.path, .fake()).damages.count, 0)
        for (key, code): (EncryptionKey?, StoreError.Code) in [
            (.fake(2), .wrongKey), (nil, .keyRequired),
        ] {
            let found = await storeErrorCode { try findings(realm.path, key) }
            expectEqual(found, code)
            let salvaged = await storeErrorCode {
                try await RealmSalvage.run(
                    realm.path, to: target.path, key, isCancelled: CancellationFlag())
            }
            expectEqual(salvaged, code)
        }
        let directory = try PosixFileSystem.shared.openDirectory(realm.path, .existing)
        let log = try directory.open("log-0-0")
        var byte = try log.read(at: 4096 + 900, count: 1)
        byte[0] ^= 1
        let written = byte.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try log.write(bytes, at: 4096 + 900) }
        }
        try written.get()
        try expectTrue(findings(realm.path, .fake()).damages.count > 0)
        _ = try await RealmSalvage.run(
            realm.path, to: target.path, .fake(), isCancelled: CancellationFlag())
        let salvaged = try await openPeer(target.path) { $0.store.key = .fake() }
        expectTrue(numbers(salvaged.published).count > 10)
        await salvaged.close()
    }
}
