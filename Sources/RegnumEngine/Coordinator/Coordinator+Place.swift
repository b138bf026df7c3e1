internal import RegnumStore

/// Handling of a realm whose directory or `LOCK` is moved or removed while open: no more commits
/// are acknowledged, writes and streams throw `fileMoved`, and opening the path again opens
/// whatever realm is there.
extension Coordinator {
    /// The minimum interval between path checks for hints and reads.
    private static let placeIntervalNanoseconds: UInt64 = 100_000_000
    /// The minimum interval between checks of the directory path while committing. `LOCK` is
    /// checked for every batch.
    private static let batchPlaceIntervalNanoseconds: UInt64 = 1_000_000

    /// Returns whether the realm is still where it was opened, and ends it if not. True if that
    /// can't be determined now: whatever needs to know then fails. Needs no disk access.
    func isInPlace() -> Bool {
        guard let log = state.withLock({ $0.log }) else { return true }
        do throws(StoreError) {
            try log.checkPlace()
            return true
        } catch {
            guard error.code == .fileMoved else { return true }
            end(error)
            return false
        }
    }

    /// Returns whether the realm is still where it was opened, and the path leads to its directory.
    func isAt(_ path: String) -> Bool {
        guard let log = state.withLock({ $0.log }) else { return true }
        return isInPlace() && log.isDirectory(path)
    }

    /// Like `isInPlace`, unless a check was made recently.
    func checkPlaceIfDue() {
        let now = IOPool.now()
        guard state.withLock({ $0.isPlaceCheckDue(now, Self.placeIntervalNanoseconds) }) else {
            return
        }
        _ = isInPlace()
    }

    /// Throws `fileMoved` or `outcomeUnknown` if a batch that was just synced must not be
    /// acknowledged.
    func confirmPlace(_ lease: borrowing LogLease) throws(StoreError) {
        let now = IOPool.now()
        let isDue = state.withLock {
            $0.isPlaceCheckDue(now, Self.batchPlaceIntervalNanoseconds)
        }
        try lease.log.confirmPlace(path: isDue)
    }

    /// Ends the realm: no further turn begins, and the pump drops staged commits.
    private func end(_ error: StoreError) {
        let (runsPump, wakesPump) = state.withLock { state in
            guard state.phase == .open, state.moved == nil else { return (false, false) }
            state.moved = error
            return (state.claimPump(), state.isPumpAsleep)
        }
        if runsPump { startPump() } else if wakesPump { pumpWake.wake() }
    }
}

extension CoordinatorState {
    fileprivate mutating func isPlaceCheckDue(_ now: UInt64, _ interval: UInt64) -> Bool {
        guard now >= lastPlaceCheck, now - lastPlaceCheck >= interval else { return false }
        lastPlaceCheck = now
        return true
    }

    /// The error with which the pump must end the realm, once.
    var dueEnd: StoreError? { writeFailure == nil || followFailure == nil ? moved : nil }

    /// Stops all writing and following.
    mutating func end(_ error: StoreError) {
        moved = error
        writeFailure = error
        followFailure = error
        syncDue = nil
        idleDue = nil
        wakeDue = nil
    }
}
