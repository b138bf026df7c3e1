internal import FoundationEssentials
internal import Regnum

/// The jobs of a class, and the operations on them in a transaction.
///
/// Uses the static type `Job` instead of the class, because key paths of generic functions are
/// created and resolved for each use. The metatype determines which objects are found.
struct JobTable: Sendable {
    let type: Job.Type
    let retry: RetryPolicy
    let timeout: Duration
    let keepsFinished: Bool

    /// The number of due jobs that one claim makes ready. If more are due, the claim doesn't see
    /// the later ones, whatever their priority.
    static let maximumDueCount = 10_000

    /// Returns the jobs of some lanes.
    func jobs(_ lanes: ClosedRange<Int>, _ tx: Transaction) -> Results<Job> {
        let (low, high) = (lanes.lowerBound, lanes.upperBound)
        if low == high { return tx.objects(type).where { $0.jobLane == low } }
        return tx.objects(type).where { $0.jobLane >= low && $0.jobLane <= high }
    }

    /// Returns the number of jobs with a status.
    func count(_ status: JobStatus, _ tx: Transaction) -> Int {
        jobs(JobLane.range(of: status), tx).count
    }

    /// Returns the highest priority of a ready job, or `nil` if no job is ready.
    ///
    /// - Complexity: two counts if it is 0, otherwise ten at most, by bisection of the index;
    ///   O(log n) each.
    func highestPriority(_ tx: Transaction) -> Int? {
        var low = JobLane.priorities.lowerBound
        var high = JobLane.priorities.upperBound
        if jobs(1...high, tx).count > 0 {
            low = 1
        } else {
            if jobs(0...0, tx).count > 0 { return 0 }
            high = -1
            if jobs(low...high, tx).count == 0 { return nil }
        }
        while low < high {
            let middle = high - (high - low) / 2
            if jobs(middle...high, tx).count > 0 { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the number of jobs that are due at a date.
    func dueCount(_ date: Date, _ tx: Transaction) -> Int {
        tx.objects(type).where { $0.jobDueAt <= date }.count
    }

    /// Returns the time until the next job is due, at most `limit`, to the millisecond.
    ///
    /// - Complexity: O(log n) for each of at most 17 counts.
    func timeToNextDue(_ now: Date, limit: Duration, _ tx: Transaction) -> Duration {
        if dueCount(now, tx) > 0 { return .zero }
        return WorkerTime.time(after: now, limit: limit) { dueCount($0, tx) > 0 }
    }

    /// Whether the queue is paused.
    func isPaused(_ tx: Transaction) -> Bool {
        tx.object(RegnumJobQueueRecord.self, forPrimaryKey: name)?.isPaused ?? false
    }

    /// The name of the class.
    var name: String { "\(type)" }

    // MARK: Writing

    /// Makes ready the scheduled jobs whose date has come, and the jobs whose claims have expired.
    ///
    /// - Parameter held: The claims of the caller. Those that have expired, for example because the
    ///   process was stopped, are renewed, since their handlers may still run.
    /// - Returns: The jobs that are dead now, because the claim expired in the last attempt.
    func makeDueJobsReady(
        _ now: Date, keeping held: [ClaimedJob], _ tx: Transaction
    ) -> [ObjectId] {
        let due = firstDue(Self.maximumDueCount, now, tx)
        lazy var kept = Set(held)
        var dead: [ObjectId] = []
        for job in due {
            guard job.jobLane == JobLane.running else {
                makeReady(job)
                continue
            }
            let claim = claim(of: job)
            if kept.contains(claim) {
                job.jobDueAt = now + timeout
                continue
            }
            let worker = job.worker ?? "its worker"
            job.lastError = "The claim of \(worker) expired during attempt \(claim.attempt)."
            // doesn't count if it was made in advance, because the job may not have begun
            job.jobIsAhead = false
            job.jobHasExpired = true
            if job.attempts < retry.attempts {
                makeReady(job)
            } else {
                bury(job, now)
                dead.append(job.id)
            }
        }
        return dead
    }

    /// Returns the jobs that are due, at most `limit`: those with the earliest dates.
    ///
    /// - Complexity: O(log n), 64 times if more are due, and O(1) for each job that is returned.
    private func firstDue(_ limit: Int, _ now: Date, _ tx: Transaction) -> [Job] {
        let all = tx.objects(type).where { $0.jobDueAt <= now }
        if all.count <= limit { return Array(all) }
        // not `all.limited(to: limit)`, which collects and sorts the rows of all of them, or passes
        // those that were made ready before
        let last = Date.first(until: now) { dueCount($0, tx) >= limit }
        let found = Array(tx.objects(type).where { $0.jobDueAt < last })
        let rest = tx.objects(type).where { $0.jobDueAt == last }
        return found + rest.limited(to: max(limit - found.count, 0))
    }

    /// Claims the ready jobs that come first. Returns the identities of the claims, in order, and
    /// the jobs that are dead now.
    ///
    /// - Parameter beginningCount: The number of claims whose jobs begin at once. The others are
    ///   made in advance.
    /// - Complexity: O(log n) for each job, plus a bisection for each priority that occurs.
    func claim(
        upTo limit: Int, beginning beginningCount: Int, by worker: String,
        keeping held: [ClaimedJob], _ now: Date, _ tx: Transaction
    ) -> (claimed: [ClaimedJob], dead: [ObjectId]) {
        if isPaused(tx) { return ([], []) }
        let dead = makeDueJobsReady(now, keeping: held, tx)
        var claimed: [ClaimedJob] = []
        // not the next number of each job: an earlier job may have had its identity
        let token = Int.random(in: Int.min...Int.max)
        while claimed.count < limit, let priority = highestPriority(tx) {
            let first = jobs(priority...priority, tx).limited(to: limit - claimed.count)
            let count = claimed.count
            for job in first {
                let isAhead = claimed.count >= beginningCount
                if isAhead, job.jobHasExpired { return (claimed, dead) }
                job.jobLane = JobLane.running
                job.jobDueAt = now + timeout
                job.jobToken = token
                job.jobIsAhead = true
                if !isAhead { countAttempt(of: job) }
                job.progress = 0
                job.worker = worker
                claimed.append(claim(of: job))
            }
            // an index that promises more than there is must not keep the writer forever
            if claimed.count == count { break }
        }
        return (claimed, dead)
    }

    /// Counts the attempt at a job that was claimed, unless that was done before.
    func countAttempt(of job: Job) {
        guard job.jobIsAhead else { return }
        job.attempts &+= 1
        job.jobIsAhead = false
    }

    private func claim(of job: Job) -> ClaimedJob {
        ClaimedJob(
            id: job.id, token: job.jobToken,
            attempt: job.jobIsAhead ? job.attempts &+ 1 : job.attempts)
    }

    /// Returns the job of a claim, or `nil` if the claim was lost.
    func job(of claim: ClaimedJob, _ tx: Transaction) -> Job? {
        guard let job = tx.object(type, forPrimaryKey: claim.id),
            job.jobLane == JobLane.running, job.jobToken == claim.token
        else { return nil }
        return job
    }

    /// Ends a claim. Returns false if it was lost.
    func end(_ claim: ClaimedJob, _ outcome: JobOutcome, _ now: Date, _ tx: Transaction) -> Bool {
        guard let job = job(of: claim, tx) else { return false }
        if case .done = outcome, !keepsFinished {
            tx.delete(job)
            return true
        }
        countAttempt(of: job)
        job.jobHasExpired = false
        switch outcome {
        case .done: finish(job, now)
        case .failed(let text, let delay):
            job.lastError = text
            guard job.attempts < retry.attempts else {
                bury(job, now)
                break
            }
            job.jobLane = JobLane.scheduled
            job.jobDueAt = now + (delay ?? retry.delay(afterAttempt: job.attempts))
        case .refused(let text):
            job.lastError = text
            bury(job, now)
        case .released:
            job.attempts &-= 1
            makeReady(job)
        }
        return true
    }

    /// Makes a claim last longer. Returns false if it was lost.
    func renew(_ claim: ClaimedJob, _ now: Date, _ tx: Transaction) -> Bool {
        guard let job = job(of: claim, tx) else { return false }
        job.jobDueAt = now + timeout
        return true
    }

    private func finish(_ job: Job, _ now: Date) {
        job.jobLane = JobLane.done
        job.jobDueAt = .distantFuture
        job.progress = 1
        job.finishedAt = now
    }

    private func bury(_ job: Job, _ now: Date) {
        job.jobLane = JobLane.dead
        job.jobDueAt = .distantFuture
        job.finishedAt = now
    }

    private func makeReady(_ job: Job) {
        job.jobLane = JobLane.ready(job.priority)
        job.jobDueAt = .distantFuture
    }
}

/// The identity of a claim.
struct ClaimedJob: Sendable, Hashable {
    let id: ObjectId
    /// The number of the claim, which no other claim of a job with this identity has.
    let token: Int
    let attempt: Int
}

/// The end of a claim.
enum JobOutcome: Sendable {
    case done
    /// The attempt failed; `delay` replaces that of the policy.
    case failed(String, delay: Duration?)
    /// The attempt failed, and there will be no other one.
    case refused(String)
    /// The attempt doesn't count: it wasn't begun, or was interrupted.
    case released

    init(_ error: any Error) {
        switch error as? JobFailure {
        case .permanent(let reason): self = .refused(storedText(reason))
        case .retry(let delay, let reason): self = .failed(storedText(reason), delay: delay)
        case nil: self = .failed(storedText("\(error)"), delay: nil)
        }
    }
}

/// An error with which a handler determines what happens to its job. After any other error, the job
/// is retried according to ``JobOptions/retry``.
public enum JobFailure: Error, Sendable, Hashable {
    /// The job can't succeed, and is dead at once. The string is the reason.
    case permanent(String)
    /// The job is retried after this time, unless this was its last attempt. The string is the
    /// reason.
    case retry(after: Duration, String)
}
