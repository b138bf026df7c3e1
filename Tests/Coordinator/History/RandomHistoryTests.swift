import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Random histories with rotations, checkpoints, bulk commits, trimming and reopening: every
/// version within the retention is read with its original content, and no other version is ever
/// read wrongly.
@Suite(.serialized, .disabled(if: Effort.isReduced))
struct RandomHistoryTests {
    static let retentions: [HistoryRetention] = [
        .none,
        HistoryRetention(ageNanoseconds: nil, byteCount: nil),
        HistoryRetention(ageNanoseconds: nil, byteCount: 3000),
        HistoryRetention(ageNanoseconds: 20_000_000_000, byteCount: nil),
        HistoryRetention(ageNanoseconds: 30_000_000_000, byteCount: 8000),
    ]

    @Test(arguments: retentions)
    func everyVersionIsReadAsItWas(_ retention: HistoryRetention) async throws {
        var numbers = SeededRandom("RandomHistoryTests")
        var (found, trimmed) = (0, 0)
        for _ in 0..<Effort.count(gate: 6, soak: 30) {
            let driver = HistoryDriver(retention, SeededRandom(numbers.next()))
            try await driver.run(stepCount: 120, checkedEvery: 10)
            found += driver.foundCount
            trimmed += driver.trimmedCount
        }
        print("histories: \(found) versions read, \(trimmed) gone, \(retention)")
        let keepsAll = retention.ageNanoseconds == nil && retention.byteCount == nil
        expectTrue(found > 0 && (trimmed == 0) == keepsAll)
    }

    @Test(arguments: [retentions[1], retentions[4]])
    func everyVersionIsRestoredAsItWas(_ retention: HistoryRetention) async throws {
        let driver = HistoryDriver(retention, SeededRandom("RandomHistoryTests.restore"))
        let count = Effort.count(gate: 12, soak: 100)
        try await driver.run(stepCount: 150, checkedEvery: 150, restoreCount: count)
        let counts = driver.restoreCounts
        print("restores: \(counts.restored) versions, \(counts.refused) gone, \(retention)")
        expectTrue(counts.restored > 0 && counts.restored + counts.refused == count)
        if retention.byteCount == nil { expectEqual(counts.refused, 0) }
    }
}
