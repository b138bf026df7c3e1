/// The 64-bit key under which a geospatial index has the rows of a point: its place on the Z-order
/// curve (Morton, A Computer Oriented Geodetic Data Base, 1966).
///
/// Longitude and latitude are each divided into 2^32 steps, of at most 1 cm on the Earth, whose
/// numbers are interleaved: the most significant bit is that of the longitude. So the points of a
/// cell, which halving all longitudes and latitudes in turn leads to, have adjacent keys, and a box
/// is covered by few ranges of keys.
enum PointKey {
    /// Returns the key of a point, or `nil` if its coordinates aren't in their ranges.
    @inline(__always)
    static func key(longitude: Double, latitude: Double) -> UInt64? {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        return spread(step(longitude, 180)) << 1 | spread(step(latitude, 90))
    }

    /// Returns the number of the step with an angle, which must be in `-maximum...maximum`.
    /// Never decreases with the angle.
    @inline(__always)
    static func step(_ degrees: Double, _ maximum: Double) -> UInt32 {
        UInt32(min((degrees + maximum) / (2 * maximum) * 0x1p32, 0x1p32 - 1))
    }

    /// Moves the bits of a number to the even places.
    @inline(__always)
    static func spread(_ number: UInt32) -> UInt64 {
        var bits = UInt64(number)
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Returns the number in the even places.
    @inline(__always)
    static func gather(_ key: UInt64) -> UInt32 {
        var bits = key & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }
}

/// A rectangle of steps of longitude and latitude (see `PointKey`).
struct PointBox: Hashable, Sendable {
    let longitudes: ClosedRange<UInt32>
    let latitudes: ClosedRange<UInt32>

    /// Creates the smallest box that has the points with coordinates in the ranges, which are
    /// clamped to those of points. Returns `nil` if there are no such points.
    init?(longitudes: ClosedRange<Double>, latitudes: ClosedRange<Double>) {
        let (all, allLatitudes) = (-180.0...180.0, -90.0...90.0)
        guard longitudes.overlaps(all), latitudes.overlaps(allLatitudes) else { return nil }
        let (x, y) = (longitudes.clamped(to: all), latitudes.clamped(to: allLatitudes))
        self.longitudes = PointKey.step(x.lowerBound, 180)...PointKey.step(x.upperBound, 180)
        self.latitudes = PointKey.step(y.lowerBound, 90)...PointKey.step(y.upperBound, 90)
    }

    /// Whether the box has the point with a key.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool {
        longitudes.contains(PointKey.gather(key >> 1)) && latitudes.contains(PointKey.gather(key))
    }

    /// Returns ascending ranges of keys that have all points of the box, and others near it.
    ///
    /// Divides the cells that are partly in the box, the largest ones first, until there are about
    /// `maximumCount` of them.
    func ranges(maximumCount: Int) -> [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        // the cells of one level, which are partly in the box
        var cells = [Cell(key: 0, level: 0)]
        while !cells.isEmpty {
            var next: [Cell] = []
            for cell in cells {
                for part in cell.parts where !part.isApart(from: self) {
                    if part.isInside(self) { ranges.append(part.keys) } else { next.append(part) }
                }
            }
            if ranges.count + next.count > maximumCount {
                ranges += cells.map(\.keys)
                break
            }
            cells = next
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var joined: [ClosedRange<UInt64>] = []
        for range in ranges {
            if let last = joined.last, last.upperBound >= range.upperBound { continue }
            if let last = joined.last, range.lowerBound <= last.upperBound &+ 1 {
                joined[joined.count - 1] = last.lowerBound...range.upperBound
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// A square of steps: all points whose keys have the same first `2 * level` bits.
    private struct Cell {
        /// The least key.
        let key: UInt64
        let level: UInt64

        /// The keys of the points in the cell.
        var keys: ClosedRange<UInt64> { key...(key | UInt64.max >> (2 * level)) }

        private var sides: (x: ClosedRange<UInt32>, y: ClosedRange<UInt32>) {
            let (x, y) = (PointKey.gather(key >> 1), PointKey.gather(key))
            let rest = UInt32(truncatingIfNeeded: (1 << (32 - level)) - 1 as UInt64)
            return (x...(x | rest), y...(y | rest))
        }

        func isApart(from box: PointBox) -> Bool {
            let (x, y) = sides
            return !x.overlaps(box.longitudes) || !y.overlaps(box.latitudes)
        }

        func isInside(_ box: PointBox) -> Bool {
            let (x, y) = sides
            return x.lowerBound >= box.longitudes.lowerBound
                && x.upperBound <= box.longitudes.upperBound
                && y.lowerBound >= box.latitudes.lowerBound
                && y.upperBound <= box.latitudes.upperBound
        }

        /// The four cells of the next level. A cell of level 32 is a single step, which is either
        /// in a box or apart from it.
        var parts: [Cell] {
            if level == 32 { return [] }
            return (0..<4 as Range<UInt64>).map {
                Cell(key: key | $0 << (62 - 2 * level), level: level + 1)
            }
        }
    }
}
