package import RegnumStore

/// A check of everything in the files of a realm that may still be read: the log, the checkpoints
/// that it names, and the newest content.
package enum RealmCheck {
    /// Checks the realm in a directory, without changing anything; other processes may be using it.
    ///
    /// Throws `fileNotFound` if there is no realm, `unsupportedFormat`, and the errors of the file
    /// system, but not damage.
    ///
    /// - Parameters:
    ///   - limit: The check ends when it has found this much damage.
    ///   - isCancelled: Called periodically. If it returns true, the check ends.
    package static func run(
        _ path: String, _ key: EncryptionKey?, limit: Int, isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> IntegrityFindings {
        let walk = IntegrityWalk(limit: limit, isCancelled: isCancelled)
        return try run(path, RealmContent.reading(path, key), walk)
    }

    /// Checks the realm as ``run(_:_:limit:isCancelled:)`` does.
    ///
    /// - Parameter onlyBytes: Whether only the bytes of the log, the directories and the leaves are
    ///   compared with their checksums. This process must have the realm open then.
    static func run(
        _ path: String, _ options: CoordinatorOptions, _ walk: IntegrityWalk,
        onlyBytes: Bool = false
    ) throws(StoreError) -> IntegrityFindings {
        let log: LogCheck
        do throws(StoreError) {
            log = try LogCheck.run(
                options.fileSystem, path: path, options: options.store, limit: walk.limit,
                isCancelled: walk.isCancelled, isOpen: onlyBytes
            ) { walk.observer?.read($0) }
        } catch {
            guard error.code == .invalidDatabase else { throw error }
            walk.add(error)  // the headers of a realm in a file: what is in it isn't known
            return try walk.finish()
        }
        walk.findings.segmentCount = log.segmentCount
        walk.findings.recordCount = log.recordCount
        walk.findings.byteCount = log.byteCount
        for damage in log.damages { walk.add(damage) }
        // The leaves of the newest content are those of the newest checkpoint.
        if !onlyBytes, !walk.endsHere() { try checkContent(path, options, walk) }
        guard let nodes = log.nodes else { return try walk.finish() }
        for reference in log.checkpoints where !walk.endsHere() {
            check(reference, nodes, log, walk)
        }
        for body in log.bulkCommits where !walk.endsHere() { checkDelta(body, nodes, walk) }
        return try walk.finish()
    }

    /// Checks the newest published content.
    private static func checkContent(
        _ path: String, _ options: CoordinatorOptions, _ walk: IntegrityWalk
    ) throws(StoreError) {
        do throws(StoreError) {
            try RealmContent.read(path, options).root.check(walk)
        } catch {
            guard error.isPermanentDamage || error.code == .historyTrimmed else { throw error }
            walk.add(
                StoreError(
                    .invalidDatabase, "The realm cannot be opened. \(error.message)",
                    path: error.path ?? path))
        }
    }

    /// Checks the directory of a checkpoint, and the leaves that weren't checked before.
    private static func check(
        _ reference: CheckpointReference, _ nodes: NodesDirectory, _ log: LogCheck,
        _ walk: IntegrityWalk
    ) {
        var start: UInt64 = 0
        do throws(StoreError) {
            let file = try nodes.file(reference.file)
            start = reference.offset
            guard
                walk.visit(start, in: file, byteCount: Int(clamping: reference.byteCount))
            else { return }
            walk.findings.directoryCount += 1
            let root = try CheckpointLoader.load(reference, in: nodes, acceptsDamage: true)
            let isRemoved = { (try? nodes.removedByteCount(of: [file])) ?? 0 > 0 }
            walk.run(whileNot: isRemoved) { root.checkLeaves(walk) }
        } catch {
            add(
                error, at: start, ofFile: reference.file, nodes, walk,
                isNeeded: log.needs(reference))
        }
    }

    /// Checks the image of the changes that a bulk commit made.
    private static func checkDelta(_ body: [UInt8], _ nodes: NodesDirectory, _ walk: IntegrityWalk)
    {
        var place: (file: UInt64, offset: UInt64) = (0, 0)
        do throws(StoreError) {
            guard let commit = try BulkCommit.decode(body) else { return }
            place.file = commit.fileNumber
            let file = try nodes.file(commit.fileNumber)
            let delta = commit.delta
            place.offset = delta.extent
            guard let count = Int(exactly: delta.byteCount),
                delta.byteCount <= Limits.maximumImageByteCount
            else {
                throw StoreError(.invalidDatabase, "The delta of a bulk commit is too large.")
            }
            _ = walk.visit(delta.extent, in: file, byteCount: count)
            var pieces = try ImagePieces(file, at: delta.extent, byteCount: count)
            guard try pieces.verify(delta.crc, stopsAtHole: true) else {
                throw StoreError(
                    .invalidDatabase,
                    "The delta of a bulk commit is damaged: its \(count) bytes at offset "
                        + "\(delta.extent) of \(file.path) do not match the checksum in the log.")
            }
        } catch {
            add(error, at: place.offset, ofFile: place.file, nodes, walk, isNeeded: false)
        }
    }

    /// Adds the damage of an image.
    ///
    /// - Parameter isNeeded: whether it is damage if the file doesn't exist.
    private static func add(
        _ error: StoreError, at offset: UInt64, ofFile number: UInt64, _ nodes: NodesDirectory,
        _ walk: IntegrityWalk, isNeeded: Bool
    ) {
        var error = error
        if error.code == .historyTrimmed {
            guard isNeeded else { return }
            error.code = .invalidDatabase
        }
        error.path = error.path ?? nodes.path(ofFile: number)
        error.position = error.position ?? offset
        walk.add(error)
    }
}
