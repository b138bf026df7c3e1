package import RegnumStore

/// How durable a commit is when `write` returns.
package enum Durability: Sendable, Hashable {
    /// On disk: it survives power loss.
    case full
    /// In the log, and on disk within that time: it survives the death of the process, and power
    /// loss after that time.
    case relaxed(withinNanoseconds: UInt64)
}

/// Where a realm lives.
package enum RealmPlace: Sendable, Hashable {
    /// In a directory, shared with other processes.
    case directory(path: String)
    /// In the memory of this process; gone when the last user of that name lets go.
    case memory(identifier: String)
}

/// What `Coordinator.open` needs to know.
package struct CoordinatorOptions: Sendable {
    package var place: RealmPlace
    package var store = StoreOptions()
    package var fileSystem: any FileSystem
    /// After how long a wait for the turn is reported, with who has it; 0: never.
    package var waitNoticeNanoseconds: UInt64 = 5_000_000_000
    /// Told, on any thread, of things worth a line in the log.
    package var report: @Sendable (CoordinatorEvent) -> Void = { _ in }
    /// Most bytes of commit summaries kept for slow observers; older ones are dropped, and those
    /// observers compare trees instead.
    package var summaryByteCountMax = 16 << 20
    package var checkpoint = CheckpointOptions()
    /// Nothing is written: the realm must be there, turns are refused, commits of others are followed.
    package var isReadOnly = false
    /// What is kept of the log for readers of the past, of a realm for which nobody has set it.
    package var retention: HistoryRetention {
        get { store.retention }
        set { store.retention = newValue }
    }
    /// The directory of the realm whose content a new realm begins with; it is only read.
    package var seedPath: String?

    package init(place: RealmPlace, fileSystem: any FileSystem = PosixFileSystem.shared) {
        self.place = place
        self.fileSystem = fileSystem
    }
}

/// What happened to a realm, for its log.
package enum CoordinatorEvent: Sendable {
    case opened(RecoveryReport)
    /// What another process left that died or failed while it wrote was put right.
    case recovered(RecoveryReport)
    /// Writing failed; the next write tries to go on in a new segment.
    case writingFailed(StoreError)
    /// What another process published cannot be read.
    case followingFailed(StoreError)
    /// It cannot be read now; it is tried again.
    case followingDelayed(StoreError)
    /// A checkpoint could not be made or used; the log has everything, and it is tried again.
    case checkpointFailed(StoreError)
    /// A writer has been waiting for long.
    case waiting(WaitNotice)
    case closed
}
