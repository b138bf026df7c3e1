internal import Logging
public import Regnum

/// A worker's right to run a job, which expires unless it is renewed. See
/// ``JobQueue/claim(upTo:)``.
public struct JobClaim<T: Job>: Sendable {
    /// The job as it was when it was claimed. Keeps that version of the realm in memory.
    public let job: Frozen<T>
    let claimed: ClaimedJob

    /// The identity of the job.
    public var id: ObjectId { claimed.id }
    /// The number of this attempt, starting at 1.
    public var attempt: Int { claimed.attempt }
}

// The steps of a worker, for programs that don't use `run`.
extension JobQueue {
    /// Claims the next jobs: by priority, then in the order in which they were added.
    ///
    /// Before that, scheduled jobs that are due and jobs whose claims have expired become ready, at
    /// most 10,000 of them in one call. Never waits for a job. A claim counts as an attempt.
    ///
    ///     for claim in try await queue.claim(upTo: 100) {
    ///         try await queue.finish([claim])
    ///     }
    ///
    /// - Returns: Up to `limit` claims, which expire after ``JobOptions/timeout`` unless they are
    ///   renewed; none while the queue is paused.
    /// - Throws: `.invalidInput` for invalid settings, or if the realm's `objectTypes` lack the
    ///   class or `Workers.models`; the errors of `write`.
    /// - Complexity: One transaction; O(log n) for each job.
    public func claim(upTo limit: Int) async throws -> [JobClaim<T>] {
        try await exchange([], claimUpTo: limit).claims
    }

    /// Finishes jobs in one transaction.
    ///
    /// - Returns: The jobs whose claims had been lost. They aren't changed.
    /// - Throws: The errors of `write`.
    @discardableResult
    public func finish(_ claims: [JobClaim<T>]) async throws -> [ObjectId] {
        try await exchange(claims.map { ($0.claimed, .done) }, claimUpTo: 0).lost
    }

    /// Ends a claim whose job failed: the job is retried later or, after its last attempt, becomes
    /// dead.
    ///
    /// - Parameter error: The reason. A ``JobFailure`` determines what happens to the job.
    /// - Throws: ``WorkerError/claimLost(_:)``; the errors of `write`.
    public func fail(_ claim: JobClaim<T>, _ error: any Error) async throws {
        let lost = try await exchange([(claim.claimed, JobOutcome(error))], claimUpTo: 0).lost
        if !lost.isEmpty { throw WorkerError.claimLost(claim.id) }
    }

    /// Releases claims whose jobs weren't started. The jobs are ready again at once, and the
    /// attempts don't count.
    ///
    /// - Throws: The errors of `write`. Claims that were lost are ignored.
    public func release(_ claims: [JobClaim<T>]) async throws {
        _ = try await exchange(claims.map { ($0.claimed, .released) }, claimUpTo: 0)
    }

    /// Renews claims, so that they expire ``JobOptions/timeout`` from now.
    ///
    /// - Returns: The jobs whose claims had been lost.
    /// - Throws: The errors of `write`.
    @discardableResult
    public func renew(_ claims: [JobClaim<T>]) async throws -> [ObjectId] {
        try check()
        return try await renew(claims.map(\.claimed)).map(\.id)
    }

    /// Renews claims, and returns those that had been lost.
    func renew(_ claims: [ClaimedJob]) async throws -> [ClaimedJob] {
        if claims.isEmpty { return [] }
        return try await realm.writeReleasing(durability: options.durability) {
            [table, options] tx in
            let now = options.time.now()
            return claims.filter { !table.renew($0, now, tx) }
        }
    }

    /// Ends claims and makes new ones, in one transaction.
    ///
    /// - Parameters:
    ///   - beginningCount: The number of new claims whose jobs begin at once. The others are made
    ///     in advance, and count as attempts only when they end.
    ///   - held: Other claims of the caller, which stay valid even if they have expired.
    /// - Returns: The new claims, and the jobs whose claims had been lost.
    func exchange(
        _ ended: [(claim: ClaimedJob, outcome: JobOutcome)], claimUpTo limit: Int,
        beginning beginningCount: Int = .max, keeping held: [ClaimedJob] = []
    ) async throws -> (claims: [JobClaim<T>], lost: [ObjectId]) {
        try check()
        if ended.isEmpty, limit <= 0 { return ([], []) }
        typealias Exchanged = (claimed: [ClaimedJob], dead: [ObjectId], lost: [ObjectId])
        let body = { @Sendable [table, options] (tx: Transaction) -> Exchanged in
            let now = options.time.now()
            var lost: [ObjectId] = []
            for (claim, outcome) in ended where !table.end(claim, outcome, now, tx) {
                lost.append(claim.id)
            }
            if limit <= 0 { return ([], [], lost) }
            let (claimed, dead) = table.claim(
                upTo: limit, beginning: beginningCount, by: options.label, keeping: held, now, tx)
            return (claimed, dead, lost)
        }
        let (snapshot, exchanged) =
            ended.isEmpty
            ? try await realm.snapshot(durability: options.durability, afterWriting: body)
            : try await realm.snapshotReleasing(durability: options.durability, body)
        for id in exchanged.dead {
            options.logger?.error(
                "Gave up on job \(table.name) \(id): its claim expired during the last attempt.")
        }
        let claims = exchanged.claimed.compactMap { claimed in
            snapshot.object(type, forPrimaryKey: claimed.id)
                .map { JobClaim(job: $0, claimed: claimed) }
        }
        return (claims, exchanged.lost)
    }
}
