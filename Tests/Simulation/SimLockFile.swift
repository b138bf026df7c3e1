internal import Glibc
package import RegnumStore

/// An open `LOCK` of a `SimFileSystem`, which guards all state. Each open is a separate owner of
/// locks, like an open file description; waits return at once and let simulated time pass.
package final class SimLockFile: LockFile {
    private let fileSystem: SimFileSystem
    private let directory: String
    private let inode: Int
    private let owner: Int
    private let isReadOnly: Bool

    init(
        fileSystem: SimFileSystem, directory: String, inode: Int, owner: Int, isReadOnly: Bool
    ) {
        self.isReadOnly = isReadOnly
        self.fileSystem = fileSystem
        self.directory = directory
        self.inode = inode
        self.owner = owner
    }

    deinit {
        fileSystem.state.withLock { state in
            for byte in state.inodes[inode]?.locks.keys.map(\.self) ?? [] {
                state.inodes[inode]?.locks[byte]?[owner] = nil
            }
            state.inodes[inode]?.handleCount -= 1
            state.collect(inode)
        }
    }

    package var identity: FileIdentity {
        FileIdentity(device: fileSystem.device, inode: UInt64(inode))
    }

    package func isCurrent() throws(StoreError) -> Bool {
        if let failure = fileSystem.lockFailure.withLock({ $0 }) { throw failure }
        return fileSystem.state.withLock { $0.directories[directory]?.entries["LOCK"] == inode }
    }

    package func tryLock(_ byte: LockByte, _ kind: LockKind) throws(StoreError) -> Bool {
        if kind == .exclusive { checkWritable() }
        try fileSystem.check(.lock, "\(directory)/LOCK")
        return change { file in
            let others = (file.locks[byte] ?? [:]).filter { $0.key != owner }
            let conflicts = others.values.contains { $0 == .exclusive || kind == .exclusive }
            if !conflicts { file.locks[byte, default: [:]][owner] = kind }
            return !conflicts
        }
    }

    package func unlock(_ byte: LockByte) {
        change { $0.locks[byte]?[owner] = nil }
    }

    package func isLockedElsewhere(_ byte: LockByte) -> Bool {
        change { file in (file.locks[byte] ?? [:]).contains { $0.key != owner } }
    }

    package func loadControlSlot(_ index: Int) -> ControlWords {
        change { $0.control.slots[index] }
    }

    package func storeControlSlot(_ index: Int, _ words: ControlWords) {
        checkWritable()
        _ = fileSystem.begin(.storeControl)
        change { file in
            file.controlHistory.append(file.control)
            if file.controlHistory.count > SimState.maximumControlHistoryCount {
                file.controlHistory.removeFirst()
            }
            file.control.slots[index] = words
        }
    }

    package func sync() throws(StoreError) {
        checkWritable()
        try fileSystem.check(.syncLock, "\(directory)/LOCK")
        change { file in
            file.controlHistory = []
            file.isControlDurable = true
        }
    }

    package func wake() {
        checkWritable()
        guard fileSystem.begin(.wake) == nil else { return }
        fileSystem.state.withLock { $0.wakeCount += 1 }
    }

    package func load(_ word: LockWord) -> UInt32 {
        change { $0.control.words[word, default: 0] }
    }

    package func countGrant() {
        checkWritable()
        change {
            $0.control.words[.grantCount, default: 0] &+= 1
            // the number of the open, which stands for a process
            $0.control.words[.lastHolder] = UInt32(owner)
        }
    }

    package func countFailedSync() {
        checkWritable()
        change { $0.control.words[.failedSyncCount, default: 0] &+= 1 }
    }

    package func signalRelease() {
        checkWritable()
        change { $0.control.words[.release, default: 0] &+= 1 }
    }

    /// Returns at once, but yields to other threads first. If the word is still `observed`, the
    /// monotonic clock advances by the whole timeout, so that a loop that waits until a deadline
    /// ends.
    package func waitForRelease(observed: UInt32, timeoutNanoseconds: UInt64) {
        fileSystem.state.withLock { state in
            guard state.inodes[inode]!.control.words[.release, default: 0] == observed else {
                return
            }
            let time = state.monotonicNanoseconds.addingReportingOverflow(timeoutNanoseconds)
            if !time.overflow { state.monotonicNanoseconds = time.partialValue }
        }
        sched_yield()
    }

    private func checkWritable() {
        precondition(!isReadOnly, "write to a LOCK that was opened for reading")
    }

    private func change<Result: Sendable>(_ body: (inout SimInode) -> Result) -> Result {
        fileSystem.state.withLock { body(&$0.inodes[inode]!) }
    }
}
