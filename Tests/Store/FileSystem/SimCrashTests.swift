import CRegnum
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

/// The state of the simulated file system after a crash.
@Suite struct SimCrashTests {
    private let disk = SimFileSystem(seed: 5)
    private let path = "/sim/a.realm"

    /// Makes a realm with a file `log` of four synced sectors of ones.
    private func makeRealm() throws -> (any RealmDirectory, any StoreFile) {
        let realm = try disk.openDirectory(path, .creating)
        let file = try realm.create("log")
        try file.write(Array(repeating: 1, count: 2048))
        try file.sync()
        try realm.sync()
        return (realm, file)
    }

    private func logs(_ options: SimCrashOptions = SimCrashOptions()) -> [[UInt8]?] {
        disk.crashImages(options).map { $0.fileSystem.contents(of: "log", in: path) }
    }

    @Test func syncedStateHasOneImage() throws {
        _ = try makeRealm()
        expectEqual(logs(), [Array(repeating: 1, count: 2048)])
    }

    @Test func everySubsetOfUnsyncedSectorsIsAnImage() throws {
        let (_, file) = try makeRealm()
        try file.write(Array(repeating: 2, count: 1536), at: 512)
        var seen: Set<[Bool]> = []
        for log in logs() {
            let log = try requireValue(log)
            expectEqual(log.count, 2048)
            expectTrue(log[..<512].allSatisfy { $0 == 1 })
            let sectors = (1..<4).map { log[$0 * 512..<$0 * 512 + 512] }
            if sectors.allSatisfy({ Set($0).count == 1 }) {
                seen.insert(sectors.map { $0.first == 2 })
            }
        }
        expectEqual(seen.count, 8)
    }

    @Test func everyVersionOfASectorIsAnImage() throws {
        let (_, file) = try makeRealm()
        for version in 2...5 {
            try file.write(Array(repeating: UInt8(version), count: 512), at: 0)
        }
        let versions = Set(logs().map { Set($0![..<512]) }.filter { $0.count == 1 })
        expectTrue(versions.isSuperset(of: [[1], [2], [3], [4], [5]]))
    }

    @Test(arguments: SimTear.allCases)
    func sectorsAreTornInEachWay(tear: SimTear) throws {
        let (_, file) = try makeRealm()
        try file.write(Array(repeating: 2, count: 512), at: 512)
        var options = SimCrashOptions()
        options.tears = [tear]
        let torn = try requireValue(
            logs(options).compactMap { $0 }.first { Set($0[512..<1024]).count > 1 })
        let halves = (Set(torn[512..<768]), Set(torn[768..<1024]))
        switch tear {
        case .firstHalf: expectTrue(halves == ([2], [1]))
        case .secondHalf: expectTrue(halves == ([1], [2]))
        case .words: expectTrue(halves == ([1, 2], [1, 2]))
        case .garbage: expectTrue(halves.0.count > 10)
        }
    }

    @Test func fileThatGrowsHasEverySizeAndFilling() throws {
        let realm = try makeRealm().0
        let file = try realm.create("new")
        try realm.sync()
        try file.write(Array(repeating: 9, count: 1024))
        let files = disk.crashImages().map { $0.fileSystem.contents(of: "new", in: path)! }
        let sizes = Set(files.map(\.count))
        expectTrue(sizes.isSuperset(of: [0, 512, 1024]))
        expectTrue(sizes.contains { $0 % 512 != 0 })
        let missing = files.filter { $0.count == 1024 }.map { Set($0[..<512]) }
        expectTrue(missing.contains([0]))
        // Stale: bytes of `log`.
        expectTrue(missing.contains([1]))
        expectTrue(missing.contains([9]))
        expectTrue(missing.contains { $0.count > 100 })
    }

    @Test func unsyncedEntriesMayBeMissingWhateverTheFileSays() throws {
        let realm = try makeRealm().0
        let file = try realm.create("new")
        try file.write([1, 2, 3])
        try file.sync()
        let seen = Set(disk.crashImages().map { $0.fileSystem.contents(of: "new", in: path) })
        expectEqual(seen, [nil, [1, 2, 3]])
        try realm.sync()
        let then = Set(disk.crashImages().map { $0.fileSystem.contents(of: "new", in: path) })
        expectEqual(then, [[1, 2, 3]])
    }

    @Test func directoryOperationsAreUndoneInAnySubset() throws {
        let (realm, _) = try makeRealm()
        _ = try realm.create("temporary")
        try realm.rename("temporary", to: "next")
        try realm.unlink("log")
        let seen = Set(disk.crashImages().map { $0.fileSystem.fileNames(in: path) })
        expectEqual(
            seen,
            [
                ["log"], ["log", "temporary"], ["log", "next"], [], ["temporary"], ["next"],
            ])
    }

    @Test func newDirectoryMayBeMissingUntilItsParentIsSynced() throws {
        let codes = Mutex<[Set<StoreError.Code?>]>([])
        let disk = disk
        let path = path
        disk.onEffect = { _, _ in
            let seen = disk.crashImages().map { image in
                codeThrown { _ = try image.fileSystem.openDirectory(path, .existing) }
            }
            codes.withLock { $0.append(Set(seen)) }
        }
        // The closure captures the file system.
        defer { disk.onEffect = nil }
        _ = try disk.openDirectory(path, .creating).create("log")
        expectEqual(codes.withLock { $0 }, [[.fileNotFound], [.fileNotFound, nil], [nil]])
    }

    @Test func controlPageHasAnyPastState() throws {
        let realm = try makeRealm().0
        let lock = try realm.openLock()
        try realm.sync()
        for number in 1...3 {
            lock.storeControlSlot(number % 2, ControlWords(repeating: UInt64(number)))
        }
        var seen: Set<[UInt64]> = []
        for image in disk.crashImages() {
            let copy = try image.fileSystem.openDirectory(path, .existing).openLock()
            seen.insert([copy.loadControlSlot(0)[0], copy.loadControlSlot(1)[0]])
        }
        expectTrue(seen.isSuperset(of: [[0, 0], [0, 1], [2, 1], [2, 3]]))
    }

    @Test func controlPageHasNoStateFromBeforeItsSync() throws {
        let realm = try makeRealm().0
        let lock = try realm.openLock()
        try realm.sync()
        for number in 1...4 {
            lock.storeControlSlot(number % 2, ControlWords(repeating: UInt64(number)))
            if number == 2 { try lock.sync() }
        }
        var seen: Set<[UInt64]> = []
        for image in disk.crashImages() {
            let copy = try image.fileSystem.openDirectory(path, .existing).openLock()
            seen.insert([copy.loadControlSlot(0)[0], copy.loadControlSlot(1)[0]])
        }
        expectTrue(seen.isSuperset(of: [[2, 1], [2, 3], [4, 3]]))
        expectTrue(seen.isSubset(of: [[2, 1], [2, 3], [4, 1], [4, 3]]))
    }

    @Test func imageIsAMachineOfItsOwnAfterARestart() throws {
        let (_, file) = try makeRealm()
        let lock = try disk.openDirectory(path, .creating).openLock()
        try disk.openDirectory(path, .creating).sync()
        try expectTrue(lock.tryLock(.writer, .exclusive))
        try file.write([2], at: 0)
        let images = Array(disk.crashImages())
        let kept = try requireValue(
            images.first { $0.fileSystem.contents(of: "log", in: path)?[0] == 2 }?.fileSystem)
        expectTrue(kept.bootID() != disk.bootID())
        expectTrue(!kept.hasUnsyncedChanges)
        let realm = try kept.openDirectory(path, .existing)
        let other = try realm.openLock()
        expectTrue(other.identity != lock.identity)
        try expectTrue(other.tryLock(.writer, .exclusive))
        try realm.open("log").write([3], at: 0)
        try expectEqual(file.read(at: 0, count: 1), [2])
        expectEqual(kept.contents(of: "log", in: path)?[0], 3)
    }

    @Test func killedProcessLosesLocksOnly() throws {
        let (_, file) = try makeRealm()
        let lock = try disk.openDirectory(path, .creating).openLock()
        try expectTrue(lock.tryLock(.writer, .exclusive))
        lock.storeControlSlot(0, ControlWords(repeating: 4))
        try file.write([2], at: 0)
        let image = disk.killImage()
        expectEqual(image.bootID(), disk.bootID())
        expectEqual(image.contents(of: "log", in: path)?[0], 2)
        expectEqual(image.durableContents(of: "log", in: path)?[0], 1)
        expectEqual(image.openHandleCount, 0)
        let copy = try image.openDirectory(path, .existing).openLock()
        expectEqual(copy.loadControlSlot(0), ControlWords(repeating: 4))
        try expectTrue(copy.tryLock(.writer, .exclusive))
        let later = Set(image.crashImages().map { $0.fileSystem.contents(of: "log", in: path)?[0] })
        expectTrue(later.isSuperset(of: [1, 2]))
    }

    @Test func imagesAreThoseOfTheMomentAndTheSeed() throws {
        let (_, file) = try makeRealm()
        try file.write(Array(repeating: 2, count: 9000), at: 100)
        let seed = SeededRandom.seed()
        let images = disk.crashImages(seed: seed)
        let digests = images.map(digest)
        try file.write(Array(repeating: 3, count: 9000), at: 100)
        try file.sync()
        expectEqual(images.map(digest), digests)
        expectTrue(Set(digests).count > 64)
    }

    private func digest(_ image: SimImage) -> UInt32 {
        let bytes = image.fileSystem.contents(of: "log", in: path) ?? []
        return cregnum_crc32c(UInt32(bytes.count), bytes, bytes.count)
    }

    /// Random writes and syncs: bytes covered by a sync are in every image; others are in some
    /// images and missing in others.
    @Test func syncedBytesAreInEveryImage() throws {
        var generator = SeededRandom()
        let disk = SimFileSystem(sectorByteCount: 64, seed: generator.next())
        let realm = try disk.openDirectory(path, .creating)
        let file = try realm.create("log")
        try realm.sync()
        var synced: [UInt8] = []
        var dirty: Set<Int> = []
        for step in 1...200 {
            let offset = Int.random(in: 0..<1500, using: &generator)
            let count = Int.random(in: 1...200, using: &generator)
            try file.write(Array(repeating: UInt8(step), count: count), at: UInt64(offset))
            dirty.formUnion(min(offset, synced.count)..<offset + count)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try file.sync()
                synced = try file.readAll()
                dirty = []
                continue
            }
            let now = try file.readAll()
            var hasNew = false
            var hasOld = false
            for image in disk.crashImages(SimCrashOptions(samples: 8), seed: generator.next()) {
                let bytes = image.fileSystem.contents(of: "log", in: path)!
                expectTrue(bytes.count >= synced.count && bytes.count <= now.count)
                let isHarmed = synced.indices.contains {
                    !dirty.contains($0) && bytes[$0] != synced[$0]
                }
                expectTrue(!isHarmed, "\(image.summary)")
                hasNew = hasNew || bytes == now
                hasOld = hasOld || bytes == synced
            }
            expectTrue(hasNew && hasOld)
        }
    }
}
