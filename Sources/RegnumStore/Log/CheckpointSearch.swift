/// The checkpoints in the last segment of a log: in its header and in its records.
struct CheckpointSearch {
    /// The newest trustworthy checkpoint, and the one before it.
    var kept: KeptCheckpoints
    /// The log position after the record, or at the start of the segment, that contains them.
    var keptEnd: LogPosition
    /// The maximum `durableEnd` of the header and all valid records.
    var durableEnd: LogPosition
    /// The position of damaged acknowledged bytes before the record with the newest checkpoint.
    /// That record is trusted because of its own checksums.
    var damagedPosition: LogPosition?
    /// All checkpoints in records, as far as these can be read.
    private(set) var named: [CheckpointReference] = []
    /// Why the disk can't read a part of the segment.
    private(set) var failure: StoreError?

    /// The number of blocks that the disk may fail to read.
    private static let maximumBlockCount = 16

    /// Reads the valid records of the segment up to `limit`. If an acknowledged record after damage
    /// has a checkpoint that includes the damaged commits, that checkpoint is the newest. What the
    /// disk can't read is damage, too; if it is needed, reading the log from the checkpoint on
    /// throws the disk's error.
    ///
    /// - Parameter vouchedEnd: the durable end according to the control page.
    init(
        _ segment: LogSegment, limit: LogPosition, vouchedEnd: LogPosition, options: StoreOptions
    ) throws(StoreError) {
        var segment = segment
        let file = PatchedFile(segment.file, maximumBlockCount: Self.maximumBlockCount)
        segment.file = file
        kept = segment.header.checkpoints
        keptEnd = segment.header.base
        durableEnd = segment.header.base
        var cursor = RecordCursor(segment, limit: limit, options)
        while true {
            let start = cursor.position
            guard let (record, body) = try cursor.next() else { break }
            durableEnd = max(durableEnd, record.header.durableEnd)
            guard record.header.namesCheckpoints,
                let found = KeptCheckpoints(record, body: body, at: start)
            else { continue }
            kept = found
            keptEnd = cursor.position
            named += found.all
        }
        failure = file.takeFailures(in: 0..<segment.byteCount)?.first
        try salvage(segment, from: cursor.position, limit, vouchedEnd, options)
    }

    private mutating func salvage(
        _ segment: LogSegment, from damaged: LogPosition, _ limit: LogPosition,
        _ vouchedEnd: LogPosition, _ options: StoreOptions
    ) throws(StoreError) {
        let end = min(limit, segment.capacityEnd)
        guard damaged < end else { return }
        // Usually zeros. They are read in full only if bytes here are known to have been durable,
        // or may have been.
        let offset = segment.fileOffset(of: damaged)
        let head = try segment.file.read(at: offset, count: RecordHeader.byteCount)
        guard vouchedEnd > damaged || failure != nil || head.contains(where: { $0 != 0 }) else {
            return
        }
        let bytes = try segment.file.read(
            at: offset, count: Int(min(end - damaged, options.maximumWindowByteCount)))
        var vouched = vouchedEnd
        var found: [(kept: KeptCheckpoints, end: LogPosition)] = []
        var records = ScatteredRecords(
            salt: segment.header.salt, fileOffset: offset,
            maximumBodyByteCount: options.maximumStoredBodyByteCount)
        bytes.withUnsafeBytes { all in
            records.forEach(in: all, before: all.count) { record, place in
                let position = damaged + UInt64(place)
                guard record.header.durableEnd <= position else { return }
                vouched = max(vouched, record.header.durableEnd)
                guard record.header.namesCheckpoints else { return }
                let start = place + RecordHeader.byteCount
                let body = segment.body(
                    UnsafeRawBufferPointer(rebasing: all[start..<start + record.bodyByteCount]),
                    record.header, at: position)
                if let body, let kept = KeptCheckpoints(record, body: body, at: position) {
                    found.append((kept, position + UInt64(record.byteCount)))
                }
            }
        }
        guard vouched > damaged else { return }  // a torn tail, at most
        let usable = found.last { $0.end <= vouched && ($0.kept.newest?.position ?? 0) > damaged }
        guard let usable else { return }
        kept = usable.kept
        keptEnd = usable.end
        named += kept.all
        durableEnd = max(durableEnd, vouched)
        damagedPosition = damaged
    }
}
