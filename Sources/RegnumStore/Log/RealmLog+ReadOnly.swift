/// Opening a realm without writing to its directory. `Docs/DURABILITY.md` specifies what is read.
extension RealmLog {
    /// Opens the realm in the directory at `path` read-only: delivers its commits as `open` does
    /// and changes nothing, even if a crash left something to repair.
    ///
    /// If the realm has been used since the system booted, it is read up to the published end;
    /// otherwise to the end of the valid records, which the next writer will keep. `catchUp`
    /// continues from there. Such a log must never be written.
    ///
    /// Throws `fileNotFound` if there is no realm; otherwise as `open` does, but never `busy` or
    /// `diskFull`.
    package static func openForReading(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, load: @escaping Load,
        _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        try checkLocal(fileSystem, path, options)
        let directory = try fileSystem.openDirectory(path, .readOnly)
        for attempt in 0... {
            let lock = try ReadOnlyLock(directory)
            lock.show(in: directory)  // prevents removal of the realm
            let place = Place(
                fileSystem: fileSystem, directory: directory, lock: lock, options: options)
            try checkForeignPeer(lock, path)
            let page = lock.loadControl()
            do throws(StoreError) {
                let opened = try openForReading(place, page, load, deliver)
                if opened.report.followedWriter || lock.isUnchanged(since: page, directory) {
                    return opened
                }
                guard attempt < 8 else { return opened }
            } catch {
                // The log was trimmed or repaired while it was read.
                guard attempt < 8, !lock.isUnchanged(since: page, directory) else {
                    var error = error
                    if error.code == .historyTrimmed { error.code = .invalidDatabase }
                    throw error
                }
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    private static func openForReading(
        _ place: Place, _ anyPage: ControlPage?, _ load: @escaping Load, _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        let path = place.directory.path
        guard
            try !UnfinishedMark.isUnfinished(
                place.directory, place.directory.names(), anyPage),
            let last = try lastSegmentNumber(place.directory)
        else {
            if let error = try missingLog(place.directory, place.lock, anyPage) { throw error }
            throw StoreError(
                .fileNotFound,
                "There is no realm in \"\(path)\". Read-only configurations don't create one.",
                path: path)
        }
        let header = try LogSegment.openLast(place.directory, last, place.options).header
        try checkRealm(of: anyPage, header.realmID, place)
        let page = anyPage.flatMap { $0.realmID == header.realmID ? $0 : nil }
        if var page, let boot = page.bootID, boot == place.fileSystem.bootID() {
            // A segment has its name before the page refers to it, and the last one is kept.
            guard page.segmentNumber <= last else {
                throw StoreError(
                    .invalidDatabase,
                    "\(path)/LOCK records commits in segment \(page.segmentNumber) of the log, but "
                        + "the last one is \(last). \(StoreError.advice)", path: path)
            }
            page.dropUnconfirmedEnd(place.lock)
            let opened = try openAsReader(place, page, load, deliver)
            guard isStale(page, place, opened.0, lastNumber: last) else { return opened }
            return try openAlone(place, nil, lastNumber: last, load, deliver)
        }
        if var page, page.bootID == nil || place.fileSystem.bootID() == nil,
            page.segmentNumber <= last, place.lock.isLockedElsewhere(.writer)
        {
            // The boot is unknown, but a process is writing: what it hasn't published isn't shown.
            page.dropUnconfirmedEnd(place.lock)
            do throws(StoreError) {
                return try openAsReader(place, page, load, deliver)
            } catch {
                // It may also be recovering the realm after a reboot, with an outdated page.
                guard error.code == .invalidDatabase else { throw error }
            }
        }
        return try openAlone(place, page, lastNumber: last, load, deliver)
    }

    /// Returns whether the log continues after the published end according to the page although no
    /// process is writing. Then the page is older than the log, for example because only `LOCK` was
    /// restored.
    private static func isStale(
        _ page: ControlPage, _ place: Place, _ log: RealmLog, lastNumber: UInt64
    ) -> Bool {
        guard !page.isWriting, !log.isRepairDue(page) else { return false }
        var hasMore = lastNumber > page.segmentNumber
        if !hasMore {
            var cursor = RecordCursor(log.segment, at: log.end.point, place.options)
            hasMore = (try? cursor.next()) != nil
        }
        // A writer updates the page first.
        return hasMore && !place.lock.isLockedElsewhere(.writer)
            && place.lock.loadControl()?.stores == page.stores
    }

    /// Opens a realm that hasn't been used during this boot: the next writer will keep what is
    /// valid.
    private static func openAlone(
        _ place: Place, _ page: ControlPage?, lastNumber: UInt64, _ load: @escaping Load,
        _ deliver: Deliver
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        let beginning = try findBeginning(
            place, lastNumber: lastNumber, limit: .max, page: page, load)
        let log = RealmLog(place, beginning, page)
        var report = RecoveryReport()
        report.update(from: beginning)
        report.isReadOnly = true
        // a realm in a file never has one
        report.controlPageWasLost = page == nil && !(place.directory is ArchiveDirectory)
        try log.readAll(beginning, deliver)
        log.outdatedPage = page
        _ = try log.judgeTail(vouchedEnd: page?.durableEnd ?? 0, page: page, &report)
        log.durableEnd = log.position
        log.publishedEnd = log.end
        report.update(from: log)
        return (log, report)
    }
}

extension ReadOnlyLock {
    /// Returns whether nothing has been published since the page was loaded.
    fileprivate func isUnchanged(since page: ControlPage?, _ directory: any RealmDirectory) -> Bool
    {
        show(in: directory)
        return loadControl()?.stores == page?.stores
    }
}
