import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// A read-only coordinator alongside one that writes, and content read without opening.
@Suite struct CoordinatorReadOnlyTests {
    /// A disk on which any write to a directory opened for reading traps.
    private let disk = SimFileSystem(seed: 6)
    private let path = "/sim/r.realm"

    private func openReader() async throws -> Coordinator {
        try await openPeer(path, ReadingView(disk)) { options in
            options.isReadOnly = true
            options.checkpoint.minimumReloadByteCount = 0
        }
    }

    /// Waits until the reader has processed what is published, by hints instead of a watch.
    private func catchUp(_ reader: Coordinator, to version: UInt64) async throws {
        reader.hint()
        try await reader.waitUntil(version: version)
    }

    @Test func readerFollowsThroughCheckpointsAndTrimming() async throws {
        let writer = try await openPeer(path, disk) { options in
            options.checkpoint.maximumCommitCount = 7
            options.checkpoint.paceNanoseconds = 0
        }
        try await insert(0, into: writer)
        let reader = try await openReader()
        expectEqual(numbers(reader.published), [0])
        for number in 1...60 {
            let version = try await insert(number, into: writer)
            if number % 4 == 0 {
                try await catchUp(reader, to: version)
                expectEqual(numbers(reader.published), Array(0...number))
            }
        }
        await writer.close()
        let late = try await openReader()  // a separate view stands for a process
        try await catchUp(reader, to: 61)
        expectEqual(numbers(reader.published), Array(0...60))
        expectTrue(numbers(late.published) == Array(0...60) && late !== reader)
        await late.close()
        expectTrue(reader.statistics.checkpoints == 0 && reader.statistics.commits == 0)
        expectTrue(disk.fileNames(in: path).contains { $0.hasPrefix("nodes-") })
        await reader.close()
    }

    @Test func turnsAreRefused() async throws {
        let writer = try await openPeer(path, disk)
        try await insert(1, into: writer)
        let reader = try await openReader()
        await expectEqual(storeErrorCode { try await insert(2, into: reader) }, .readOnly)
        expectTrue(!reader.isClosed)
        await reader.close()
        await expectEqual(storeErrorCode { try await insert(2, into: reader) }, .closed)
        try await insert(3, into: writer)
        expectTrue(numbers(reader.published) == [1] && numbers(writer.published) == [1, 3])
        await writer.close()
    }

    /// From opening to closing, a reader has no effect on the disk, whatever state the writer left.
    @Test(arguments: [false, true])
    func readerHasNoEffect(isPowerCut: Bool) async throws {
        let writer = try await openPeer(path, disk)
        for number in 1...5 { try await insert(number, into: writer) }
        try await insert(6, into: writer, durability: .relaxed(withinNanoseconds: 1 << 50))
        let images = disk.crashImages()
        let machine = isPowerCut ? images[images.count - 1].fileSystem : disk.killImage()
        machine.isReadOnly = true
        let reader = try await openPeer(path, machine) { $0.isReadOnly = true }
        let found = numbers(reader.published)
        expectTrue(found.starts(with: 1...5))
        if !isPowerCut { expectEqual(found, Array(1...6)) }
        for _ in 0..<3 { reader.hint() }
        await reader.close()
        expectEqual(machine.effectCount, 0)
        await writer.close()
    }

    @Test func memoryBeginsWithTheContentOfATemplate() async throws {
        let writer = try await openPeer(path, disk) { $0.checkpoint.maximumCommitCount = 3 }
        for number in 1...10 { try await insert(number, into: writer) }
        var options = CoordinatorOptions(
            place: .memory(identifier: "from a template"), fileSystem: ReadingView(disk))
        options.seedPath = path
        let memory = try await Coordinator.open(options)
        expectTrue(numbers(memory.published) == Array(1...10) && memory.published.version == 10)
        try await insert(11, into: memory)
        try await insert(12, into: writer)
        expectEqual(numbers(memory.published), Array(1...11))
        expectEqual(numbers(writer.published), Array(1...10) + [12])
        expectNil(memory.published.nodeProblem)
        await memory.close()
        await writer.close()
    }
}

/// A file system of which only reading is used; anything else traps.
private final class ReadingView: FileSystem {
    let disk: SimFileSystem

    init(_ disk: SimFileSystem) { self.disk = disk }

    func openDirectory(_ path: String, _ mode: DirectoryMode) throws(StoreError)
        -> any RealmDirectory
    {
        precondition(mode == .readOnly, "a reader opens directories for reading")
        return try disk.openDirectory(path, mode)
    }
    func networkFileSystem(at path: String) -> String? { nil }
    func removeDirectory(_ path: String) -> Bool { preconditionFailure("a reader only reads") }
    func hasEntry(_ path: String) -> Bool { preconditionFailure("a reader only reads") }
    func moveDirectory(_ path: String, to target: String) {
        preconditionFailure("a reader only reads")
    }
    func leads(_ path: String, to identity: FileIdentity) throws(StoreError) -> Bool {
        try disk.leads(path, to: identity)
    }
    func bootID() -> Identity128? { disk.bootID() }
    func random() -> UInt64 { disk.random() }
    func monotonicNanoseconds() -> UInt64 { disk.monotonicNanoseconds() }
    func wallClockMicroseconds() -> Int64 { disk.wallClockMicroseconds() }
}
