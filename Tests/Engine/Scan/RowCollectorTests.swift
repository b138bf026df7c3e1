import RegnumTestSupport
import Testing

@testable import RegnumEngine

@Suite struct RowCollectorTests {
    @Test(arguments: [1, 1_000, 100_000])
    func rowsThatAreFoundManyTimesTakeLittleMemory(rowCount: UInt64) {
        var collector = RowCollector()
        var greatest = 0
        // each of them more than once, and never in order
        for number in 0..<UInt64(1_000_000) {
            collector.add(number &* 7_919 % rowCount)
            greatest = max(greatest, collector.keptCount)
        }
        expectEqual(collector.count, 1_000_000)
        expectEqual(collector.ascending, Array(0..<rowCount))
        expectTrue(greatest <= max(65_536, 2 * Int(rowCount)), "\(greatest) rows were kept")
    }
}
