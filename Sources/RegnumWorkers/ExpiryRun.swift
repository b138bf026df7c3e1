internal import FoundationEssentials
internal import Logging
internal import Regnum

/// The removal of the objects of a class that expire. Confined to a task of `removeExpired`.
struct ExpiryRun<T: Object, Expiry: ExpiryDate> {
    let realm: Realm
    let table: ExpiryTable<T, Expiry>
    let options: ExpiryOptions
    let body: @Sendable (Transaction, [T]) throws -> Void
    /// The objects for which the body has failed. Some of them may have been deleted since.
    private var postponed: [RowIdentity: Postponed] = [:]
    /// The number of objects waiting for another attempt at which no others are attempted: if so
    /// many fail, others would probably fail too. With a smaller number, a few objects that always
    /// fail would hold up all others.
    private var maximumWaitingCount: Int { max(options.batchSize, 100) }

    init(
        _ realm: Realm, _ table: ExpiryTable<T, Expiry>, _ options: ExpiryOptions,
        _ body: @escaping @Sendable (Transaction, [T]) throws -> Void
    ) {
        self.realm = realm
        self.table = table
        self.options = options
        self.body = body
    }

    /// Removes objects when they expire, until the task is cancelled or the realm is closed.
    ///
    /// - Parameter wakeup: Set for each commit that changes objects of the class.
    mutating func run(_ wakeup: Wakeup) async throws {
        while !Task.isCancelled, !realm.isClosed {
            // before looking, so that what happens from now on ends the wait
            wakeup.clear()
            let now = options.time.now()
            let waiting = postponed.filter { $0.value.remainingTime(at: now) != nil }
            var wait = WorkerTime.maximumWait
            for object in waiting.values {
                wait = min(wait, object.remainingTime(at: now) ?? wait)
            }
            if postponed.count > 2 * maximumWaitingCount { postponed = waiting }
            if waiting.count < maximumWaitingCount {
                wait = try await timeToNext(at: now, besides: Set(waiting.keys), limit: wait)
                if wait == .zero {
                    try await removeBatch(besides: waiting)
                    continue
                }
                // the others were deleted or prolonged
                postponed = waiting
            }
            await wakeup.wait(for: wait, clock: options.time.clock)
        }
    }

    /// Returns zero if objects have expired, otherwise the time until the next one does.
    private func timeToNext(
        at now: Date, besides postponed: Set<RowIdentity>, limit: Duration
    ) async throws -> Duration {
        try await realm.read { [table] tx in
            let expired = try table.expired(at: now, upTo: 1, besides: postponed, tx)
            if !expired.isEmpty { return .zero }
            let count = table.count(now, tx)
            return WorkerTime.time(after: now, limit: limit) { table.count($0, tx) > count }
        }
    }

    /// Removes objects in one transaction.
    ///
    /// - Parameter waiting: Objects that are left out.
    private mutating func removeBatch(besides waiting: [RowIdentity: Postponed]) async throws {
        let (realm, table, options, body) = (realm, table, options, body)
        let left = Set(waiting.keys)
        let failures = try await repeating(options.time.clock) { error in
            options.logger?.warning(
                "A write that removes expired objects of \(table.name) failed: \(error)")
        } _: {
            try await realm.write(
                origin: "expiry \(table.name)", durability: options.durability
            ) { tx in
                try table.remove(
                    at: options.time.now(), upTo: options.batchSize, besides: left, tx, body)
            }
        }
        let now = options.time.now()
        // those whose delay is over stay, because the transaction may not have attempted them all
        for row in failures.keys {
            postponed[row] = Postponed(attempts: (postponed[row]?.attempts ?? 0) + 1, since: now)
        }
        if let error = failures.values.first {
            options.logger?.warning(
                "\(failures.count) expired objects of \(table.name) weren't removed: \(error)")
        }
    }
}

/// An object for which the body has failed, until the next attempt.
private struct Postponed {
    let attempts: Int
    private let since: Date
    private let delay: Duration

    init(attempts: Int, since: Date) {
        self.attempts = attempts
        self.since = since
        delay = RetryPolicy.removals.delay(afterAttempt: attempts)
    }

    /// Returns the time until the next attempt, or `nil` if it is due. It also is if the clock was
    /// set back, because the delay could then last as long as that.
    func remainingTime(at now: Date) -> Duration? {
        let passed = now.timeIntervalSince(since)
        guard passed >= 0, passed < delay.inSeconds else { return nil }
        return max(.seconds(delay.inSeconds - passed), .milliseconds(1))
    }
}
