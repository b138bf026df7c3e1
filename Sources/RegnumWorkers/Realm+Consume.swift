public import FoundationEssentials
internal import Logging
public import Regnum

extension Realm {
    /// Delivers the changes of a class to a handler, at least once and in order, until the task is
    /// cancelled or the realm is closed. The consumer's position is stored in the realm under its
    /// name, so that it continues there after a restart, or in another process.
    ///
    ///     try await realm.consume(Message.self, as: "mailer") { batch in
    ///         for message in batch.inserted { try await send(message.text) }
    ///     }
    ///
    /// Any number of processes (and tasks) can call this with the same name: one of them runs the
    /// consumer, and the others wait. If it ends, another one takes over at once; if it dies,
    /// within ``ConsumerOptions/lease``. Regardless of the clocks, only the one that took over last
    /// can save its position and its writes in ``ConsumerBatch/save(_:)``.
    ///
    /// Each change corresponds to one commit, as in a stream with `.everyCommit`. After the handler
    /// returns, the position is saved: if the process dies in between, the same changes are
    /// delivered again. If it throws, they are delivered again after a delay, and changes that fail
    /// too often become dead letters (``DeadChange``). Attempts during which the process died count
    /// too, starting with the second one. Attempts that fail after a cancellation don't count.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer, 1 to 1,000 bytes of UTF-8. It belongs to one class.
    ///   - options: The settings of the consumer in this process.
    ///   - handler: Runs in a separate task, which is cancelled if the lease is lost and when the
    ///     realm is closed.
    /// - Throws: `.invalidInput` for invalid settings or an invalid name, for the name of a
    ///   consumer of another class, and if the realm's `objectTypes` lack the class or
    ///   `Workers.models`; `.historyTrimmed` if the changes since the position are no longer
    ///   available, and `.invalidInput` if the position, for example from an import, isn't one (see
    ///   ``ConsumerOptions/lostHistory`` for both); `.readOnly`; `.closed` if the realm was already
    ///   closed; the other errors of streams and writes. Writes that fail with `.busy` or
    ///   `.diskFull` are retried until the task is cancelled.
    public nonisolated func consume<T: Object>(
        _ type: T.Type, as name: String, options: ConsumerOptions = ConsumerOptions(),
        _ handler: @escaping @Sendable (ConsumerBatch<T>) async throws -> Void
    ) async throws {
        try await consume(type, as: name, options: options, until: Wakeup(), handler)
    }

    /// Delivers changes like the public method, until `stop` is set. Then the call returns when the
    /// running handler, which isn't cancelled, has returned and the position is saved, or couldn't
    /// be saved because of `.busy` or `.diskFull`. If the handler throws one of these errors or
    /// `CancellationError`, it was interrupted because of the stop: the attempt doesn't count.
    package nonisolated func consume<T: Object>(
        _ type: T.Type, as name: String, options: ConsumerOptions, until stop: Wakeup,
        _ handler: @escaping @Sendable (ConsumerBatch<T>) async throws -> Void
    ) async throws {
        if let problem = options.problem { throw Realm.Error(.invalidInput, problem) }
        guard (1...1_000).contains(name.utf8.count) else {
            throw Realm.Error(
                .invalidInput,
                "The name of a consumer has \(name.utf8.count) bytes; it must have from 1 to "
                    + "1,000.")
        }
        try requireModels([type, RegnumConsumerRecord.self, DeadChange.self])
        guard !isClosed else { throw closedError }
        let gate = HandlerGate(until: stop)
        let error = await withTaskGroup(of: (any Swift.Error)?.self) { group in
            group.addTask {
                await failure(of: {
                    try await self.deliver(type, name, options, gate, handler)
                })
            }
            group.addTask {
                await gate.waitForStop()
                return nil
            }
            // the end of the delivery, or of the last handler after a stop
            let first = await group.next() ?? nil
            group.cancelAll()
            let second = await group.next() ?? nil
            return first ?? second
        }
        do {
            if let error { throw error }
        } catch is CancellationError where Task.isCancelled || stop.isSet {
            return
        } catch Realm.Error.Code.closed where isClosed {
            return
        }
    }

    /// Takes the lease and delivers changes, again after losing it.
    private nonisolated func deliver<T: Object>(
        _ type: T.Type, _ name: String, _ options: ConsumerOptions, _ gate: HandlerGate,
        _ handler: @escaping @Sendable (ConsumerBatch<T>) async throws -> Void
    ) async throws {
        let className = "\(type as ObjectBase.Type)"
        while let taken = try await ConsumerLease.take(self, name, className, options) {
            var session = ConsumerSession(taken.lease, taken.beginning, type, gate, handler)
            do {
                try await session.run()
                await release(session.lease, session.attempts)
                return
            } catch WorkerError.leaseLost {
                options.logger?.warning("The consumer \"\(name)\" has lost its lease.")
            } catch {
                await release(session.lease, session.attempts)
                throw error
            }
        }
    }

    /// Releases a lease. If that fails, the lease expires.
    private nonisolated func release(_ lease: ConsumerLease, _ attempts: Int) async {
        if isClosed { return }
        do {
            try await uncancelled(for: endLimit(lease.options.lease), isLast: true) {
                try await lease.release(attempts: attempts)
            }
        } catch {
            lease.options.logger?.warning(
                "The lease of the consumer \"\(lease.name)\" couldn't be released: \(error)")
        }
    }

    /// Returns the state of each consumer that has ever run, sorted by name.
    ///
    ///     for consumer in try await realm.consumers() where consumer.lag > 1_000 { … }
    ///
    /// - Throws: `.invalidInput` if the realm's `objectTypes` lack `Workers.models`; the errors of
    ///   `read`.
    /// - Complexity: O(n) for n consumers and their dead letters.
    public nonisolated func consumers() async throws -> [ConsumerStatus] {
        try requireModels([RegnumConsumerRecord.self, DeadChange.self])
        let (version, found) = try await read { tx -> (UInt64, [ConsumerStatus]) in
            let records = tx.objects(RegnumConsumerRecord.self).sorted(by: \.name)
            let found: [ConsumerStatus] = records.map { record in
                let name = record.name
                let letters = tx.objects(DeadChange.self).where { $0.consumer == name }
                return ConsumerStatus(record, version: tx.version, deadLetters: letters.count)
            }
            return (tx.version, found)
        }
        var statuses = found
        for index in statuses.indices {
            guard let cursor = statuses[index].cursor else { continue }
            do {
                _ = try await snapshot(atLeast: cursor)
            } catch {
                guard isHistoryUnavailable(error) else { throw error }
                statuses[index].lag = version
            }
        }
        return statuses
    }

    /// Removes a consumer and its dead letters: if it is run again, it starts from scratch. A
    /// consumer that is running loses its lease, and also starts from scratch.
    ///
    /// - Throws: `.invalidInput` if the realm's `objectTypes` lack `Workers.models`; the errors of
    ///   `write`.
    public nonisolated func removeConsumer(_ name: String) async throws {
        try requireModels([RegnumConsumerRecord.self, DeadChange.self])
        try await write { tx in
            if let record = tx.object(RegnumConsumerRecord.self, forPrimaryKey: name) {
                tx.delete(record)
            }
            tx.delete(tx.objects(DeadChange.self).where { $0.consumer == name })
        }
    }
}

/// The state of a consumer; see ``Regnum/Realm/consumers()``.
public struct ConsumerStatus: Sendable, Hashable {
    /// The name of the consumer.
    public let name: String
    /// The name of the class whose changes it receives.
    public let className: String
    /// The position up to which it has processed the changes; `nil` if it hasn't processed any.
    /// While the consumer is idle, the position advances with each renewal of the lease.
    public let cursor: ChangeCursor?
    /// The number of commits, of all classes, between the position and the newest version. If the
    /// realm doesn't have the position, because it was salvaged or the position was imported from
    /// another realm, all commits count.
    public fileprivate(set) var lag: UInt64
    /// The number of failed attempts at the next change.
    public let attempts: Int
    /// The error of the last of these attempts.
    public let lastError: String?
    /// The number of changes that it gave up on; see ``DeadChange``.
    public let deadLetters: Int
    /// The date on which the lease expires, or `nil` if no process holds it.
    public let leaseExpiresAt: Date?

    fileprivate init(_ record: RegnumConsumerRecord, version: UInt64, deadLetters: Int) {
        name = record.name
        className = record.className
        cursor = record.cursor.flatMap { ChangeCursor($0) }
        let position = cursor?.version ?? 0
        lag = version > position ? version - position : 0
        attempts = record.attempts
        lastError = record.lastError
        self.deadLetters = deadLetters
        leaseExpiresAt = record.holder == nil ? nil : record.expiresAt
    }
}
