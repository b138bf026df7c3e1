public import FoundationEssentials
public import Regnum

/// The queue of the jobs of one class, which claims and runs them and reports their status.
///
///     let queue = JobQueue(of: Mail.self, in: realm)
///     try await queue.run { run in                     // until the task is cancelled
///         try await send(run.job.text, to: run.job.recipient)
///     }
///
/// Any number of processes can run the queue of a class. Each job runs at least once, and runs
/// again only if its worker died, was interrupted or lost its claim before the completion of the
/// job was committed. What a handler writes with ``JobRun/finish(_:)`` takes effect exactly once.
/// `Docs/Guides/Workers.md` describes the guarantees.
///
/// Claiming a job uses an index and costs O(log n). Workers don't poll: they wait for commits that
/// change the class, in any process, and for the date on which the next job is due.
public struct JobQueue<T: Job>: Sendable {
    /// The realm that contains the jobs.
    public let realm: Realm
    /// The settings of this process.
    public let options: JobOptions
    let type: T.Type
    let table: JobTable

    /// Creates the queue of a class. Nothing is read or written.
    public init(of type: T.Type = T.self, in realm: Realm, options: JobOptions = JobOptions()) {
        self.realm = realm
        self.options = options
        self.type = type
        table = JobTable(
            type: type, retry: options.retry, timeout: options.timeout,
            keepsFinished: options.keepsFinished)
    }

    /// Throws `.invalidInput` for invalid settings or a class that isn't listed, and `.readOnly`.
    func check() throws(Realm.Error) {
        if let problem = options.problem { throw Realm.Error(.invalidInput, problem) }
        try realm.requireModels([table.type, RegnumJobQueueRecord.self])
    }

    // MARK: Inspecting

    /// Returns a live handle to the jobs with a status, for example for a dashboard.
    ///
    ///     for try await change in queue.jobs(.running).changes { … }
    ///
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    public func jobs(_ status: JobStatus) -> LiveResults<T> {
        let lanes = JobLane.range(of: status)
        let (low, high) = (lanes.lowerBound, lanes.upperBound)
        let all = realm.objects(type)
        if low == high { return all.where { $0.jobLane == low } }
        return all.where { $0.jobLane >= low && $0.jobLane <= high }
    }

    /// Returns the jobs with a status in a transaction.
    public func jobs(_ status: JobStatus, in tx: Transaction) -> Results<T> {
        let lanes = JobLane.range(of: status)
        let (low, high) = (lanes.lowerBound, lanes.upperBound)
        return tx.objects(type).where { $0.jobLane >= low && $0.jobLane <= high }
    }

    /// Returns the number of jobs with each status in the newest published version.
    ///
    /// Until the next claim, a job whose claim has expired is counted as running, and a job that
    /// has become due as scheduled.
    ///
    /// - Throws: The errors of `read`.
    /// - Complexity: O(log n).
    public func counts() async throws -> JobCounts {
        try check()
        return try await realm.read { [table] tx in
            JobCounts(
                ready: table.count(.ready, tx), scheduled: table.count(.scheduled, tx),
                running: table.count(.running, tx), done: table.count(.done, tx),
                dead: table.count(.dead, tx), isPaused: table.isPaused(tx))
        }
    }

    // MARK: Operating

    /// Pauses the queue in all processes: no more jobs are claimed until ``resume()`` is called.
    /// Jobs that were already claimed are finished.
    ///
    /// - Throws: The errors of `write`; `.invalidInput` if the realm's `objectTypes` lack
    ///   `Workers.models`.
    public func pause() async throws { try await setPaused(true) }

    /// Ends a pause.
    ///
    /// - Throws: The errors of ``pause()``.
    public func resume() async throws { try await setPaused(false) }

    private func setPaused(_ isPaused: Bool) async throws {
        try check()
        try await realm.write { [name = table.name] tx in
            if let record = tx.object(RegnumJobQueueRecord.self, forPrimaryKey: name) {
                if record.isPaused != isPaused { record.isPaused = isPaused }
            } else if isPaused {
                let record = RegnumJobQueueRecord()
                record.className = name
                record.isPaused = true
                try tx.add(record)
            }
        }
    }

    /// Makes dead jobs ready again, the oldest first.
    ///
    /// - Parameter limit: The maximum number of jobs, all of which are changed in one transaction.
    /// - Returns: The number of jobs made ready. Jobs whose unique key belongs to an unfinished job
    ///   are skipped.
    /// - Throws: The errors of `write`.
    @discardableResult
    public func retryDead(limit: Int = 10_000) async throws -> Int {
        try check()
        return try await realm.write { [table] tx in
            var count = 0
            // not limited to the first ones, all of which may be skipped
            for job in table.jobs(JobLane.range(of: .dead), tx) {
                if count >= limit { break }
                if tx.retry(job) { count += 1 }
            }
            return count
        }
    }

    /// Deletes jobs that were done before a date (see ``JobOptions/keepsFinished``). Dead jobs are
    /// kept.
    ///
    /// - Returns: The number of jobs that were deleted, in transactions of at most 10,000.
    /// - Throws: The errors of `write`.
    @discardableResult
    public func removeFinished(before date: Date) async throws -> Int {
        try check()
        var count = 0
        while true {
            let removed = try await realm.write { [table] tx in
                let old = table.jobs(JobLane.range(of: .done), tx)
                    .where { $0.finishedAt < date }.limited(to: 10_000)
                let count = old.count
                tx.delete(old)
                return count
            }
            count += removed
            if removed < 10_000 { return count }
        }
    }
}

/// The numbers of jobs of a queue by status; see ``JobStatus``.
public struct JobCounts: Sendable, Hashable {
    /// The number of jobs that are waiting for a worker.
    public let ready: Int
    /// The number of jobs that are waiting for a date.
    public let scheduled: Int
    /// The number of jobs that are claimed by a worker.
    public let running: Int
    /// The number of jobs that are done and were kept.
    public let done: Int
    /// The number of jobs that were given up on.
    public let dead: Int
    /// Whether the queue is paused.
    public let isPaused: Bool

    /// The number of jobs that are still to be done: those that are ready, scheduled or running.
    public var unfinished: Int { ready + scheduled + running }
}
