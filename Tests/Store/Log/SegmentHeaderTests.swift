import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The first page of a segment, and the names of segments.
@Suite struct SegmentHeaderTests {
    private let header = SegmentHeader(
        realmID: Identity128(high: 1, low: 2), generation: 0, number: 4, firstSequence: 99,
        salt: 0xFEED, base: 12_345_678, previousChain: 77)

    @Test func aHeaderComesBackAsItWasWritten() throws {
        let bytes = header.encoded()
        expectEqual(bytes.count, 4096)
        try expectEqual(SegmentHeader(decoding: bytes, path: "p"), header)
    }

    @Test func everyFlippedBitIsNoticed() {
        let bytes = header.encoded()
        for bit in stride(from: 0, to: bytes.count * 8, by: 3) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let code = codeThrown { _ = try SegmentHeader(decoding: changed, path: "p") }
            expectEqual(code, .invalidDatabase, "bit \(bit)")
        }
    }

    @Test(arguments: [0, 8, 4095])
    func aShortFileIsNoSegment(byteCount: Int) {
        let bytes = Array(header.encoded()[..<byteCount])
        let code = codeThrown { _ = try SegmentHeader(decoding: bytes, path: "p") }
        expectEqual(code, .invalidDatabase)
    }

    @Test func namesOfSegmentsAreReadStrictly() throws {
        let parsed = try requireValue(SegmentHeader.parse(fileName: "log-2-31"))
        expectTrue(parsed.generation == 2 && parsed.number == 31)
        expectEqual(SegmentHeader.fileName(generation: 2, number: 31), "log-2-31")
        for name in [
            "log-2", "log-2-", "log--1", "log-02-1", "log-2-01", "log-2-+1", "log-2-1-1", "Log-2-1",
            "log-2-1 ", "log-2-99999999999999999999", "tmp-1", "LOCK", "",
        ] {
            expectNil(SegmentHeader.parse(fileName: name), "\(name)")
        }
    }
}
