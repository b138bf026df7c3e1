package import RegnumStore

/// Information from the log and `LOCK` about a realm's past versions and its users.
package struct RealmInformation: Sendable {
    /// A checkpoint from which opening or history can start.
    package struct Checkpoint: Sendable, Equatable {
        package let version: UInt64
        /// The number of its nodes file.
        package let file: UInt64
    }

    /// The format of the newest segment of the log.
    package let format: (major: UInt16, minor: UInt16)
    package let realmID: Identity128
    /// The newest checkpoints, newest first.
    package let checkpoints: [Checkpoint]
    /// The oldest version that can be rebuilt, or `nil` if it isn't known because of damage.
    package let oldestVersion: UInt64?
    /// Whether another process has the realm open, and the ids of those that can be identified.
    package let isOpenElsewhere: Bool
    package let processes: [UInt32]
    /// Whether another process holds the writer lock.
    package let isBeingWritten: Bool
    /// The process that last acquired the writer lock; `nil` if unknown. It may have exited.
    package let lastWriter: UInt32?
    /// The number of files that may not be encrypted with the newest key.
    package let formerKeyFileCount: Int
}

extension Coordinator {
    /// The identity of `LOCK`, or of the directory if there is no `LOCK`, which is the same in all
    /// processes; `nil` for an in-memory realm and after closing.
    package var lockIdentity: FileIdentity? { state.withLock { $0.log?.lock.identity } }

    /// Returns what the files say about the realm; `nil` for an in-memory realm.
    ///
    /// Throws `closed`, and the errors of the file system.
    package func information() async throws(StoreError) -> RealmInformation? {
        try checkOpen()
        guard let log = state.withLock({ $0.log }) else { return nil }
        let version = published.version
        return try await Self.onPool { () throws(StoreError) in
            let (history, lock) = (log.history, log.lock)
            let found = try history.find(version)
            var checkpoints: [RealmInformation.Checkpoint] = []
            for reference in found.beginnings.compactMap(\.reference) {
                let checkpoint = RealmInformation.Checkpoint(
                    version: reference.version, file: reference.file)
                // A compaction writes two images of one version.
                if !checkpoints.contains(checkpoint) { checkpoints.append(checkpoint) }
            }
            let holder = lock.load(.lastHolder)
            let isOpenElsewhere = lock.isLockedElsewhere(.session)
            return RealmInformation(
                format: found.format,
                realmID: log.realmID,
                checkpoints: checkpoints,
                oldestVersion: try? history.find(0).oldestVersion,
                isOpenElsewhere: isOpenElsewhere,
                processes: isOpenElsewhere ? processes(withOpenFile: lock.identity) : [],
                isBeingWritten: lock.isLockedElsewhere(.writer),
                lastWriter: holder > 0 ? holder : nil,
                formerKeyFileCount: try history.formerKeyFileCount())
        }
    }
}
