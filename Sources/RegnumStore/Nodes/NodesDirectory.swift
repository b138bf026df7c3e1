/// The nodes files of one realm. Can be used from any thread, without ownership of the log.
package final class NodesDirectory: Sendable {
    private let fileSystem: any FileSystem
    private let directory: any RealmDirectory
    package let realmID: Identity128
    private let options: StoreOptions
    /// The realm's `LOCK`; `nil` in tests of nodes files alone.
    private let lock: (any LockFile)?
    /// The files that are currently in use.
    private let open = Guarded<[UInt64: Reference]>([:])
    /// See `NodesFile.isAbandoned`. Kept here because the `NodesFile` objects are short-lived.
    private let abandoned = Guarded<Set<UInt64>>([])
    /// See `NodesAppender.init`.
    private let released = Guarded<[UInt64: Range<UInt64>]>([:])

    /// The file that this process has created last, whose byte it has locked.
    private let claimed = Guarded<UInt64?>(nil)

    private struct Reference: Sendable {
        weak let file: NodesFile?
    }

    package init(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, realmID: Identity128,
        options: StoreOptions, lock: (any LockFile)? = nil
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.realmID = realmID
        self.options = options
        self.lock = lock
    }

    /// The number of bytes that files can still take on the disk; `nil` if unknown.
    package var freeByteCount: UInt64? { directory.freeByteCount() }

    /// Returns the path of nodes file `number`, which need not exist.
    package func path(ofFile number: UInt64) -> String {
        directory.path + "/" + NodesHeader.fileName(number)
    }

    /// Returns nodes file `number`, sharing one object while it is in use, even if it was removed,
    /// unless another process has created a file with the same number since. That can happen if
    /// the newest checkpoint was damaged and the older one is in a file with a lower number.
    ///
    /// Throws `historyTrimmed` if it doesn't exist, `invalidDatabase` if its header is damaged,
    /// `unsupportedFormat` for a newer format.
    package func file(_ number: UInt64) throws(StoreError) -> NodesFile {
        let known = open.withLock { $0[number]?.file }
        if let known, !known.isRemoved { return known }
        do throws(StoreError) {
            let file = try NodesFile.open(
                directory, number: number, realmID: realmID, abandoned: abandoned,
                options: options)
            return keep(file, inPlaceOf: known)
        } catch {
            guard let known, error.code == .historyTrimmed else { throw error }
            return known
        }
    }

    /// Returns an appender for the next checkpoint: to file `number`, whatever its content; if that
    /// isn't usable, to the file of `newest`, or to a new file if there is no such file, if it
    /// failed or is damaged, if its size, without what a failed appender released, exceeds twice
    /// the live bytes plus 16 MiB (`slackByteCount`, if that is less), or if `isNewFileWanted`.
    ///
    /// Call only as the holder of the checkpoint lock, after reading the log to its end under it.
    /// Throws `invalidDatabase` if the file was truncated.
    package func appender(
        to number: UInt64? = nil, after newest: CheckpointReference?, liveByteCount: UInt64,
        slackByteCount: UInt64 = .max, isNewFileWanted: Bool = false,
        pace: @escaping NodesAppender.Pace = { _ in true }
    ) throws(StoreError) -> NodesAppender {
        // A file that another process removed can still be in use here, but isn't usable.
        if let number, let file = try usable(number), !file.isAbandoned,
            try directory.names().contains(NodesHeader.fileName(number))
        {
            return try NodesAppender(
                file, after: newest, released: released, lock: lock,
                fileSystem: fileSystem, options: options, pace: pace)
        }
        if !isNewFileWanted, let newest, let file = try usable(newest.file) {
            let (twice, overflows) = liveByteCount.multipliedReportingOverflow(by: 2)
            let slack = min(slackByteCount, options.nodesSlackByteCount)
            let limit = twice.addingReportingOverflow(slack)
            let isFull =
                overflows || limit.overflow
                ? false : try filledByteCount(file) > limit.partialValue
            if !isFull, !file.isAbandoned {
                return try NodesAppender(
                    file, after: newest, released: released, lock: lock,
                    fileSystem: fileSystem, options: options, pace: pace)
            }
        }
        let numbers = try directory.names().compactMap(NodesHeader.parse)
        let last = max(numbers.max() ?? 0, newest?.file ?? 0)
        guard last < UInt64.max else {
            throw StoreError(
                .invalidDatabase, "\(directory.path) has a nodes file with an invalid number.",
                path: directory.path)
        }
        try claim(last + 1)
        let file: NodesFile
        do {
            file = try NodesFile.create(
                fileSystem, directory, number: last + 1, realmID: realmID, abandoned: abandoned,
                options: options)
        } catch {
            unclaim(last + 1)
            throw error
        }
        // A file of this number that failed and was removed may still be in use in this process.
        open.withLock { $0[file.number] = Reference(file: file) }
        abandoned.withLock { _ = $0.remove(file.number) }
        released.withLock { $0[file.number] = nil }
        do {
            try directory.sync()
            return try NodesAppender(
                file, isNew: true, after: nil, released: released, lock: lock,
                fileSystem: fileSystem, options: options, pace: pace)
        } catch {
            discard(file.number)
            throw error
        }
    }

    /// Whether the file is the last one that this process created, and its byte is locked.
    /// Otherwise another process may have removed it and created a file with the same number.
    package func isClaimed(_ number: UInt64) -> Bool { claimed.withLock { $0 == number } }

    /// Locks the byte of a new file, which other processes would otherwise take for the remains of
    /// a killed one until the log refers to it. Unlocks that of the file created before, which is
    /// usually recorded in the log or removed by now.
    private func claim(_ number: UInt64) throws(StoreError) {
        guard let lock else { return }
        if let last = claimed.withLock(\.self) { unclaim(last) }
        guard try lock.tryLock(.nodesFile(number), .exclusive) else {
            throw StoreError(
                .busy, "Another process is creating nodes file \(number) of \(directory.path).",
                path: directory.path)
        }
        claimed.withLock { $0 = number }
    }

    /// Unlocks the byte of a file, if that is the last one that was claimed.
    private func unclaim(_ number: UInt64) {
        let isClaimed = claimed.withLock { last in
            guard last == number else { return false }
            last = nil
            return true
        }
        if isClaimed { lock?.unlock(.nodesFile(number)) }
    }

    /// Returns the size of a file without the part that the next appender overwrites.
    private func filledByteCount(_ file: NodesFile) throws(StoreError) -> UInt64 {
        let size = try file.size()
        guard let part = released.withLock({ $0[file.number] }), part.upperBound == size else {
            return size
        }
        return part.lowerBound
    }

    /// Removes a file that was created for a checkpoint (`NodesAppender.newFileNumber`) that failed
    /// or won't be recorded in the log; nothing if that is `nil`.
    ///
    /// Call only as the holder of the checkpoint lock. If the removal fails, the file is removed
    /// later, as after a crash. If `LOCK` was replaced, the name may belong to a file of a process
    /// that uses the other one.
    package func discard(_ number: UInt64?) {
        guard let number, lock == nil || (try? lock?.isCurrent()) == true,
            (try? directory.unlink(NodesHeader.fileName(number))) != nil
        else { return }
        // Another process may create a file of this number.
        open.withLock { $0[number] = nil }
        abandoned.withLock { _ = $0.remove(number) }
        unclaim(number)
    }

    /// Returns the size of those of the files that were removed, each counted once. They take space
    /// as long as they are in use.
    ///
    /// Throws the errors of the file system.
    package func removedByteCount(of files: [NodesFile]) throws(StoreError) -> UInt64 {
        var known = Set(try directory.names())
        var byteCount: UInt64 = 0
        for file in files where known.insert(NodesHeader.fileName(file.number)).inserted {
            byteCount += try file.size()
        }
        return byteCount
    }

    private func usable(_ number: UInt64) throws(StoreError) -> NodesFile? {
        do {
            return try file(number)
        } catch {
            guard error.code == .historyTrimmed || error.code == .invalidDatabase else {
                throw error
            }
            return nil
        }
    }

    /// - Parameter removed: the object of a removed file, which isn't shared any more.
    private func keep(_ file: NodesFile, inPlaceOf removed: NodesFile?) -> NodesFile {
        let kept = open.withLock { open in
            if let other = open[file.number]?.file, other !== removed { return other }
            open = open.filter { $0.value.file != nil }
            open[file.number] = Reference(file: file)
            return file
        }
        if removed != nil, kept === file {
            abandoned.withLock { _ = $0.remove(file.number) }
            released.withLock { $0[file.number] = nil }
        }
        return kept
    }
}
