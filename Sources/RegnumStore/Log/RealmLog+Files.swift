/// The files of a realm as a whole: whether they are there, making them from a seed, removing them.
///
/// Both take several steps. Meanwhile the directory has a file that says so; whoever opens the realm
/// next finds it and removes what it does not guard, so that after a crash there is a whole realm or
/// none. It has no content. A copy that is complete loses it as its last step.
extension RealmLog {
    /// A realm is being made from a seed.
    static let unfinishedCopyName = "unfinished-copy"
    /// A realm is being removed.
    static let unfinishedRemovalName = "unfinished-removal"
    static let unfinishedNames: Set<String> = [unfinishedCopyName, unfinishedRemovalName]

    /// The content that a new realm begins with.
    package struct Seed {
        /// The identity that the content has: its index keys depend on it.
        package var realmID: Identity128
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
        name == spareName || name.hasPrefix(temporaryPrefix) || unfinishedNames.contains(name)
            || SegmentHeader.parse(fileName: name) != nil
            || NodesHeader.parse(fileName: name) != nil || name == MigrationMark.fileName
    }

    static func isUnfinished(_ directory: any RealmDirectory) throws(StoreError) -> Bool {
        try directory.names().contains { unfinishedNames.contains($0) }
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
            && !names.contains { unfinishedNames.contains($0) }
    }

    // MARK: Removing

    /// Removes the realm in the directory at `path`, and the directory if nothing else is in it.
    ///
    /// A crash leaves the whole realm, or what the next opening removes.
    ///
    /// - Parameter isLeftover: whether a directory without a log is removed too, if nothing else is in it:
    ///   a copy that was hardly begun.
    /// - Returns: false if there is none.
    /// - Throws: `alreadyOpen` if somebody has it open, in any process; what the file system throws.
    package static func remove(
        _ fileSystem: any FileSystem, path: String, isLeftover: Bool = false
    ) throws(StoreError) -> Bool {
        let directory: any RealmDirectory
        do {
            directory = try fileSystem.openDirectory(path, create: false)
        } catch {
            if error.code == .fileNotFound { return false }
            throw error
        }
        var names = try directory.names()
        guard
            names.contains(where: { SegmentHeader.parse(fileName: $0) != nil })
                || names.contains(where: { unfinishedNames.contains($0) })
                || isLeftover && names.allSatisfy({ $0 == "LOCK" || isOwn($0) })
        else { return false }
        let lock = try directory.openLock()
        guard try lock.tryLock(.session, .exclusive) else {
            throw StoreError(
                .alreadyOpen,
                "The realm in \"\(path)\" is open in another process: its files stay.", path: path)
        }
        guard try lock.isCurrent() else { return false }  // somebody else has just removed it
        do {
            _ = try directory.create(unfinishedRemovalName)
            try directory.sync()
        } catch {
            // on a full disk it goes without: then a crash may leave a realm that is refused
            guard error.code == .fileExists || error.code == .diskFull else { throw error }
        }
        names = try directory.names()
        try removeFiles(directory, names)
        try directory.unlink("LOCK")
        try directory.sync()
        try? directory.unlink(unfinishedCopyName)
        try? directory.unlink(unfinishedRemovalName)
        try directory.sync()
        _ = try? fileSystem.removeDirectory(path)
        return true
    }

    /// Removes everything but `LOCK` and what tells that this is not finished, the log's beginning
    /// first: no state between is an older realm.
    private static func removeFiles(_ directory: any RealmDirectory, _ names: [String])
        throws(StoreError)
    {
        let segments = names.compactMap(SegmentHeader.parse).sorted { $0.number < $1.number }
        for segment in segments {
            try directory.unlink(
                SegmentHeader.fileName(generation: segment.generation, number: segment.number))
        }
        for name in names
        where isOwn(name) && !unfinishedNames.contains(name)
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
        for name in names where unfinishedNames.contains(name) { try directory.unlink(name) }
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
        _ = try directory.create(unfinishedCopyName)
        try directory.sync()
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
            try directory.unlink(unfinishedCopyName)
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
