/// Opening a realm: what is in the directory, who else is there, what the log's end is.
extension RealmLog {
    /// Opens the realm in the directory at `path`, or makes a new one in a missing or empty
    /// directory, and delivers its commits: those behind the newest usable checkpoint, which `load`
    /// takes first, or all.
    ///
    /// Blocks on the disk, and on another process that is just recovering the realm.
    ///
    /// Throws `invalidDatabase` for damage and for directories that are no realm,
    /// `unsupportedFormat` for newer formats, `incompatiblePeer` if a process of another version
    /// has the realm open, `busy` if another process recovers for longer than the open timeout, and
    /// what the file system throws. On an error nothing was changed, except that a `LOCK` of zeros
    /// may have been made.
    ///
    /// - Parameter seed: the content that a new realm begins with.
    package static func open(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, seed: Seed? = nil,
        load: @escaping Load, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        do {
            return try open(
                fileSystem, path: path, options: options, seed: seed, maybe: load, deliver)
        } catch {
            var error = error
            // nobody has newer ones: what is gone was needed
            if error.code == .historyTrimmed { error.code = .invalidDatabase }
            throw error
        }
    }

    /// Opens as the other one does, without the use of checkpoints: delivers all commits, and throws
    /// `invalidDatabase` where the log does not reach back to the first one.
    package static func open(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        try open(fileSystem, path: path, options: options, seed: nil, maybe: nil, deliver)
    }

    private static func open(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, seed: Seed?,
        maybe load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        var (directory, lock) = try enter(fileSystem, path, options, seed)
        let start = fileSystem.monotonicNanoseconds()
        while true {
            let isOpening = try !lock.tryLock(.session, .shared)  // somebody has it exclusively
            if !isOpening, try !lock.isCurrent() {  // somebody has removed the realm meanwhile
                (directory, lock) = try enter(fileSystem, path, options, seed)
                continue
            }
            if !isOpening, try leaveForeignPeer(fileSystem, lock, path, since: start) { continue }
            let isWriter = isOpening ? false : try lock.tryLock(.writer, .exclusive)
            if isWriter {
                lock.countGrant()
                defer {
                    lock.unlock(.writer)
                    lock.signalRelease()
                }
                let place = Place(
                    fileSystem: fileSystem, directory: directory, lock: lock, options: options)
                return try openAsWriter(place, seed, load, deliver)
            }
            if !isOpening, let page = lock.loadControl(), let boot = page.bootID,
                boot == fileSystem.bootID(),
                !page.isPoisoned
            {
                let place = Place(
                    fileSystem: fileSystem, directory: directory, lock: lock, options: options)
                return try openAsReader(place, page, load, deliver)
            }
            guard fileSystem.monotonicNanoseconds() - start < options.openTimeoutNanoseconds else {
                let holder = lock.lastHolder()
                throw StoreError(
                    .busy,
                    "The realm at \(path) has been in recovery by "
                        + (holder > 0 ? processDescription(holder) : "another process")
                        + " for longer than \(options.openTimeoutNanoseconds / 1_000_000_000) s: "
                        + "that process may have been stopped.", path: path)
            }
            lock.waitForRelease(observed: lock.releaseWord(), timeoutNanoseconds: 10_000_000)
        }
    }

    /// Opens the directory, made if it is missing, and its `LOCK`.
    private static func enter(
        _ fileSystem: any FileSystem, _ path: String, _ options: StoreOptions, _ seed: Seed?
    ) throws(StoreError) -> (any RealmDirectory, any LockFile) {
        try checkLocal(fileSystem, path, options)
        for attempt in 0... {
            let directory = try fileSystem.openDirectory(path, create: seed?.directory == nil)
            if let identity = seed?.directory, directory.identity != identity {
                throw StoreError(
                    .fileMoved, "The directory \"\(path)\" was replaced while it was written to.",
                    path: path)
            }
            do {
                try checkForeign(directory)
                return (directory, try openLock(directory))
            } catch {  // removed between the two
                guard error.code == .fileNotFound, attempt < 3 else { throw error }
            }
        }
        preconditionFailure("the attempts end")
    }

    /// Refuses file systems whose locks or mappings may not be shared with others that write there.
    static func checkLocal(
        _ fileSystem: any FileSystem, _ path: String, _ options: StoreOptions
    ) throws(StoreError) {
        guard !options.allowsNetworkFileSystem, let name = fileSystem.networkFileSystem(at: path)
        else { return }
        throw StoreError(
            .fileAccess,
            "\"\(path)\" is on a file system (\(name)) whose locks and mappings may not hold for "
                + "all who use it. Keep the realm on a local disk, or set "
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
            .fileAccess, "\(directory.path)/LOCK is being replaced by somebody.",
            path: directory.path + "/LOCK")
    }

    /// A directory without a log becomes a realm only if it holds nothing of anybody else's.
    private static func checkForeign(_ directory: any RealmDirectory) throws(StoreError) {
        let names = try directory.names()
        if names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) { return }
        let isUnfinished = UnfinishedMark.isUnfinished(directory, names, nil)
        let own = UnfinishedMark.names.union(["LOCK", spareName, backupMarkName])
        let foreign = names.filter {
            !own.contains($0) && !$0.hasPrefix(temporaryPrefix) && !(isUnfinished && isOwn($0))
        }
        if let first = foreign.min() {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path) is not a realm: it holds other files (such as \(first)) and no "
                    + "log. Name a new or empty directory.", path: directory.path)
        }
        guard names.contains("LOCK") else { return }
        let start = try directory.open("LOCK").read(at: 0, count: 8)
        let known = ControlPage(realmID: Identity128(high: 0, low: 0), bootID: nil).words[0]
        if start.contains(where: { $0 != 0 }),
            start.count < 8 || Bytes.load(UInt64.self, from: start, at: 0) != known
        {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path) is not a realm: its LOCK is another program's.",
                path: directory.path + "/LOCK")
        }
    }

    static func log(_ place: Place, _ beginning: Beginning) -> RealmLog {
        let log = RealmLog(
            fileSystem: place.fileSystem, directory: place.directory, lock: place.lock,
            options: place.options, segment: beginning.segments[0])
        log.stand(at: beginning)
        return log
    }

    static func findBeginning(
        _ place: Place, lastNumber: UInt64, limit: LogPosition, page: ControlPage?, _ load: Load?
    ) throws(StoreError) -> Beginning {
        try findBeginning(
            place.directory,
            nodes: { realmID in
                NodesDirectory(
                    place.fileSystem, place.directory, realmID: realmID, options: place.options)
            }, options: place.options, lastNumber: lastNumber, limit: limit, page: page, load: load)
    }

    /// Another process has the writer lock: everything up to the published end is good, and the
    /// tail is that process's. It may trim the log meanwhile: then there is a newer checkpoint.
    static func openAsReader(
        _ place: Place, _ first: ControlPage, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        var page = first
        for attempt in 0... {
            do throws(StoreError) {
                return try openAsReader(place, through: page, load, deliver)
            } catch {
                guard load != nil, attempt < 8, let now = place.lock.loadControl(),
                    now.visibleEnd != page.visibleEnd
                else { throw error }
                page = now
            }
        }
        preconditionFailure("the attempts end")
    }

    private static func openAsReader(
        _ place: Place, through page: ControlPage, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let beginning = try findBeginning(
            place, lastNumber: page.segmentNumber, limit: page.visibleEnd, page: page, load)
        let log = log(place, beginning)
        guard log.realmID == page.realmID else {
            throw StoreError(
                .invalidDatabase, "\(log.path)/LOCK belongs to another realm than the log.",
                path: log.path)
        }
        var report = RecoveryReport()
        report.followedWriter = true
        report.tell(of: beginning)
        log.control = page
        try log.read(through: page, nil) { (body) throws(StoreError) in
            report.commitCount += 1
            try deliver(body)
        }
        report.version = log.version
        report.logEnd = log.position
        return (log, report)
    }

    /// Nobody writes: read the segments, judge the tail, put the control page right.
    private static func openAsWriter(
        _ place: Place, _ seed: Seed?, _ load: Load?, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let (directory, lock) = (place.directory, place.lock)
        var report = RecoveryReport()
        if UnfinishedMark.isUnfinished(directory, try directory.names(), lock.loadControl()) {
            for slot in 0...1 { lock.storeControlSlot(slot, ControlWords(repeating: 0)) }
            try removeUnfinished(directory)
        }
        var last = try lastSegmentNumber(directory)
        let isAlone = try lock.tryLock(.session, .exclusive)
        defer { if isAlone { _ = try? lock.tryLock(.session, .shared) } }
        let failedSyncCount = lock.failedSyncCount()
        let anyPage = lock.loadControlForWriting()
        if last == nil {
            if let page = anyPage, page.version > 0 {
                throw StoreError(
                    .invalidDatabase,
                    "The log of \(directory.path) is gone: LOCK tells of commits up to version "
                        + "\(page.version), and no log file is there. Restore it from a backup, or "
                        + "remove LOCK to begin a new realm.", path: directory.path,
                    lastGoodVersion: 0)
            }
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
        let log = log(place, beginning)
        report.tell(of: beginning)
        log.holdsWriter = true
        log.knownFailedSyncCount = failedSyncCount
        defer { log.holdsWriter = false }
        // not in the report, which recovery changes while it delivers
        var commitCount: UInt64 = 0
        let counting: Deliver = { (body) throws(StoreError) in
            commitCount += 1
            try deliver(body)
        }
        // a maker that died may have named a segment without making the name durable
        try directory.sync()
        try log.readAll(beginning, counting)
        let page = anyPage.flatMap { $0.realmID == log.realmID ? $0 : nil }
        report.controlPageWasLost = page == nil && !report.isNew
        report.isOtherBoot = !log.isSameBoot(page) && !report.isNew
        var vouched = page?.durableEnd ?? 0
        if let page, log.isSameBoot(page) { vouched = max(vouched, page.visibleEnd) }
        let isKnown = page != nil
        log.control = page ?? ControlPage(realmID: log.realmID, bootID: log.bootID)
        log.control.bootID = log.bootID
        log.control.writerEpoch = max(log.control.writerEpoch, log.lastWriterEpoch)
        try log.recoverTail(vouchedEnd: vouched, page: page, &report, counting)
        if report.controlPageWasLost { try log.leaveSegment() }
        log.publish(wakes: !isAlone)
        if !isKnown { lock.storeControl(&log.control) }  // both slots
        if isAlone { log.removeLeftovers() }
        report.strayFiles = try log.removeStrayMarks()
        report.commitCount = commitCount
        report.version = log.version
        report.logEnd = log.position
        return (log, report)
    }

    /// Reads everything that is valid, from the beginning on.
    func readAll(_ beginning: Beginning, _ deliver: Deliver) throws(StoreError) {
        for next in beginning.segments.dropFirst() {
            try checkSuccessor(next)
            try readSegment(limit: next.header.base, deliver)
            if position < next.header.base {
                throw damage(
                    at: position,
                    "Segment \(next.header.number) begins at position \(next.header.base), "
                        + "so everything before it was durable. ")
            }
            try enter(next)
        }
        try readSegment(limit: segment.capacityEnd, deliver)
        durableEnd = max(durableEnd, beginning.search.durableEnd)
    }

    /// The number of the last segment, nil if there is none. Those before it must be there without
    /// a gap from wherever reading begins: that is seen later.
    static func lastSegmentNumber(_ directory: any RealmDirectory) throws(StoreError)
        -> UInt64?
    {
        let segments = try directory.names().compactMap(SegmentHeader.parse)
        if let other = segments.first(where: { $0.generation != 0 }) {
            throw StoreError(
                .unsupportedFormat,
                "\(directory.path) was compacted (generation \(other.generation)) by a newer "
                    + "version of Regnum. Use that one.", path: directory.path)
        }
        return segments.map(\.number).max()
    }

    func isSameBoot(_ page: ControlPage?) -> Bool {
        guard let page, let boot = page.bootID, let bootID else { return false }
        return boot == bootID
    }

    /// Removes marks of an unfinished copy or removal that the realm, which is whole, belies.
    /// Requires the writer lock.
    private func removeStrayMarks() throws(StoreError) -> [String] {
        let stray = try directory.names().filter(UnfinishedMark.names.contains).sorted()
        for name in stray { try? directory.unlink(name) }
        if !stray.isEmpty { try directory.sync() }
        return stray
    }

    /// Removes files that nobody can be working on: unfinished ones, and what a crash kept a
    /// checkpoint from removing. Failure is harmless.
    private func removeLeftovers() {
        guard let names = try? directory.names() else { return }
        for name in names where name.hasPrefix(Self.temporaryPrefix) || name == Self.backupMarkName
        {
            try? directory.unlink(name)
        }
        guard damagedCheckpoints.isEmpty,
            names.contains(where: { NodesHeader.parse(fileName: $0) != nil })
        else { return }
        var trimming = trimming
        trimming.isAlone = true
        if names.contains(MigrationMark.fileName) {
            // what a migration has left that was killed, if it can still be gone on with
            if let mark = migrationMark.read(), mark.version == version {
                trimming.neededFiles.insert(mark.file)
            } else {
                migrationMark.remove()
            }
        }
        try? trimming.run()
    }
}
