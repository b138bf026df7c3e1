import CRegnum
import RegnumEngine
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle

@Suite struct TextKernelTests {
    /// Cells and the text to which they point, laid out in row order.
    private struct Chunk {
        var cells: [SIMD2<UInt64>] = []
        var text: [UInt8] = []

        init(_ values: [[UInt8]]) {
            for value in values {
                var cell = [UInt8](repeating: 0, count: 16)
                withUnsafeBytes(of: UInt32(value.count)) { cell.replaceSubrange(0..<4, with: $0) }
                if value.count <= 12 {
                    cell.replaceSubrange(4..<4 + value.count, with: value)
                } else {
                    cell.replaceSubrange(4..<8, with: value[..<4])
                    withUnsafeBytes(of: UInt32(text.count)) {
                        cell.replaceSubrange(8..<12, with: $0)
                    }
                    text += value
                }
                cells.append(
                    cell.withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) })
            }
        }
    }

    private let cellPages = GuardedPages(maximumByteCount: 16384)
    private let textPages = GuardedPages(maximumByteCount: 1 << 17)

    /// Returns values around the boundaries of a cell, made of few letters so that they share
    /// prefixes.
    private func value(_ generator: inout SeededRandom, _ length: Int) -> [UInt8] {
        (0..<length).map { _ in UInt8(ascii: "a") + UInt8(generator.oneIn(3) ? 1 : 0) }
    }

    private func values(_ generator: inout SeededRandom, _ count: Int) -> [[UInt8]] {
        let pool = (0..<12).map { _ in
            value(&generator, [0, 1, 3, 4, 5, 11, 12, 13, 14, 40, 90][generator.below(11)])
        }
        return (0..<count).map { _ in pool[generator.below(pool.count)] }
    }

    @Test func equalityAndOrderGoByAllBytes() {
        var generator = SeededRandom("TextKernelTests.order")
        for count in kernelCounts where count < 140 || count > 1018 {
            let values = values(&generator, count)
            let chunk = Chunk(values)
            let cells = cellPages.place(chunk.cells)
            let text = textPages.place(chunk.text)
            let constant =
                count == 0 || generator.oneIn(4)
                ? value(&generator, 13) : values[generator.below(count)]
            let equalRows = TestMask.of(count) { values[$0] == constant }
            let lessRows = TestMask.of(count) { values[$0].lexicographicallyPrecedes(constant) }
            withBothKernels { _ in
                let equal = TestMask.of {
                    cregnum_equal_text(
                        cells, count, text, chunk.text.count, constant, constant.count, $0)
                }
                expectEqual(equal, equalRows)
                var same: [UInt64] = []
                var later: [UInt64] = []
                let less = TestMask.of { less in
                    same = TestMask.of { same in
                        later = TestMask.of { later in
                            cregnum_order_text(
                                cells, count, text, chunk.text.count, constant, constant.count,
                                less, same, later)
                        }
                    }
                }
                let nothing = TestMask.of(0) { _ in true }
                expectTrue(less == lessRows && same == equalRows && later == nothing)
            }
        }
    }

    private func matches(_ value: [UInt8], _ how: Int, _ needle: [UInt8]) -> Bool {
        if value.count < needle.count { return false }
        switch how {
        case Int(CREGNUM_BEGINS): return value.starts(with: needle)
        case Int(CREGNUM_ENDS): return value.reversed().starts(with: needle.reversed())
        default:
            return (0...value.count - needle.count).contains { start in
                value[start..<start + needle.count].elementsEqual(needle)
            }
        }
    }

    @Test func aHitAcrossTwoValuesIsNone() {
        var generator = SeededRandom("TextKernelTests.match")
        let nothing = TestMask.of(0) { _ in true }
        for count in kernelCounts where count < 100 || count == 130 || count == 1021 {
            let values = values(&generator, count)
            let chunk = Chunk(values)
            let cells = cellPages.place(chunk.cells)
            let text = textPages.place(chunk.text)
            for length in [0, 1, 2, 3, 5, 8, 13, 20, 45] {
                var needle = value(&generator, length)
                // Some patterns that are certainly found, in one value or across two.
                if length > 0, chunk.text.count > length, generator.oneIn(2) {
                    let start = generator.below(chunk.text.count - length)
                    needle = Array(chunk.text[start..<start + length])
                }
                for how in [Int(CREGNUM_CONTAINS), Int(CREGNUM_BEGINS), Int(CREGNUM_ENDS)] {
                    let expected = TestMask.of(count) { matches(values[$0], how, needle) }
                    withBothKernels { _ in
                        for isInOrder in [true, false] {
                            var later: [UInt64] = []
                            let mask = TestMask.of { mask in
                                later = TestMask.of {
                                    cregnum_match_text(
                                        cells, count, text, chunk.text.count, isInOrder,
                                        Int32(how), needle, needle.count, mask, $0)
                                }
                            }
                            expectEqual(mask, expected, "\(how) \(needle) \(isInOrder)")
                            expectEqual(later, nothing)
                        }
                    }
                }
            }
        }
    }

    @Test func theFirstPlaceIsFound() {
        var generator = SeededRandom("TextKernelTests.find")
        for length in 1...200 {
            let haystack = value(&generator, length)
            let text = textPages.place(haystack)
            for _ in 0..<4 {
                let needle = value(&generator, 1 + generator.below(min(length + 1, 12)))
                let first = (0...max(length - needle.count, 0)).first { start in
                    start + needle.count <= length
                        && haystack[start..<start + needle.count].elementsEqual(needle)
                }
                withBothKernels { _ in
                    let found = cregnum_find(text, length, needle, needle.count)
                    expectEqual(found, first ?? -1)
                }
            }
        }
    }

    @Test func ranksAscendWithTheFirstEightBytes() {
        var generator = SeededRandom("TextKernelTests.ranks")
        let values = values(&generator, 700)
        let chunk = Chunk(values)
        let cells = cellPages.place(chunk.cells)
        let text = textPages.place(chunk.text)
        var ranks = [UInt64](repeating: 0, count: 1024)
        _ = TestMask.of { later in
            cregnum_rank_text(cells, 700, text, chunk.text.count, false, &ranks, later)
        }
        for row in 0..<700 {
            let expected = (0..<8).reduce(0 as UInt64) { rank, index in
                rank << 8 | UInt64(index < values[row].count ? values[row][index] : 0)
            }
            expectEqual(ranks[row], expected)
        }
    }
}
