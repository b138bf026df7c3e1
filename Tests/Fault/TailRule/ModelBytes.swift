import RegnumSimulation
import RegnumTestSupport

/// The bytes of segments, records and the control page, implemented a second time from
/// `Docs/FORMAT.md`. Nothing here uses the store, so that an error in one of the two is detected.
enum ModelBytes {
    static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    static func number(_ bytes: [UInt8], at start: Int, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[start + index]) << UInt64(8 * index) }
        return value
    }

    /// CRC32C: reflected polynomial 0x82F63B78, all ones before and after.
    static func crc(_ parts: [UInt8]...) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for part in parts { value = continued(value, part[...]) }
        return ~value
    }

    static func crc(_ prefix: [UInt8], _ rest: ArraySlice<UInt8>) -> UInt32 {
        ~continued(continued(0xFFFF_FFFF, prefix[...]), rest)
    }

    private static func continued(_ start: UInt32, _ bytes: ArraySlice<UInt8>) -> UInt32 {
        var value = start
        for byte in bytes { value = value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
        return value
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
        return value
    }
}

/// One record as the model represents it.
struct ModelRecord: Equatable {
    var type: UInt8 = 1
    var sequence: UInt64
    var durableEnd: UInt64
    var chainBefore: UInt32
    var body: [UInt8]

    /// Head checksum xor body checksum.
    static func chain(of bytes: [UInt8]) -> UInt32 {
        UInt32(ModelBytes.number(bytes, at: 0, 4) ^ ModelBytes.number(bytes, at: 4, 4))
    }

    func bytes(salt: UInt64, fileOffset: Int) -> [UInt8] {
        let place = ModelBytes.number(salt, 8) + ModelBytes.number(UInt64(fileOffset), 8)
        let padded = body + [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
        var head = ModelBytes.number(UInt64(ModelBytes.crc(place, padded)), 4)
        head += ModelBytes.number(UInt64(body.count), 4)
        head += [type, 0] + ModelBytes.number(1, 2)
        head += ModelBytes.number(sequence, 8) + ModelBytes.number(durableEnd, 8)
        head += ModelBytes.number(UInt64(chainBefore), 4) + ModelBytes.number(1, 4)
        return ModelBytes.number(UInt64(ModelBytes.crc(place, head)), 4) + head + padded
    }

    /// Returns the length that a valid header at `offset` claims, with sequence and chain.
    static func header(
        _ file: [UInt8], at offset: Int, salt: UInt64
    ) -> (record: ModelRecord, bodyByteCount: Int)? {
        guard offset + 40 <= file.count else { return nil }
        let place = ModelBytes.number(salt, 8) + ModelBytes.number(UInt64(offset), 8)
        let sum = ModelBytes.number(file, at: offset, 4)
        guard sum == UInt64(ModelBytes.crc(place, file[offset + 4..<offset + 40])) else {
            return nil
        }
        let record = ModelRecord(
            type: file[offset + 12], sequence: ModelBytes.number(file, at: offset + 16, 8),
            durableEnd: ModelBytes.number(file, at: offset + 24, 8),
            chainBefore: UInt32(ModelBytes.number(file, at: offset + 32, 4)), body: [])
        return (record, Int(ModelBytes.number(file, at: offset + 8, 4)))
    }

    /// Returns the valid record at `offset`, whatever its origin, with its length and chain value.
    static func read(
        _ file: [UInt8], at offset: Int, salt: UInt64, maximumBodyByteCount: Int
    ) -> (record: ModelRecord, byteCount: Int, chain: UInt32)? {
        guard let (header, count) = header(file, at: offset, salt: salt),
            count <= maximumBodyByteCount
        else { return nil }
        var record = header
        let end = offset + 40 + (count + 7) / 8 * 8
        guard end <= file.count else { return nil }
        let place = ModelBytes.number(salt, 8) + ModelBytes.number(UInt64(offset), 8)
        let sum = ModelBytes.number(file, at: offset + 4, 4)
        guard sum == UInt64(ModelBytes.crc(place, file[offset + 40..<end])) else { return nil }
        record.body = Array(file[offset + 40..<offset + 40 + count])
        let chain = UInt32(ModelBytes.number(file, at: offset, 4) ^ sum)
        return (record, end - offset, chain)
    }
}

/// One segment file of the model.
struct ModelSegment {
    var number: Int
    var salt: UInt64
    var base: UInt64
    var firstSequence: UInt64
    var chainBefore: UInt32
    /// The whole file, including the header.
    var file: [UInt8]

    init(
        realm: (UInt64, UInt64), number: Int, salt: UInt64, base: UInt64, firstSequence: UInt64,
        chainBefore: UInt32, recordByteCount: Int
    ) {
        self.number = number
        self.salt = salt
        self.base = base
        self.firstSequence = firstSequence
        self.chainBefore = chainBefore
        var head: [UInt8] = [0x89, 0x53, 0x52, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
        head += ModelBytes.number(1, 2) + ModelBytes.number(0, 2 + 12)
        head += ModelBytes.number(realm.0, 8) + ModelBytes.number(realm.1, 8)
        head += ModelBytes.number(0, 8) + ModelBytes.number(UInt64(number), 8)
        head += ModelBytes.number(firstSequence, 8) + ModelBytes.number(salt, 8)
        head += ModelBytes.number(base, 8) + ModelBytes.number(UInt64(chainBefore), 4)
        head += ModelBytes.number(1, 4)
        head += [UInt8](repeating: 0, count: 4092 - head.count)
        head += ModelBytes.number(UInt64(ModelBytes.crc(head)), 4)
        file = head + [UInt8](repeating: 0, count: recordByteCount)
    }

    var name: String { "log-0-\(number)" }
    var end: UInt64 { base + UInt64(file.count - 4096) }
    func offset(_ position: UInt64) -> Int { Int(position - base) + 4096 }
}

/// The control page of the model.
struct ModelControl {
    var realm: (UInt64, UInt64)
    var boot: (UInt64, UInt64)?
    var segmentNumber = 0
    var durableEnd: UInt64 = 0
    var visibleEnd: UInt64 = 0
    var version: UInt64 = 0
    var stores: UInt64 = 1
    var isWriting = false
    var isPoisoned = false

    /// The 16 words of a slot.
    var words: [UInt64] {
        var words: [UInt64] = [
            0x5245_474E_4354_4C31, realm.0, realm.1, boot?.0 ?? 0, boot?.1 ?? 0, 0,
            UInt64(segmentNumber), durableEnd, visibleEnd, version, stores, 1,
            (isWriting ? 1 : 0) + (isPoisoned ? 2 : 0) + (boot == nil ? 4 : 0), 0, 0, 0,
        ]
        words[15] = UInt64(ModelBytes.crc(words.flatMap { ModelBytes.number($0, 8) }))
        return words
    }
}
