import CRegnum
import RegnumEngine
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The kernels against plain Swift, in both forms, with unreadable memory after the last value.
@Suite struct CompareKernelTests {
    private func holds<T: Comparable>(_ comparison: Comparison, _ a: T, _ b: T) -> Bool {
        switch comparison {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    private func compareInts<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) {
        var generator = SeededRandom("CompareKernelTests.\(T.self)")
        let pages = GuardedPages(maximumByteCount: 8192)
        let log2 = Int32(MemoryLayout<T>.size.trailingZeroBitCount)
        let pool: [T] = [.min, .max, 0, 1, 2, ~0, 42, 43, .max - 1, .min + 1]
        var constants = pool.map { Int64($0) }
        if T.bitWidth < 64 { constants += [Int64(T.max) + 1, Int64(T.min) - 1] }
        for count in kernelCounts {
            let values = (0..<count).map { _ in pool[generator.below(pool.count)] }
            let address = pages.place(values)
            let constant = constants[generator.below(constants.count)]
            for comparison in Comparison.allCases {
                let expected = TestMask.of(count) {
                    holds(comparison, Int64(values[$0]), constant)
                }
                withBothKernels { isPlain in
                    let mask = TestMask.of {
                        cregnum_compare_ints(
                            address, count, log2, Int32(comparison.rawValue), constant, $0)
                    }
                    expectEqual(mask, expected, "\(T.self) \(comparison) \(constant) \(isPlain)")
                }
            }
        }
    }

    @Test func integersOfAllWidthsCompareAsInSwift() {
        compareInts(Int8.self)
        compareInts(Int16.self)
        compareInts(Int32.self)
        compareInts(Int64.self)
    }

    @Test func doublesCompareAsInSwift() {
        var generator = SeededRandom("CompareKernelTests.doubles")
        let pages = GuardedPages(maximumByteCount: 8192)
        let pool = [.nan, -.nan, -0.0, 0, .infinity, -.infinity, 1, 1.5, -1, 0x1p-1074, 1e300]
        for count in kernelCounts {
            let values = (0..<count).map { _ in pool[generator.below(pool.count)] }
            let others = (0..<count).map { _ in pool[generator.below(pool.count)] }
            let address = pages.place(values)
            let constant = pool[generator.below(pool.count)]
            for comparison in Comparison.allCases {
                let expected = TestMask.of(count) { holds(comparison, values[$0], constant) }
                let betweenColumns = TestMask.of(count) {
                    holds(comparison, values[$0], others[$0])
                }
                withBothKernels { isPlain in
                    let mask = TestMask.of {
                        cregnum_compare_doubles(
                            address, count, Int32(comparison.rawValue), constant, $0)
                    }
                    expectEqual(mask, expected, "\(comparison) \(constant) \(isPlain)")
                    let columns = TestMask.of {
                        cregnum_compare_double_columns(
                            address, others, count, Int32(comparison.rawValue), $0)
                    }
                    expectEqual(columns, betweenColumns)
                }
            }
        }
    }

    @Test func identitiesCompareByTheirTwoWords() {
        var generator = SeededRandom("CompareKernelTests.identities")
        let pages = GuardedPages(maximumByteCount: 16384)
        for count in kernelCounts {
            let cells = (0..<count).map { _ in
                SIMD2<UInt64>(UInt64(generator.below(2)) &- 1, UInt64(generator.below(3)) &- 1)
            }
            let address = pages.place(cells)
            let wanted = SIMD2<UInt64>(UInt64(generator.below(2)) &- 1, 0)
            for comparison in Comparison.allCases {
                let expected = TestMask.of(count) { row in
                    let cell = cells[row]
                    let isLess = cell.x < wanted.x || (cell.x == wanted.x && cell.y < wanted.y)
                    let order = isLess ? -1 : (cell == wanted ? 0 : 1)
                    return holds(comparison, order, 0)
                }
                withBothKernels { _ in
                    let mask = TestMask.of {
                        cregnum_compare_identities(
                            address, count, Int32(comparison.rawValue), wanted.x, wanted.y, $0)
                    }
                    expectEqual(mask, expected)
                }
            }
        }
    }

    @Test func masksAreCountedAndTurnedIntoKeys() {
        var generator = SeededRandom("CompareKernelTests.masks")
        for round in 0..<50 {
            let rows = (0..<1024).filter { _ in round == 0 || generator.oneIn(round) }
            let mask = TestMask.of(1024) { Set(rows).contains($0) }
            expectEqual(cregnum_mask_count(mask), rows.count)
            var keys = [UInt64](repeating: 0, count: 1024)
            let count = cregnum_collect_keys(mask, 4096, &keys)
            expectEqual(Array(keys[..<count]), rows.map { 4096 + UInt64($0) })
        }
    }
}
