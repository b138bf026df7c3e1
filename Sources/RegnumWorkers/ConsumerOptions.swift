public import Logging

/// The settings of a durable consumer; see ``Regnum/Realm/consume(_:as:options:_:)``.
///
/// They apply to this process and aren't stored.
public struct ConsumerOptions: Sendable {
    /// The first change that a new consumer receives.
    public enum Start: Sendable, Hashable {
        /// The existing objects, as `.initial`, and then the changes.
        case existing
        /// Only changes that are committed after the consumer's first start.
        case changes
    }

    /// The behavior if the changes since the consumer's position aren't available: they are no
    /// longer retained, because the consumer hasn't run for a long time; a migration has changed,
    /// renamed or replaced a property of the class or of one that its objects lead to; or the
    /// position was imported from another realm.
    public enum LostHistory: Sendable, Hashable {
        /// `consume` throws `.historyTrimmed` (`.invalidInput` for the position of another realm),
        /// now and whenever it is called again. Use this if every change matters.
        case fail
        /// The handler gets all objects as they are now, as `.initial`, and then the changes. Use
        /// this if the handler maintains something that it can compare with the objects, such as
        /// a search index.
        case resync
    }

    /// The first change that a new consumer receives.
    public var start = Start.existing
    /// The behavior if the changes since the position aren't available.
    public var lostHistory = LostHistory.fail
    /// The maximum number of changes passed to one call of the handler, at least 1. A call gets
    /// several only if they were committed before it and, because each change holds a version, only
    /// while less than half of `Configuration.maximumNumberOfActiveVersions` are held.
    public var batchSize = 100
    /// The number of links through which a change of another object counts as a modification; see
    /// `changes(depth:)`.
    public var depth = 3
    /// Whether the consumer also receives the changes that it makes in ``ConsumerBatch/save(_:)``.
    public var includesOwnChanges = false
    /// The number of attempts at a change before it becomes a dead letter, and the delays between
    /// them. Later changes wait, because they are delivered in order.
    public var retry = RetryPolicy(attempts: 5)
    /// The time after which another process takes over if the one that runs the consumer dies. The
    /// lease is renewed three times in this period, each time with a small commit. At least a
    /// millisecond.
    public var lease: Duration = .seconds(10)
    /// The clocks for waiting and for dates.
    public var time = WorkerTime.system
    /// The logger for failed attempts (`debug`), dead letters (`error`), lost leases and retried
    /// writes (`warning`); `nil` disables logging.
    public var logger: Logger? = Logger(label: "regnum")

    /// Creates the default settings.
    public init() {}

    /// The problem with the settings, or `nil`.
    var problem: String? {
        if batchSize < 1 { return "ConsumerOptions.batchSize is \(batchSize); the minimum is 1." }
        if depth < 0 { return "ConsumerOptions.depth is negative: \(depth)." }
        if lease < .milliseconds(1) {
            return "ConsumerOptions.lease is \(lease); the minimum is a millisecond."
        }
        return retry.problem
    }
}
