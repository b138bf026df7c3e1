import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// Indexes that another process builds or drops, and crashes while they are built.
@Suite(.timeLimit(.minutes(40))) struct IndexPeerTests {
    /// Reads everything that `other` has committed.
    private func follow(_ realm: Realm, _ other: Realm) async throws {
        realm.core.coordinator.hint()
        _ = try await realm.snapshot(atLeast: other.snapshot().version)
    }

    // Covers 10.3
    @Test(arguments: [UInt64(0), 1]) func otherProcessesFollow(seed: UInt64) async throws {
        let disk = try await IndexDisk(seed: seed)
        let older = try await disk.open(IdxFirst.types)
        var reading = IndexDisk.configuration(SimView(disk.disk), IdxLater.types)
        reading.readOnly = true
        let reader = try await Realm.open(reading)
        try await reader.checkQueries([])
        let later = try await Realm.open(
            IndexDisk.configuration(SimView(disk.disk), IdxLater.types))
        try await later.checkQueries(IdxLater.indexes)
        var changes = later.objects(IdxLater.IdxNote.self).where { $0.room == "r3" }
            .changes.makeAsyncIterator()
        _ = try await changes.next()
        for realm in [older, reader] {
            try await follow(realm, later)
            expectEqual(realm.storedIndexes, IdxLater.indexes)
        }
        try await reader.checkQueries(IdxLater.indexes)
        // the older program maintains them
        try await older.write { tx in
            try IdxFirst.add(403..<404, to: tx)
            tx.object(IdxFirst.IdxNote.self, forPrimaryKey: 403)?.room = "elsewhere"
        }
        try await follow(later, older)
        let elsewhere = later.snapshot().objects(IdxLater.IdxNote.self)
            .where { $0.room == "elsewhere" && $0.text.matchesText("word3") }
        expectEqual(elsewhere.map(\.number), [403])
        try await later.snapshot().checkIntegrity()
        try await older.write { tx in
            try tx.delete(requireValue(tx.object(IdxFirst.IdxNote.self, forPrimaryKey: 403)))
        }
        // it doesn't drop them unless it is asked to
        try await expectEqual(older.dropUndeclaredIndexes(), 3)
        for realm in [later, reader] {
            try await follow(realm, older)
            expectEqual(realm.storedIndexes, [])
            try await realm.checkQueries([])
        }
        // a write of a listed class doesn't build them again
        try await later.write { tx in
            try tx.create(IdxLater.IdxNote.self, value: ["number": 1_003, "room": "r3"])
        }
        expectEqual(later.storedIndexes, [])
        guard case .update(let notes, let delta)? = try await changes.next() else {
            Issue.record("The stream has no update.")
            return
        }
        expectEqual(delta.inserted.map(\.number), [1_003])
        expectEqual(notes.count, 21)
        for realm in [older, reader, later] { await realm.close() }
    }

    private struct Left: Sendable {
        var image: SimFileSystem
        var place: String
    }

    /// A power failure, and the death of all processes, at every effect of an opening that builds
    /// the indexes: each of them is complete or missing, and the next opening builds the rest.
    @Test(.disabled(if: Effort.isReduced), arguments: [UInt64(0), 1])
    func crashLeavesCompleteIndexes(parity: UInt64) async throws {
        let seed = SeededRandom.seed() << 1 | parity
        let disk = try await IndexDisk(seed: seed)
        let left = Guarded<[Left]>([])
        let imageCount = Effort.count(gate: 1, soak: 6)
        let numbers = Guarded(SeededRandom(seed))
        disk.disk.onEffect = { [unowned disk = disk.disk] kind, index in
            guard kind != .wake else { return }
            var found = [Left(image: disk.killImage(), place: "death before \(kind) \(index)")]
            let all = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: seed)
            for _ in 0..<imageCount {
                let number = numbers.withLock { $0.next() }
                let image = all[Int(number % UInt64(all.count))]
                found.append(
                    Left(
                        image: image.fileSystem,
                        place: "power cut before \(kind) \(index), \(image.summary)"))
            }
            left.withLock { $0 += found }
        }
        let realm = try await disk.open(IdxLater.types)
        let complete = realm.core.coordinator.published.stateHash()
        await realm.close()
        disk.disk.onEffect = nil
        var counts = [0, 0, 0, 0]
        for crash in left.withLock({ $0 }) {
            let before = try await Realm.open(IndexDisk.configuration(crash.image, IdxFirst.types))
            let indexes = before.storedIndexes
            expectEqual(indexes, Array(IdxLater.indexes.prefix(indexes.count)), "\(crash.place)")
            counts[min(indexes.count, 3)] += 1
            try await before.snapshot().checkIntegrity()
            await before.close()
            let after = try await Realm.open(IndexDisk.configuration(crash.image, IdxLater.types))
            expectEqual(after.core.coordinator.published.stateHash(), complete, "\(crash.place)")
            try await after.snapshot().checkIntegrity()
            await after.close()
        }
        print("\(counts) states with 0 to 3 indexes")
        expectTrue(counts.allSatisfy { $0 > 0 })
    }
}
