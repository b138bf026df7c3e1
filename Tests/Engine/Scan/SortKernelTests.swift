import CRegnum
import RegnumEngine
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle

@Suite struct SortKernelTests {
    private struct Pair: Equatable {
        var rank: UInt64
        var key: UInt64

        init(_ pair: cregnum_pair) { (rank, key) = (pair.rank, pair.key) }
    }

    @Test func pairsAreSortedByRankThenFlagThenKey() {
        var generator = SeededRandom("SortKernelTests.pairs")
        let counts = [0, 1, 2, 15, 16, 17, 33, 100, 1000, 1023, 1024, 1025, 3000, 20_000]
        for count in counts {
            for kind in 0..<4 {
                var pairs = (0..<count).map { index in
                    var rank = generator.next()
                    switch kind {
                    case 0: break
                    case 1: rank &= 0xFF00
                    case 2: rank = [0, 1, .max, .max - 1][generator.below(4)]
                    default: rank = UInt64(bitPattern: Int64(index % 50) - 25)
                    }
                    let isFlagged = kind == 2 && generator.oneIn(2) && (rank == 0 || rank == .max)
                    return cregnum_pair(
                        rank: rank, key: UInt64(index) | (isFlagged ? 1 << 63 : 0))
                }
                let expected = pairs.sorted {
                    $0.rank != $1.rank ? $0.rank < $1.rank : $0.key < $1.key
                }
                var scratch = [cregnum_pair](repeating: cregnum_pair(), count: count)
                cregnum_sort_pairs(&pairs, &scratch, count)
                expectEqual(pairs.map { Pair($0) }, expected.map { Pair($0) })
            }
        }
    }

    @Test func ranksOfDoublesAreInTheOrderOfSorts() {
        let values = [
            Double.nan, -.nan, -.infinity, -1e300, -1, -0x1p-1074, -0.0, 0, 0x1p-1074, 1, 1.5,
            .infinity,
        ]
        for descending in [false, true] {
            var ranks = [UInt64](repeating: 0, count: values.count)
            cregnum_rank_doubles(values, values.count, descending, &ranks)
            for a in values.indices {
                for b in values.indices {
                    let order = Value.compare(.double(values[a]), .double(values[b]))
                    let expected = descending ? -order : order
                    expectTrue((ranks[a] < ranks[b]) == (expected < 0))
                    expectTrue((ranks[a] == ranks[b]) == (expected == 0))
                }
            }
        }
    }

    @Test func rowsAreCollectedUpToALimit() {
        var generator = SeededRandom("SortKernelTests.collect")
        let ranks = (0..<1024).map { _ in UInt64(generator.below(50)) }
        for _ in 0..<20 {
            let chosen = (0..<1024).map { _ in generator.oneIn(2) }
            let flags = (0..<1024).map { _ in generator.oneIn(2) }
            let mask = TestMask.of(1024) { chosen[$0] }
            let flagged = TestMask.of(1024) { flags[$0] }
            let limit = cregnum_pair(
                rank: UInt64(generator.below(60)), key: UInt64(2048 + generator.below(1024)))
            let all = (0..<1024).filter { chosen[$0] }.map { row in
                let key = UInt64(2048 + row) | (flags[row] ? 1 << 63 : 0)
                return Pair(cregnum_pair(rank: ranks[row], key: key))
            }
            let expected = all.filter {
                $0.rank < limit.rank || ($0.rank == limit.rank && $0.key < limit.key)
            }
            var pairs = [cregnum_pair](repeating: cregnum_pair(), count: 1024)
            let count = cregnum_collect_pairs(ranks, mask, flagged, 2048, limit, &pairs)
            expectEqual(pairs[..<count].map { Pair($0) }, expected)
        }
    }
}
