/// Opening a realm: what is in the directory, who else is there, what the log's end is.
extension RealmLog {
    /// Opens the realm in the directory at `path`, or makes a new one in a missing or empty
    /// directory, and delivers all its commits.
    ///
    /// Blocks on the disk, and on another process that is just recovering the realm.
    ///
    /// Throws `invalidDatabase` for damage and for directories that are no realm,
    /// `unsupportedFormat` for newer formats, `busy` if another process recovers for longer than
    /// the open timeout, and what the file system throws. On an error nothing was changed, except
    /// that a `LOCK` of zeros may have been made.
    package static func open(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        let directory = try fileSystem.openDirectory(path, create: true)
        try checkForeign(directory)
        let lock = try openLock(directory)
        let start = fileSystem.monotonicNanoseconds()
        while true {
            let isOpening = try !lock.tryLock(.session, .shared)  // somebody has it exclusively
            let isWriter = isOpening ? false : try lock.tryLock(.writer, .exclusive)
            if isWriter {
                lock.countGrant()
                defer {
                    lock.unlock(.writer)
                    lock.signalRelease()
                }
                return try openAsWriter(fileSystem, directory, lock, options, deliver)
            }
            if !isOpening, let page = lock.loadControl(), let boot = page.bootID,
                boot == fileSystem.bootID(),
                !page.isPoisoned
            {
                return try openAsReader(fileSystem, directory, lock, options, page, deliver)
            }
            guard fileSystem.monotonicNanoseconds() - start < options.openTimeoutNanoseconds else {
                throw StoreError(
                    .busy,
                    "Another process has been recovering \(path) for longer than "
                        + "\(options.openTimeoutNanoseconds / 1_000_000_000) s.", path: path)
            }
            IOPool.shared.waiting {
                lock.waitForRelease(observed: lock.releaseWord(), timeoutNanoseconds: 10_000_000)
            }
        }
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
        let foreign = names.filter {
            $0 != "LOCK" && $0 != spareName && !$0.hasPrefix(temporaryPrefix)
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

    /// Another process has the writer lock: everything up to the published end is good, and the
    /// tail is that process's.
    private static func openAsReader(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, _ lock: any LockFile,
        _ options: StoreOptions, _ page: ControlPage, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        let first = try LogSegment.open(directory, generation: 0, number: 0)
        guard first.header.realmID == page.realmID else {
            throw StoreError(
                .invalidDatabase, "\(directory.path)/LOCK belongs to another realm than the log.",
                path: directory.path)
        }
        let log = RealmLog(
            fileSystem: fileSystem, directory: directory, lock: lock, options: options,
            segment: first)
        var report = RecoveryReport()
        report.followedWriter = true
        log.control = page
        try log.read(through: page) { (body) throws(StoreError) in
            report.commitCount += 1
            try deliver(body)
        }
        report.version = log.version
        report.logEnd = log.position
        return (log, report)
    }

    /// Nobody writes: read all segments, judge the tail, put the control page right.
    private static func openAsWriter(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, _ lock: any LockFile,
        _ options: StoreOptions, _ deliver: Deliver
    ) throws(StoreError) -> (RealmLog, RecoveryReport) {
        var report = RecoveryReport()
        var numbers = try segmentNumbers(directory)
        let isAlone = try lock.tryLock(.session, .exclusive)
        defer { if isAlone { _ = try? lock.tryLock(.session, .shared) } }
        if numbers.isEmpty {
            if let page = lock.loadControl(), page.version > 0 {
                throw StoreError(
                    .invalidDatabase,
                    "The log of \(directory.path) is gone: LOCK tells of commits up to version "
                        + "\(page.version), and no log file is there. Restore it from a backup, or "
                        + "remove LOCK to begin a new realm.", path: directory.path,
                    lastGoodVersion: 0)
            }
            try makeFirstSegment(fileSystem, directory, options)
            numbers = [0]
            report.isNew = true
        }
        let log = RealmLog(
            fileSystem: fileSystem, directory: directory, lock: lock, options: options,
            segment: try LogSegment.open(directory, generation: 0, number: 0))
        log.holdsWriter = true
        defer { log.holdsWriter = false }
        let counting: Deliver = { (body) throws(StoreError) in
            report.commitCount += 1
            try deliver(body)
        }
        // a maker that died may have named a segment without making the name durable
        try directory.sync()
        for number in numbers.dropFirst() {
            let next = try LogSegment.open(directory, generation: 0, number: number)
            try log.checkSuccessor(next)
            try log.readSegment(limit: next.header.base, counting)
            if log.position < next.header.base {
                throw log.damage(
                    at: log.position,
                    "Segment \(number) begins at position \(next.header.base), "
                        + "so everything before it was durable. ")
            }
            try log.enter(next)
        }
        try log.readSegment(limit: log.segment.capacityEnd, counting)
        let page = lock.loadControl().flatMap { $0.realmID == log.realmID ? $0 : nil }
        report.controlPageWasLost = page == nil && !report.isNew
        report.isOtherBoot = !log.isSameBoot(page) && !report.isNew
        var vouched = page?.durableEnd ?? 0
        if let page, log.isSameBoot(page) { vouched = max(vouched, page.visibleEnd) }
        let isKnown = page != nil
        log.control = page ?? ControlPage(realmID: log.realmID, bootID: log.bootID)
        log.control.bootID = log.bootID
        log.control.writerEpoch = max(log.control.writerEpoch, log.lastWriterEpoch)
        try log.recoverTail(vouchedEnd: vouched, page: page, &report, counting)
        log.publish(wakes: !isAlone)
        if !isKnown { lock.storeControl(&log.control) }  // both slots
        if isAlone { log.removeLeftovers() }
        report.version = log.version
        report.logEnd = log.position
        return (log, report)
    }

    /// The numbers of all segments, which must be 0, 1, 2 … of generation 0.
    private static func segmentNumbers(_ directory: any RealmDirectory) throws(StoreError)
        -> [UInt64]
    {
        let segments = try directory.names().compactMap(SegmentHeader.parse)
        if let other = segments.first(where: { $0.generation != 0 }) {
            throw StoreError(
                .unsupportedFormat,
                "\(directory.path) was compacted (generation \(other.generation)) by a newer "
                    + "version of Regnum. Use that one.", path: directory.path)
        }
        let numbers = segments.map(\.number).sorted()
        for (index, number) in numbers.enumerated() where UInt64(index) != number {
            throw StoreError(
                .invalidDatabase,
                "\(directory.path) lacks segment log-0-\(index) of its log, though log-0-\(number) "
                    + "is there. Restore it from a backup.",
                path: directory.path + "/log-0-\(index)")
        }
        return numbers
    }

    func isSameBoot(_ page: ControlPage?) -> Bool {
        guard let page, let boot = page.bootID, let bootID else { return false }
        return boot == bootID
    }

    /// Removes unfinished files that nobody can be working on. Failure is harmless.
    private func removeLeftovers() {
        guard let names = try? directory.names() else { return }
        for name in names where name.hasPrefix(Self.temporaryPrefix) {
            try? directory.unlink(name)
        }
    }
}
