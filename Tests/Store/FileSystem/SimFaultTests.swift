import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

/// Planned failures, limits and damage in the simulated file system.
@Suite struct SimFaultTests {
    private let disk = SimFileSystem(seed: 3)
    private let path = "/sim/a.realm"

    private func makeRealm() throws -> any RealmDirectory {
        try disk.openDirectory(path, .creating)
    }

    @Test func nthCallOfItsKindFailsOnce() throws {
        let file = try makeRealm().create("log")
        disk.inject(SimFailure(.write, nth: 3, code: .diskFull))
        let codes = (0..<5).map { number in
            codeThrown { try file.write([UInt8(number)], at: UInt64(number)) }
        }
        expectEqual(codes, [nil, nil, .diskFull, nil, nil])
        expectEqual(disk.firedFailureCount, 1)
        try expectEqual(file.readAll(), [0, 1, 0, 3, 4])
    }

    @Test func failureForeverLastsUntilItIsCleared() throws {
        let realm = try makeRealm()
        disk.inject(SimFailure(nil, nth: 2, times: .forever))
        _ = try realm.create("log")
        expectEqual(codeThrown { try realm.sync() }, .ioFailed)
        expectEqual(codeThrown { _ = try realm.names() }, .ioFailed)
        expectEqual(codeThrown { _ = try realm.openLock() }, .ioFailed)
        disk.clearFailures()
        try expectEqual(realm.names(), ["log"])
    }

    @Test func everyKindOfCallCanFail() throws {
        for kind in EffectKind.allCases where kind != .storeControl && kind != .wake {
            let disk = SimFileSystem()
            disk.inject(SimFailure(kind))
            let code = codeThrown {
                let realm = try disk.openDirectory(path, .creating)
                let file = try realm.create("log")
                try file.write([1])
                try file.sync()
                _ = try file.size()
                _ = try file.read(at: 0, count: 1)
                _ = try file.map(at: 0, count: 1)
                try realm.rename("log", to: "old")
                _ = try realm.open("old")
                _ = try realm.names()
                let lock = try realm.openLock()
                _ = try lock.tryLock(.writer, .shared)
                try lock.sync()
                try realm.unlink("old")
            }
            expectEqual(code, .ioFailed, "\(kind)")
            expectEqual(disk.firedFailureCount, 1, "\(kind)")
        }
    }

    @Test func directoryThatAnotherMakesAtTheSameTimeIsTheSame() throws {
        let other = Mutex<(any LockFile)?>(nil)
        disk.onEffect = { [disk, path] kind, _ in
            guard kind == .makeDirectory, other.withLock({ $0 == nil }) else { return }
            disk.onEffect = nil
            let lock = try? disk.openDirectory(path, .creating).openLock()
            other.withLock { $0 = lock }
        }
        let lock = try makeRealm().openLock()
        let theirs = try requireValue(other.withLock { $0 })
        expectEqual(lock.identity, theirs.identity)
        try expectTrue(theirs.isCurrent())
        try expectTrue(theirs.tryLock(.writer, .exclusive))
        try expectTrue(!lock.tryLock(.writer, .exclusive))
    }

    @Test func shortWriteLeavesItsPrefix() throws {
        let file = try makeRealm().create("log")
        disk.inject(SimFailure(.write, code: .diskFull, writtenByteCount: 2))
        expectEqual(codeThrown { try file.write([1, 2, 3, 4]) }, .diskFull)
        try expectEqual(file.readAll(), [1, 2])
    }

    @Test func failedSyncThatKeepsDirtyDataCanBeRepeated() throws {
        let realm = try makeRealm()
        let file = try realm.create("log")
        try realm.sync()
        try file.write([1])
        disk.inject(SimFailure(.sync))
        expectEqual(codeThrown { try file.sync() }, .ioFailed)
        expectEqual(disk.durableContents(of: "log", in: path), [])
        try file.sync()
        expectEqual(disk.durableContents(of: "log", in: path), [1])
    }

    @Test func failedSyncThatLosesDirtyDataSucceedsNextTimeWithoutWriting() throws {
        let realm = try makeRealm()
        let file = try realm.create("log")
        try file.write(Array(repeating: 1, count: 1024))
        try file.sync()
        try realm.sync()
        try file.write([2], at: 0)
        disk.inject(SimFailure(.sync, losesDirtyData: true))
        expectEqual(codeThrown { try file.sync() }, .ioFailed)
        try file.sync()
        try expectEqual(file.read(at: 0, count: 1), [2])
        let survivors = Set(
            disk.crashImages().map { $0.fileSystem.contents(of: "log", in: path)?[0] })
        expectTrue(survivors.isSuperset(of: [1, 2]))
        disk.dropCaches()
        try expectEqual(file.read(at: 0, count: 1), [1])

        try file.write([3], at: 600)
        try file.sync()
        expectEqual(disk.durableContents(of: "log", in: path)?[600], 3)
    }

    @Test func writeBeyondTheCapacityWritesWhatFits() throws {
        let realm = try makeRealm()
        disk.capacityByteCount = 1000
        let first = try realm.create("first")
        try first.write(Array(repeating: 1, count: 600))
        let second = try realm.create("second")
        expectEqual(codeThrown { try second.write(Array(repeating: 2, count: 600)) }, .diskFull)
        try expectEqual(second.size(), 400)
        try first.write(Array(repeating: 3, count: 600))
        expectEqual(codeThrown { _ = try realm.openLock() }, .diskFull)
        try realm.unlink("second")
        expectEqual(disk.usedByteCount, 1000)
        try expectEqual(second.size(), 400)
    }

    @Test func spaceOfARemovedFileIsFreeWhenItIsClosed() throws {
        let realm = try makeRealm()
        try realm.create("log").write(Array(repeating: 1, count: 600))
        expectEqual(disk.usedByteCount, 600)
        expectEqual(disk.openHandleCount, 0)
        try realm.unlink("log")
        expectEqual(disk.usedByteCount, 0)
    }

    @Test func readOnlyDiskRefusesEveryChange() throws {
        let realm = try makeRealm()
        let file = try realm.create("log")
        disk.isReadOnly = true
        let refused = StoreError.Code.filePermissionDenied
        expectEqual(codeThrown { try file.write([1]) }, refused)
        expectEqual(codeThrown { _ = try realm.create("new") }, refused)
        expectEqual(codeThrown { try realm.rename("log", to: "new") }, refused)
        expectEqual(codeThrown { try realm.unlink("log") }, refused)
        expectEqual(codeThrown { _ = try realm.openLock() }, refused)
        expectEqual(codeThrown { _ = try disk.openDirectory("/sim/b", .creating) }, refused)
        try expectEqual(realm.names(), ["log"])
        expectEqual(disk.fileNames(in: "/sim/b"), [])
    }

    @Test func everyEffectIsToldBeforeItHappens() throws {
        let seen = Mutex<[(EffectKind, Int, Int)]>([])
        let disk = disk
        let path = path
        disk.onEffect = { kind, number in
            let size = disk.contents(of: "log", in: path)?.count ?? -1
            seen.withLock { $0.append((kind, number, size)) }
        }
        // The closure captures the file system.
        defer { disk.onEffect = nil }
        let realm = try makeRealm()
        let file = try realm.create("log")
        try file.write([1])
        try file.sync()
        let lock = try realm.openLock()
        lock.storeControlSlot(0, ControlWords())
        lock.wake()
        try realm.rename("log", to: "old")
        try realm.unlink("old")
        try realm.sync()
        let events = seen.withLock { $0 }
        expectEqual(
            events.map(\.0),
            [
                .makeDirectory, .syncDirectory, .create, .write, .sync, .create, .storeControl,
                .wake, .rename, .unlink, .syncDirectory,
            ])
        expectEqual(events.map(\.1), Array(0..<11))
        expectEqual(events.map(\.2), [-1, -1, -1, 0, 1, 1, 1, 1, 1, -1, -1])
        expectEqual(disk.effectCount, 11)
        expectEqual(disk.count(.create), 2)
        expectEqual(disk.wakeCount, 1)
    }

    @Test func damageIsOnDiskAtOnce() throws {
        disk.setContents([0, 0], of: "log", in: path)
        disk.flipBit(9, of: "log", in: path)
        expectEqual(disk.durableContents(of: "log", in: path), [0, 2])
        try expectEqual(makeRealm().open("log").readAll(), [0, 2])
        expectTrue(!disk.hasUnsyncedChanges)
        disk.removeFile("log", in: path)
        expectEqual(disk.fileNames(in: path), [])
    }
}
