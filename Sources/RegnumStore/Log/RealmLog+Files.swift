/// The files of a realm as a whole: checking for them, creating them from a seed, and removing
/// them.
///
/// Creation and removal take several steps, during which the directory has a mark
/// (`UnfinishedMark`). The next process to open the realm finds the mark and removes the remaining
/// files, so that a crash leaves a complete realm or none. Removing the mark is the last step of a
/// copy.
extension RealmLog {
    /// A mark in the directory of a backup, from its first step until after it was renamed. A
    /// directory with this mark under a temporary name may be removed. The file is empty.
    package static let backupMarkName = "unfinished-backup"

    /// The initial content of a new realm.
    package struct Seed {
        /// The identifier of the realm of the content, on which its index keys depend.
        package var realmID: Identity128
        /// The timelines of the content's version.
        package var timelines: Timelines
        /// The directory that the seed is for, if it must be a specific one.
        package var directory: FileIdentity?
        /// A closure that writes the content to a nodes file, syncs it, and returns a reference
        /// with version, file and image. The other fields are filled in.
        package var write: (NodesDirectory) throws(StoreError) -> CheckpointReference

        package init(
            realmID: Identity128, timelines: Timelines? = nil,
            write: @escaping (NodesDirectory) throws(StoreError) -> CheckpointReference
        ) {
            self.realmID = realmID
            self.timelines = timelines ?? Timelines(realmID)
            self.write = write
        }

        /// A seed for a path at which there is a realm. If another process removes that, opening
        /// the path throws `fileNotFound` instead of creating one.
        package static func unavailable(_ path: String) -> Seed {
            Seed(realmID: Identity128(high: 0, low: 0)) { (_) throws(StoreError) in
                throw StoreError(
                    .fileNotFound, "The realm in \"\(path)\" was removed while being opened.",
                    path: path)
            }
        }
    }

    static func isOwn(_ name: String) -> Bool {
        name == spareName || name.hasPrefix(TemporaryName.prefix)
            || UnfinishedMark.names.contains(name)
            || SegmentHeader.parse(fileName: name) != nil
            || NodesHeader.parse(fileName: name) != nil || name == MigrationMark.fileName
            || name == backupMarkName
            || name == RetentionFile.fileName
    }

    // MARK: Presence

    /// Returns whether there is a realm in the directory at `path`. Changes nothing.
    ///
    /// Throws `filePermissionDenied` if that can't be determined, and `ioFailed`; `fileAccess` if
    /// there is no log, and something else in the place of `LOCK`; `invalidDatabase` if there are
    /// other parts of a realm, or a damaged one in a file.
    package static func exists(_ fileSystem: any FileSystem, path: String) throws(StoreError)
        -> Bool
    {
        let directory: any RealmDirectory
        do {
            directory = try fileSystem.openDirectory(path, .readOnly)
        } catch {
            if error.code == .fileNotFound || error.code == .fileAccess { return false }
            throw error
        }
        let names = try directory.names()
        guard names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) else {
            try checkAbsence(fileSystem, path)
            return false
        }
        return try !UnfinishedMark.isUnfinished(directory, names, nil)
    }

    /// Throws the error of `absence`, unless it is that there is nothing.
    private static func checkAbsence(
        _ fileSystem: any FileSystem, _ path: String
    ) throws(StoreError) {
        let error = absence(fileSystem, path: path)
        if error.code != .fileNotFound { throw error }
    }

    /// Returns the error for a path at which there is no realm: `fileNotFound`, or
    /// `invalidDatabase` if there are parts of one, `fileAccess` if there is something else,
    /// `ioFailed` or `filePermissionDenied` if that can't be found out.
    package static func absence(_ fileSystem: any FileSystem, path: String) -> StoreError {
        do throws(StoreError) {
            let directory = try fileSystem.openDirectory(path, .readOnly)
            let lock = try ReadOnlyLock(directory)
            if let error = try missingLog(directory, lock, lock.loadControl()) { return error }
        } catch {
            if error.code != .fileNotFound { return error }
        }
        return StoreError(.fileNotFound, "There is no realm in \"\(path)\".", path: path)
    }

    /// Returns the error for a directory in which a reader found no segment, as below. `nil` also
    /// if another process is creating or removing the realm, or has removed it.
    static func missingLog(
        _ directory: any RealmDirectory, _ lock: any LockFile, _ page: ControlPage?
    ) throws(StoreError) -> StoreError? {
        // What a removal leaves has a mark or, at its end, no `LOCK`.
        let names = try directory.names()
        guard !names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }),
            try !UnfinishedMark.isUnfinished(directory, names, page), try lock.isCurrent(),
            let error = missingLog(directory, names, page)
        else { return nil }
        // A process that has just completed an interrupted removal has cleared the control page.
        if (lock.loadControl()?.version ?? 0) < page?.version ?? 0 { return nil }
        // A process that has just created the realm has removed the mark, or made a segment.
        let namesNow = try Set(directory.names())
        let hasSegment = namesNow.contains { SegmentHeader.parse(fileName: $0) != nil }
        return namesNow.isSuperset(of: names) && !hasSegment ? error : nil
    }

    /// Returns the error for a directory with parts of a realm and no segment of its log; `nil` if
    /// there are no such parts. What is in nodes files can't be proven without the log, which has
    /// the checksums of their directories.
    ///
    /// - Parameter page: the control page, if there is one.
    static func missingLog(
        _ directory: any RealmDirectory, _ names: [String], _ page: ControlPage?
    ) -> StoreError? {
        let evidence: String
        if let page, page.version > 0 {
            evidence = "LOCK records commits up to version \(page.version)"
        } else if let file = names.compactMap(NodesHeader.parse).max() {
            evidence = "there is \(NodesHeader.fileName(file)), which has content of checkpoints"
        } else {
            return nil
        }
        return StoreError(
            .invalidDatabase,
            "The log of \(directory.path) is missing: \(evidence), but there is no log file. "
                + "Restore the realm from a backup. To create a new one, move the directory away.",
            path: directory.path, lastGoodVersion: 0)
    }

    // MARK: Removing

    /// Removes the realm in the directory at `path`, and the directory if it contains nothing else.
    ///
    /// After a crash, either the complete realm remains or the next open removes the rest.
    ///
    /// - Parameter isDue: called while no other process can open or remove the realm; returning
    ///   false keeps it.
    /// - Returns: false if there is no realm or it was kept.
    /// - Throws: `alreadyOpen` if any process has it open; the errors of the file system, of
    ///   `isDue` and, if there is no log, of `exists`.
    package static func remove(
        _ fileSystem: any FileSystem, path: String,
        if isDue: () throws(StoreError) -> Bool = { true }
    ) throws(StoreError) -> Bool {
        guard let directory = try ifFound(fileSystem.openDirectory(path, .existing)) else {
            return false
        }
        let names = try directory.names()
        guard
            names.contains(where: {
                SegmentHeader.parse(fileName: $0) != nil || UnfinishedMark.names.contains($0)
            })
        else {
            try checkAbsence(fileSystem, path)
            return false
        }
        return try remove(fileSystem, directory, if: isDue)
    }

    /// Removes the remains of an interrupted backup at `path`: a directory that belongs to this
    /// user, is reached without a symbolic link, and is marked as a backup. Anything else is kept.
    ///
    /// - Parameter identity: the identity of the directory if the caller created it; it then needs
    ///   no mark.
    package static func removeBackup(
        _ fileSystem: any FileSystem, path: String, identity: FileIdentity? = nil
    ) throws(StoreError) {
        let directory = try fileSystem.openDirectory(path, .own)
        if let identity, directory.identity != identity { return }
        let names = try directory.names()
        if names.isEmpty {
            _ = try fileSystem.removeDirectory(path)
            return
        }
        if identity == nil, names != ["LOCK"] {
            // The mark must be a regular file of this user.
            guard (try? directory.open(backupMarkName)) != nil else { return }
        }
        _ = try remove(fileSystem, directory) { true }
    }

    private static func remove(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory,
        if isDue: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        // Another process may have just removed the directory.
        guard let lock = try ifFound(directory.openLock()) else { return false }
        guard try lock.tryLock(.session, .exclusive) else {
            throw StoreError(
                .alreadyOpen,
                "The realm in \"\(directory.path)\" is open in another process and wasn't removed.",
                path: directory.path)
        }
        guard try lock.isCurrent() else { return false }  // another process has just removed it
        guard try isDue() else { return false }
        let names = try directory.names()
        let page = lock.loadControl()
        if try !UnfinishedMark.isUnfinished(directory, names, page) {
            do throws(StoreError) {
                try UnfinishedMark(removalOf: names, in: directory, page)
                    .write(fileSystem, directory)
            } catch {
                // On a full disk it proceeds without a mark. A crash may then leave a realm that
                // can't be opened.
                guard error.code == .diskFull else { throw error }
            }
        }
        try removeFiles(directory, names)
        try? directory.unlink(UnfinishedMark.Kind.copy.rawValue)
        try directory.unlink("LOCK")
        try directory.sync()
        // From here on, another process may create a realm, with a mark of a copy.
        _ = try ifFound(directory.unlink(UnfinishedMark.Kind.removal.rawValue))
        try directory.sync()
        if names.contains(backupMarkName) {
            _ = try ifFound(directory.unlink(backupMarkName))
            try directory.sync()
        }
        if (try? directory.isCurrent()) == true {
            _ = try? fileSystem.removeDirectory(directory.path)
        }
        return true
    }

    /// Removes everything except `LOCK` and the marks. The log is removed from its beginning, each
    /// segment durably before the next one, so that no intermediate state is an older version of
    /// the realm, even if there is no mark. The mark of a backup stays until nothing else is left,
    /// since without it, the next backup wouldn't remove the rest.
    private static func removeFiles(_ directory: any RealmDirectory, _ names: [String])
        throws(StoreError)
    {
        let segments = names.compactMap(SegmentHeader.parse).sorted { $0.number < $1.number }
        for segment in segments {
            try directory.unlink(
                SegmentHeader.fileName(generation: segment.generation, number: segment.number))
            try directory.sync()
        }
        for name in names
        where isOwn(name) && !UnfinishedMark.names.contains(name) && name != backupMarkName
            && SegmentHeader.parse(fileName: name) == nil
        {
            do throws(StoreError) {
                try directory.unlink(name)
            } catch {
                // Neither a directory nor a name that isn't UTF-8 is one of the realm's files.
                guard error.code == .fileAccess || error.code == .fileNotFound else { throw error }
            }
        }
        try directory.sync()
    }

    /// Finishes an interrupted removal, or undoes an interrupted copy, leaving a directory without
    /// a realm. Requires the writer lock.
    static func removeUnfinished(_ directory: any RealmDirectory) throws(StoreError) {
        let names = try directory.names()
        try removeFiles(directory, names)
        for name in names where UnfinishedMark.names.contains(name) {
            // The process that removed the realm may now be removing its mark.
            _ = try ifFound(directory.unlink(name))
        }
        try directory.sync()
    }

    // MARK: Making

    /// Creates a realm with the seed's content as its first checkpoint. Requires the writer lock
    /// and a directory without a log.
    ///
    /// The log starts with segment 1, at a position above 0. Only the checkpoint has the content
    /// before that, so without it the realm is refused instead of being mistaken for an empty one.
    ///
    /// - Returns: the number of the segment.
    static func makeSeeded(_ place: Place, _ seed: Seed) throws(StoreError) -> UInt64 {
        let directory = place.directory
        try UnfinishedMark(.copy, seed.realmID).write(place.fileSystem, directory)
        do throws(StoreError) {
            let nodes = NodesDirectory(
                place.fileSystem, directory, realmID: seed.realmID, options: place.options,
                lock: place.lock)
            var header = SegmentHeader(
                realmID: seed.realmID, generation: 0, number: 1, firstSequence: 1,
                salt: place.fileSystem.random(), base: seedBase, previousChain: 0)
            header.timelines = seed.timelines
            header.isCopy = true
            var reference = try seed.write(nodes)
            reference.point = header.start
            header.checkpoints = KeptCheckpoints(newest: reference)
            guard try place.lock.isCurrent() else {
                throw StoreError(
                    .fileMoved,
                    "The LOCK of \(directory.path) was removed while the realm was being created.",
                    path: directory.path)
            }
            try makeFirstSegment(place.fileSystem, directory, place.options, header)
            try directory.unlink(UnfinishedMark.Kind.copy.rawValue)
            try directory.sync()
            return header.number
        } catch {
            // Best effort: the next open does the rest. If `LOCK` was replaced, the files may be
            // those of a process that uses the other one.
            if (try? place.lock.isCurrent()) == true { try? removeUnfinished(directory) }
            throw error
        }
    }

    private static let seedBase: LogPosition = 64
}
