internal import FoundationEssentials
public import Regnum

/// The classes that consumers and job queues store in a realm.
///
/// If `Configuration.objectTypes` isn't set, the classes join the realm when they are first used.
/// Otherwise, add them to the list in all programs that use the realm:
///
///     configuration.objectTypes = [Message.self, Mail.self] + Workers.models
public enum Workers {
    /// The classes to add to `Configuration.objectTypes`.
    public static let models: [ObjectBase.Type] = [
        DeadChange.self, RegnumConsumerRecord.self, RegnumJobQueueRecord.self,
    ]
}

/// The state of a job queue that all processes share.
final class RegnumJobQueueRecord: Object {
    /// The name of the class of the jobs.
    @Persisted(primaryKey: true) var className: String
    @Persisted var isPaused: Bool
}

/// The position of a consumer, and the lease of the process that runs it.
final class RegnumConsumerRecord: Object {
    @Persisted(primaryKey: true) var name: String
    /// The class whose changes are consumed.
    @Persisted var className: String
    /// The position up to which changes were processed; `nil` before the first ones.
    @Persisted var cursor: String?
    /// Whether the state as a whole still has to be delivered, because history was lost.
    @Persisted var needsResync: Bool
    /// The number of the lease, which grows with each new holder.
    @Persisted var token: Int
    /// The number of times that the lease was renewed.
    @Persisted var beat: Int
    /// The holder of the lease, or `nil` if it was released.
    @Persisted var holder: String?
    /// The date from which another process may take the lease.
    @Persisted var expiresAt = Date.distantPast
    /// The duration of the lease.
    @Persisted var leaseMilliseconds: Int
    /// The number of failed attempts at the changes after the cursor.
    @Persisted var attempts: Int
    @Persisted var lastError: String?
}

/// An error of a consumer or a job queue. Errors of the realm are `Realm.Error`.
public enum WorkerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The claim of a job is no longer valid: it expired and the job was made available to others,
    /// or the job was finished or deleted. Nothing was written.
    case claimLost(ObjectId)
    /// The lease of a consumer is no longer valid, because it was taken over. Nothing was written.
    case leaseLost(consumer: String)
    /// The changes of a ``ConsumerBatch`` were already saved, or their dead letter was deleted.
    /// Nothing was written.
    case alreadySaved(consumer: String)

    public var description: String {
        switch self {
        case .claimLost(let id):
            "The claim of the job \(id) is no longer valid: it expired, or the job was finished or "
                + "deleted."
        case .leaseLost(let name):
            "The lease of the consumer \"\(name)\" is no longer valid: it was taken over."
        case .alreadySaved(let name):
            "The changes were already saved as processed by the consumer \"\(name)\"."
        }
    }
}

extension Realm {
    /// The error of a realm that was closed.
    nonisolated var closedError: Realm.Error {
        Realm.Error(.closed, "The realm \"\(configuration.name)\" was closed.")
    }

    /// Whether less than half of the versions that may be held are held, by anything in the
    /// process. Queues and consumers leave the rest to others, because nothing can be written while
    /// too many are held.
    nonisolated var hasRoomForVersions: Bool {
        guard let maximum = configuration.maximumNumberOfActiveVersions else { return true }
        return heldVersionCount < Int(clamping: maximum / 2)
    }

    /// Throws `.invalidInput` for a class that the realm doesn't have, and `.readOnly`.
    nonisolated func requireModels(_ types: [ObjectBase.Type]) throws(Realm.Error) {
        if configuration.readOnly {
            throw Realm.Error(
                .readOnly,
                "The realm \"\(configuration.name)\" was opened read-only: consumers, job queues "
                    + "and the removal of expired objects need to write.")
        }
        guard let listed = configuration.objectTypes else { return }
        for type in types where !listed.contains(where: { $0 == type }) {
            throw Realm.Error(
                .invalidInput,
                "The class \(type) is not among the objectTypes of the realm "
                    + "\"\(configuration.name)\": add it to the list and, for consumers and job "
                    + "queues, Workers.models.", className: "\(type)")
        }
    }
}

/// Runs writes that must take place even if the task has been cancelled, in a task of their own.
/// They can wait for other writers without an end, so that wait is limited after a cancellation or
/// a stop.
///
/// - Parameters:
///   - limit: The time after the cancellation or stop for which `body` may run.
///   - isLast: Whether it may run only for that time even if the task isn't cancelled.
///   - stop: Set when the queue or consumer is to stop.
/// - Throws: `.busy` if the time has passed; the errors of `body`.
func uncancelled<R: Sendable>(
    for limit: Duration, isLast: Bool = false, stop: Wakeup? = nil,
    _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let isEnding = Wakeup()
    if isLast { isEnding.set() }
    let task = Task { try await body() }
    let timers = [isEnding, stop].compactMap { $0 }.map { flag in
        timer(limit, after: flag) { task.cancel() }
    }
    defer { for timer in timers { timer.cancel() } }
    do {
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            isEnding.set()
        }
    } catch is CancellationError where task.isCancelled {
        throw Realm.Error(
            .busy, "A write of a queue or consumer that ends waited for others for \(limit).")
    }
}

/// Runs a write that is cancelled with the task, and some time after a stop.
///
/// - Throws: `CancellationError` in both cases; the errors of `body`.
func limited<R: Sendable>(
    _ limit: Duration, after stop: Wakeup, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let task = Task { try await body() }
    let timer = timer(limit, after: stop) { task.cancel() }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

/// Calls `action` some time after a flag was set, unless the task that is returned is cancelled.
private func timer(
    _ duration: Duration, after flag: Wakeup, _ action: @escaping @Sendable () -> Void
) -> Task<Void, any Error> {
    Task {
        await flag.wait()
        try await Task.sleep(for: duration)
        action()
    }
}

/// The limit for the writes with which a queue or consumer ends.
///
/// - Parameter duration: The time after which its claims or its lease expire.
func endLimit(_ duration: Duration) -> Duration {
    min(max(duration, .seconds(1)), .seconds(30))
}

/// Repeats a write as long as it fails with a transient error, and reports these errors.
///
/// - Parameter limit: The time after which the error is thrown; `nil` means never. Includes the
///   time that the writes take, each of which may wait for the writer lock.
func repeating<R: Sendable>(
    _ clock: some Clock<Duration>, for limit: Duration? = nil, _ report: (any Error) -> Void,
    _ write: () async throws -> R
) async throws -> R {
    let start = clock.now
    var failureCount = 0
    while true {
        do {
            return try await write()
        } catch {
            guard isTransient(error) else { throw error }
            if let limit, start.duration(to: clock.now) >= limit { throw error }
            failureCount += 1
            report(error)
        }
        let delay = RetryPolicy.writes.delay(afterAttempt: failureCount)
        try await clock.sleep(for: delay)
    }
}

/// Returns the error that `body` throws, or `nil`.
func failure(of body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}

/// Returns whether the error means that a stream can't continue from its cursor: the history that
/// it needs is no longer retained, a migration has since changed what it reads, or the realm lacks
/// the commits, for example because the position was imported from another realm.
func isHistoryUnavailable(_ error: any Error) -> Bool {
    (error as? Realm.Error)?.isHistoryUnavailable == true
}

/// Returns whether a write that failed with this error can succeed later without any intervention.
func isTransient(_ error: any Error) -> Bool {
    guard let error = error as? Realm.Error else { return false }
    return error.code == .busy || error.code == .diskFull
}

/// Returns whether an error that a handler throws after a stop means that it couldn't finish: it
/// was interrupted, or one of its last writes would have had to wait too long.
func isInterruption(_ error: any Error) -> Bool {
    error is CancellationError || isTransient(error)
}

/// The part of an error's text that is stored: at most 1,000 Unicode scalars, because the size of a
/// `Character` has no limit, but that of a stored string has.
func storedText(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(1_000)))
}
