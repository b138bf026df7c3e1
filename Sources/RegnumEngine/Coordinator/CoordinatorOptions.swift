package import RegnumStore

/// The durability of a commit when `write` returns.
package enum Durability: Sendable, Hashable {
    /// On disk: survives a power loss.
    case full
    /// In the log: survives a crash of the process and, once synced, a power loss. The sync begins
    /// within the given time.
    case relaxed(withinNanoseconds: UInt64)
}

/// The location of a realm.
package enum RealmPlace: Sendable, Hashable {
    /// In a directory, shared with other processes.
    case directory(path: String)
    /// In the memory of this process; discarded when its last user releases it.
    case memory(identifier: String)
}

/// The options of `Coordinator.open`.
package struct CoordinatorOptions: Sendable {
    package var place: RealmPlace
    package var store = StoreOptions()
    package var fileSystem: any FileSystem
    /// The waiting time for a turn after which the wait and its cause are reported; 0 means never.
    package var waitNoticeNanoseconds: UInt64 = 5_000_000_000
    /// Called on any thread with events for a log.
    package var report: @Sendable (CoordinatorEvent) -> Void = { _ in }
    /// Maximum bytes of commit summaries kept for slow observers. Older ones are dropped, and those
    /// observers compare trees instead.
    package var maximumSummaryByteCount = 16 << 20
    package var checkpoint = CheckpointOptions()
    /// Read-only: the realm must exist, writes are refused, and commits by other processes are
    /// followed.
    package var isReadOnly = false
    /// The scrub in the background; `nil` for none. A realm in memory has none.
    package var scrub: ScrubOptions?
    /// The directory of the realm whose content a new realm starts with. It is only read.
    package var seedPath: String?
    /// The version of another realm that a new in-memory realm starts with, as a fork of it.
    package var forkedRoot: DatabaseRoot?
    /// The timelines of that realm.
    package var forkedTimelines: Timelines?

    package init(place: RealmPlace, fileSystem: any FileSystem = PosixFileSystem.shared) {
        self.place = place
        self.fileSystem = fileSystem
    }
}

/// An event of a realm, for its log.
package enum CoordinatorEvent: Sendable {
    case opened(RecoveryReport)
    /// The remains of a process that died or failed while writing were repaired.
    case recovered(RecoveryReport)
    /// Writing failed. The next write tries to continue in a new segment.
    case writingFailed(StoreError)
    /// Commits published by another process can't be read.
    case followingFailed(StoreError)
    /// They can't be read now; reading is retried.
    case followingDelayed(StoreError)
    /// A checkpoint couldn't be written or used. Nothing is lost, since the log is complete, and it
    /// is retried.
    case checkpointFailed(StoreError)
    /// A writer has been waiting for a long time.
    case waiting(WaitNotice)
    /// A scrub has found damage.
    case damageFound(StoreError)
    /// A scrub has read everything, or as much as its limit of damage allowed.
    case scrubbed(IntegrityFindings)
    /// A scrub couldn't read the files, and tries again after its interval.
    case scrubFailed(StoreError)
    case closed
}
