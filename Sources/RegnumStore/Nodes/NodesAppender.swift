/// An appender of extents to a nodes file. The first extent starts at a page boundary after its
/// end, so that whatever a crashed writer left remains as garbage. What an appender has written
/// when it fails is garbage too, but takes no space any more, and the next one of this process may
/// overwrite it if nothing was appended since. Nothing else in the file is overwritten.
///
/// Not thread-safe: used by one thread at a time, in the process that holds the checkpoint lock.
package final class NodesAppender {
    /// Called between writes with the number of bytes written so far; returning false stops the
    /// appender.
    package typealias Pace = (_ writtenByteCount: UInt64) -> Bool

    /// The file that is appended to. Appended extents can be read from it once they are synced.
    package let file: NodesFile
    /// The number of the file if it was created for this appender, so that nothing refers to it
    /// yet.
    package let newFileNumber: UInt64?
    /// The realm's `LOCK`; `nil` in tests of nodes files alone.
    private let lock: (any LockFile)?
    private let options: StoreOptions
    private let pace: Pace
    /// The offset in the file from which on everything is of this appender.
    private let start: UInt64
    private let released: Guarded<[UInt64: Range<UInt64>]>
    private let fileSystem: any FileSystem
    /// Whether a checkpoint in the log is in the file, so that no other file gets its number.
    private let isNamed: Bool
    private var buffer: [UInt8] = []
    /// The offset in the file at which the buffer will be written.
    private var bufferStart: UInt64
    private var writtenByteCount: UInt64 = 0
    private var unsyncedByteCount: UInt64 = 0
    private var hasFailed = false

    /// Throws `invalidDatabase` if the file is shorter than it was, or doesn't reach to the end of
    /// the newest checkpoint in it: the missing bytes may be mapped, so they must not be replaced.
    ///
    /// - Parameter released: By file number: the part from which the last appender of this process
    ///   released its bytes, up to the end of the file at that time. The file only grows, so nobody
    ///   has appended to it while its size is the same.
    init(
        _ file: NodesFile, isNew: Bool = false, after newest: CheckpointReference?,
        released: Guarded<[UInt64: Range<UInt64>]>, lock: (any LockFile)?,
        fileSystem: any FileSystem, options: StoreOptions, pace: @escaping Pace
    ) throws(StoreError) {
        self.file = file
        self.fileSystem = fileSystem
        newFileNumber = isNew ? file.number : nil
        self.released = released
        isNamed = newest?.file == file.number
        self.lock = lock
        self.options = options
        self.pace = pace
        var known: UInt64 = 0
        if let newest, newest.file == file.number {
            let byteCount = newest.byteCount &+ UInt64(options.blockOverheadByteCount)
            known = newest.offset.addingReportingOverflow(byteCount).partialValue
        }
        let size = try file.size(notBelow: known)
        // Removed: this appender may write less than the whole part.
        let part = released.withLock { $0.removeValue(forKey: file.number) }
        if let part, part.upperBound == size, part.lowerBound >= known {
            start = part.lowerBound
        } else {
            start = (size + 4095) & ~4095
        }
        bufferStart = start
        buffer.reserveCapacity(options.nodesWriteByteCount)
    }

    package var fileNumber: UInt64 { file.number }

    /// The bytes that an extent has in addition to its content.
    package var overheadByteCount: Int { options.blockOverheadByteCount }

    /// The end of the file including everything appended so far.
    package var end: UInt64 { bufferStart + UInt64(buffer.count) }

    /// Appends the parts, without gaps between them, as one extent, encrypted if the realm is.
    ///
    /// - Returns: its offset, a multiple of 64. The bytes are durable once `sync` has returned.
    /// - Throws: `diskFull`, `ioFailed`, `fileMoved` if `LOCK` was replaced, or `closed` if the
    ///   pace stopped the appender. The appender can then no longer be used, and what it appended
    ///   is garbage.
    package func append(parts: [UnsafeRawBufferPointer]) throws(StoreError) -> UInt64 {
        precondition(!hasFailed, "append to a failed appender")
        let count = UInt64(parts.reduce(options.blockOverheadByteCount) { $0 + $1.count })
        var offset = (end + 63) & ~63
        let window = options.nodesWindowByteCount
        if count > 0, count <= window, offset / window != (offset + count - 1) / window {
            offset = (offset / window + 1) * window
            try flush()
            bufferStart = offset  // the gap is a hole in the file, which reads as zeros
        }
        for _ in 0..<Int(offset - end) { buffer.append(0) }
        guard let cipher = file.cipher else {
            for part in parts { try write(part) }
            return offset
        }
        var content: [UInt8] = []
        content.reserveCapacity(Int(count))
        for part in parts { content.append(contentsOf: part) }
        let block = content.withUnsafeBytes {
            cipher.block($0, at: NodesFile.place(offset), fileSystem)
        }
        try block.withUnsafeBufferPointer { (bytes) throws(StoreError) in
            try write(UnsafeRawBufferPointer(bytes))
        }
        return offset
    }

    private func write(_ part: UnsafeRawBufferPointer) throws(StoreError) {
        var start = 0
        while start < part.count {
            let room = max(1, options.nodesWriteByteCount - buffer.count)
            let next = min(part.count, start + room)
            buffer.append(contentsOf: part[start..<next])
            start = next
            if buffer.count >= options.nodesWriteByteCount { try flush() }
        }
    }

    /// Makes the next extent begin on another page than the previous one.
    package func beginPage() {
        for _ in 0..<Int((0 &- end) & 4095) { buffer.append(0) }
    }

    /// Writes the buffer and makes everything that was appended durable.
    package func sync() throws(StoreError) {
        precondition(!hasFailed, "sync of a failed appender")
        try flush()
        try syncFile()
    }

    private func flush() throws(StoreError) {
        guard !buffer.isEmpty else { return }
        try checkLock()
        do {
            try file.file.write(buffer, at: bufferStart)
        } catch {
            if error.code != .diskFull || error.isFileTooLarge { file.abandon() }
            giveUp()
            throw error
        }
        bufferStart += UInt64(buffer.count)
        writtenByteCount += UInt64(buffer.count)
        unsyncedByteCount += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
        if unsyncedByteCount >= options.nodesSyncByteCount { try syncFile() }
        guard pace(writtenByteCount) else {
            giveUp()
            throw StoreError(
                .closed, "The checkpoint to \(file.path) was cancelled.", path: file.path)
        }
    }

    /// Throws `fileMoved` if `LOCK` was replaced: a process that has the other one locked may be
    /// appending to the file.
    private func checkLock() throws(StoreError) {
        guard (try? lock?.isCurrent()) == false else { return }
        hasFailed = true
        throw StoreError(
            .fileMoved,
            "The LOCK of the realm was removed or replaced while writing \(file.path).",
            path: file.path)
    }

    private func syncFile() throws(StoreError) {
        guard unsyncedByteCount > 0 else { return }
        do {
            try file.file.sync()
        } catch {
            file.abandon()
            giveUp()
            throw error
        }
        unsyncedByteCount = 0
    }

    /// Ends the use of the appender. If it was to add to an older file, frees the space of what it
    /// has written, so that a full disk has room for commits, or for a checkpoint in a new file
    /// after deletions. A new file is removed as a whole (`NodesDirectory.discard`).
    private func giveUp() {
        hasFailed = true
        guard newFileNumber == nil, lock == nil || (try? lock?.isCurrent()) == true else { return }
        file.file.release(from: start)
        file.forget(from: start)
        guard isNamed, let end = try? file.size(), end > start else { return }
        released.withLock { $0[file.number] = start..<end }
    }
}
