import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The contract of `LOCK`, for both file systems.
@Suite struct LockContractTests {
    /// Two opens of one `LOCK`, as if by two processes.
    private struct Pair {
        let disk: TestDisk
        let realm: any RealmDirectory
        let first: any LockFile
        let second: any LockFile

        init(_ kind: DiskKind) throws {
            disk = try TestDisk(kind)
            realm = try disk.makeRealm()
            first = try realm.openLock()
            second = try disk.makeRealm().openLock()
        }
    }

    @Test(arguments: DiskKind.allCases, LockByte.allCases)
    func exclusiveLockShutsTheOtherOut(kind: DiskKind, byte: LockByte) throws {
        let pair = try Pair(kind)
        try expectTrue(pair.first.tryLock(byte, .exclusive))
        try expectTrue(!pair.second.tryLock(byte, .exclusive))
        try expectTrue(!pair.second.tryLock(byte, .shared))
        expectTrue(pair.second.isLockedElsewhere(byte))
        expectTrue(!pair.first.isLockedElsewhere(byte))
        for other in LockByte.allCases where other != byte {
            expectTrue(!pair.second.isLockedElsewhere(other))
            try expectTrue(pair.second.tryLock(other, .exclusive))
        }
        pair.first.unlock(byte)
        pair.first.unlock(byte)
        try expectTrue(pair.second.tryLock(byte, .exclusive))
    }

    @Test(arguments: DiskKind.allCases)
    func sharedLocksStandTogether(kind: DiskKind) throws {
        let pair = try Pair(kind)
        try expectTrue(pair.first.tryLock(.session, .shared))
        try expectTrue(pair.second.tryLock(.session, .shared))
        expectTrue(pair.first.isLockedElsewhere(.session))
        pair.second.unlock(.session)
        expectTrue(!pair.first.isLockedElsewhere(.session))
    }

    @Test(arguments: DiskKind.allCases)
    func lockIsConvertedWhereNobodyElseHoldsIt(kind: DiskKind) throws {
        let pair = try Pair(kind)
        try expectTrue(pair.first.tryLock(.session, .shared))
        try expectTrue(pair.second.tryLock(.session, .shared))
        // Not converted: the shared lock is kept.
        try expectTrue(!pair.first.tryLock(.session, .exclusive))
        pair.second.unlock(.session)
        expectTrue(pair.second.isLockedElsewhere(.session))
        try expectTrue(pair.first.tryLock(.session, .exclusive))
        try expectTrue(!pair.second.tryLock(.session, .shared))
        try expectTrue(pair.first.tryLock(.session, .shared))
        try expectTrue(pair.second.tryLock(.session, .shared))
    }

    @Test(arguments: DiskKind.allCases)
    func locksGoWithTheLastReference(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let realm = try disk.makeRealm()
        var first: (any LockFile)? = try realm.openLock()
        let second = try realm.openLock()
        try expectEqual(first?.tryLock(.writer, .exclusive), true)
        try expectTrue(!second.tryLock(.writer, .exclusive))
        first = nil
        try expectTrue(second.tryLock(.writer, .exclusive))
    }

    @Test(arguments: DiskKind.allCases)
    func identityTellsWhetherTheNameStillLeadsHere(kind: DiskKind) throws {
        let pair = try Pair(kind)
        expectEqual(pair.first.identity, pair.second.identity)
        try expectTrue(pair.first.isCurrent())
        try pair.realm.unlink("LOCK")
        try expectTrue(!pair.first.isCurrent())
        let third = try pair.realm.openLock()
        expectTrue(third.identity != pair.first.identity)
        try expectTrue(!pair.second.isCurrent())
        try expectTrue(third.isCurrent())
    }

    @Test(arguments: DiskKind.allCases)
    func controlSlotsAreSharedAndBeginAsZeros(kind: DiskKind) throws {
        let pair = try Pair(kind)
        var words = ControlWords()
        for index in 0..<16 { words[index] = .max - UInt64(index) }
        expectEqual(pair.first.loadControlSlot(0), ControlWords())
        expectEqual(pair.first.loadControlSlot(1), ControlWords())
        pair.first.storeControlSlot(1, words)
        expectEqual(pair.second.loadControlSlot(1), words)
        expectEqual(pair.second.loadControlSlot(0), ControlWords())
        pair.second.storeControlSlot(0, words &+ 1)
        expectEqual(pair.first.loadControlSlot(0), words &+ 1)
        expectEqual(pair.first.loadControlSlot(1), words)
    }

    @Test(arguments: DiskKind.allCases)
    func syncingChangesNothing(kind: DiskKind) throws {
        let pair = try Pair(kind)
        pair.first.storeControlSlot(0, ControlWords(repeating: 6))
        try pair.second.sync()
        expectEqual(pair.first.loadControlSlot(0), ControlWords(repeating: 6))
        pair.first.storeControlSlot(0, ControlWords(repeating: 7))
        expectEqual(pair.second.loadControlSlot(0), ControlWords(repeating: 7))
    }

    @Test(arguments: DiskKind.allCases)
    func countersAreSharedAndLeaveTheSlotsAlone(kind: DiskKind) throws {
        let pair = try Pair(kind)
        expectEqual(pair.first.load(.grantCount), 0)
        pair.first.countGrant()
        pair.second.countGrant()
        pair.first.signalRelease()
        expectEqual(pair.first.load(.grantCount), 2)
        expectEqual(pair.second.load(.grantCount), 2)
        expectEqual(pair.second.load(.release), 1)
        pair.first.wake()
        expectEqual(pair.first.loadControlSlot(0), ControlWords())
        expectEqual(pair.first.loadControlSlot(1), ControlWords())
    }

    @Test(arguments: DiskKind.allCases)
    func waitEndsWithTheTime(kind: DiskKind) throws {
        let pair = try Pair(kind)
        let start = pair.disk.fileSystem.monotonicNanoseconds()
        pair.first.waitForRelease(observed: 0, timeoutNanoseconds: 3_000_000)
        expectTrue(pair.disk.fileSystem.monotonicNanoseconds() - start >= 3_000_000)
    }

    @Test(arguments: DiskKind.allCases)
    func waitEndsWithARelease(kind: DiskKind) throws {
        let pair = try Pair(kind)
        let clock = PosixFileSystem.shared
        let start = clock.monotonicNanoseconds()
        let (first, second) = (pair.first, pair.second)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            first.waitForRelease(observed: 0, timeoutNanoseconds: 500_000_000_000)
            ended.signal()
        }
        second.signalRelease()
        ended.wait()
        expectTrue(clock.monotonicNanoseconds() - start < 400_000_000_000)
    }
}

extension LockByte {
    /// The lock bytes of every realm.
    fileprivate static let allCases: [LockByte] = [
        .session, .writer, .checkpoint, .waiters, .watchers,
    ]
}
