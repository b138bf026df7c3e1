import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The sizes of a realm's files, and what `compact()` and `shouldCompactOnLaunch` do about them.
@Suite(.disabled(if: Effort.isReduced), .timeLimit(.minutes(40)))
struct RealmCompactionTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(_ name: String = "test.realm") -> Realm.Configuration {
        var configuration = folder.configuration(name)
        configuration.historyRetention = .nothing
        return configuration
    }

    /// Adds books with covers of 800 bytes each.
    private func fill(_ realm: Realm, _ count: Int, covers: UInt8 = 0) async throws {
        try await realm.write { tx in
            for id in 0..<count {
                let cover = Data(repeating: covers, count: 800)
                try tx.add(
                    BackupBook(
                        value: ["id": id, "title": "book \(id)", "cover": cover]
                            as [String: Any?]),
                    update: .all)
            }
        }
    }

    private func byteCount(_ name: String = "test.realm") throws -> Int {
        try folder.names(in: name).reduce(0) { sum, file in
            let path = folder[name].appending(path: file).path
            // It may have been removed since.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    // Covers 5.85
    @Test func filesShrinkWhileSnapshotsAreHeld() async throws {
        let realm = try await Realm.open(configuration())
        try await fill(realm, 8_000)
        let first = try await realm.compact()
        var snapshot: Snapshot? = realm.snapshot()
        try await realm.write { tx in
            tx.delete(tx.objects(BackupBook.self).where { $0.id >= 100 })
        }
        let report = try await realm.compact()
        expectTrue(first.byteCountAfter > 8_000 * 800)
        expectTrue(report.byteCountAfter < 2 << 20, "\(report)")
        expectTrue(report.byteCountBefore > report.byteCountAfter)
        expectEqual(report.historyByteCount, 0)
        let size = try byteCount()
        expectTrue(size < 3 << 20, "\(size) bytes")
        expectEqual(snapshot?.objects(BackupBook.self).count, 8_000)
        let cover = snapshot?.objects(BackupBook.self).last?.cover
        expectEqual(cover, Data(repeating: 0, count: 800))
        expectEqual(realm.snapshot().objects(BackupBook.self).count, 100)
        snapshot = nil
        let last = try await realm.compact()
        expectEqual(last.heldByteCount, 0)
        await realm.close()
        let again = try await Realm.open(configuration())
        expectEqual(again.snapshot().objects(BackupBook.self).count, 100)
        await again.close()
    }

    // Covers 5.85
    @Test func deletingEverythingShrinksTheFiles() async throws {
        let realm = try await Realm.open(configuration())
        for round in 0..<3 {
            try await realm.write { tx in
                for number in 0..<10_000 {
                    try tx.add(
                        Person(String(repeating: "name", count: 50), age: round * 10_000 + number))
                }
            }
        }
        try await realm.compact()
        let full = try byteCount()
        expectTrue(full > 5_000_000, "\(full) bytes")
        try await realm.write { tx in tx.deleteAll() }
        let end = ContinuousClock.now + .seconds(400)
        while try byteCount() > 1 << 20, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        let size = try byteCount()
        expectTrue(size <= 1 << 20, "\(size) bytes")
        await realm.close()
    }

    /// Commits that replace the content part by part, again and again; for ten minutes in the soak.
    @Test func steadyUpdatesEndWithSmallFiles() async throws {
        let realm = try await Realm.open(configuration())
        let count = Effort.count(gate: 2_000, soak: 10_000)
        try await fill(realm, count)
        let end = ContinuousClock.now + .seconds(Effort.count(gate: 1, soak: 600))
        var updateCount = 0
        var random = SeededRandom()
        while updateCount < 12 * count || ContinuousClock.now < end {
            let first = updateCount % count
            let covers = (0..<250).map { _ in Data(random.bytes(800)) }
            try await realm.write { tx in
                for (id, cover) in zip(first..<count, covers) {
                    try requireValue(tx.object(BackupBook.self, forPrimaryKey: id)).cover = cover
                }
            }
            updateCount += 250
        }
        await realm.close()
        let size = try byteCount()
        let copy = try await Realm.open(configuration())
        try await copy.backup(to: folder["copy.realm"])
        await copy.close()
        let live = try byteCount("copy.realm")
        print("\(updateCount) updates: \(size) bytes of files with \(live) live")
        expectTrue(live > count * 800)
        expectTrue(size <= 3 * live, "\(size) bytes with \(live) live")
    }

    @Test func historyIsReported() async throws {
        var configuration = configuration()
        configuration.historyRetention = .standard
        let realm = try await Realm.open(configuration)
        try await fill(realm, 8_000)
        let cursor = realm.snapshot().cursor
        try await realm.write { tx in tx.delete(tx.objects(BackupBook.self).where { $0.id > 9 }) }
        let report = try await realm.compact()
        expectTrue(report.historyByteCount > 8_000 * 800, "\(report)")
        expectTrue(report.description.contains("are for history"))
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        try await expectEqual(commits.next()?.cursor.version, cursor.version + 1)
        await realm.close()
    }

    @Test func realmsWithoutFilesHaveNothingToCompact() async throws {
        let memory = try await Realm.open(.init(location: .inMemory(identifier: "compaction")))
        try await memory.write { tx in try tx.add(Person("a", age: 1)) }
        let report = try await memory.compact()
        expectTrue(report.byteCountBefore == 0 && report.byteCountAfter == 0)
        await memory.close()
        let empty = try await Realm.open(configuration("empty.realm"))
        try await expectEqual(empty.compact(), report)
        await empty.close()
    }

    /// The sizes with which a configuration's closure was called.
    private final class Calls: Sendable {
        private let sizes = Guarded<[(total: Int, used: Int)]>([])

        var all: [(total: Int, used: Int)] { sizes.withLock { $0 } }

        func decide(_ total: Int, _ used: Int) -> Bool {
            sizes.withLock { $0.append((total, used)) }
            return total > 1 << 20 && used < total / 2
        }
    }

    // Covers 5.9
    @Test func launchCompactsIfTheClosureWantsIt() async throws {
        var plain = configuration()
        plain.adjust = { $0.checkpoint.isOn = false }
        var realm = try await Realm.open(plain)
        try await fill(realm, 8_000)
        try await realm.write { tx in tx.delete(tx.objects(BackupBook.self).where { $0.id > 9 }) }
        await realm.close()
        let before = try byteCount()
        expectTrue(before > 8_000 * 800)
        let calls = Calls()
        plain.shouldCompactOnLaunch = { calls.decide($0, $1) }
        var reading = plain
        reading.readOnly = true
        realm = try await Realm.open(reading)
        await realm.close()
        expectTrue(calls.all.isEmpty)
        realm = try await Realm.open(plain)
        let size = try byteCount()
        expectTrue(size < 2 << 20, "\(size) bytes")
        expectEqual(realm.snapshot().objects(BackupBook.self).count, 10)
        // Only the first time in the process.
        let same = try await Realm.open(plain)
        expectTrue(same === realm)
        expectEqual(calls.all.count, 1)
        let sizes = try requireValue(calls.all.first)
        expectTrue(sizes.total > 8_000 * 800 && sizes.total <= before && sizes.used < 2 << 20)
        await realm.close()
        realm = try await Realm.open(plain)
        expectEqual(calls.all.count, 2)
        await realm.close()
    }

    // Covers 12.13, 13.6
    @Test func launchCompactsARealmThatAnotherProcessHasOpen() async throws {
        var other = configuration()
        other.adjust = { options in
            options.fileSystem = PosixFileSystem()
            options.checkpoint.isOn = false
        }
        let peer = try await Realm.open(other)
        try await fill(peer, 8_000)
        try await peer.write { tx in tx.delete(tx.objects(BackupBook.self).where { $0.id > 9 }) }
        let held = peer.snapshot()
        var own = configuration()
        own.shouldCompactOnLaunch = { $0 > 1 << 20 && $1 < $0 / 2 }
        let realm = try await Realm.open(own)
        let size = try byteCount()
        expectTrue(size < 2 << 20, "\(size) bytes")
        try await peer.write { tx in try tx.add(Person("a", age: 1)) }
        let counts = try await realm.write { tx in
            (tx.objects(BackupBook.self).count, tx.objects(Person.self).count)
        }
        expectTrue(counts == (10, 1))
        expectEqual(held.objects(BackupBook.self).count, 10)
        await peer.close()
        await realm.close()
    }

    // Covers 5.9, .diskFull
    @Test func launchSucceedsOnAFullDisk() async throws {
        let disk = SimFileSystem()
        var configuration = Realm.Configuration(location: .file(URL(filePath: "/sim/a.realm")))
        configuration.logger = nil
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.firstSegmentByteCount = 65_536
        }
        var realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.add(Person("a", age: 1)) }
        await realm.close()
        disk.capacityByteCount = disk.usedByteCount
        configuration.shouldCompactOnLaunch = { _, _ in true }
        realm = try await Realm.open(configuration)
        let error = await realmError { try await realm.compact() }
        expectEqual(error?.code, .diskFull)
        expectEqual(realm.snapshot().objects(Person.self).count, 1)
        await realm.close()
    }
}
