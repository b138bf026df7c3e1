/// The valid records among bytes in which anything may stand between them: those behind a damaged
/// one.
///
/// Whether a header is followed by its body is found by a checksum of up to 4 MiB, and bytes that
/// somebody has made up can hold a header at every eighth byte. So the checksums of bodies have a
/// budget, which records that do not overlap cannot use up.
struct ScatteredRecords {
    /// The budget was used up: no writer leaves such bytes.
    private(set) var isCrafted = false
    private let salt: UInt64
    /// Where in the file the bytes begin.
    private let fileOffset: UInt64
    private let bodyByteCountMax: Int

    init(salt: UInt64, fileOffset: UInt64, bodyByteCountMax: Int) {
        self.salt = salt
        self.fileOffset = fileOffset
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// Calls `body` with each valid record that begins before `limit`, and where it begins.
    ///
    /// - Complexity: O(bytes): one header checksum for each aligned place, and checksums of bodies
    ///   over at most twice as many bytes as there are.
    mutating func forEach(
        in bytes: UnsafeRawBufferPointer, before limit: Int,
        _ body: (_ record: DecodedRecord, _ offset: Int) -> Void
    ) {
        var budget = 2 * bytes.count
        var offset = 0
        while offset < limit, bytes.count - offset >= RecordHeader.byteCount {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let place = fileOffset + UInt64(offset)
            guard Bytes.load(UInt32.self, from: rest, at: 0) != 0,
                let claimed = RecordFraming.decodeHeader(
                    rest, salt: salt, fileOffset: place, bodyByteCountMax: bodyByteCountMax)
            else {
                offset += 8
                continue
            }
            budget -= min(
                RecordFraming.byteCount(bodyByteCount: claimed.bodyByteCount), rest.count)
            guard budget >= 0 else {
                isCrafted = true
                return
            }
            if let record = RecordFraming.decode(
                rest, salt: salt, fileOffset: place, bodyByteCountMax: bodyByteCountMax)
            {
                body(record, offset)
                offset += record.byteCount
            } else {
                offset += 8
            }
        }
    }
}
