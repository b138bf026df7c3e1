public import FoundationEssentials
public import Regnum

/// The base class of jobs. A job is an object of your class, whose properties describe the work to
/// be done.
///
///     final class Mail: Job {
///         @Persisted var recipient: String
///         @Persisted var text: String
///     }
///
///     try await realm.write { tx in
///         tx.object(Order.self, forPrimaryKey: id)?.isPaid = true
///         try tx.enqueue(Mail(value: ["recipient": "ann@example.org"]), priority: 5)
///     }
///     try await JobQueue(of: Mail.self, in: realm).run { run in
///         try await send(run.job.text, to: run.job.recipient)
///     }
///
/// Each class has its own queue; see ``JobQueue``. `tx.add(job)` is the same as `tx.enqueue`
/// with its defaults, except that the job doesn't carry the trace context of the write. To cancel
/// a job, delete it: a handler that is running it isn't interrupted, but can no longer report its
/// progress or finish it.
///
/// A class can derive from `Job` directly or through another job class. It can have links, lists
/// and inverses, but no primary key other than ``id``, and it can't be embedded.
open class Job: Object {
    /// The identity of the job.
    @Persisted(primaryKey: true) public var id: ObjectId
    /// The priority: jobs with a higher one are claimed first. Those with the same priority are
    /// claimed in the order in which they were added.
    @Persisted public internal(set) var priority: Int
    /// The key that is unique among the unfinished jobs of the class, or `nil`.
    @Persisted(indexed: true) public internal(set) var uniqueKey: String?
    /// The number of times that the job was started since it was added or last retried manually.
    /// For a job that was claimed in advance, an attempt is counted only when it ends.
    @Persisted public internal(set) var attempts: Int
    /// The error of the last attempt that failed.
    @Persisted public internal(set) var lastError: String?
    /// The progress most recently reported by the handler, from 0 to 1.
    @Persisted public internal(set) var progress: Double
    /// The label of the worker that most recently claimed the job; see ``JobOptions/label``.
    @Persisted public internal(set) var worker: String?
    /// The date on which the job was added.
    @Persisted public internal(set) var addedAt: Date
    /// The date on which the job was done or given up on; `nil` for other jobs.
    @Persisted public internal(set) var finishedAt: Date?

    /// The priority while the job is ready, otherwise the number of its status. Indexed for claims.
    @Persisted(indexed: true) var jobLane: Int
    /// The date on which a scheduled job becomes ready, or the claim of a running one expires;
    /// otherwise the distant future, because a query for an optional date would visit each row.
    @Persisted(indexed: true) var jobDueAt = Date.distantFuture
    /// The number of the last claim, drawn at random. A worker whose claim has another number has
    /// lost the job.
    @Persisted var jobToken: Int
    /// Whether the claim was made in advance, so that its attempt isn't counted yet.
    @Persisted var jobIsAhead: Bool
    /// Whether a claim has expired since the job last ended: it may have ended its process, so it
    /// isn't claimed in advance.
    @Persisted var jobHasExpired: Bool
    #if Tracing
        /// The trace context of the write that enqueued the job, if it was traced.
        @Persisted var jobTrace: String?
    #endif

    /// The status of the job.
    public final var status: JobStatus { JobLane.status(of: jobLane) }

    /// The date on which a scheduled job becomes ready, or the claim of a running one expires;
    /// `nil` for other jobs.
    public final var dueAt: Date? { jobDueAt == .distantFuture ? nil : jobDueAt }
}

/// The status of a job.
public enum JobStatus: String, Sendable, Hashable, CaseIterable {
    /// Waiting for a worker.
    case ready
    /// Waiting for a date: that of its first run, or of the next attempt.
    case scheduled
    /// Claimed by a worker.
    case running
    /// Done, and kept because of ``JobOptions/keepsFinished``.
    case done
    /// Given up on after the last attempt (a dead letter), and kept until it is retried or deleted.
    case dead
}

/// The values of `Job.jobLane`.
enum JobLane {
    /// The lanes of ready jobs, which are the priorities.
    static let priorities = -100...100
    static let scheduled = 1_001
    static let running = 1_002
    static let done = 1_003
    static let dead = 1_004
    /// The lanes of jobs that aren't finished.
    static let unfinished = -100...1_002

    /// Returns the lane of a ready job. The priority of a job that was stored without `enqueue` can
    /// be any number, and must not put the job into the lane of another status.
    static func ready(_ priority: Int) -> Int {
        min(max(priority, priorities.lowerBound), priorities.upperBound)
    }

    static func status(of lane: Int) -> JobStatus {
        switch lane {
        case scheduled: .scheduled
        case running: .running
        case done: .done
        case dead: .dead
        default: .ready
        }
    }

    static func range(of status: JobStatus) -> ClosedRange<Int> {
        switch status {
        case .ready: priorities
        case .scheduled: scheduled...scheduled
        case .running: running...running
        case .done: done...done
        case .dead: dead...dead
        }
    }
}
