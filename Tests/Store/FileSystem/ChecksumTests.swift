import CRegnum
import RegnumSimulation
import RegnumTestSupport
import Testing

@Suite struct ChecksumTests {
    static let vectors: [([UInt8], UInt32)] = [
        ([], 0),
        (Array("123456789".utf8), 0xE306_9283),
        // RFC 3720, B.4
        (Array(repeating: 0, count: 32), 0x8A91_36AA),
        (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E),
        (Array((0..<32).reversed()), 0x113F_DB5C),
    ]

    @Test(arguments: vectors)
    func knownVectorsHaveTheirChecksum(bytes: [UInt8], crc: UInt32) {
        expectEqual(cregnum_crc32c(0, bytes, bytes.count), crc)
        expectEqual(cregnum_crc32c_table(0, bytes, bytes.count), crc)
    }

    @Test func hardwareAndTableAgreeAtEveryLengthAndAlignment() {
        var generator = SeededRandom()
        let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes.withUnsafeBytes { buffer in
            for start in 0..<16 {
                for count in 0..<buffer.count - start {
                    let crc = UInt32.random(in: 0...UInt32.max, using: &generator)
                    let place = buffer.baseAddress! + start
                    let hardware = cregnum_crc32c(crc, place, count)
                    expectEqual(hardware, cregnum_crc32c_table(crc, place, count))
                }
            }
        }
    }

    /// Lengths around the threshold from which several parts are processed in parallel.
    @Test func longBytesHaveTheChecksumOfTheTable() {
        var generator = SeededRandom()
        let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var counts: [Int] = []
        for parts in 1..<40 {
            for extra in [-1, 0, 1, 9] { counts.append(384 * parts + extra) }
        }
        for parts in 1..<7 {
            for extra in [-1, 0, 1, 391] { counts.append(3072 * parts + extra) }
        }
        bytes.withUnsafeBytes { buffer in
            for count in counts {
                let start = Int.random(in: 0..<16, using: &generator)
                let crc = UInt32.random(in: 0...UInt32.max, using: &generator)
                let place = buffer.baseAddress! + start
                let hardware = cregnum_crc32c(crc, place, count)
                expectEqual(hardware, cregnum_crc32c_table(crc, place, count), "\(count) bytes")
            }
        }
    }

    @Test func checksumsContinueOverParts() {
        let bytes = Array("a record is checked in parts".utf8)
        for split in 0...bytes.count {
            let head = cregnum_crc32c(0, Array(bytes[..<split]), split)
            let whole = cregnum_crc32c(head, Array(bytes[split...]), bytes.count - split)
            expectEqual(whole, cregnum_crc32c(0, bytes, bytes.count))
        }
    }
}
