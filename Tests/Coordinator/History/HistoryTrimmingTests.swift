import Glibc
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Readers of the past while files are removed concurrently, and what retention keeps.
@Suite(.timeLimit(.minutes(40)), .disabled(if: Effort.isReduced))
struct HistoryTrimmingTests {
    private let disk = SimFileSystem()

    // Covers O34
    @Test(arguments: RandomHistoryTests.retentions)
    func aRandomHistoryIsReadAsItWas(_ retention: HistoryRetention) async throws {
        let driver = HistoryDriver(retention, SeededRandom("HistoryTrimmingTests"))
        try await driver.run(stepCount: 60, checkedEvery: 10)
        expectTrue(driver.foundCount > 0)
    }

    /// Another process checkpoints and trims as fast as it can.
    @Test func aReaderBesideTrimmingSeesTheTruthOrNothing() async throws {
        let small: @Sendable (inout CoordinatorOptions) -> Void = { options in
            options.store.firstSegmentByteCount = 8192
            options.store.maximumSegmentByteCount = 8192
        }
        let reading = try await openPeer("/sim", disk) { options in
            options.checkpoint.isOn = false
            small(&options)
        }
        let writing = try await openBusy("/sim", SimView(disk), every: 3, small)
        let isDone = Guarded(false)
        let counts = try await withThrowingTaskGroup(of: (found: Int, trimmed: Int).self) { group in
            for lag in [0, 3, 9] {
                group.addTask {
                    var (found, trimmed) = (0, 0)
                    // The newest version is always there, even if this task begins late.
                    while !isDone.withLock({ $0 }) || lag == 0 && found == 0 {
                        try await reading.catchUp()
                        let newest = reading.published.version
                        do throws {
                            let version = newest - min(newest, UInt64(lag))
                            let reader = try await reading.history(from: version)
                            try #require(numbers(reader.root) == Array(0..<Int(version)))
                            while let step = try await reader.next(through: newest) {
                                let count = Int(step.summary.version)
                                try #require(numbers(step.root) == Array(0..<count))
                            }
                            try #require(reader.root.version == newest)
                            found += 1
                        } catch let error as StoreError {
                            try #require(error.code == .historyTrimmed, "\(error)")
                            trimmed += 1
                        }
                    }
                    return (found, trimmed)
                }
            }
            for number in 0..<300 { try await insert(number, into: writing) }
            isDone.withLock { $0 = true }
            return try await group.reduce(into: (found: 0, trimmed: 0)) { sum, counts in
                sum = (sum.found + counts.found, sum.trimmed + counts.trimmed)
            }
        }
        print("during trimming: \(counts)")
        expectTrue(counts.found > 0)
        await reading.close()
        await writing.close()
    }

    /// Any flipped bit in the log or a nodes file results in correct content or in a permanent
    /// error.
    @Test func damageIsNeverReadAsHistory() async throws {
        var generator = SeededRandom("HistoryTrimmingTests.damage")
        for _ in 0..<4 {
            let disk = SimFileSystem()
            let coordinator = try await openPeer("/sim", disk) { options in
                options.checkpoint.isOn = false
                options.checkpoint.minimumClosingByteCount = .max
                options.store.firstSegmentByteCount = 8192
                options.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
            }
            for number in 0..<60 {
                if number % 20 == 7 { try await checkpointNow(coordinator) }
                if number % 20 == 11 {
                    try await insertInBulk(number..<number + 1, into: coordinator)
                } else {
                    try await insert(number, into: coordinator)
                }
            }
            let files = disk.fileNames(in: "/sim").filter {
                $0.hasPrefix("log-") || $0.hasPrefix("nodes-")
            }
            let name = files[generator.below(files.count)]
            let size = disk.contents(of: name, in: "/sim")?.count ?? 0
            let place = 4096 + generator.below(min(size - 4096, 6000))
            disk.flipBit(place * 8 + generator.below(8), of: name, in: "/sim")
            for version in stride(from: 0, through: 60, by: 6) {
                try await check(coordinator, version)
            }
            await coordinator.close()
        }
    }

    private func check(_ coordinator: Coordinator, _ version: Int) async throws {
        do {
            let reader = try await coordinator.history(from: UInt64(version))
            try #require(reader.root.damage == nil, "no content is derived from a damaged leaf")
            try #require(numbers(reader.root) == Array(0..<version) || reader.root.damage != nil)
            do {
                var next = version
                while let step = try await reader.next(through: .max) {
                    next += 1
                    try #require(step.summary.version == UInt64(next))
                    let found = numbers(step.root)
                    try #require(found == Array(0..<next) || step.root.damage != nil)
                }
                try #require(next == 60)
            } catch let error as StoreError {
                for _ in 0..<2 {
                    let again = await storeErrorCode { try await reader.next(through: .max) }
                    try #require(again == error.code)
                }
                throw error
            }
        } catch let error as StoreError {
            try #require(error.code == .invalidDatabase, "\(error)")
        }
    }

    @Test func nothingIsBuiltOnADamagedLeaf() async throws {
        let coordinator = try await openPeer("/sim", disk) { options in
            options.checkpoint.maximumCommitCount = 10
            options.checkpoint.minimumReloadByteCount = .max
            options.checkpoint.paceNanoseconds = 0
        }
        for number in 0..<10 { try await insert(number, into: coordinator) }
        try await eventually { coordinator.statistics.checkpoints == 1 }
        for number in 10..<18 { try await insert(number, into: coordinator) }
        disk.flipBit((4096 + 17) * 8, of: "nodes-1", in: "/sim")
        let reader = try await coordinator.history(from: 15)  // from the log's beginning
        expectEqual(numbers(reader.root), Array(0..<15))
        expectNil(reader.root.damage)
        await coordinator.close()
    }

    /// The disk can't read the nearest checkpoint.
    @Test func anUnreadableCheckpointIsNotTheOnlyBeginning() async throws {
        let coordinator = try await openPeer("/sim", disk) { options in
            options.checkpoint.maximumCommitCount = 10
            options.checkpoint.minimumReloadByteCount = .max
            options.checkpoint.paceNanoseconds = 0
        }
        for number in 0..<10 { try await insert(number, into: coordinator) }
        try await eventually { coordinator.statistics.checkpoints == 1 }
        for number in 10..<18 { try await insert(number, into: coordinator) }
        var readCount = 0
        for nth in 1...100 {
            let count = disk.firedFailureCount
            disk.inject(SimFailure(.read, nth: nth, errno: EIO))
            defer { disk.clearFailures() }
            do {
                let reader = try await coordinator.history(from: 15)
                expectEqual(numbers(reader.root), Array(0..<15))
                if disk.firedFailureCount > count { readCount += 1 }
            } catch let error as StoreError {
                expectTrue(error.isMediaFailure, "\(error)")  // the log itself
            }
            if disk.firedFailureCount == count { break }
        }
        expectTrue(readCount > 0)
        await coordinator.close()
    }

    @Test func aReadOnlyProcessReadsThePastToo() async throws {
        let writer = try await openBusy("/sim", disk) { options in
            options.store.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        for number in 0..<30 { try await insert(number, into: writer) }
        let reading = try await openPeer("/sim", SimView(disk)) { $0.isReadOnly = true }
        for number in 30..<40 { try await insert(number, into: writer) }
        try await reading.catchUp()
        let reader = try await reading.history(from: 5)
        expectEqual(numbers(reader.root), Array(0..<5))
        try await expectEqual(reader.summaries(through: .max).count, 35)
        await writer.close()
        await reading.close()
        disk.removeFile("LOCK", in: "/sim")
        let late = try await openPeer("/sim", SimView(disk)) { $0.isReadOnly = true }
        try await late.catchUp()
        try await expectEqual(late.history(from: 39).next(through: .max)?.summary.version, 40)
        await late.close()
    }
}
