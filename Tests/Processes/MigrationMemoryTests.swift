import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumCrashChild

/// The memory used by migrations in separate processes.
@Suite(.serialized) struct MigrationMemoryTests {
    /// Returns the memory in KiB that a migration of that many letters added: the peak before its
    /// commit, and the peak including the commit, which checked builds read back.
    private func growth(
        _ count: Int, partByteCount: Int?
    ) async throws -> (before: Int, peak: Int) {
        try await withChildren { group in
            let fill = try group.start("fill-letters", "\(count)")
            try await fill.expectSuccess()
            let child = try group.start(
                "migrate-letters", partByteCount.map { "\($0)" } ?? "whole")
            try await child.expectSuccess()
            let numbers = try requireValue(child.lines.first).split(separator: " ").compactMap {
                Int($0)
            }
            try #require(numbers.count == 3)
            let realm = try await Realm.open(SecondLetters.configuration(group.realm))
            let last = realm.snapshot().objects(SecondLetters.Letter.self)[count - 1]
            expectTrue(last.number == "no. \(count - 1)" && last.beginning.count == 200)
            expectEqual(last.text.count, 200)
            await realm.close()
            print(
                "\(count) letters, parts of \(partByteCount.map { "\($0)" } ?? "all"): "
                    + "\(numbers[0]) KiB before, \(numbers[1]) and \(numbers[2]) at their peaks")
            return (numbers[1] - numbers[0], numbers[2] - numbers[0])
        }
    }

    /// A realm four times as large takes four times the memory in one part, and about the same in
    /// several.
    @Test func memoryInPartsDoesNotGrowWithTheRealm() async throws {
        let (small, large) = (8_000, 32_000)
        let inOne = try await (growth(small, partByteCount: nil), growth(large, partByteCount: nil))
        let parts = 512 << 10
        let inParts = try await (
            growth(small, partByteCount: parts), growth(large, partByteCount: parts)
        )
        let growth = inOne.1.peak - inOne.0.peak
        expectTrue(growth > (large - small) * 400 / 1_024)
        expectTrue((inParts.1.peak - inParts.0.peak) * 4 < growth)
        expectTrue(inParts.1.before * 4 < inParts.0.before * 5)
    }
}
