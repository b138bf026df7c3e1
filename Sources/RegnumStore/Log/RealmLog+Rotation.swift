/// New segments. A live file is never overwritten, recycled or renamed over: a segment is made
/// whole under a temporary name, synced, and only then gets its name.
extension RealmLog {
    package static let temporaryPrefix = "tmp-"
    package static let spareName = "spare"

    static func temporaryName(_ fileSystem: any FileSystem) -> String {
        temporaryPrefix + String(fileSystem.random(), radix: 16)
    }

    /// Begins a new segment at the log end, twice as large as this one, or smaller where there is
    /// no space for that. The predecessor must be synced.
    ///
    /// - Throws: The reason for which the segment can't be created: `diskFull` if there is no space
    ///   for `minimumByteCount` bytes of records either, `fileMoved` if the realm is no longer
    ///   where it was opened, or the system's refusal of a descriptor, of memory or of permission.
    ///   The log is then unchanged. A failure after the segment was created poisons the instance
    ///   with `ioFailed`, since the new name may or may not be on disk.
    func rotate(minimumByteCount: UInt64) throws(StoreError) {
        let doubled = min(segment.byteCount * 2, options.segmentByteCountMax)
        try rotate(byteCounts: segmentByteCounts(doubled, forRecords: minimumByteCount))
    }

    /// Begins a new segment at the log end, of the first of the sizes for which there is space.
    ///
    /// - Parameter isSmall: a spare, which may be larger, is not used.
    func rotate(byteCounts sizes: [UInt64], isSmall: Bool = false) throws(StoreError) {
        precondition(durableEnd == position, "rotation of an unsynced segment")
        try checkPlace()  // a new file's name would be taken from the realm that is there now
        var header = SegmentHeader(
            realmID: realmID, generation: segment.header.generation,
            number: segment.header.number + 1, firstSequence: nextSequence,
            salt: fileSystem.random(), base: position, previousChain: chain)
        header.checkpoints = checkpoints
        do {
            try begin(header, byteCounts: sizes, usesSpare: !isSmall)
        } catch {
            if error.code == .outcomeUnknown { throw poison(error, .ioFailed) }
            endWriting()
            if error.code == .diskFull {
                throw StoreError(
                    .diskFull,
                    "There is no space left for a new log segment of \(sizes.last ?? 0) bytes in "
                        + "\(path): nothing was committed.", path: path, errno: error.errno)
            }
            throw StoreError(
                error.code == .filePermissionDenied ? error.code : .ioFailed,
                "A new log segment in \(path) could not be made (\(error.sentence)): nothing was "
                    + "committed.", path: path, errno: error.errno)
        }
    }

    /// Goes on in a new segment where `LOCK` was lost: a process that has the old one open may just
    /// be writing behind the log end, and the base of the next segment cuts that off. Its
    /// checkpoint may be on its way into the newest nodes file, to which nothing more is appended
    /// here.
    ///
    /// Requires the writer lock, and that all is synced. Without space it goes on in the same
    /// segment.
    func leaveSegment() throws(StoreError) {
        if let newest = checkpoints.newest { try? nodes.file(newest.file).abandon() }
        do {
            try rotate(byteCounts: [options.firstSegmentByteCount], isSmall: true)
        } catch {
            guard error.code == .diskFull else { throw error }
        }
    }

    /// The sizes to try for a segment with that many bytes of records, the best first.
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

    /// The size of a segment that holds that many bytes of records.
    func segmentByteCount(forRecords byteCount: UInt64) -> UInt64 {
        SegmentHeader.byteCount + (byteCount + 4095) & ~4095
    }

    /// As the other one, with the first of the sizes for which there is space. A spare that is too
    /// small for the first of them makes room.
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

    /// Makes the segment, with `frames` as its first records, and makes it current.
    ///
    /// Throws `outcomeUnknown` where its name may be on disk or not; any other error means that it
    /// is not there.
    func begin(
        _ header: SegmentHeader, byteCount: UInt64, usesSpare: Bool = true,
        _ frames: [UInt8] = []
    ) throws(StoreError) {
        let temporary = Self.temporaryName(fileSystem)
        // no records in a spare: a power cut could give it back its name, with them in it
        var file =
            frames.isEmpty && usesSpare ? try takeSpare(temporary, byteCount: byteCount) : nil
        if file == nil {
            file = try LogSegment.makeBlank(directory, name: temporary, byteCount: byteCount)
        }
        guard let file else { return }
        let name = SegmentHeader.fileName(generation: header.generation, number: header.number)
        let size: UInt64
        do {
            try file.write(header.encoded() + frames, at: 0)
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
            // what the system refuses was not done; a disk that fails may have done it
            let isRefused = error.code == .diskFull || error.code == .filePermissionDenied
            throw isRefused ? error : uncertain(error)
        }
        do {
            try directory.sync()
        } catch {
            throw uncertain(error)  // also without space nobody may go on before it
        }
        segment = LogSegment(header: header, name: name, file: file, byteCount: size)
    }

    private func uncertain(_ error: StoreError) -> StoreError {
        StoreError(
            .outcomeUnknown, error.sentence, path: error.path ?? path, errno: error.errno)
    }

    private func takeSpare(_ temporary: String, byteCount: UInt64) throws(StoreError)
        -> (any StoreFile)?
    {
        do {
            try directory.rename(Self.spareName, to: temporary)
        } catch {
            if error.code == .fileNotFound { return nil }
            throw error
        }
        do {
            let file = try directory.open(temporary)
            let size = try file.size()
            if size >= byteCount, size <= options.segmentByteCountMax { return file }
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
        try directory.unlink(temporary)
        return nil
    }

    /// Whether a spare segment should be made now: the realm has had a second segment, and the
    /// current one is more than half full.
    package var wantsSpare: Bool {
        options.keepsSpareSegment && segment.header.number > 0
            && remainingByteCount < segment.byteCount / 2
    }

    /// What `SpareSegment.make` needs; it may run on any thread beside the log's owner.
    package var spareSegment: SpareSegment {
        SpareSegment(
            fileSystem: fileSystem, directory: directory, segmentNumber: segment.header.number,
            byteCount: min(segment.byteCount * 2, options.segmentByteCountMax))
    }

    /// The first segment of a new realm, with the header of a seeded one or a new one.
    static func makeFirstSegment(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, _ options: StoreOptions,
        _ seeded: SegmentHeader? = nil
    ) throws(StoreError) {
        let header =
            seeded
            ?? SegmentHeader(
                realmID: Identity128(high: fileSystem.random(), low: fileSystem.random()),
                generation: 0, number: 0, firstSequence: 1, salt: fileSystem.random(), base: 0,
                previousChain: 0)
        let temporary = temporaryName(fileSystem)
        let file = try LogSegment.makeBlank(
            directory, name: temporary, byteCount: options.firstSegmentByteCount)
        do {
            try file.write(header.encoded(), at: 0)
            try file.sync()
            try directory.rename(
                temporary, to: SegmentHeader.fileName(generation: 0, number: header.number))
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
        try directory.sync()
    }
}

/// A blank segment that is prepared before it is needed, so that rotation does not wait for its
/// zeros. It touches no file of the log.
package struct SpareSegment: Sendable {
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    /// The number of the segment that was current when the spare became due.
    package let segmentNumber: UInt64
    let byteCount: UInt64

    /// Makes the spare, unless there is one. A failure is harmless: rotation then makes its own.
    package func make() {
        do {
            guard try !directory.names().contains(RealmLog.spareName) else { return }
            let temporary = RealmLog.temporaryName(fileSystem)
            _ = try LogSegment.makeBlank(directory, name: temporary, byteCount: byteCount)
            try directory.rename(temporary, to: RealmLog.spareName)
        } catch {}
    }
}
