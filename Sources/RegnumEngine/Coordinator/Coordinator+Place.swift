internal import RegnumStore

/// A realm whose directory or `LOCK` was moved or removed while it is open: nothing is acknowledged
/// any more, writes and streams throw `fileMoved`, and what opens the path next gets the realm that
/// is there then.
extension Coordinator {
    /// How often hints and reads look at the names.
    private static let placeIntervalNanoseconds: UInt64 = 100_000_000
    /// How often a process that goes on committing looks at the names, beside `LOCK`'s.
    private static let batchPlaceIntervalNanoseconds: UInt64 = 1_000_000

    /// Whether the realm is still where it was opened. If not, it ends. Touches no disk.
    func isInPlace() -> Bool {
        guard let log = state.withLock({ $0.log }) else { return true }
        do throws(StoreError) {
            try log.checkPlace()
            return true
        } catch {
            end(error)
            return false
        }
    }

    /// Whether the path leads to the realm's directory, and the realm is where it was opened.
    func isAt(_ path: String) -> Bool {
        guard let log = state.withLock({ $0.log }) else { return true }
        return isInPlace() && log.isDirectory(path)
    }

    /// As `isInPlace`, unless somebody has looked just now.
    func checkPlaceIfDue() {
        let now = IOPool.now()
        guard state.withLock({ $0.isPlaceCheckDue(now, Self.placeIntervalNanoseconds) }) else {
            return
        }
        _ = isInPlace()
    }

    /// Throws `fileMoved` if a batch that was just synced must not be acknowledged. The caller owns
    /// the log.
    func confirmPlace(_ log: RealmLog) throws(StoreError) {
        let now = IOPool.now()
        let isDue = state.withLock {
            $0.isPlaceCheckDue(now, Self.batchPlaceIntervalNanoseconds)
        }
        if isDue { try log.checkPlace() } else { try log.checkLock() }
    }

    /// No turn begins from here on; the pump drops what is staged.
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

    /// What the pump has to end the realm with, once.
    var dueEnd: StoreError? { writeFailure == nil || followFailure == nil ? moved : nil }

    /// Nothing is written or followed any more.
    mutating func end(_ error: StoreError) {
        moved = error
        writeFailure = error
        followFailure = error
        syncDue = nil
        idleDue = nil
        wakeDue = nil
    }
}
