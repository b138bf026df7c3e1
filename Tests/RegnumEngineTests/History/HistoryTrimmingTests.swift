import RegnumSimulation
import RegnumStore
import Testing

@testable import RegnumEngine

/// Readers of the past while files are removed under them, and what retention keeps.
@Suite(.timeLimit(.minutes(1)))
struct HistoryTrimmingTests {
    private let disk = SimFileSystem()

    @Test(arguments: HistoryEnumeration.retentions)
    func aRandomHistoryIsReadAsItWas(_ retention: HistoryRetention) async throws {
        let driver = HistoryDriver(retention, SeededGenerator("HistoryTrimmingTests"))
        try await driver.run(stepCount: 60, checkedEvery: 10)
        #expect(driver.foundCount > 0)
    }

    /// Another process checkpoints and trims as fast as it can.
    @Test func aReaderBesideTrimmingSeesTheTruthOrNothing() async throws {
        let small: @Sendable (inout CoordinatorOptions) -> Void = { options in
            options.store.firstSegmentByteCount = 8192
            options.store.segmentByteCountMax = 8192
        }
        let reading = try await openPeer("/sim", disk) { options in
            options.checkpoint.isOn = false
            small(&options)
        }
        let writing = try await openBusy("/sim", OtherView(disk), every: 3, small)
        let isDone = Guarded(false)
        let counts = try await withThrowingTaskGroup(of: (found: Int, trimmed: Int).self) { group in
            for lag in [0, 3, 9] {
                group.addTask {
                    var (found, trimmed) = (0, 0)
                    while !isDone.withLock({ $0 }) {
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
        print("beside trimming: \(counts)")
        #expect(counts.found > 0)
        await reading.close()
        await writing.close()
    }
}
