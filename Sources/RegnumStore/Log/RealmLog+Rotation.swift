/// New segments. A live file is never overwritten, recycled or replaced by a rename: a segment is
/// created under a temporary name, synced, and only then renamed.
extension RealmLog {
    package static let spareName = "spare"

    /// Starts a new segment at the log end, with the first of the sizes for which there is space.
    /// The current segment must be synced.
    ///
    /// - Parameters:
    ///   - isSmall: whether to ignore the spare, which may be larger.
    ///   - timelines: the timelines if they change, and whether the realm is still a copy.
    /// - Throws: The reason for which the segment can't be created: `diskFull` if there is no space
    ///   for any size, `fileMoved` if the realm is no longer where it was opened, `invalidDatabase`
    ///   if positions or numbers are used up, as they can be in a forged log, or the error of a
    ///   system that lacks descriptors or memory or denies permission. The log is then unchanged. A
    ///   failure after the segment was created poisons the instance with `ioFailed`, since the new
    ///   name may or may not be on disk.
    func rotate(
        byteCounts sizes: [UInt64], isSmall: Bool = false,
        timelines: (Timelines, isCopy: Bool)? = nil
    ) throws(StoreError) {
        precondition(durableEnd == position, "rotation of an unsynced segment")
        try checkPlace()  // the new file would end up in the realm that is there now
        var header = SegmentHeader(
            realmID: realmID, generation: segment.header.generation,
            number: segment.header.number + 1, firstSequence: end.point.sequence,
            salt: fileSystem.random(), base: position, previousChain: end.point.chain)
        header.checkpoints = checkpoints
        header.fileKey = options.makeFileKey(fileSystem)
        (header.timelines, header.isCopy) =
            timelines ?? (segment.header.timelines, segment.header.isCopy)
        do {
            try begin(header, byteCounts: sizes, usesSpare: !isSmall)
        } catch {
            if error.code == .outcomeUnknown { throw poison(error, .ioFailed) }
            endWriting()
            if error.code == .invalidDatabase { throw error }
            if error.code == .diskFull {
                let reason =
                    error.isFileTooLarge
                    ? "A file size limit does not allow a" : "No space is left for a"
                throw StoreError(
                    .diskFull,
                    "\(reason) new log segment of \(sizes.last ?? 0) bytes in \(path). Nothing was "
                        + "committed.", path: path, errno: error.errno)
            }
            throw StoreError(
                error.code == .filePermissionDenied ? error.code : .ioFailed,
                "Cannot create a new log segment in \(path). \(error.message) Nothing was "
                    + "committed.", path: path, errno: error.errno)
        }
    }

    /// Starts a new segment after `LOCK` was lost. A process that still has the old one open may be
    /// writing after the log end, which the base of the new segment cuts off. Its checkpoint may be
    /// in progress in the newest nodes file, and its migration in the one that the mark names, so
    /// nothing more is appended to them here.
    ///
    /// Requires the writer lock and a synced log. If there is no space, the log continues in the
    /// same segment.
    func leaveSegment() throws(StoreError) {
        for file in [checkpoints.newest?.file, (try? migrationMark.read())?.file] {
            if let file { try? nodes.file(file).abandon() }
        }
        do {
            try rotate(byteCounts: [options.firstSegmentByteCount], isSmall: true)
        } catch {
            guard error.code == .diskFull else { throw error }
        }
    }

    /// Returns the sizes to try for a segment with that many bytes of records, in order of
    /// preference.
    func segmentByteCounts(_ best: UInt64, forRecords byteCount: UInt64) -> [UInt64] {
        let least = segmentByteCount(forRecords: byteCount)
        var sizes = [max(best, least)]
        var next = best / 4 & ~4095
        while next > least {
            sizes.append(next)
            next = next / 4 & ~4095
        }
        if sizes[sizes.count - 1] > least { sizes.append(least) }
        return sizes
    }

    /// Returns the size of a segment for that many bytes of records.
    func segmentByteCount(forRecords byteCount: UInt64) -> UInt64 {
        SegmentHeader.byteCount + (byteCount + 4095) & ~4095
    }

    /// As below, with the first of the sizes for which there is space. With `usesSpare` false,
    /// removes the spare if there is no space for a size.
    func begin(
        _ header: SegmentHeader, byteCounts sizes: [UInt64], usesSpare: Bool = true,
        _ frames: [UInt8] = []
    ) throws(StoreError) {
        for (index, size) in sizes.enumerated() {
            do throws(StoreError) {
                return try begin(header, byteCount: size, usesSpare: usesSpare, frames)
            } catch {
                guard error.code == .diskFull, index + 1 < sizes.count else { throw error }
                if !usesSpare { try? directory.unlink(Self.spareName) }
            }
        }
    }

    /// Creates the segment, with `frames` as its first records, and makes it current.
    ///
    /// Throws `outcomeUnknown` if the segment's name may or may not be on disk; after any other
    /// error it isn't. Throws `invalidDatabase` for a header that couldn't be read again.
    func begin(
        _ header: SegmentHeader, byteCount: UInt64, usesSpare: Bool = true,
        _ frames: [UInt8] = []
    ) throws(StoreError) {
        guard header.isInRange else {
            throw StoreError(
                .invalidDatabase,
                "The log of \(path) has no positions or segment numbers left: its files are "
                    + "damaged. Nothing was committed.", path: path, position: header.base)
        }
        var temporary = TemporaryName.random(fileSystem)
        var file = usesSpare ? try takeSpare(temporary, byteCount: byteCount) : nil
        if file == nil {
            // not the same name: a directory called `spare` can't be removed
            temporary = TemporaryName.random(fileSystem)
            file = try LogSegment.makeBlank(directory, name: temporary, byteCount: byteCount)
        }
        guard let file else { return }
        let name = SegmentHeader.fileName(number: header.number)
        let size: UInt64
        do {
            try file.write(header.encoded(options, fileSystem) + frames, at: 0)
            try file.sync()
            size = try file.size()
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
        do {
            try directory.renameNew(temporary, to: name)
        } catch {
            try? directory.unlink(temporary)
            // An operation that the system refused wasn't performed; one that failed on the disk
            // may have been.
            let isRefused = error.code == .diskFull || error.code == .filePermissionDenied
            throw isRefused ? error : outcomeUnknown(error)
        }
        do {
            try directory.sync()
        } catch {
            // even if the disk is full, the log must not continue before it
            throw outcomeUnknown(error)
        }
        end.segment = LogSegment(
            header: header, name: name, file: file, byteCount: size,
            cipher: options.cipher(header.fileKey))
    }

    private func outcomeUnknown(_ error: StoreError) -> StoreError {
        StoreError(
            .outcomeUnknown, error.message, path: error.path ?? path, errno: error.errno)
    }

    /// Returns the spare under its temporary name. Anything but a blank file of a suitable size is
    /// removed: it may be left from an earlier boot, or not be ours.
    private func takeSpare(_ temporary: String, byteCount: UInt64) throws(StoreError)
        -> (any StoreFile)?
    {
        do {
            try directory.rename(Self.spareName, to: temporary)
        } catch {
            if error.code == .fileNotFound || error.code == .filePermissionDenied { return nil }
            throw error
        }
        if let file = try? directory.open(temporary),
            (try? isBlankSegment(file, byteCount: byteCount)) == true
        {
            return file
        }
        try? directory.unlink(temporary)
        return nil
    }

    private func isBlankSegment(
        _ file: any StoreFile, byteCount: UInt64
    ) throws(StoreError) -> Bool {
        let size = try file.size()
        guard size >= byteCount, size <= options.maximumSegmentByteCount,
            LogSegment.mayHaveSize(size)
        else { return false }
        for offset in stride(from: 0, to: size, by: 1 << 20) {
            let count = Int(min(size - offset, 1 << 20))
            let bytes = try file.read(at: offset, count: count)
            guard bytes.count == count,
                bytes.withUnsafeBytes({ Bytes.countUpToLastNonZero($0) }) == 0
            else { return false }
        }
        return true
    }

    /// Whether a spare segment should be created now: the realm has a second segment, and the
    /// current one is more than half full.
    package var needsSpareSegment: Bool {
        options.keepsSpareSegment && segment.header.number > 0
            && remainingByteCount < segment.byteCount / 2
    }

    /// The next spare segment. Its `make` can run on any thread concurrently with the log's owner.
    package var spareSegment: SpareSegment {
        SpareSegment(
            fileSystem: fileSystem, directory: directory, segmentNumber: segment.header.number,
            byteCount: min(segment.byteCount * 2, options.maximumSegmentByteCount))
    }

    /// Creates the first segment of a realm, with the header of a seeded realm or a new one.
    static func makeFirstSegment(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, _ options: StoreOptions,
        _ seeded: SegmentHeader? = nil
    ) throws(StoreError) {
        var header =
            seeded
            ?? SegmentHeader(
                realmID: Identity128(high: fileSystem.random(), low: fileSystem.random()),
                generation: 0, number: 0, firstSequence: 1, salt: fileSystem.random(), base: 0,
                previousChain: 0)
        header.fileKey = options.makeFileKey(fileSystem)
        let temporary = TemporaryName.random(fileSystem)
        let file = try LogSegment.makeBlank(
            directory, name: temporary, byteCount: options.firstSegmentByteCount)
        let name = SegmentHeader.fileName(number: header.number)
        try directory.complete(temporary, as: name) { () throws(StoreError) in
            try file.write(header.encoded(options, fileSystem), at: 0)
            try file.sync()
        }
        try directory.sync()
    }
}

/// A blank segment that is created in advance, so that rotation needn't wait for its zeros to be
/// written. It touches no file of the log.
package struct SpareSegment: Sendable {
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    /// The number of the segment that was current when the spare became due.
    package let segmentNumber: UInt64
    let byteCount: UInt64

    /// Creates the spare, unless there is one. A failure is harmless: rotation then creates its own
    /// segment.
    package func make() {
        do {
            guard try !directory.names().contains(RealmLog.spareName) else { return }
            let temporary = TemporaryName.random(fileSystem)
            _ = try LogSegment.makeBlank(directory, name: temporary, byteCount: byteCount)
            do {
                try directory.rename(temporary, to: RealmLog.spareName)
            } catch {
                try? directory.unlink(temporary)
            }
        } catch {}
    }
}
