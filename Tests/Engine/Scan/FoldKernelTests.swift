import CRegnum
import RegnumEngine
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle

@Suite struct FoldKernelTests {
    private func foldInts<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) {
        var generator = SeededRandom("FoldKernelTests.\(T.self)")
        let pages = GuardedPages(maximumByteCount: 8192)
        let log2 = Int32(MemoryLayout<T>.size.trailingZeroBitCount)
        for count in kernelCounts {
            let range: ClosedRange<T> = count % 3 == 0 ? .max - 1 ... .max : .min ... .max
            let values = (0..<count).map { _ in T.random(in: range, using: &generator) }
            let address = pages.place(values)
            for density in [1, 2, 40] {
                let rows = (0..<count).filter { _ in generator.oneIn(density) }
                let chosen = Set(rows)
                let mask = TestMask.of(count) { chosen.contains($0) }
                let sum = rows.reduce(0 as Int128) { $0 + Int128(values[$1]) }
                let picked = rows.map { Int64(values[$0]) }
                withBothKernels { _ in
                    var low: UInt64 = 7
                    var high: Int64 = 7
                    cregnum_sum_ints(address, count, log2, mask, &low, &high)
                    expectEqual(Int128(high) << 64 + Int128(low), sum)
                    var least: Int64 = 0
                    var greatest: Int64 = 0
                    let isFound = cregnum_bounds_ints(
                        address, count, log2, mask, &least, &greatest)
                    expectEqual(isFound, !rows.isEmpty)
                    if isFound { expectTrue(least == picked.min() && greatest == picked.max()) }
                }
            }
        }
    }

    @Test func integersOfAllWidthsAreSummedExactlyAndBounded() {
        foldInts(Int8.self)
        foldInts(Int16.self)
        foldInts(Int32.self)
        foldInts(Int64.self)
    }

    /// The order of the additions is specified: lane i % 8, then the lanes pairwise.
    private func laneSum(_ values: [Double], _ rows: [Int]) -> Double {
        var lanes = [Double](repeating: 0, count: 8)
        for row in rows { lanes[row % 8] += values[row] }
        return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6]))
            + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
    }

    @Test func doublesAreSummedInTheOrderOfTheLanes() {
        var generator = SeededRandom("FoldKernelTests.doubles")
        let pages = GuardedPages(maximumByteCount: 8192)
        for count in kernelCounts {
            let values = (0..<count).map { _ in Double.random(in: -1e9...1e9, using: &generator) }
            let address = pages.place(values)
            for density in [1, 2, 40] {
                let rows = (0..<count).filter { _ in generator.oneIn(density) }
                let chosen = Set(rows)
                let mask = TestMask.of(count) { chosen.contains($0) }
                let expected = laneSum(values, rows)
                withBothKernels { _ in
                    let sum = cregnum_sum_doubles(address, count, mask)
                    expectEqual(sum.bitPattern, expected.bitPattern)
                }
            }
        }
    }

    @Test func boundsOfDoublesLeaveNaNOut() {
        var generator = SeededRandom("FoldKernelTests.bounds")
        let pages = GuardedPages(maximumByteCount: 8192)
        let pool = [.nan, -.nan, -0.0, 0, .infinity, -.infinity, 1, 1.5, -1, 0x1p-1074, 1e300]
        for count in kernelCounts {
            let part = count % 4 == 0 ? 2 : pool.count
            let values = (0..<count).map { _ in pool[generator.below(part)] }
            let address = pages.place(values)
            for density in [1, 2, 40] {
                let rows = (0..<count).filter { _ in generator.oneIn(density) }
                let chosen = Set(rows)
                let mask = TestMask.of(count) { chosen.contains($0) }
                let numbers = rows.map { values[$0] }.filter { !$0.isNaN }
                withBothKernels { _ in
                    var least = 0.0
                    var greatest = 0.0
                    let isFound = cregnum_bounds_doubles(address, count, mask, &least, &greatest)
                    expectEqual(isFound, !numbers.isEmpty)
                    if isFound { expectTrue(least == numbers.min() && greatest == numbers.max()) }
                }
            }
        }
    }
}
