import BenchmarkKit
import Testing

@Suite struct StatisticsTests {
    @Test func percentilesAreTheNearestRank() {
        let sample = (1...100).map(Double.init).reversed() as [Double]
        #expect(Statistics.percentile(sample, 0.5) == 50)
        #expect(Statistics.percentile(sample, 0.99) == 99)
        #expect(Statistics.percentile(sample, 1) == 100)
        #expect(Statistics.percentile(sample, 0) == 1)
        #expect(Statistics.percentile([7], 0.99) == 7)
        #expect(Statistics.percentile([3, 1, 2], 0.5) == 2)
    }

    @Test func theMedianOfAnEvenSampleIsTheMeanOfTheMiddleTwo() {
        #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
        #expect(Statistics.median([9, 1, 2]) == 2)
        #expect(Statistics.median([-5]) == -5)
    }

    @Test func aRatioIsTakenWithinEachRound() {
        // The medians, 100 and 20, would give 5.
        #expect(Statistics.medianRatio([10, 100, 1000], to: [5, 20, 1000]) == 2)
        #expect(Statistics.medianRatio([1], to: [0]) == nil)
        #expect(Statistics.medianRatio([], to: [1]) == nil)
        #expect(Statistics.medianRatio([1], to: []) == nil)
    }

    @Test func theGeneratorRepeatsItsSequence() {
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 1)
        var other = SeededGenerator(seed: 2)
        let numbers = (0..<8).map { _ in first.next() }
        let repeated = (0..<8).map { _ in second.next() }
        #expect(repeated == numbers)
        let others = (0..<8).map { _ in other.next() }
        #expect(others != numbers)
        #expect(Set(numbers).count == 8)
    }
}
