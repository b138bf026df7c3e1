internal import FoundationEssentials
public import Logging
public import Regnum

/// The settings of a ``JobQueue``.
///
/// They apply to this process and aren't stored. If processes have different settings for the same
/// class, those of the process that claims or ends a job apply.
public struct JobOptions: Sendable {
    /// The maximum number of handlers that ``JobQueue/run(_:)`` runs at the same time, from 1 to
    /// 1,000,000.
    ///
    /// Jobs that are claimed together hold a version until the last of them ends. While half of
    /// `Configuration.maximumNumberOfActiveVersions` are held, by anything in the process, no more
    /// jobs are claimed, except for one if none is running.
    public var concurrency = 8
    /// The number of jobs that ``JobQueue/run(_:)`` claims in addition to those that are running.
    ///
    /// One transaction ends the jobs that are finished and claims the next ones, and each such
    /// transaction waits for the disk. For short jobs, a value of a few hundred makes that wait
    /// negligible. However, a job that was claimed in advance runs before one with a higher
    /// priority that is added later, and other processes can't take it. A job whose process died is
    /// no longer claimed in advance. At most 1,000,000.
    public var prefetch = 0
    /// The time after which the claim of a worker expires unless it is renewed. `run` renews the
    /// claims of all its jobs three times in this period. When a process dies, its jobs become
    /// available to others after this time. At least a millisecond.
    public var timeout: Duration = .seconds(30)
    /// The number of attempts, and the delays between them. An attempt is counted when it begins,
    /// so that even a job that crashes its process is eventually given up on. (If a process dies,
    /// jobs that it had claimed in advance may not have begun, so their attempts don't count.)
    public var retry = RetryPolicy()
    /// Whether jobs that are done are kept; otherwise they are deleted. See
    /// ``JobQueue/removeFinished(before:)``.
    public var keepsFinished = false
    /// The durability of the transactions that claim jobs and end claims. `nil` uses that of the
    /// configuration.
    ///
    /// With `.relaxed`, a job whose completion is lost in a power failure runs again.
    public var durability: Realm.Durability?
    /// The name under which the process claims jobs; see ``Job/worker``.
    public var label = "process \(ProcessInfo.processInfo.processIdentifier)"
    /// The clocks for waiting and for dates.
    public var time = WorkerTime.system
    /// The logger for failed attempts (`debug`), dead letters (`error`), lost claims and retried
    /// writes (`warning`); `nil` disables logging.
    public var logger: Logger? = Logger(label: "regnum")

    /// Creates the default settings.
    public init() {}

    /// The problem with the settings, or `nil`.
    var problem: String? {
        // so that their sum doesn't overflow, and that many tasks fit into memory
        let maximum = 1_000_000
        if !(1...maximum).contains(concurrency) {
            return "JobOptions.concurrency is \(concurrency); it must be from 1 to \(maximum)."
        }
        if !(0...maximum).contains(prefetch) {
            return "JobOptions.prefetch is \(prefetch); it must be from 0 to \(maximum)."
        }
        if timeout < .milliseconds(1) {
            return "JobOptions.timeout is \(timeout); the minimum is a millisecond."
        }
        return retry.problem
    }
}
