import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The contract of directories and files, for both file systems.
@Suite struct DirectoryContractTests {
    @Test(arguments: DiskKind.allCases)
    func missingDirectoryIsReportedAndNotMade(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        for _ in 0..<2 {
            expectEqual(
                codeThrown { _ = try disk.fileSystem.openDirectory(disk.realmPath, .existing) },
                .fileNotFound)
        }
    }

    @Test(arguments: DiskKind.allCases)
    func directoryIsMadeOnceAndFoundAgain(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let first = try disk.makeRealm()
        _ = try first.create("log")
        let second = try disk.makeRealm()
        let third = try disk.fileSystem.openDirectory(disk.realmPath, .existing)
        expectEqual(first.path, disk.realmPath)
        try expectEqual(second.names(), ["log"])
        try expectEqual(third.names(), ["log"])
    }

    @Test(arguments: DiskKind.allCases)
    func freeSpaceIsKnown(kind: DiskKind) throws {
        let free = try requireValue(TestDisk(kind).makeRealm().freeByteCount())
        expectTrue(free > 0)
    }

    @Test(arguments: DiskKind.allCases)
    func missingParentIsNotMade(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let path = "\(disk.base)/missing/a.realm"
        expectEqual(
            codeThrown { _ = try disk.fileSystem.openDirectory(path, .creating) }, .fileAccess)
    }

    @Test(arguments: DiskKind.allCases, [true, false])
    func fileInThePlaceOfTheDirectoryIsNamed(kind: DiskKind, create: Bool) throws {
        let disk = try TestDisk(kind)
        try disk.placePlainFile(at: disk.realmPath)
        let error = #expect(throws: StoreError.self) {
            _ = try disk.fileSystem.openDirectory(disk.realmPath, create ? .creating : .existing)
        }
        expectEqual(error?.code, .fileAccess)
        expectEqual(error?.message.contains("is a file, but a realm is a directory"), true)
        expectEqual(error?.message.contains(disk.realmPath), true)
    }

    @Test(arguments: DiskKind.allCases)
    func entriesThatAreMissingOrInTheWayAreReported(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        _ = try realm.create("log")
        expectEqual(codeThrown { _ = try realm.create("log") }, .fileExists)
        expectEqual(codeThrown { _ = try realm.open("none") }, .fileNotFound)
        expectEqual(codeThrown { try realm.unlink("none") }, .fileNotFound)
        expectEqual(codeThrown { try realm.rename("none", to: "log") }, .fileNotFound)
        try expectEqual(realm.names(), ["log"])
    }

    @Test(arguments: DiskKind.allCases)
    func renamingReplacesTheTarget(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        try realm.create("old").write([1])
        try realm.create("new").write([2, 2])
        try realm.rename("new", to: "old")
        try realm.sync()
        try expectEqual(realm.names(), ["old"])
        try expectEqual(realm.open("old").readAll(), [2, 2])
    }

    @Test(arguments: DiskKind.allCases)
    func removedFileStaysReadableWhileOpen(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        let file = try realm.create("log")
        try file.write([1, 2, 3])
        try realm.unlink("log")
        try expectTrue(realm.names().isEmpty)
        try expectEqual(file.readAll(), [1, 2, 3])
    }

    @Test(arguments: DiskKind.allCases)
    func bytesAreReadAsTheyWereWritten(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        let file = try realm.create("log")
        try expectEqual(file.size(), 0)
        try file.write(Array(repeating: 7, count: 1000), at: 300)
        try file.write([8, 9], at: 1298)
        try file.sync()
        let again = try realm.open("log")
        try expectEqual(again.size(), 1300)
        try expectEqual(again.read(at: 0, count: 300), Array(repeating: 0, count: 300))
        try expectEqual(again.read(at: 1296, count: 100), [7, 7, 8, 9])
        try expectTrue(again.read(at: 1300, count: 1).isEmpty)
        try expectTrue(again.read(at: .max, count: 1).isEmpty)
        try expectTrue(again.read(at: 0, count: 0).isEmpty)
    }

    @Test(arguments: DiskKind.allCases)
    func lengthFromADamagedFileAllocatesNoMoreThanTheFile(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let file = try disk.makeRealm().create("log")
        try file.write([1, 2, 3])
        try expectEqual(file.read(at: 1, count: .max), [2, 3])
        try expectTrue(file.read(at: 1 << 50, count: .max).isEmpty)
    }

    @Test(arguments: DiskKind.allCases)
    func writingTooFarOutFails(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let file = try disk.makeRealm().create("log")
        for offset in [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) + 1] {
            expectEqual(codeThrown { try file.write([1], at: offset) }, .ioFailed)
        }
        try expectEqual(file.size(), 0)
    }

    @Test(arguments: DiskKind.allCases)
    func clocksAndRandomNumbersMove(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let first = disk.fileSystem.monotonicNanoseconds()
        expectTrue(disk.fileSystem.monotonicNanoseconds() >= first)
        expectTrue(disk.fileSystem.wallClockMicroseconds() > 1_600_000_000_000_000)
        expectEqual(Set((0..<8).map { _ in disk.fileSystem.random() }).count, 8)
        expectEqual(disk.fileSystem.bootID(), disk.fileSystem.bootID())
    }

    @Test(arguments: DiskKind.allCases)
    func directoryTellsWhetherItsPathStillLeadsToIt(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        let identity = realm.identity
        let other = "\(disk.base)/other"
        try expectTrue(realm.isCurrent() && disk.fileSystem.leads(disk.realmPath, to: identity))
        try disk.fileSystem.moveDirectory(disk.realmPath, to: other)
        try expectTrue(!realm.isCurrent() && !disk.fileSystem.leads(disk.realmPath, to: identity))
        try expectTrue(disk.fileSystem.leads(other, to: identity))
        let second = try disk.makeRealm()
        try expectTrue(!realm.isCurrent() && second.isCurrent())
        expectTrue(second.identity != identity)
        _ = try disk.fileSystem.removeDirectory(disk.realmPath)
        try expectTrue(!second.isCurrent())
    }
}
