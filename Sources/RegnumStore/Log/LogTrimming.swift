/// Removes what neither the two kept checkpoints nor the retention need: segments whose records all
/// lie before the older one, and nodes files that neither names. A nodes file newer than the newest
/// checkpoint's stays: its checkpoint may only just be on its way into the log. If it is not, it goes
/// once a newer file is named, or at the next opening that is alone.
///
/// May run on any thread, beside the log's owner. Interrupted anywhere, it leaves files that the
/// next one removes; other processes keep what they have open or mapped.
package struct LogTrimming: Sendable {
    let directory: any RealmDirectory
    /// The record that names the checkpoints may not be durable yet: nothing is removed.
    let keepsAll: Bool
    /// Records from this position on are needed to open the realm.
    let firstNeeded: LogPosition
    let neededFiles: Set<UInt64>
    /// The newest checkpoint's.
    let newestFile: UInt64
    let lastSegmentNumber: UInt64
    /// Of the log.
    let end: LogPosition
    let wallClockMicroseconds: Int64
    let options: StoreOptions
    /// Nobody else has the realm open: nodes files newer than the newest checkpoint's go too.
    var isAlone = false

    /// Removes; throws what the file system throws, which is harmless.
    package func run() throws(StoreError) {
        guard !keepsAll else { return }
        let names = try directory.names()
        let numbers = names.compactMap(SegmentHeader.parse).filter { $0.generation == 0 }
            .map(\.number).filter { $0 <= lastSegmentNumber }.sorted()
        let files = names.compactMap(NodesHeader.parse)
        let past = try retained(numbers, Set(files))
        let firstNeeded = min(firstNeeded, past?.position ?? .max)
        if firstNeeded > 0 {
            for (number, next) in zip(numbers, numbers.dropFirst()) {
                let successor = try LogSegment.open(directory, generation: 0, number: next)
                guard successor.header.base <= firstNeeded else { break }
                try directory.unlink(SegmentHeader.fileName(generation: 0, number: number))
                // the older ones first, for good: what is left begins anywhere, and has no gap
                try directory.sync()
            }
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

    /// Where the way to the oldest version within the retention begins, if that lies before what is
    /// needed anyway: a checkpoint that a segment's header names, or the log's beginning.
    private func retained(
        _ numbers: [UInt64], _ files: Set<UInt64>
    ) throws(StoreError) -> (position: LogPosition, firstFile: UInt64)? {
        guard !options.retention.isNone, let firstNumber = numbers.first else { return nil }
        if firstNeeded == 0 { return (0, 0) }
        let first = try LogSegment.open(directory, generation: 0, number: firstNumber)
        var segment = first
        var later = numbers.dropFirst()
        // the first segment that has something within the retention
        while let number = later.first {
            let next = try LogSegment.open(directory, generation: 0, number: number)
            guard
                options.retention.hasExpired(
                    before: next.header.base, try firstTime(next), end: end,
                    now: wallClockMicroseconds)
            else { break }
            if next.header.base >= firstNeeded { return nil }
            segment = next
            later.removeFirst()
        }
        while segment.header.base < firstNeeded {
            if let begin = Self.beginning(segment.header, first.header, files) { return begin }
            guard let number = later.popFirst() else { break }
            segment = try LogSegment.open(directory, generation: 0, number: number)
        }
        return nil
    }

    private static func beginning(
        _ header: SegmentHeader, _ first: SegmentHeader, _ files: Set<UInt64>
    ) -> (position: LogPosition, firstFile: UInt64)? {
        let usable = header.checkpoints.all.first { reference in
            reference.position >= first.base && files.contains(reference.file)
        }
        if let usable { return (usable.position, usable.file) }
        return first.number == 0 && first.base == 0 ? (0, 0) : nil
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
