import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Indexes that are declared later than their properties: built by `open` and `buildIndexes()`.
@Suite struct IndexBuildTests {
    private func collector() -> (@Sendable (IndexProgress) -> Void, () -> [IndexProgress]) {
        let collected = Guarded<[IndexProgress]>([])
        return (
            { progress in collected.withLock { $0.append(progress) } },
            { collected.withLock { $0 } }
        )
    }

    // Covers 3.104, 6.6, 9.14, 10.3, 10.7
    @Test func openingBuildsEachIndexInACommit() async throws {
        let disk = try await IndexDisk(seed: 1)
        let (report, collected) = collector()
        var configuration = disk.configuration(IdxLater.types)
        configuration.indexProgress = report
        let realm = try await Realm.open(configuration)
        expectEqual(realm.storedIndexes, IdxLater.indexes)
        expectEqual(realm.snapshot().version, 4)
        try await realm.checkQueries(IdxLater.indexes)
        let steps = collected()
        expectEqual(steps.map { "\($0.className).\($0.propertyName)" }, IdxLater.indexes)
        expectEqual(steps.map(\.indexesDone), [0, 1, 2])
        expectTrue(steps.allSatisfy { $0.indexCount == 3 && $0.objectCount == 400 })
        let notes = realm.snapshot().objects(IdxLater.IdxNote.self)
        expectEqual(notes.count, IndexDisk.noteCount)
        try await expectEqual(realm.buildIndexes(), 0)
        await realm.close()

        let again = try await Realm.open(configuration)
        expectEqual(again.snapshot().version, 4)
        expectEqual(again.stats().commits, 0)
        expectEqual(collected().count, 3)
        try await again.checkQueries(IdxLater.indexes)
        await again.close()
    }

    // Covers 10.3
    @Test func realmMayBeOpenedWithoutBuilding() async throws {
        let disk = try await IndexDisk(seed: 2)
        var configuration = disk.configuration(IdxLater.types)
        configuration.buildsIndexes = false
        let realm = try await Realm.open(configuration)
        try await realm.checkQueries([])
        try await realm.write { tx in
            try tx.create(IdxLater.IdxNote.self, value: ["number": 1_000, "room": "new"])
            try tx.delete(requireValue(tx.object(IdxLater.IdxNote.self, forPrimaryKey: 1_000)))
        }
        expectEqual(realm.storedIndexes, [])
        let (report, collected) = collector()
        try await expectEqual(realm.buildIndexes(progress: report), 3)
        expectEqual(collected().count, 3)
        try await realm.checkQueries(IdxLater.indexes)
        try await expectEqual(realm.buildIndexes(progress: report), 0)
        expectEqual(collected().count, 3)
        await realm.close()
    }

    /// The classes of a realm without `objectTypes` are known once they are used.
    @Test func classesThatAreNotListedAreBuiltOnDemand() async throws {
        let disk = try await IndexDisk(seed: 3)
        let realm = try await disk.open(nil)
        try await expectEqual(realm.buildIndexes(), 0)
        expectEqual(realm.snapshot().objects(IdxLater.IdxNote.self).count, IndexDisk.noteCount)
        expectEqual(realm.storedIndexes, [])
        try await expectEqual(realm.buildIndexes(), 3)
        try await realm.checkQueries(IdxLater.indexes)
        await realm.close()
    }

    // Covers .readOnly
    @Test func readOnlyRealmGetsNoIndex() async throws {
        let disk = try await IndexDisk(seed: 4)
        var configuration = disk.configuration(IdxLater.types)
        configuration.readOnly = true
        let (report, collected) = collector()
        configuration.indexProgress = report
        let realm = try await Realm.open(configuration)
        try await realm.checkQueries([])
        expectTrue(collected().isEmpty)
        let error = await realmError { try await realm.buildIndexes() }
        expectEqual(error?.code, .readOnly)
        await realm.close()
    }

    @Test func newRealmHasNothingToBuild() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("new.realm", IdxLater.types)
        let (report, collected) = collector()
        configuration.indexProgress = report
        let realm = try await Realm.open(configuration)
        expectEqual(realm.snapshot().version, 0)
        try await realm.write { tx in
            try tx.create(IdxLater.IdxNote.self, value: ["number": 1, "room": "a"])
        }
        expectEqual(realm.storedIndexes, IdxLater.indexes)
        expectTrue(collected().isEmpty)
        await realm.close()
    }

    @Test func cancelledOpeningKeepsTheIndexesThatAreComplete() async throws {
        let disk = try await IndexDisk(seed: 5)
        var configuration = disk.configuration(IdxLater.types)
        configuration.indexProgress = { progress in
            guard progress.indexesDone == 1 else { return }
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let cancelled = configuration
        let opening = Task { try await Realm.open(cancelled).close() }
        await #expect(throws: CancellationError.self) { try await opening.value }
        let between = try await disk.open(IdxFirst.types)
        expectEqual(between.storedIndexes, ["IdxNote.room"])
        await between.close()
        let (report, collected) = collector()
        configuration.indexProgress = report
        let realm = try await Realm.open(configuration)
        expectEqual(collected().map(\.propertyName), ["text", "coordinates"])
        try await realm.checkQueries(IdxLater.indexes)
        await realm.close()
    }

    @Test func concurrentOpeningsBuildEachIndexOnce() async throws {
        let disk = try await IndexDisk(seed: 6)
        let configuration = disk.configuration(IdxLater.types)
        let versions = try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let realm = try await Realm.open(configuration)
                    return realm.snapshot().version
                }
            }
            var versions: [UInt64] = []
            for try await version in group { versions.append(version) }
            return versions
        }
        expectEqual(versions, [4, 4, 4, 4])
        let realm = try await Realm.open(configuration)
        try await realm.checkQueries(IdxLater.indexes)
        await realm.close()
    }
}
