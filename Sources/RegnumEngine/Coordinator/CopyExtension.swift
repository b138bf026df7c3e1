package import RegnumStore

/// Adds to a copy of a realm the commits that were made to the original since, from its log.
///
/// The copy is a realm, and the commits are appended to its log, so after a crash it is a copy of
/// one of the versions in between.
package struct CopyExtension: Sendable {
    private let original: Coordinator
    private let target: String
    /// Called between writes; returning false ends it.
    private let shouldContinue: @Sendable () -> Bool

    private static let batchByteCount = 1 << 20

    /// - Parameter target: the directory of the copy.
    package init(
        of original: Coordinator, at target: String,
        shouldContinue: @escaping @Sendable () -> Bool
    ) {
        self.original = original
        self.target = target
        self.shouldContinue = shouldContinue
    }

    /// Adds the commits, on a thread of `IOPool`. `.relaxed` commits are synced before. Those that
    /// may not be durable in the original aren't added, because it could lose them. Returns the
    /// version of the copy.
    ///
    /// Throws `invalidInput` if the target isn't a copy of an earlier version; `historyTrimmed` if
    /// commits since that version are no longer in the log, or were never entirely in it, because
    /// they are bulk commits; `fileNotFound` if there is no realm, or it was moved, removed or
    /// replaced in the meantime; `busy` if another process is writing to it; otherwise the errors
    /// of `RealmLog` and `Coordinator.catchUp`.
    ///
    /// - Complexity: O(changes) to add them, and O(n / 1,024) to open the copy. The log that is
    ///   copied is read twice.
    package func make() async throws(StoreError) -> UInt64 {
        let (copy, log) = try await onPool { () throws(StoreError) in try open() }
        defer { copy.releaseLocks() }
        // Now nobody else can add commits to the copy that this process doesn't know yet.
        try await original.catchUp(durably: true)
        return try await onPool { () throws(StoreError) in try update(copy, log) }
    }

    /// Runs blocking work on a thread of `IOPool`.
    private func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        do throws(StoreError) {
            return try await Coordinator.onPool(body)
        } catch {
            // the caller would take it for an error of the original
            guard error.code == .fileMoved, error.path == target else { throw error }
            throw StoreError(
                .fileNotFound,
                "The backup in \"\(target)\" was moved, removed or replaced while being updated.",
                path: target)
        }
    }

    /// The copy may be on a network file system, like the target of `RealmCopy`.
    private var options: CoordinatorOptions {
        var options = original.options
        options.store.allowsNetworkFileSystem = true
        return options
    }

    /// Opens the copy and acquires its writer lock. Also returns the log of the original.
    private func open() throws(StoreError) -> (copy: RealmLog, log: RealmLog) {
        guard let log = original.state.withLock({ $0.log }) else {
            throw StoreError(
                .historyTrimmed,
                "An in-memory realm has no log, so a backup of it can't be updated: make a new "
                    + "one.", path: target)
        }
        guard try RealmLog.exists(options.fileSystem, path: target) else {
            throw RealmLog.absence(options.fileSystem, path: target)
        }
        let identity = try options.fileSystem.openDirectory(target, .readOnly).identity
        guard !log.identities.contains(identity) else {
            throw refusal("it is the realm itself")
        }
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        var seed = RealmLog.Seed.unavailable(target)
        seed.directory = identity  // one that was removed isn't created
        let copy = try RealmLog.open(
            options.fileSystem, path: target, options: options.store, seed: seed,
            load: incoming.begin, incoming.apply
        ).log
        do throws(StoreError) {
            guard try copy.tryBecomeWriter(load: incoming.begin, incoming.apply) else {
                throw StoreError(
                    .busy, "Another process is writing to the backup in \"\(target)\".",
                    path: target)
            }
        } catch {
            copy.releaseLocks()
            throw error
        }
        return (copy, log)
    }

    private func update(_ copy: RealmLog, _ log: RealmLog) throws(StoreError) -> UInt64 {
        let root = original.published
        try check(copy, log, root)
        do throws(StoreError) {
            if copy.version < root.version { try extend(copy, log, through: root.version) }
            try copy.writeIdle()
        } catch {
            var error = error
            // Whatever the copy then has is the original's, and the next update adds the rest.
            if error.code == .outcomeUnknown { error.code = .ioFailed }
            throw error
        }
        try verify(copy.version)
        return copy.version
    }

    /// Throws `invalidInput` if the target isn't a copy of an earlier version.
    private func check(
        _ copy: RealmLog, _ log: RealmLog, _ root: DatabaseRoot
    ) throws(StoreError) {
        let version = copy.version
        guard copy.realmID == log.realmID else { throw refusal("it belongs to another realm") }
        guard version <= root.version else {
            throw refusal(
                "it is at version \(version), but the realm is at version \(root.version)")
        }
        let timeline = copy.timelines.withLock { $0.id(at: version) }
        guard timeline == original.timelines.id(at: version) else {
            throw refusal(
                "the backup or the realm has made commits that the other one lacks, because it is "
                    + "a copy that was written to")
        }
        guard copy.isCopy else {
            throw refusal("it wasn't made as a backup, or was written to since")
        }
    }

    private func extend(
        _ copy: RealmLog, _ log: RealmLog, through newest: UInt64
    ) throws(StoreError) {
        let version = copy.version
        let durableEnd = original.state.withLock { $0.durableEnd }
        guard var replay = try log.history.replay(after: version) else {
            throw trimmed("the log since version \(version) was removed", version)
        }
        // Nothing is written if it would end before the version that is wanted.
        var (dryRun, last) = (replay, version)
        try forEachCommit(&dryRun, after: version, through: newest) {
            (body, number, end) throws(StoreError) in
            guard end <= durableEnd else { return }
            last = number
            if try BulkCommit.decode(body) != nil {
                throw trimmed(
                    "version \(number) is a large transaction or a migration, which isn't "
                        + "stored in the log", version)
            }
        }
        if last == version { return }
        try copy.beginExtending(original.timelines.through(last))
        var batch: [[UInt8]] = []
        var byteCount = 0
        try forEachCommit(&replay, after: version, through: last) {
            (body, _, _) throws(StoreError) in
            batch.append(body)
            byteCount += body.count
            guard byteCount >= Self.batchByteCount else { return }
            try append(batch, to: copy)
            (batch, byteCount) = ([], 0)
        }
        if !batch.isEmpty { try append(batch, to: copy) }
    }

    private func append(_ batch: [[UInt8]], to copy: RealmLog) throws(StoreError) {
        try copy.append(batch, version: copy.version + UInt64(batch.count))
        try copy.sync()
        copy.publish()
    }

    private func forEachCommit(
        _ replay: inout LogReplay, after version: UInt64, through last: UInt64,
        _ body: (_ body: [UInt8], _ version: UInt64, _ end: LogPosition) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            while let commit = try replay.nextCommit(through: last) {
                guard shouldContinue() else {
                    throw StoreError(.closed, "The backup was cancelled.", path: target)
                }
                if replay.version > version {
                    try body(commit, replay.version, replay.position)
                }
            }
        } catch {
            guard error.code == .historyTrimmed, error.path != target else { throw error }
            throw trimmed("the log since version \(version) was removed", version)
        }
    }

    /// Reads the copy as it is on the disk.
    private func verify(_ expected: UInt64) throws(StoreError) {
        let version = try RealmContent.read(target, options).root.version
        guard version == expected else {
            throw StoreError(
                .invalidDatabase,
                "The backup in \"\(target)\" can't be read back: it is at version \(version) "
                    + "instead of \(expected).", path: target)
        }
    }

    private func refusal(_ reason: String) -> StoreError {
        StoreError(
            .invalidInput,
            "The backup in \"\(target)\" can't be updated: \(reason). Make a new one.",
            path: target)
    }

    private func trimmed(_ reason: String, _ version: UInt64) -> StoreError {
        StoreError(
            .historyTrimmed,
            "The backup of version \(version) in \"\(target)\" can't be updated: \(reason). Make a "
                + "new one.", path: target)
    }
}
