/// Opening a realm: examining its directory, detecting other processes, and finding the log's end.
extension RealmLog {
    /// Opens the realm in the directory at `path`, or creates one in a missing or empty directory,
    /// and delivers its commits: those after the newest usable checkpoint, which `load` receives
    /// first, or all of them without `load`.
    ///
    /// Blocks on the disk, and on another process that is recovering the realm.
    ///
    /// Throws `invalidDatabase` for damage and for directories that aren't realms,
    /// `unsupportedFormat` for newer formats, `incompatiblePeer` if a process with another version
    /// of the library has the realm open, `busy` if another process is in recovery for longer than
    /// the open timeout, and the errors of the file system. On an error nothing has changed, except
    /// that a `LOCK` of zeros may have been created.
    ///
    /// - Parameters:
    ///   - seed: the initial content of a new realm.
    ///   - isWanted: called every 10 ms while waiting for another process; returning false stops
    ///     with the error `closed`.
    package static func open(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, seed: Seed? = nil,
        isWanted: () -> Bool = { true }, load: Load? = nil, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        do {
            return try open(fileSystem, path, options, seed, isWanted, load, deliver)
        } catch {
            var error = error
            // No process has a newer checkpoint, so the missing files were needed.
            if error.code == .historyTrimmed { error.code = .invalidDatabase }
            throw error
        }
    }

    private static func open(
        _ fileSystem: any FileSystem, _ path: String, _ options: StoreOptions, _ seed: Seed?,
        _ isWanted: () -> Bool, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        var (directory, lock) = try enter(fileSystem, path, options, seed)
        let start = fileSystem.monotonicNanoseconds()
        defer { lock.unlock(.waiters) }
        while true {
            let isOpening = try !lock.tryLock(.session, .shared)  // held exclusively elsewhere
            if !isOpening, try !lock.isCurrent() {  // the realm was removed
                (directory, lock) = try enter(fileSystem, path, options, seed)
                continue
            }
            if !isOpening, try waitForForeignPeer(fileSystem, lock, path, since: start) { continue }
            let place = Place(
                fileSystem: fileSystem, directory: directory, lock: lock, options: options)
            let isWriter = isOpening ? false : try lock.tryLock(.writer, .exclusive)
            if isWriter {
                lock.countGrant()
                defer {
                    lock.unlock(.writer)
                    lock.signalRelease()
                }
                return try openAsWriter(place, seed, load, deliver)
            }
            if !isOpening, let page = lock.loadControl(), let boot = page.bootID,
                boot == fileSystem.bootID(),
                !page.isPoisoned
            {
                return try openAsReader(place, page, load, deliver)
            }
            guard fileSystem.monotonicNanoseconds() - start < options.openTimeoutNanoseconds else {
                let holder = lock.load(.lastHolder)
                throw StoreError(
                    .busy,
                    "Another process has been recovering or removing the realm at \(path) for "
                        + "longer than \(options.openTimeoutNanoseconds / 1_000_000_000) s. It "
                        + "may be suspended."
                        + (holder > 0 ? " The last writer was \(processDescription(holder))." : ""),
                    path: path)
            }
            guard isWanted() else {
                throw StoreError(.closed, "Opening \(path) was cancelled.", path: path)
            }
            let observed = lock.load(.release)
            // A busy writer keeps the lock unless it sees that another process waits for it, and
            // without a boot id, this one can't read beside it.
            if !isOpening { _ = try? lock.tryLock(.waiters, .shared) }
            lock.waitForRelease(observed: observed, timeoutNanoseconds: 10_000_000)
        }
    }

    /// Opens the directory, creating it if it is missing, and its `LOCK`.
    private static func enter(
        _ fileSystem: any FileSystem, _ path: String, _ options: StoreOptions, _ seed: Seed?
    ) throws(StoreError) -> (any RealmDirectory, any LockFile) {
        try checkLocal(fileSystem, path, options)
        for attempt in 0... {
            do throws(StoreError) {
                let directory = try fileSystem.openDirectory(
                    path, seed?.directory == nil ? .creating : .existing)
                if let identity = seed?.directory, directory.identity != identity {
                    throw StoreError(
                        .fileMoved, "The directory \"\(path)\" was replaced while being written.",
                        path: path)
                }
                try checkForeign(directory)
                return (directory, try openLock(directory))
            } catch {  // removed between two steps
                guard error.code == .fileNotFound, attempt < 3 else { throw error }
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    /// Throws `fileAccess` for file systems on which locks or mappings may not be shared by all
    /// users.
    static func checkLocal(
        _ fileSystem: any FileSystem, _ path: String, _ options: StoreOptions
    ) throws(StoreError) {
        guard !options.allowsNetworkFileSystem, let name = fileSystem.networkFileSystem(at: path)
        else { return }
        throw StoreError(
            .fileAccess,
            "\"\(path)\" is on a file system (\(name)) whose locks and memory mappings may not be "
                + "coherent. Keep the realm on a local disk, or set "
                + "Configuration.allowsNetworkFileSystem if only this machine uses it.", path: path)
    }

    private static func openLock(_ directory: any RealmDirectory) throws(StoreError)
        -> any LockFile
    {
        for _ in 0..<3 {
            let lock = try directory.openLock()
            if try lock.isCurrent() { return lock }
        }
        throw StoreError(
            .fileAccess, "\(directory.path)/LOCK is being replaced by another process.",
            path: directory.path + "/LOCK")
    }

    /// Throws `invalidDatabase` for a directory without a log that contains unrelated files.
    ///
    /// Throws `fileNotFound` if another process has removed files in the meantime, such as those of
    /// the realm.
    private static func checkForeign(_ directory: any RealmDirectory) throws(StoreError) {
        let names = try directory.names()
        do throws(StoreError) {
            try checkForeign(directory, names)
        } catch {
            var error = error
            if error.code == .invalidDatabase, try !Set(directory.names()).isSuperset(of: names) {
                error.code = .fileNotFound
            }
            throw error
        }
    }

    private static func checkForeign(
        _ directory: any RealmDirectory, _ names: [String]
    ) throws(StoreError) {
        if names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) { return }
        let isUnfinished = try UnfinishedMark.isUnfinished(directory, names, nil)
        let own = UnfinishedMark.names.union(["LOCK", spareName, backupMarkName])
        let foreign = names.filter {
            !own.contains($0) && !$0.hasPrefix(TemporaryName.prefix) && !(isUnfinished && isOwn($0))
        }
        if let error = missingLog(directory, foreign, nil) { throw error }
        if let first = foreign.min() {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path) is not a realm: it has other files (such as \(first)) and no "
                    + "log. Use a new or empty directory.", path: directory.path)
        }
        guard names.contains("LOCK") else { return }
        let start = try directory.open("LOCK").read(at: 0, count: 8)
        let known = ControlPage(realmID: Identity128(high: 0, low: 0), bootID: nil).words[0]
        if start.contains(where: { $0 != 0 }),
            start.count < 8 || Bytes.load(UInt64.self, from: start, at: 0) != known
        {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path) is not a realm: its LOCK belongs to another program.",
                path: directory.path + "/LOCK")
        }
    }

    /// Opens a realm while another process holds the writer lock. Everything up to the published
    /// end is valid, and the tail belongs to that process. If it trims the log concurrently, there
    /// is a newer checkpoint.
    static func openAsReader(
        _ place: Place, _ first: ControlPage, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        var page = first
        for attempt in 0... {
            let result = Result { () throws(StoreError) in
                try openAsReader(place, through: page, load, deliver)
            }
            if case .success(let opened) = result, try !isTrimmed(opened.1, place) {
                return opened
            }
            guard load != nil, attempt < 8, var now = place.lock.loadControl() else {
                return try result.get()
            }
            if place.directory.isReadOnly { now.dropUnconfirmedEnd(place.lock) }
            guard now.visibleEnd != page.visibleEnd else { return try result.get() }
            page = now
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    /// Whether the file of a checkpoint that couldn't be loaded is missing. It is damage only if no
    /// other process has removed the file, because of a newer checkpoint.
    private static func isTrimmed(
        _ report: RecoveryReport, _ place: Place
    ) throws(StoreError) -> Bool {
        if report.damagedCheckpoints.isEmpty { return false }
        let names = try place.directory.names()
        return report.damagedCheckpoints.contains {
            !names.contains(NodesHeader.fileName($0.file))
        }
    }

    private static func openAsReader(
        _ place: Place, through page: ControlPage, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let beginning = try findBeginning(
            place, lastNumber: page.segmentNumber, limit: page.visibleEnd, page: page, load)
        guard beginning.realmID == page.realmID else {
            throw belongsToAnotherRealm(place.directory.path)
        }
        let log = RealmLog(place, beginning, page)
        var report = RecoveryReport()
        report.followedWriter = true
        report.update(from: beginning)
        try log.read(through: page, nil, deliver)
        report.update(from: log)
        return (log, report)
    }

    /// Opens a realm without a writer.
    private static func openAsWriter(
        _ place: Place, _ seed: Seed?, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let isAlone = try place.lock.tryLock(.session, .exclusive)
        let opened = try recover(place, seed, isAlone: isAlone, load, deliver)
        // Until then, nobody else can open the realm. An error ends this attempt, and its locks.
        if isAlone { _ = try place.lock.tryLock(.session, .shared) }
        return opened
    }

    /// Reads the segments, checks the tail and repairs the control page.
    private static func recover(
        _ place: Place, _ seed: Seed?, isAlone: Bool, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let (directory, lock) = (place.directory, place.lock)
        var report = RecoveryReport()
        if try UnfinishedMark.isUnfinished(directory, directory.names(), lock.loadControl()) {
            for slot in 0...1 { lock.storeControlSlot(slot, ControlWords(repeating: 0)) }
            try removeUnfinished(directory)
        }
        var last = try lastSegmentNumber(directory)
        let failedSyncCount = lock.load(.failedSyncCount)
        let anyPage = lock.loadControlForWriting()
        if last == nil {
            if let error = missingLog(directory, try directory.names(), anyPage) { throw error }
            if let seed {
                last = try makeSeeded(place, seed)
            } else {
                try makeFirstSegment(place.fileSystem, directory, place.options)
                last = 0
            }
            report.isNew = true
        }
        let beginning = try findBeginning(
            place, lastNumber: last ?? 0, limit: .max, page: anyPage, load)
        let page = anyPage.flatMap { $0.realmID == beginning.realmID ? $0 : nil }
        let log = RealmLog(place, beginning, page)
        report.update(from: beginning)
        log.holdsWriter = true
        log.knownFailedSyncCount = failedSyncCount
        defer { log.holdsWriter = false }
        // A process that died while creating a segment may not have made its name durable.
        try log.recordingFailure { () throws(StoreError) in try directory.sync() }
        try log.readAll(beginning, deliver)
        report.controlPageWasLost = page == nil && !report.isNew
        var vouched = page?.durableEnd ?? 0
        if let page, log.isSameBoot(page) { vouched = max(vouched, page.visibleEnd) }
        log.control.writerEpoch = max(log.control.writerEpoch, log.lastWriterEpoch)
        try log.recoverTail(vouchedEnd: vouched, page: page, &report, deliver)
        if !log.isSameBoot(page), !report.isNew { log.noteReboot() }
        log.control.bootID = log.bootID  // not earlier: a failure is recorded in the page as found
        if report.controlPageWasLost { try log.leaveSegment() }
        log.publish(wakes: !isAlone)
        if page == nil { lock.storeControl(&log.control) }  // both slots
        report.strayFiles = try log.removeStrayMarks()
        if isAlone { log.removeLeftovers() }
        report.update(from: log)
        return (log, report)
    }

    /// Reads all valid records from the starting point.
    func readAll(_ beginning: Beginning, _ deliver: Deliver) throws(StoreError) {
        for next in beginning.segments.dropFirst() {
            try checkSuccessor(next)
            try readSegment(limit: next.header.base, deliver)
            if position < next.header.base {
                throw damage(
                    at: position,
                    "Segment \(next.header.number) starts at position \(next.header.base), "
                        + "so everything before it was durable. ")
            }
            try enter(next)
        }
        try readSegment(limit: segment.capacityEnd, deliver)
        durableEnd = max(durableEnd, beginning.search.durableEnd)
    }

    /// Returns the number of the last segment, or `nil` if there is none. Gaps between the starting
    /// point and the last segment are detected later.
    static func lastSegmentNumber(_ directory: any RealmDirectory) throws(StoreError)
        -> UInt64?
    {
        let segments = try directory.names().compactMap(SegmentHeader.parse)
        if let other = segments.first(where: { $0.generation != 0 }) {
            throw StoreError(
                .unsupportedFormat,
                "\(directory.path) was compacted (generation \(other.generation)) by a newer "
                    + "version of Regnum. Use that version.", path: directory.path)
        }
        return segments.map(\.number).max()
    }

    func isSameBoot(_ page: ControlPage?) -> Bool {
        guard let page, let boot = page.bootID, let bootID else { return false }
        return boot == bootID
    }

    /// Removes stray marks of an unfinished copy or removal from a complete realm, before anything
    /// is trimmed. Requires the writer lock.
    ///
    /// Throws if one can't be removed: once trimming has removed the segment that it names, the
    /// next open would mistake it for the mark of an interrupted removal.
    private func removeStrayMarks() throws(StoreError) -> [String] {
        let stray = try directory.names().filter(UnfinishedMark.names.contains).sorted()
        for name in stray { try directory.unlink(name) }
        if !stray.isEmpty { try directory.sync() }
        return stray
    }

    /// Removes files that can't be in use: incomplete ones, and those that a checkpoint failed to
    /// remove because of a crash. Failure is harmless.
    private func removeLeftovers() {
        guard let names = try? directory.names() else { return }
        for name in names where name.hasPrefix(TemporaryName.prefix) || name == Self.backupMarkName
        {
            try? directory.unlink(name)
        }
        guard damagedCheckpoints.isEmpty,
            names.contains(where: { NodesHeader.parse(fileName: $0) != nil })
        else { return }
        var trimming = trimming
        trimming.isAlone = true
        if names.contains(MigrationMark.fileName) {
            // The remains of a killed migration are kept if it can still be resumed, and if that
            // can't be found out now.
            do {
                if let mark = try migrationMark.read(), mark.version == version {
                    trimming.neededFiles.insert(mark.file)
                } else {
                    migrationMark.remove()
                }
            } catch {
                return
            }
        }
        try? trimming.run()
    }
}
