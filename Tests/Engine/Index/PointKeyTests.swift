import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// Keys of points, and the ranges of keys that cover a box.
@Suite struct PointKeyTests {
    // Covers 9.11
    @Test func onlyValidCoordinatesHaveKeys() {
        let invalid: [(Double, Double)] = [
            (181, 0), ((-180.0).nextDown, 0), (0, 90.0.nextUp), (0, -91), (.nan, 0), (0, .nan),
            (.infinity, 0), (0, -.infinity),
        ]
        for (longitude, latitude) in invalid {
            expectNil(PointKey.key(longitude: longitude, latitude: latitude))
        }
        expectEqual(PointKey.key(longitude: -180, latitude: -90), 0)
        expectEqual(PointKey.key(longitude: 180, latitude: 90), .max)
        expectEqual(PointKey.key(longitude: 180, latitude: -90), 0xAAAA_AAAA_AAAA_AAAA)
        expectEqual(PointKey.key(longitude: 0, latitude: 0), 0b11 << 62)
        expectEqual(PointKey.key(longitude: -0.0, latitude: -0.0), 0b11 << 62)
    }

    @Test func stepsAscendWithTheAngle() {
        var random = SeededRandom("PointKeyTests.steps")
        for _ in 0..<1_000 {
            let number = UInt32(truncatingIfNeeded: random.next())
            expectEqual(PointKey.gather(PointKey.spread(number)), number)
            let angle = Double.random(in: -180...180, using: &random)
            expectEqual(
                PointKey.step(angle, 180) <= PointKey.step(min(angle.nextUp, 180), 180), true)
        }
    }

    @Test func boxesAreCoveredByFewRanges() throws {
        var random = SeededRandom("PointKeyTests.boxes")
        for _ in 0..<Effort.count(gate: 300, soak: 20_000) {
            let size = random.oneOf([0, 1e-9, 1e-4, 0.1, 5, 100, 400])
            let (west, south) = (
                Double.random(in: -180...180, using: &random),
                Double.random(in: -90...90, using: &random)
            )
            let width = size * Double.random(in: 0...1, using: &random)
            let height = size * Double.random(in: 0...1, using: &random)
            let box = try requireValue(
                PointBox(
                    longitudes: west...west + width, latitudes: south...south + height))
            let maximumCount = random.oneOf([1, 4, 16, 64])
            let ranges = box.ranges(maximumCount: maximumCount)
            expectEqual(ranges.isEmpty, false)
            expectEqual(ranges.count <= maximumCount, true)
            expectEqual(
                zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, true)
            for _ in 0..<20 {
                let longitude = min(west + .random(in: 0...1, using: &random) * width, 180)
                let latitude = min(south + .random(in: 0...1, using: &random) * height, 90)
                let key = try requireValue(
                    PointKey.key(longitude: longitude, latitude: latitude))
                expectEqual(box.contains(key), true, "\(longitude), \(latitude) in \(box)")
                expectEqual(
                    ranges.contains { $0.contains(key) }, true,
                    "\(longitude), \(latitude) in \(box)")
            }
        }
        expectNil(PointBox(longitudes: 181...190, latitudes: 0...1))
        let all = PointBox(longitudes: -500...500, latitudes: -91...91)
        expectEqual(all?.ranges(maximumCount: 64), [0...UInt64.max])
        expectEqual(all?.contains(.max), true)
    }
}
