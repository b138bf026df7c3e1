import RegnumTestSupport
import Testing

@testable import RegnumStore

/// A number that is used again.
extension NodesFileTests {
    /// After damage, another process can remove a file that is in use here, without having seen a
    /// checkpoint in it, and create one with the same number.
    @Test(arguments: DiskKind.allCases, [true, false])
    func fileWithTheNumberOfARemovedOneIsTakenForAnother(kind: DiskKind, mapsNodes: Bool) throws {
        let disk = try TestDisk(kind)
        let here = try nodes(disk, mapsNodes: mapsNodes)
        let there = try nodes(disk, mapsNodes: mapsNodes)
        let first = try here.appender(after: nil, liveByteCount: 0)
        let place = try append(bytes(9000, 1), first)
        try first.sync()
        let former = try here.file(1)
        try disk.makeRealm().unlink("nodes-1")
        try expectTrue(here.file(1) === former)
        let second = try there.appender(after: nil, liveByteCount: 0)
        let next = try append(bytes(9000, 2), second)
        try second.sync()
        expectTrue(second.fileNumber == 1 && next == place)
        let file = try here.file(1)
        try expectEqual(Array(file.bytes(at: next, count: 9000)), bytes(9000, 2))
        try expectEqual(Array(former.bytes(at: place, count: 9000)), bytes(9000, 1))
        let third = try here.appender(
            after: reference(file: 1, end: next + 9000), liveByteCount: 1 << 30)
        let last = try append(bytes(100, 3), third)
        try third.sync()
        expectEqual(third.fileNumber, 1)
        try expectEqual(Array(there.file(1).bytes(at: last, count: 100)), bytes(100, 3))
    }
}
