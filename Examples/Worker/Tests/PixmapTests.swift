import Testing

@testable import worker

struct PixmapTests {
    @Test func eachPixelIsTheAverageOfThoseThatItCovers() async throws {
        let bytes: [UInt8] = [0, 10, 255, 2, 20, 255, 8, 8, 8, 0, 30, 255, 3, 40, 254, 8, 8, 9]
        let image = Pixmap(width: 3, height: 2, bytes: bytes)
        let one = try await image.scaled(toWidth: 1)
        #expect(one == Pixmap(width: 1, height: 1, bytes: [4, 19, 173]))
        let sample = Pixmap.sample(3, width: 320, height: 240)
        var parts: [Double] = []
        let small = try await sample.scaled(toWidth: 64) { parts.append($0) }
        #expect(small.width == 64 && small.height == 48 && small.bytes.count == 3 * 64 * 48)
        #expect(parts == [0.2, 0.4, 0.6, 0.8, 1])
    }

    @Test func imagesAreNotEnlarged() async throws {
        for (width, height) in [(1, 1), (7, 3), (2, 500), (500, 2)] {
            let image = Pixmap.sample(1, width: width, height: height)
            let same = try await image.scaled(toWidth: width + 1)
            #expect(same == image)
        }
    }

    @Test func filesAreReadAsTheyWereWritten() throws {
        // the first pixel looks like white space
        let image = Pixmap(width: 2, height: 1, bytes: [10, 32, 10, 1, 2, 3])
        let file = image.ppm
        let read = try Pixmap(ppm: file)
        #expect(read == image)
        for count in 0..<file.count {
            #expect(throws: Pixmap.Malformed.self) { try Pixmap(ppm: Array(file.prefix(count))) }
        }
        for text in ["", "P5\n1 1\n255\nabc", "P6\n-1 -1\n255\nabc", "P6\n0 9\n255\n"] {
            #expect(throws: Pixmap.Malformed.self) { try Pixmap(ppm: Array(text.utf8)) }
        }
    }
}
