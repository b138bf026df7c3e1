import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// What goes through an encrypted realm once holds few leaves at a time, and so does a scrub of any
/// realm, which doesn't map them.
@Suite(.timeLimit(.minutes(20)))
struct DecryptedMemoryTests {
    private let folder: RealmFolder
    private let counter = CopiedByteCounter()

    init() throws { folder = try RealmFolder() }

    private func configuration(
        _ key: EncryptionKey? = .fake(), scrubBytesPerSecond: Int? = nil
    ) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", [Crate.self])
        configuration.logger = nil
        configuration.scrubBytesPerSecond = scrubBytesPerSecond
        configuration.adjust = { [counter] options in
            options.store.key = key
            options.store.copies = counter
            options.checkpoint.minimumClosingByteCount = 1
        }
        return configuration
    }

    /// Makes a closed realm with 8 MiB of leaves.
    private func makeRealm(_ key: EncryptionKey? = .fake()) async throws {
        let realm = try await Realm.open(configuration(key))
        try await realm.write { tx in
            for number in 0..<256 {
                let crate = Crate()
                crate.id = number
                crate.name = "the name of the crate \(number), in full"
                crate.data = Data(repeating: UInt8(number), count: 32 << 10)
                try tx.add(crate)
            }
        }
        await realm.close()
    }

    private func expectFew(_ what: String, _ body: () async throws -> Void) async throws {
        let before = counter.current
        counter.resetPeak()
        try await body()
        let read = counter.peak - before
        expectTrue(read > 1 << 20, "\(what) read nothing: \(read)")
        expectTrue(read < 5 << 20, "\(what) held \(read) bytes")
        let after = counter.current - before
        expectTrue(after < 64 << 10, "\(what) left \(after) bytes")
    }

    @Test func checksCopiesAndCompactionsHoldFewLeaves() async throws {
        try await makeRealm()
        let realm = try await Realm.open(configuration())
        expectTrue(counter.current < 64 << 10)
        try await expectFew("the check of a snapshot") {
            let report = try await realm.snapshot().integrityReport()
            expectTrue(report.isSound && report.leafCount > 256, "\(report)")
        }
        let options = realm.core.coordinator.options
        let path = folder["test.realm"].path
        for onlyBytes in [false, true] {
            try await expectFew("the check of the files") {
                let findings = try await blocking { () throws(StoreError) in
                    let walk = IntegrityWalk(limit: 10, isCancelled: { false })
                    return try RealmCheck.run(path, options, walk, onlyBytes: onlyBytes)
                }
                expectTrue(findings.damages.isEmpty && findings.leafCount > 256)
            }
        }
        try await expectFew("the backup") { try await realm.backup(to: folder["copy.realm"]) }
        try await expectFew("the compaction") { _ = try await realm.compact() }
        // everything else still keeps what it reads
        let before = counter.current
        for crate in realm.snapshot().objects(Crate.self) {
            let data = Data(repeating: UInt8(crate.id), count: 32 << 10)
            expectTrue(crate.data == data, "\(crate.id)")
        }
        expectTrue(counter.current - before > 8 << 20)
        await realm.close()
    }

    @Test(arguments: [true, false])
    func aScrubHoldsFewLeaves(isEncrypted: Bool) async throws {
        let key: EncryptionKey? = isEncrypted ? .fake() : nil
        try await makeRealm(key)
        var closed: Realm?
        try await expectFew("the scrub") {
            let realm = try await Realm.open(configuration(key, scrubBytesPerSecond: .max))
            while realm.stats().scrub?.passes != 1 { try await Task.sleep(for: .milliseconds(1)) }
            expectEqual(realm.stats().scrub?.damageCount, 0)
            await realm.close()
            closed = realm
        }
        withExtendedLifetime(closed) {}
    }

    /// With leaves that are freed after each row, of all kinds.
    @Test func checksFindTheSameWithoutAnyLeaves() async throws {
        var random = SeededRandom()
        let edits = (0..<6).map { _ in CrateEdit(&random, 60) }
        var configuration = configuration()
        for round in 0..<2 {
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in
                for number in 0..<150 {
                    let crate = Crate()
                    crate.id = 1_000 * (round + 1) + number
                    crate.name = "the name of the crate \(crate.id), in full"
                    crate.tags.append("tag \(number)")
                    try tx.add(crate)
                }
            }
            for edit in edits { try await realm.write { tx in try edit.apply(to: tx) } }
            await realm.close()
        }
        configuration.readOnly = true
        func findings(_ maximumByteCount: Int) async throws -> IntegrityFindings {
            let realm = try await Realm.open(configuration)
            let root = realm.core.coordinator.published
            let findings = try await blocking { () throws(StoreError) in
                let walk = IntegrityWalk(limit: 10, isCancelled: { false })
                walk.maximumLeafByteCount = maximumByteCount
                root.check(walk)
                return try walk.finish()
            }
            await realm.close()
            return findings
        }
        let usual = try await findings(TransientLeaves.maximumByteCount)
        let least = try await findings(0)
        for found in [usual, least] {
            expectTrue(found.damages.isEmpty && found.isComplete, "\(random): \(found.damages)")
        }
        expectTrue(usual.leafCount > 20 && usual.elementCount > 100)
        expectTrue(usual.leafCount == least.leafCount && usual.byteCount == least.byteCount)
        expectTrue(usual.rowCount == least.rowCount && usual.entryCount == least.entryCount)
        expectEqual(usual.elementCount, least.elementCount)
    }
}
