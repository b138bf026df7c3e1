public import FoundationEssentials
public import Regnum

extension Transaction {
    /// Adds a job to the queue of its class in this transaction: if the body throws, the job isn't
    /// added.
    ///
    ///     try await realm.write { tx in
    ///         order.isPaid = true
    ///         try tx.enqueue(Mail(value: ["order": order]), uniqueKey: "receipt \(order.id)")
    ///         try tx.enqueue(Reminder(value: ["order": order]), at: Date() + 86_400)
    ///     }
    ///
    /// - Parameters:
    ///   - job: An unmanaged object. It becomes the accessor of its row, unless another job has
    ///     the unique key: then it isn't stored and stays unmanaged. A copy of another job starts
    ///     with all its attempts.
    ///   - priority: From -100 to 100. Jobs with a higher priority are claimed first.
    ///   - date: The date from which the job can run; `nil` means at once.
    ///   - uniqueKey: A key that is unique among the unfinished jobs of the class. Jobs that are
    ///     done or dead don't count.
    /// - Returns: The job that has the unique key: the new one, or the existing one.
    /// - Throws: `.invalidInput` for a priority that is out of range, a date that is not a number,
    ///   or a job that is already stored; the errors of `add`.
    /// - Complexity: O(log n) for each of the class's indexed properties, four of which are
    ///   declared by ``Job``.
    @discardableResult
    public func enqueue<T: Job>(
        _ job: T, priority: Int = 0, at date: Date? = nil, uniqueKey: String? = nil
    ) throws(Realm.Error) -> EnqueuedJob {
        let name = "\(type(of: job as Job))"
        guard JobLane.priorities.contains(priority) else {
            throw Realm.Error(
                .invalidInput,
                "The priority \(priority) of a \(name) is not between "
                    + "\(JobLane.priorities.lowerBound) and \(JobLane.priorities.upperBound).",
                className: name, property: "priority")
        }
        if let date, date.timeIntervalSinceReferenceDate.isNaN {
            throw Realm.Error(
                .invalidInput, "The date of a \(name) can't be NaN.", className: name)
        }
        guard !job.isManaged else {
            throw Realm.Error(
                .invalidInput, "The \(name) is already stored: enqueue a new object.",
                className: name)
        }
        if let uniqueKey, let other = unfinishedJob(type(of: job as Job), uniqueKey: uniqueKey) {
            return EnqueuedJob(id: other.id, isNew: false)
        }
        job.priority = priority
        job.uniqueKey = uniqueKey
        job.jobLane = date == nil ? priority : JobLane.scheduled
        job.jobDueAt = date ?? .distantFuture
        job.clearRecord()
        try add(job)
        return EnqueuedJob(id: job.id, isNew: true)
    }

    /// Makes a dead, done or scheduled job ready again, and resets its number of attempts.
    ///
    ///     try await realm.write { tx in
    ///         for job in queue.jobs(.dead, in: tx) { tx.retry(job) }
    ///     }
    ///
    /// - Returns: `false` if nothing was changed, because the job is ready or running, or an
    ///   unfinished job has the same unique key.
    /// - Precondition: Called in a write, with a job of this transaction.
    @discardableResult
    public func retry(_ job: Job) -> Bool {
        switch job.status {
        case .ready, .running: return false
        case .scheduled: break
        case .done, .dead:
            if let key = job.uniqueKey, unfinishedJob(type(of: job), uniqueKey: key) != nil {
                return false
            }
        }
        job.jobLane = JobLane.ready(job.priority)
        job.jobDueAt = .distantFuture
        job.attempts = 0
        job.jobHasExpired = false
        job.progress = 0
        job.finishedAt = nil
        return true
    }

    /// Returns the unfinished job of a class with a unique key.
    private func unfinishedJob(_ type: Job.Type, uniqueKey: String) -> Job? {
        let (low, high) = (JobLane.unfinished.lowerBound, JobLane.unfinished.upperBound)
        return objects(type)
            .where { $0.uniqueKey == uniqueKey && $0.jobLane >= low && $0.jobLane <= high }.first
    }
}

extension Job {
    /// Resets what was copied from another job: its attempts, and the trace context of its write.
    fileprivate func clearRecord() {
        attempts = 0
        lastError = nil
        progress = 0
        worker = nil
        addedAt = Date()
        finishedAt = nil
        jobIsAhead = false
        jobHasExpired = false
        #if Tracing
            jobTrace = TraceContext.current
        #endif
    }
}

/// The result of ``Transaction/enqueue(_:priority:at:uniqueKey:)``.
public struct EnqueuedJob: Sendable, Hashable {
    /// The identity of the job.
    public let id: ObjectId
    /// Whether the job was added. Otherwise an unfinished job had the unique key.
    public let isNew: Bool
}
