import Glibc
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The space that an abandoned checkpoint has taken.
extension NodesFileTests {
    /// A checkpoint that needs more space than the disk has would otherwise take all that there is,
    /// and leave no room for commits.
    // Covers .diskFull
    @Test func whatAFailedAppenderWroteTakesNoSpace() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk)
        let first = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let place = try append(bytes(9000, 1), first)
        try first.sync()
        let newest = reference(file: 1, end: place + 9000)
        let used = simulation.usedByteCount
        simulation.capacityByteCount = used + 20_000
        for seed in [2, 3] as [UInt64] {
            let code = codeThrown {
                let appender = try nodes.appender(after: newest, liveByteCount: 1 << 30)
                expectEqual(appender.fileNumber, 1)
                _ = try append(bytes(40_000, seed), appender)
            }
            expectEqual(code, .diskFull)
        }
        // All but the gaps before the next page.
        expectTrue(simulation.usedByteCount < used + 2 * 4096)
        let last = try nodes.appender(after: newest, liveByteCount: 1 << 30)
        let next = try append(bytes(1000, 4), last)
        try last.sync()
        let file = try nodes.file(1)
        try expectEqual(Array(file.bytes(at: place, count: 9000)), bytes(9000, 1))
        try expectEqual(Array(file.bytes(at: next, count: 1000)), bytes(1000, 4))
    }

    /// The temporary directory must be on a file system with holes, as all common ones are.
    @Test func whatAStoppedAppenderWroteTakesNoSpace() throws {
        let disk = try TestDisk(.posix)
        let nodes = try nodes(disk) {
            $0.nodesWriteByteCount = 1 << 20
            $0.nodesSyncByteCount = 1 << 20
        }
        let first = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let place = try append(bytes(9000, 1), first)
        try first.sync()
        let newest = reference(file: 1, end: place + 9000)
        func usedByteCount() -> Int {
            var status = stat()
            expectEqual(stat(disk.realmPath + "/nodes-1", &status), 0)
            return Int(status.st_blocks) * 512
        }
        let used = usedByteCount()
        let stopped = try nodes.appender(after: newest, liveByteCount: 1 << 30) { $0 < 8 << 20 }
        let content = bytes(1 << 20, 2)
        let code = codeThrown { for _ in 0..<16 { _ = try append(content, stopped) } }
        expectEqual(code, .closed)
        try expectTrue(nodes.file(1).size() > 8 << 20)
        expectTrue(usedByteCount() < used + 1 << 20)
        try expectEqual(Array(nodes.file(1).bytes(at: place, count: 9000)), bytes(9000, 1))
    }

    /// If each attempt made the file longer, it would soon count as full, and the next checkpoint
    /// would need space for everything in a new file instead of only for what changed.
    @Test func attemptsOnAFullDiskDoNotFillTheFile() throws {
        let disk = try TestDisk(.simulation)
        let simulation = try requireValue(disk.fileSystem as? SimFileSystem)
        let nodes = try nodes(disk) { $0.nodesSlackByteCount = 0 }
        let first = try nodes.appender(after: nil, liveByteCount: 0)
        let place = try append(bytes(40_000, 1), first)
        try first.sync()
        let newest = reference(file: 1, end: place + 40_000)
        simulation.capacityByteCount = simulation.usedByteCount + 40_000
        for seed in [2, 3, 4, 5] as [UInt64] {
            let code = codeThrown {
                let appender = try nodes.appender(after: newest, liveByteCount: 40_000)
                expectEqual(appender.fileNumber, 1)
                _ = try append(bytes(60_000, seed), appender)
            }
            expectEqual(code, .diskFull)
            try expectTrue(nodes.file(1).size() < 100_000)
        }
        simulation.capacityByteCount = nil
        let second = try nodes.appender(after: newest, liveByteCount: 40_000)
        expectEqual(second.fileNumber, 1)
        let next = try append(bytes(500, 6), second)
        try second.sync()
        // It is shorter than what was given up there, so the file hasn't grown.
        let third = try nodes.appender(after: newest, liveByteCount: 1 << 30)
        let last = try append(bytes(700, 7), third)
        try third.sync()
        let file = try nodes.file(1)
        try expectEqual(Array(file.bytes(at: place, count: 40_000)), bytes(40_000, 1))
        try expectEqual(Array(file.bytes(at: next, count: 500)), bytes(500, 6))
        try expectEqual(Array(file.bytes(at: last, count: 700)), bytes(700, 7))
    }

    @Test func whatAnotherProcessAppendedSinceIsNotOverwritten() throws {
        let disk = try TestDisk(.simulation)
        let nodes = try nodes(disk)
        let other = try self.nodes(disk)
        let first = try nodes.appender(after: nil, liveByteCount: 0)
        let place = try append(bytes(9000, 1), first)
        try first.sync()
        let newest = reference(file: 1, end: place + 9000)
        let stopped = try nodes.appender(after: newest, liveByteCount: 1 << 30) { $0 < 20_000 }
        let code = codeThrown { _ = try append(bytes(40_000, 2), stopped) }
        expectEqual(code, .closed)
        let second = try other.appender(after: newest, liveByteCount: 1 << 30)
        let between = try append(bytes(3000, 3), second)
        try second.sync()
        // The older reference: the size alone must tell that the file has grown.
        let third = try nodes.appender(after: newest, liveByteCount: 1 << 30)
        let last = try append(bytes(40_000, 4), third)
        try third.sync()
        let file = try nodes.file(1)
        try expectEqual(Array(file.bytes(at: place, count: 9000)), bytes(9000, 1))
        try expectEqual(Array(file.bytes(at: between, count: 3000)), bytes(3000, 3))
        try expectEqual(Array(file.bytes(at: last, count: 40_000)), bytes(40_000, 4))
    }
}
