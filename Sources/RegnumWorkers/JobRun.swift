public import Regnum

/// One attempt at a job, passed to the handler of ``JobQueue/run(_:)``.
public struct JobRun<T: Job>: Sendable {
    /// The queue of the job.
    public let queue: JobQueue<T>
    /// The claim under which the job runs. It is renewed while the handler runs.
    public let claim: JobClaim<T>
    let board: JobBoard<T>

    /// The job as it was when it was claimed.
    public var job: Frozen<T> { claim.job }
    /// The number of this attempt, starting at 1.
    public var attempt: Int { claim.attempt }
    /// Whether this is the last attempt: if it fails, the job is dead.
    public var isLastAttempt: Bool { attempt >= queue.options.retry.attempts }

    /// Runs `body` in a transaction that also finishes the job, so that its writes take effect
    /// exactly once, whatever happens to the process. If it isn't called, the job is finished when
    /// its handler returns.
    ///
    ///     try await queue.run { run in
    ///         let image = try await scale(run.job.source)
    ///         try await run.finish { tx in try tx.add(Thumbnail(image)) }
    ///     }
    ///
    /// The body sees the job as running, and may delete it. The write takes place even if the task
    /// has been cancelled, because the handler's work would otherwise be repeated; but then, and
    /// after a graceful shutdown has begun, it waits for other writers for at most
    /// ``JobOptions/timeout`` or half a minute.
    ///
    /// - Throws: ``WorkerError/claimLost(_:)`` if the claim is no longer valid, before the body
    ///   runs; whatever the body throws, in which case the job isn't finished; the errors of
    ///   `write`, of which `.busy` also if that wait was too long.
    @discardableResult
    public func finish<R: Sendable>(
        _ body: sending @escaping (Transaction) throws -> R
    ) async throws -> R {
        let (table, options, claimed) = (queue.table, queue.options, claim.claimed)
        // Guard: the caller has sent `body`, and only the write calls it, once.
        nonisolated(unsafe) let body = body
        do {
            return try await uncancelled(for: endLimit(options.timeout), stop: board.stop) {
                [queue, board] in
                try await queue.realm.writeReleasing(durability: options.durability) { tx in
                    guard table.job(of: claimed, tx) != nil else {
                        throw WorkerError.claimLost(claimed.id)
                    }
                    let result = try body(tx)
                    // false if the body has deleted the job
                    _ = table.end(claimed, .done, options.time.now(), tx)
                    // within the transaction, because a renewal after it would take the claim for
                    // lost
                    board.settle(claimed)
                    return result
                }
            }
        } catch {
            if error as? WorkerError != .claimLost(claimed.id) { board.restore(claimed) }
            throw error
        }
    }

    /// Reports the progress of the job, which also renews its claim. Each report is a commit.
    ///
    /// - Parameter progress: From 0 to 1; other values are clamped to this range.
    /// - Throws: ``WorkerError/claimLost(_:)`` if the claim is no longer valid, which is a good
    ///   reason to stop; the errors of `write`.
    public func report(progress: Double) async throws {
        let (table, options, claimed) = (queue.table, queue.options, claim.claimed)
        try await queue.realm.writeReleasing(durability: options.durability) { tx in
            guard table.renew(claimed, options.time.now(), tx),
                let job = table.job(of: claimed, tx)
            else { throw WorkerError.claimLost(claimed.id) }
            table.countAttempt(of: job)
            job.progress = progress.isNaN ? 0 : min(max(progress, 0), 1)
        }
    }
}
