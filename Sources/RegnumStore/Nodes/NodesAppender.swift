/// Appends extents to a nodes file. Nothing in the file is overwritten: the first extent begins
/// behind its end, at a page, so that what a crashed writer left stays as garbage.
///
/// Not thread-safe: one thread at a time, in the process that holds the checkpoint lock.
package final class NodesAppender {
    /// Told the bytes written so far, between writes; false: stop.
    package typealias Pace = (_ writtenByteCount: UInt64) -> Bool

    /// What is appended to; reads what was appended once it is synced.
    package let file: NodesFile
    private let options: StoreOptions
    private let pace: Pace
    private var buffer: [UInt8] = []
    /// Where in the file the buffer goes.
    private var bufferStart: UInt64
    private var writtenByteCount: UInt64 = 0
    private var unsyncedByteCount: UInt64 = 0
    private var hasFailed = false

    /// Throws `invalidDatabase` if the file is shorter than it was, or doesn't reach to the end of
    /// the newest checkpoint in it: what was there may be mapped, and must not become other bytes.
    init(
        _ file: NodesFile, after newest: CheckpointReference?, options: StoreOptions,
        pace: @escaping Pace
    ) throws(StoreError) {
        self.file = file
        self.options = options
        self.pace = pace
        var known: UInt64 = 0
        if let newest, newest.file == file.number {
            known = newest.offset.addingReportingOverflow(newest.byteCount).partialValue
        }
        bufferStart = (try file.size(notBelow: known) + 4095) & ~4095
        buffer.reserveCapacity(options.nodesWriteByteCount)
    }

    package var fileNumber: UInt64 { file.number }

    /// Where the file ends with what was appended so far.
    package var end: UInt64 { bufferStart + UInt64(buffer.count) }

    /// Appends one extent.
    ///
    /// - Returns: where it begins, a multiple of 64. The bytes are durable once `sync` returned.
    /// - Throws: `diskFull`, `ioFailed`, or `closed` where the pace said stop; then the appender
    ///   takes no more, and what it appended is garbage.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UInt64 {
        try append(parts: [bytes])
    }

    /// Appends the parts, one directly behind the other, as one extent.
    package func append(parts: [UnsafeRawBufferPointer]) throws(StoreError) -> UInt64 {
        precondition(!hasFailed, "an appender that failed takes no more")
        let count = UInt64(parts.reduce(0) { $0 + $1.count })
        var offset = (end + 63) & ~63
        let window = options.nodesWindowByteCount
        if count > 0, count <= window, offset / window != (offset + count - 1) / window {
            offset = (offset / window + 1) * window
            try flush()
            bufferStart = offset  // the gap is a hole in the file: zeros
        }
        for _ in 0..<Int(offset - end) { buffer.append(0) }
        for part in parts {
            var start = 0
            while start < part.count {
                let room = max(1, options.nodesWriteByteCount - buffer.count)
                let next = min(part.count, start + room)
                buffer.append(contentsOf: part[start..<next])
                start = next
                if buffer.count >= options.nodesWriteByteCount { try flush() }
            }
        }
        return offset
    }

    /// Writes what is gathered and makes everything that was appended durable.
    package func sync() throws(StoreError) {
        precondition(!hasFailed, "an appender that failed takes no more")
        try flush()
        try syncFile()
    }

    private func flush() throws(StoreError) {
        guard !buffer.isEmpty else { return }
        do {
            try file.file.write(buffer, at: bufferStart)
        } catch {
            hasFailed = true
            if error.code != .diskFull { file.abandon() }
            throw error
        }
        bufferStart += UInt64(buffer.count)
        writtenByteCount += UInt64(buffer.count)
        unsyncedByteCount += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
        if unsyncedByteCount >= options.nodesSyncByteCount { try syncFile() }
        guard pace(writtenByteCount) else {
            hasFailed = true
            throw StoreError(
                .closed, "Writing a checkpoint to \(file.path) was stopped.", path: file.path)
        }
    }

    private func syncFile() throws(StoreError) {
        guard unsyncedByteCount > 0 else { return }
        do {
            try file.file.sync()
        } catch {
            hasFailed = true
            file.abandon()
            throw error
        }
        unsyncedByteCount = 0
    }
}
