/// The files of a realm as a whole: whether they are there, making them from a seed, removing them.
///
/// Both take several steps. Meanwhile the directory has a file that says so (`UnfinishedMark`);
/// whoever opens the realm next finds it and removes the rest, so that after a crash there is a
/// whole realm or none. A copy that is complete loses it as its last step.
extension RealmLog {
    /// Stands in a directory that a backup is being written to, from its first step until after it
    /// got its name: what has it under a temporary name may be removed. It has no content.
    package static let backupMarkName = "unfinished-backup"

    /// The content that a new realm begins with.
    package struct Seed {
        /// The identity that the content has: its index keys depend on it.
        package var realmID: Identity128
        /// The directory that it is for, where it is made for a certain one.
        package var directory: FileIdentity?
        /// Writes the content into a nodes file, synced, and tells version, file and image of it;
        /// the rest is filled in.
        package var write: (NodesDirectory) throws(StoreError) -> CheckpointReference

        package init(
            realmID: Identity128,
            write: @escaping (NodesDirectory) throws(StoreError) -> CheckpointReference
        ) {
            self.realmID = realmID
            self.write = write
        }
    }

    static func isOwn(_ name: String) -> Bool {
        name == spareName || name.hasPrefix(temporaryPrefix) || UnfinishedMark.names.contains(name)
            || SegmentHeader.parse(fileName: name) != nil
            || NodesHeader.parse(fileName: name) != nil || name == MigrationMark.fileName
            || name == backupMarkName
            || name == RetentionFile.fileName
    }

    // MARK: Presence

    /// Whether there is a realm in the directory at `path`. Changes nothing.
    ///
    /// Throws `filePermissionDenied` where that cannot be seen, `ioFailed`.
    package static func exists(_ fileSystem: any FileSystem, path: String) throws(StoreError)
        -> Bool
    {
        let directory: any RealmDirectory
        do {
            directory = try fileSystem.openDirectoryForReading(path)
        } catch {
            if error.code == .fileNotFound || error.code == .fileAccess { return false }
            throw error
        }
        let names = try directory.names()
        return names.contains { SegmentHeader.parse(fileName: $0) != nil }
            && !UnfinishedMark.isUnfinished(directory, names, nil)
    }

    // MARK: Removing

    /// Removes the realm in the directory at `path`, and the directory if nothing else is in it.
    ///
    /// A crash leaves the whole realm, or what the next opening removes.
    ///
    /// - Returns: false if there is none.
    /// - Throws: `alreadyOpen` if somebody has it open, in any process; what the file system throws.
    package static func remove(
        _ fileSystem: any FileSystem, path: String
    ) throws(StoreError) -> Bool {
        let directory: any RealmDirectory
        do {
            directory = try fileSystem.openDirectory(path, create: false)
        } catch {
            if error.code == .fileNotFound { return false }
            throw error
        }
        let names = try directory.names()
        guard
            names.contains(where: {
                SegmentHeader.parse(fileName: $0) != nil || UnfinishedMark.names.contains($0)
            })
        else { return false }
        return try remove(fileSystem, directory)
    }

    /// Removes what a backup that was cut short has left at `path`: a directory of this user,
    /// reached without a symbolic link, that says that it is one. Anything else stays.
    ///
    /// - Parameter identity: that of the directory, where the caller has made it: then it need not
    ///   say so.
    package static func removeBackup(
        _ fileSystem: any FileSystem, path: String, identity: FileIdentity? = nil
    ) throws(StoreError) {
        let directory = try fileSystem.openOwnDirectory(path)
        let names = try directory.names()
        if names.isEmpty {
            _ = try fileSystem.removeDirectory(path)
            return
        }
        if let identity {
            guard directory.identity == identity else { return }
        } else if names != ["LOCK"] {
            // a regular file of this user, or it does not count
            guard (try? directory.open(backupMarkName)) != nil else { return }
        }
        _ = try remove(fileSystem, directory)
    }

    private static func remove(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory
    ) throws(StoreError) -> Bool {
        let lock = try directory.openLock()
        guard try lock.tryLock(.session, .exclusive) else {
            throw StoreError(
                .alreadyOpen,
                "The realm in \"\(directory.path)\" is open in another process: its files stay.",
                path: directory.path)
        }
        guard try lock.isCurrent() else { return false }  // somebody else has just removed it
        let names = try directory.names()
        if !UnfinishedMark.isUnfinished(directory, names, lock.loadControl()) {
            do throws(StoreError) {
                try UnfinishedMark(removalOf: names, in: directory).write(fileSystem, directory)
            } catch {
                // on a full disk it goes without: then a crash may leave a realm that is refused
                guard error.code == .diskFull else { throw error }
            }
        }
        try removeFiles(directory, names)
        try directory.unlink("LOCK")
        try directory.sync()
        for name in UnfinishedMark.names { try? directory.unlink(name) }
        try directory.sync()
        if directory.isCurrent() { _ = try? fileSystem.removeDirectory(directory.path) }
        return true
    }

    /// Removes everything but `LOCK` and the marks, the log's beginning first and durably: no state
    /// between is an older realm.
    private static func removeFiles(_ directory: any RealmDirectory, _ names: [String])
        throws(StoreError)
    {
        let segments = names.compactMap(SegmentHeader.parse).sorted { $0.number < $1.number }
        for (index, segment) in segments.enumerated() {
            try directory.unlink(
                SegmentHeader.fileName(generation: segment.generation, number: segment.number))
            if index == 0 { try directory.sync() }
        }
        for name in names
        where isOwn(name) && !UnfinishedMark.names.contains(name)
            && SegmentHeader.parse(fileName: name) == nil
        {
            try directory.unlink(name)
        }
        try directory.sync()
    }

    /// Finishes a removal, or undoes a copy, that was cut short. Requires the writer lock.
    /// The directory has no realm then.
    static func removeUnfinished(_ directory: any RealmDirectory) throws(StoreError) {
        let names = try directory.names()
        try removeFiles(directory, names)
        for name in names where UnfinishedMark.names.contains(name) { try directory.unlink(name) }
        try directory.sync()
    }

    // MARK: Making

    /// Makes a realm that begins with the seed's content as its first checkpoint. Requires the writer
    /// lock; there is no log.
    ///
    /// The log begins with segment 1, at a position above 0: nothing but the checkpoint tells what
    /// was before, so without it the realm is refused, and never taken for an empty one.
    ///
    /// - Returns: the number of the segment.
    static func makeSeeded(_ place: Place, _ seed: Seed) throws(StoreError) -> UInt64 {
        let directory = place.directory
        try UnfinishedMark(.copy, seed.realmID).write(place.fileSystem, directory)
        do throws(StoreError) {
            let nodes = NodesDirectory(
                place.fileSystem, directory, realmID: seed.realmID, options: place.options)
            var header = SegmentHeader(
                realmID: seed.realmID, generation: 0, number: 1, firstSequence: 1,
                salt: place.fileSystem.random(), base: seedBase, previousChain: 0)
            var reference = try seed.write(nodes)
            reference.position = header.base
            reference.sequence = header.firstSequence
            reference.chain = header.previousChain
            header.checkpoints = KeptCheckpoints(newest: reference)
            try makeFirstSegment(place.fileSystem, directory, place.options, header)
            try directory.unlink(UnfinishedMark.Kind.copy.rawValue)
            try directory.sync()
            return header.number
        } catch {
            // as far as it goes: the next opening does the rest
            try? removeUnfinished(directory)
            throw error
        }
    }

    private static let seedBase: LogPosition = 64
}
