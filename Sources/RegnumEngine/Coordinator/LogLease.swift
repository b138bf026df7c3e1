internal import RegnumStore

/// The right to use the log, which one thread has at a time: the pump for a step, a writer that
/// acquires the writer lock or commits on its own thread, or a migration that begins a stage.
///
/// `CoordinatorState.lease` creates it under the coordinator's lock, and `Coordinator.release` ends
/// it. It is never stored or passed to another job. Whatever reads or changes the position of the
/// log borrows it, so the compiler rejects a second release and a use after the release. (It
/// doesn't require a release: closing keeps the lease.) The state itself may look at a log that
/// isn't leased, under its lock.
struct LogLease: ~Copyable {
    let log: RealmLog

    fileprivate init(_ log: RealmLog) { self.log = log }

    /// Whether there is a lease, as a part of the coordinator's state.
    struct Flag {
        fileprivate(set) var isSet = false
    }
}

extension CoordinatorState {
    /// Whether the log is in use.
    var isLogLeased: Bool { logLease.isSet }

    /// Returns the lease of the log, which must not be leased.
    mutating func lease(_ log: RealmLog) -> LogLease {
        precondition(!logLease.isSet, "two leases of the same log")
        logLease.isSet = true
        return LogLease(log)
    }
}

extension Coordinator {
    /// Ends the lease, and changes the state in the same critical section.
    @discardableResult
    func release<Result>(
        _ lease: consuming LogLease, _ change: (inout CoordinatorState) -> Result = { _ in }
    ) -> Result {
        state.withLock { state in
            state.logLease.isSet = false
            return change(&state)
        }
    }
}
