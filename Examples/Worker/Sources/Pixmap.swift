/// An image in the binary PPM format ("P6"), with 8 bits each of red, green and blue.
struct Pixmap: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Three bytes for each pixel, row by row.
    let bytes: [UInt8]

    /// The contents of a file that isn't such an image, or has comments in its header.
    struct Malformed: Error, CustomStringConvertible {
        let description = "not a complete PPM image"
    }

    var ppm: [UInt8] { Array("P6\n\(width) \(height)\n255\n".utf8) + bytes }

    /// Returns the image scaled down to a width, in which each pixel is the average of those that
    /// it covers. Narrower images stay as they are.
    ///
    /// - Parameter afterPart: Called after each fifth of the work, with the fraction that is done.
    func scaled(
        toWidth newWidth: Int, afterPart: (Double) async throws -> Void = { _ in }
    ) async throws -> Pixmap {
        let newWidth = min(max(newWidth, 1), width)
        let newHeight = max(height * newWidth / width, 1)
        var scaled: [UInt8] = []
        for part in 1...5 {
            for y in newHeight * (part - 1) / 5..<newHeight * part / 5 {
                let rows = y * height / newHeight..<(y + 1) * height / newHeight
                for x in 0..<newWidth {
                    let columns = x * width / newWidth..<(x + 1) * width / newWidth
                    scaled += average(rows, columns)
                }
            }
            try await afterPart(Double(part) / 5)
        }
        return Pixmap(width: newWidth, height: newHeight, bytes: scaled)
    }

    private func average(_ rows: Range<Int>, _ columns: Range<Int>) -> [UInt8] {
        var sums = [0, 0, 0]
        for row in rows {
            for column in columns {
                for color in 0..<3 { sums[color] += Int(bytes[3 * (row * width + column) + color]) }
            }
        }
        let count = rows.count * columns.count
        return sums.map { UInt8(($0 + count / 2) / count) }
    }
}

extension Pixmap {
    /// Reads the contents of a PPM file.
    init(ppm file: [UInt8]) throws {
        let parts = file.split(maxSplits: 4, omittingEmptySubsequences: false) { byte in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
        }
        let words = parts.prefix(4).map { String(decoding: $0, as: UTF8.self) }
        let sizes = 1...65_535
        guard parts.count == 5, words[0] == "P6", words[3] == "255",
            let width = Int(words[1]), let height = Int(words[2]),
            sizes.contains(width), sizes.contains(height), parts[4].count == 3 * width * height
        else { throw Malformed() }
        self.init(width: width, height: height, bytes: Array(parts[4]))
    }

    /// Draws a sample image, a different one for each number.
    static func sample(_ number: Int, width: Int, height: Int) -> Pixmap {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                bytes.append(UInt8(x * 255 / width))
                bytes.append(UInt8(y * 255 / height))
                bytes.append(UInt8(truncatingIfNeeded: x * y / 64 + number * 41))
            }
        }
        return Pixmap(width: width, height: height, bytes: bytes)
    }
}
