import Foundation
import RegnumEngine
import RegnumJSON
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// A leaf that can't be read makes its own content unreadable, and nothing else.
@Suite(.timeLimit(.minutes(20)))
struct DamagedLeafTests {
    private static let count = 1_100

    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(
        _ adjust: @escaping @Sendable (inout CoordinatorOptions) -> Void
    ) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", [Crate.self, Room.self])
        configuration.logger = nil
        configuration.adjust = adjust
        return configuration
    }

    /// Makes a checkpoint after every other commit and switches to it.
    private var busy: Realm.Configuration {
        configuration { options in
            options.checkpoint.maximumCommitCount = 2
            options.checkpoint.minimumReloadByteCount = 0
            options.checkpoint.paceNanoseconds = 0
            options.checkpoint.retryNanoseconds = 100_000
        }
    }

    private static func name(_ number: Int) -> String { "the name of the crate \(number), in full" }

    /// Makes a closed realm with a flipped byte in the names of the first crates.
    ///
    /// - Returns: The nodes file, and the offset of the byte.
    private func makeDamagedRealm() async throws -> (file: URL, offset: Int) {
        let realm = try await Realm.open(
            configuration { $0.checkpoint.minimumClosingByteCount = 1 })
        try await realm.write { tx in
            for number in 0..<Self.count {
                let crate = Crate()
                crate.id = number
                crate.name = Self.name(number)
                try tx.add(crate)
            }
            try tx.add(Room("first"))
        }
        await realm.close()
        let name = try folder.names(in: "test.realm").filter { $0.hasPrefix("nodes-") }.last
        let file = folder["test.realm"].appending(path: try requireValue(name))
        let text = try Data(contentsOf: file).range(of: Data(Self.name(99).utf8))
        let offset = try requireValue(text).lowerBound
        try flip(file, offset)
        return (file, offset)
    }

    private func flip(_ file: URL, _ offset: Int) throws {
        var bytes = try Data(contentsOf: file)
        bytes[offset] ^= 1
        try bytes.write(to: file, options: .atomic)  // the file before may still be mapped
    }

    private func readNames(_ realm: Realm) async throws -> [String] {
        try await realm.read { tx in tx.objects(Crate.self).map(\.name) }
    }

    private func export(_ realm: Realm, _ classes: [String]) async throws -> String {
        var text: [UInt8] = []
        try await realm.snapshot().exportJSON(classes: classes) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    // Covers .invalidDatabase
    @Test func otherObjectsAreReadWrittenStreamedAndExported() async throws {
        let (file, offset) = try await makeDamagedRealm()
        let realm = try await Realm.open(busy)
        await expectEqual(realmError { try await readNames(realm) }?.code, .invalidDatabase)

        var rooms = realm.objects(Room.self).changes(policy: .everyCommit).makeAsyncIterator()
        try await expectEqual(rooms.next()?.collection.count, 1)
        for number in 0..<10 {
            try await realm.write { tx in try tx.add(Room("room \(number)")) }
            try await expectEqual(rooms.next()?.collection.count, number + 2)
            // known damage is reported each time
            await expectEqual(realmError { try await readNames(realm) }?.code, .invalidDatabase)
        }
        // a row of the same class, in another leaf
        try await realm.write { tx in
            try requireValue(tx.object(Crate.self, forPrimaryKey: 1_090)).name = "a new name"
        }
        let found = try await realm.read { tx in tx.object(Crate.self, forPrimaryKey: 1_090)?.name }
        expectEqual(found, "a new name")
        #expect(try await export(realm, ["Room"]).contains("room 9"))
        await expectEqual(realmError { try await export(realm, ["Crate"]) }?.code, .invalidDatabase)
        await realm.close()

        // no commit or checkpoint has taken zeros for names
        try flip(file, offset)
        let healthy = try await Realm.open(busy)
        var names = (0..<Self.count).map(Self.name)
        names[1_090] = "a new name"
        try await expectEqual(readNames(healthy), names)
        expectEqual(healthy.snapshot().objects(Room.self).count, 11)
        try await healthy.snapshot().checkIntegrity()
        await healthy.close()
    }

    /// A result that was read with damage isn't shared with other streams.
    // Covers .invalidDatabase
    @Test func eachStreamThatMeetsDamageThrows() async throws {
        _ = try await makeDamagedRealm()
        let realm = try await Realm.open(busy)
        let crates = realm.objects(Crate.self).where { $0.name.contains("99") }
        for _ in 0..<3 {
            var changes = crates.changes.makeAsyncIterator()
            let error = await realmError { try await changes.next() }
            expectEqual(error?.code, .invalidDatabase)
        }
        await realm.close()
    }

    // Covers .invalidDatabase
    @Test func transactionThatMeetsDamageChangesNothing() async throws {
        _ = try await makeDamagedRealm()
        let realm = try await Realm.open(busy)
        for _ in 0..<2 {
            let error = await realmError {
                try await realm.write { tx in
                    try tx.add(Room("second"))
                    tx.object(Crate.self, forPrimaryKey: 99)?.name = "new"
                }
            }
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["first"])
        }
        try await realm.write { tx in try tx.add(Room("second")) }
        expectEqual(realm.snapshot().objects(Room.self).count, 2)
        await realm.close()
    }

    /// Makes a closed realm with a flipped byte in the only leaf of an index, to which both
    /// checkpoints of a compaction refer.
    ///
    /// - Returns: The nodes file, and the offset of the leaf.
    private func makeDamagedIndex(
        _ configuration: Realm.Configuration
    ) async throws -> (file: URL, leaf: Int) {
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for number in 0..<7 { try tx.add(Room("room \(number)")) }
            for number in 0..<Self.count {
                let crate = Crate()
                crate.id = number
                crate.name = Self.name(number)
                try tx.add(crate)
            }
        }
        _ = try await realm.compact()
        await realm.close()
        try expectTrue(!folder.names(in: "test.realm").contains("log-0-0"))
        let file = folder["test.realm/nodes-1"]
        let leaf = try requireValue(Self.indexLeaf(ofCount: 7, in: Data(contentsOf: file)))
        try flip(file, leaf + 16)
        return (file, leaf)
    }

    /// The only leaf of an index is read when a realm is opened.
    // Covers .invalidDatabase
    @Test func onlyLeafOfAnIndexFailsOnlyWhatReadsIt() async throws {
        var configuration = self.configuration { $0.store.firstSegmentByteCount = 8_192 }
        configuration.historyRetention = .nothing
        let (file, leaf) = try await makeDamagedIndex(configuration)
        let report = try await Realm.verify(at: folder["test.realm"])
        expectEqual(report.damages.map(\.className), ["Room"])
        expectEqual(report.damages.map(\.offset), [UInt64(leaf)])
        var realm = try await Realm.open(configuration)
        try await expectEqual(readNames(realm).count, Self.count)
        let error = await realmError {
            try await realm.read { tx in tx.object(Room.self, forPrimaryKey: "room 3") != nil }
        }
        expectEqual(error?.code, .invalidDatabase)
        expectEqual(error?.position, UInt64(leaf))
        let refused = await realmError { try await realm.write { tx in try tx.add(Room("new")) } }
        expectEqual(refused?.code, .invalidDatabase)
        try await realm.write { tx in
            try requireValue(tx.object(Crate.self, forPrimaryKey: 5)).name = "a new name"
        }
        await realm.close()

        try flip(file, leaf + 16)
        realm = try await Realm.open(configuration)
        try await expectEqual(readNames(realm)[5], "a new name")
        expectEqual(realm.snapshot().objects(Room.self).count, 7)
        try await realm.snapshot().checkIntegrity()
        await realm.close()
    }

    /// The later checkpoints of a realm that was opened with a damaged index have it too.
    @Test func checkpointsThatHaveTheKnownDamageAreLoaded() async throws {
        var small = configuration { $0.store.firstSegmentByteCount = 8_192 }
        small.historyRetention = .nothing
        _ = try await makeDamagedIndex(small)
        let failureCount = Guarded(0)
        var configuration = busy
        let adjust = configuration.adjust
        configuration.adjust = { options in
            adjust?(&options)
            options.report = { event in
                if case .checkpointFailed = event { failureCount.withLock { $0 += 1 } }
            }
        }
        let realm = try await Realm.open(configuration)
        let coordinator = realm.core.coordinator
        let end = ContinuousClock.now + .seconds(400)
        var number = 0
        while coordinator.statistics.reloads < 4, ContinuousClock.now < end {
            let (key, round) = (number % 400, number / 400)
            try await realm.write { tx in
                let crate = try requireValue(tx.object(Crate.self, forPrimaryKey: key))
                crate.name = round == 0 ? "new" : "new \(round)"
            }
            number += 1
            try await Task.sleep(for: .milliseconds(5))
        }
        expectTrue(coordinator.statistics.reloads >= 4)
        // the older checkpoint was tried
        expectTrue(failureCount.withLock { $0 } <= 1)
        expectEqual(realm.snapshot().objects(Crate.self).count, Self.count)
        await realm.close()
    }

    /// The past is rebuilt from the same checkpoints, and the states of a migration have the leaf.
    @Test func historyAndMigrationsNeedNoDamagedIndex() async throws {
        var configuration = self.configuration { $0.store.firstSegmentByteCount = 8_192 }
        configuration.historyRetention = .nothing
        _ = try await makeDamagedIndex(configuration)
        let realm = try await Realm.open(configuration)
        let cursor = realm.snapshot().cursor
        try await realm.write { tx in
            try requireValue(tx.object(Crate.self, forPrimaryKey: 5)).name = "a new name"
        }
        var changes = realm.objects(Crate.self).changes(since: cursor).makeAsyncIterator()
        guard case .update(_, let delta)? = try await changes.next() else {
            Issue.record("The stream has no change.")
            return
        }
        expectEqual(delta.newModifications, [5])

        let coordinator = realm.core.coordinator
        let turn = try await coordinator.beginWrite()
        let stage = try await requireValue(coordinator.beginStage(turn, target: 1))
        let transaction = EngineTransaction(base: turn.base)
        try stage.save(transaction, progress: []).abort()
        await coordinator.discard(stage)
        coordinator.end(stage)
        try await coordinator.abandon(turn)
        await realm.close()
    }

    /// Returns the offset of an index leaf with that many entries.
    private static func indexLeaf(ofCount count: UInt8, in bytes: Data) -> Int? {
        let header = Data([0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x08, 0, 0, 9, 1, count, 0])
        return stride(from: 4_096, to: bytes.count - 16, by: 64).first {
            bytes[$0..<$0 + 16] == header
        }
    }

    /// A read that fails once, due to the disk or a lack of memory.
    // Covers .ioFailed
    @Test(arguments: [EIO, ENOMEM])
    func readThatFailsOnceFailsNothingElse(errno: Int32) async throws {
        let disk = SimFileSystem(seed: 3)
        let realm = try await openRooms(on: disk)
        disk.inject(SimFailure(.read, errno: errno))
        let error = await realmError {
            try await realm.read { tx in tx.objects(Room.self).map(\.topic) }
        }
        expectTrue(error?.code == .ioFailed && disk.firedFailureCount == 1)
        expectTrue(error?.path != nil && error?.position != nil)
        try await realm.write { tx in
            for room in tx.objects(Room.self) { room.topic = room.name }
        }
        var changes = realm.objects(Room.self).changes.makeAsyncIterator()
        try await expectEqual(changes.next()?.collection.count, 3_000)
        let topics = try await realm.read { tx in tx.objects(Room.self).map(\.topic) }
        expectTrue(topics == (0..<3_000).map { "room \($0)" })
        await realm.close()
    }

    /// A failing disk can take many seconds for each attempt.
    // Covers .ioFailed
    @Test func checkReadsAnUnreadableLeafOnlyOnce() async throws {
        let disk = SimFileSystem(seed: 4)
        let realm = try await openRooms(on: disk)
        try await realm.read { tx in  // reads the index
            for id in 0..<3_000 { expectTrue(tx.object(Crate.self, forPrimaryKey: id) != nil) }
        }
        disk.inject(SimFailure(.read, errno: EIO, times: .forever))
        let report = try await realm.snapshot().integrityReport()
        let count = disk.firedFailureCount
        disk.clearFailures()
        expectTrue(report.damages.count > 10 && count < 1_000, "\(count) attempts: \(report)")
        // what was found is no longer known
        try await realm.snapshot().checkIntegrity()
        await realm.close()
    }

    /// Opens a realm of which all content is in a nodes file.
    private func openRooms(on disk: SimFileSystem) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/rooms")), objectTypes: [Crate.self, Room.self])
        configuration.logger = nil
        configuration.adjust = { options in
            options.fileSystem = disk
            options.checkpoint.minimumClosingByteCount = 1
            options.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for number in 0..<3_000 {
                try tx.add(Room("room \(number)"))
                let crate = Crate()
                crate.id = number
                try tx.add(crate)
            }
        }
        await realm.close()
        return try await Realm.open(configuration)
    }
}
