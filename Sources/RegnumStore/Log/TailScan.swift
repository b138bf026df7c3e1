/// The bytes of a segment after its last valid record.
struct TailScan {
    /// The number of bytes up to and including the last nonzero one; 0 if all are zero.
    var nonZeroByteCount = 0
    /// The maximum `durableEnd` of the valid records after the first invalid one.
    var vouchedEnd: LogPosition = 0
    /// The versions of complete commit records after the first invalid one.
    var versions: [UInt64] = []
    /// See `TailEvidence.tailIsPrefix`.
    var isPrefix = false
    /// See `ScatteredRecords.isForged`.
    var isForged = false

    /// The number of bytes that are read at a time, as long as all are zero.
    private static let pieceByteCount: UInt64 = 1 << 20

    /// Examines the window after `point`. Cost: reads up to `windowByteCount` bytes, all of them at
    /// once only if one isn't zero, and then computes the checksums of `ScatteredRecords`.
    ///
    /// - Parameter didRead: called with the numbers of bytes that were read. May wait.
    init(
        _ segment: LogSegment, from point: LogPoint, _ options: StoreOptions,
        didRead: (Int) -> Void = { _ in }
    ) throws(StoreError) {
        let position = point.position
        guard position < segment.capacityEnd else { return }
        let count = min(segment.capacityEnd - position, options.maximumWindowByteCount)
        let start = segment.fileOffset(of: position)
        var zeroByteCount: UInt64 = 0
        while zeroByteCount < count {
            let wanted = min(count - zeroByteCount, Self.pieceByteCount)
            let piece = try segment.file.read(at: start + zeroByteCount, count: Int(wanted))
            didRead(piece.count)
            guard piece.withUnsafeBytes({ Bytes.countUpToLastNonZero($0) }) == 0 else { break }
            guard piece.count == Int(wanted) else { return }  // truncated by another program
            zeroByteCount += wanted
        }
        guard zeroByteCount < count else { return }
        let bytes = try segment.file.read(at: start, count: Int(count))
        nonZeroByteCount = bytes.withUnsafeBytes { Bytes.countUpToLastNonZero($0) }
        guard nonZeroByteCount > 0 else { return }
        let maximumBody = options.maximumStoredBodyByteCount
        let salt = segment.header.salt
        var records = ScatteredRecords(
            salt: salt, fileOffset: start, maximumBodyByteCount: maximumBody)
        bytes.withUnsafeBytes { all in
            records.forEach(in: all, before: nonZeroByteCount) { record, offset in
                guard record.header.durableEnd <= position + UInt64(offset) else { return }
                vouchedEnd = max(vouchedEnd, record.header.durableEnd)
                guard record.header.type == RecordType.commit.rawValue else { return }
                let start = offset + RecordHeader.byteCount
                let body = segment.body(
                    UnsafeRawBufferPointer(rebasing: all[start..<start + record.bodyByteCount]),
                    record.header, at: position + UInt64(offset))
                guard let body, body.count >= 8 else { return }
                versions.append(Bytes.load(UInt64.self, from: body, at: 0))
            }
            isPrefix = Self.isPrefix(
                all, nonZeroByteCount: nonZeroByteCount, salt: salt, fileOffset: start, point,
                maximumBodyByteCount: maximumBody)
        }
        isForged = records.isForged
    }

    /// Returns whether the bytes are the beginning of the next record, followed by zeros: less than
    /// a header, or a valid header with an incomplete body.
    private static func isPrefix(
        _ bytes: UnsafeRawBufferPointer, nonZeroByteCount: Int, salt: UInt64, fileOffset: UInt64,
        _ point: LogPoint, maximumBodyByteCount: Int
    ) -> Bool {
        if nonZeroByteCount < RecordHeader.byteCount {
            func matches<T: FixedWidthInteger>(_ field: T, at offset: Int) -> Bool {
                withUnsafeBytes(of: field.littleEndian) { expected in
                    expected.indices.allSatisfy {
                        offset + $0 >= nonZeroByteCount || bytes[offset + $0] == expected[$0]
                    }
                }
            }
            return matches(point.sequence, at: 16) && matches(point.chain, at: 32)
        }
        guard
            let (header, bodyByteCount) = RecordFraming.decodeHeader(
                bytes, salt: salt, fileOffset: fileOffset,
                maximumBodyByteCount: maximumBodyByteCount),
            header.sequence == point.sequence, header.previousChain == point.chain
        else { return false }
        return nonZeroByteCount < RecordHeader.byteCount + bodyByteCount
    }
}
