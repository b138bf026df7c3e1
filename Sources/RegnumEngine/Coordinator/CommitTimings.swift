internal import RegnumStore

/// Durations in nanoseconds that a coordinator measures between calls of `takeTimings`.
///
/// By default, nothing takes the durations, and the coordinator keeps none. A batch that is synced
/// costs two clock reads in any case; other clock reads are made only while durations are taken.
package struct CommitTimings: Sendable, Equatable {
    /// The time from the end of the first body of each batch until the batch was published.
    package private(set) var commits: [UInt64] = []
    /// The time that each sync of the log took.
    package private(set) var syncs: [UInt64] = []
    /// The time for which each writer that had to wait for its turn has waited, except for those
    /// that gave up.
    package private(set) var waits: [UInt64] = []

    /// The maximum number of durations of each kind. Later ones are dropped until these are taken.
    package static let maximumCount = 65_536

    package init() {}

    mutating func add(commit nanoseconds: UInt64) { Self.add(nanoseconds, to: &commits) }
    mutating func add(sync nanoseconds: UInt64) { Self.add(nanoseconds, to: &syncs) }
    mutating func add(wait nanoseconds: UInt64) { Self.add(nanoseconds, to: &waits) }

    private static func add(_ nanoseconds: UInt64, to durations: inout [UInt64]) {
        if durations.count < maximumCount { durations.append(nanoseconds) }
    }
}

extension Coordinator {
    /// Returns the durations since the last call. The first call starts the measurement.
    package func takeTimings() -> CommitTimings {
        state.withLock { state in
            defer { state.timings = CommitTimings() }
            return state.timings ?? CommitTimings()
        }
    }

    /// Ends the measurement that `takeTimings` started.
    package func stopTimings() {
        let old = state.withLock { state in
            defer { state.timings = nil }
            return state.timings
        }
        withExtendedLifetime(old) {}  // released here, outside the lock
    }

    /// Syncs the log, and returns the duration in nanoseconds.
    func measuredSync(_ log: RealmLog) throws(StoreError) -> UInt64 {
        let start = IOPool.now()
        try log.sync()
        return IOPool.now() - start
    }
}
