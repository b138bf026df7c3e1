/// Removes what neither the two kept checkpoints nor the retention need: segments whose records all
/// lie before the older one, and nodes files that neither names. A nodes file newer than the newest
/// checkpoint's stays: its checkpoint may only just be on its way into the log. If it is not, it goes
/// once a newer file is named, or at the next opening that is alone.
///
/// May run on any thread, beside the log's owner. Interrupted anywhere, it leaves files that the
/// next one removes; other processes keep what they have open or mapped.
package struct LogTrimming: Sendable {
    let directory: any RealmDirectory
    /// Nothing is removed, because the record that names the checkpoints may not be durable yet, or
    /// an older checkpoint is still needed.
    package var keepsAll: Bool
    /// Records from this position on are needed to open the realm.
    let firstNeeded: LogPosition
    var neededFiles: Set<UInt64>
    /// The newest checkpoint's.
    let newestFile: UInt64
    let lastSegmentNumber: UInt64
    /// Of the log.
    let end: LogPosition
    let wallClockMicroseconds: Int64
    let options: StoreOptions
    let retentionFile: RetentionFile
    /// Nobody else has the realm open: nodes files newer than the newest checkpoint's go too.
    var isAlone = false

    /// Removes; throws what the file system throws, which is harmless.
    package func run() throws(StoreError) {
        guard !keepsAll else { return }
        let names = try directory.names()
        let numbers = names.compactMap(SegmentHeader.parse).filter { $0.generation == 0 }
            .map(\.number).filter { $0 <= lastSegmentNumber }.sorted()
        let files = names.compactMap(NodesHeader.parse)
        let retention = try retentionFile.read() ?? options.retention
        let past = try retained(numbers, files, retention)
        let firstNeeded = min(firstNeeded, past?.position ?? .max)
        for number in try needless(numbers, before: firstNeeded) {
            try directory.unlink(SegmentHeader.fileName(generation: 0, number: number))
            // the older ones first, for good: what is left begins anywhere, and has no gap
            try directory.sync()
        }
        var hasRemoved = false
        for number in files where !neededFiles.contains(number) {
            // numbers rise: the bulk commits since the retained checkpoint are not in lower ones
            let isPast = number < min(newestFile, past?.firstFile ?? .max)
            guard isPast || isAlone && number > newestFile else { continue }
            try directory.unlink(NodesHeader.fileName(number))
            hasRemoved = true
        }
        if hasRemoved { try directory.sync() }
    }

    /// The segments before the last one that does not begin behind the position. Damaged headers are
    /// passed over: they must not keep files for ever.
    private func needless(
        _ numbers: [UInt64], before position: LogPosition
    ) throws(StoreError) -> [UInt64] {
        guard position > 0 else { return [] }
        var count = 0
        for (index, number) in numbers.enumerated().dropFirst() {
            guard let segment = try readable(number) else { continue }
            guard segment.header.base <= position else { break }
            count = index
        }
        return Array(numbers[..<count])
    }

    /// Where the way to the oldest version within the retention begins, if that lies before what is
    /// needed anyway: a checkpoint that a segment's header names, or the log's beginning. A damaged
    /// header ends the past.
    private func retained(
        _ numbers: [UInt64], _ files: [UInt64], _ retention: HistoryRetention
    ) throws(StoreError) -> (position: LogPosition, firstFile: UInt64)? {
        guard !retention.isNone else { return nil }
        if firstNeeded == 0 { return (0, 0) }
        let leastFile = try leastFile(files, retention)
        let files = Set(files)
        var first: SegmentHeader?
        var isExpired = true
        var begin: (position: LogPosition, firstFile: UInt64)?
        for number in numbers {
            guard let segment = try readable(number) else {
                (first, begin) = (nil, nil)
                continue
            }
            let header = segment.header
            if isExpired, number != numbers.first {
                isExpired = retention.hasExpired(
                    before: header.base, try firstTime(segment), end: end,
                    now: wallClockMicroseconds)
                if isExpired { begin = nil }
            }
            // what is within the retention begins at `begin`, which names what it builds on
            if header.base >= firstNeeded || !isExpired && begin != nil { break }
            let oldest = first ?? header
            first = oldest
            begin = begin ?? Self.beginning(header, oldest, files, leastFile)
        }
        return begin
    }

    /// A segment; nil if its header is damaged.
    private func readable(_ number: UInt64) throws(StoreError) -> LogSegment? {
        do {
            return try LogSegment.open(directory, generation: 0, number: number)
        } catch {
            guard error.code == .invalidDatabase else { throw error }
            return nil
        }
    }

    /// - Parameter leastFile: what lies in a lower nodes file is too much to keep.
    private static func beginning(
        _ header: SegmentHeader, _ first: SegmentHeader, _ files: Set<UInt64>,
        _ leastFile: UInt64
    ) -> (position: LogPosition, firstFile: UInt64)? {
        let usable = header.checkpoints.all.first { reference in
            reference.position >= first.base && files.contains(reference.file)
                && reference.file >= leastFile
        }
        if let usable { return (usable.position, usable.file) }
        return leastFile == 0 && first.number == 0 && first.base == 0 ? (0, 0) : nil
    }

    /// The lowest nodes file from which on the retention has space for all that only the past
    /// needs; 0 if it has space for all.
    private func leastFile(
        _ files: [UInt64], _ retention: HistoryRetention
    ) throws(StoreError) -> UInt64 {
        guard let limit = retention.nodesByteCount else { return 0 }
        var byteCount: UInt64 = 0
        for number in files.sorted(by: >)
        where number < newestFile && !neededFiles.contains(number) {
            let (sum, isOver) = byteCount.addingReportingOverflow(
                try directory.open(NodesHeader.fileName(number)).size())
            if isOver || sum > limit { return number + 1 }
            byteCount = sum
        }
        return 0
    }

    /// The time of the first commit in a segment.
    private func firstTime(_ segment: LogSegment) throws(StoreError) -> Int64? {
        var cursor = RecordCursor(
            segment, at: segment.header.base, nextSequence: segment.header.firstSequence,
            chain: segment.header.previousChain, limit: .max,
            bodyByteCountMax: options.recordBodyByteCountMax)
        while let (record, body) = try cursor.next() {
            guard record.header.type == RecordType.commit.rawValue, body.count >= 16 else {
                continue
            }
            return Bytes.load(Int64.self, from: body, at: 8)
        }
        return nil
    }
}
