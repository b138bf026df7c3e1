import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The framing of records.
@Suite struct RecordTests {
    private let header = RecordHeader(
        type: .commit, sequence: 7, durableEnd: 96, previousChain: 0xAABB_CCDD, writerEpoch: 3)

    private func frame(
        _ body: [UInt8], salt: UInt64 = 5, offset: UInt64 = 4096
    ) -> (bytes: [UInt8], chain: UInt32) {
        var bytes: [UInt8] = []
        let chain = RecordFraming.append(
            header, body: body, salt: salt, fileOffset: offset, to: &bytes)
        return (bytes, chain)
    }

    private func decode(
        _ bytes: [UInt8], salt: UInt64 = 5, offset: UInt64 = 4096, max: Int = 1 << 20
    ) -> DecodedRecord? {
        bytes.withUnsafeBytes {
            RecordFraming.decode($0, salt: salt, fileOffset: offset, maximumBodyByteCount: max)
        }
    }

    @Test(arguments: [0, 1, 7, 8, 9, 500, 4095])
    func aRecordComesBackAsItWasWritten(bodyByteCount: Int) throws {
        let body = (0..<bodyByteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (bytes, chain) = frame(body)
        expectEqual(bytes.count, RecordFraming.byteCount(bodyByteCount: bodyByteCount))
        expectEqual(bytes.count % 8, 0)
        let record = try requireValue(decode(bytes + [1, 2, 3]))
        expectEqual(record.header, header)
        expectEqual(record.bodyByteCount, bodyByteCount)
        expectEqual(record.byteCount, bytes.count)
        expectEqual(record.chain, chain)
        expectEqual(Array(bytes[40..<40 + bodyByteCount]), body)
    }

    @Test func theBytesAreThoseOfTheFormat() {
        let bytes = frame([9, 9]).bytes
        expectEqual(Array(bytes[8..<12]), [2, 0, 0, 0])
        expectEqual(Array(bytes[12..<16]), [1, 0, 1, 0])
        expectEqual(Array(bytes[16..<24]), [7, 0, 0, 0, 0, 0, 0, 0])
        expectEqual(Array(bytes[24..<32]), [96, 0, 0, 0, 0, 0, 0, 0])
        expectEqual(Array(bytes[32..<36]), [0xDD, 0xCC, 0xBB, 0xAA])
        expectEqual(Array(bytes[36..<48]), [3, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0, 0])
    }

    @Test func aRecordIsValidOnlyInItsOwnPlace() {
        let bytes = frame([1, 2, 3]).bytes
        expectTrue(decode(bytes) != nil)
        expectNil(decode(bytes, offset: 4104))
        expectNil(decode(bytes, salt: 6))
    }

    @Test func everyFlippedBitIsNoticed() {
        let bytes = frame((0..<21).map { $0 }).bytes
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            expectNil(decode(changed), "bit \(bit)")
        }
    }

    @Test func nothingIsReadBeyondTheBytes() {
        let bytes = frame((0..<21).map { $0 }).bytes
        for count in 0..<bytes.count { expectNil(decode(Array(bytes[..<count]))) }
    }

    @Test func aBodyBeyondTheLimitIsNoRecord() {
        let bytes = frame([UInt8](repeating: 1, count: 64)).bytes
        expectTrue(decode(bytes, max: 64) != nil)
        expectNil(decode(bytes, max: 63))
    }

    @Test func zerosAreNoRecord() {
        expectNil(decode([UInt8](repeating: 0, count: 4096)))
    }
}
