public import Regnum
import Synchronization

/// Changes that a consumer delivers to its handler. See ``Regnum/Realm/consume(_:as:options:_:)``.
public final class ConsumerBatch<T: Object>: Sendable {
    /// The changes, one for each commit, in commit order. An `.initial` is always the only element;
    /// it contains the objects as of the consumer's first start or its resync.
    public let elements: [CollectionChange<T>]
    /// The number of this attempt at the changes, starting at 1. If several changes were delivered
    /// together and the handler failed, each of them is then delivered separately, starting at 1
    /// again.
    public let attempt: Int
    /// Whether this is the retry of a dead letter, which is delivered out of order.
    public let isDeadLetter: Bool
    let lease: ConsumerLease
    private let completion: Completion
    private let stop: Wakeup
    private let saved = Mutex(false)

    /// The progress to save together with the handler's writes.
    enum Completion: Sendable {
        case position(ChangeCursor)
        case deadLetter(ObjectId)
    }

    init(
        _ elements: [CollectionChange<T>], attempt: Int, _ lease: ConsumerLease,
        _ completion: Completion, until stop: Wakeup
    ) {
        self.elements = elements
        self.attempt = attempt
        self.lease = lease
        self.completion = completion
        self.stop = stop
        if case .deadLetter = completion { isDeadLetter = true } else { isDeadLetter = false }
    }

    /// The objects that the changes have added; in an `.initial`, all objects.
    ///
    /// - Complexity: O(number of objects).
    public var inserted: [Frozen<T>] {
        elements.flatMap { element in
            switch element {
            case .initial(let objects): Array(objects)
            case .update(_, let delta): delta.inserted
            }
        }
    }

    /// The realm that the consumer follows.
    public var realm: Realm { lease.realm }

    /// Runs `body` in a transaction that also saves the consumer's position after the changes, so
    /// that its writes take effect exactly once, whatever happens to the process. If it isn't
    /// called, the position is saved when the handler returns.
    ///
    ///     try await realm.consume(Message.self, as: "counter") { batch in
    ///         try await batch.save { tx in
    ///             tx.object(Counter.self, forPrimaryKey: 1)?.value += batch.inserted.count
    ///         }
    ///     }
    ///
    /// The commit's origin is `consumer NAME`; the consumer doesn't get its changes unless
    /// ``ConsumerOptions/includesOwnChanges`` is set. If the handler throws afterwards, the changes
    /// still count as processed. The write takes place even if the task has been cancelled, because
    /// the handler's work would otherwise be repeated; but then, and after a graceful shutdown has
    /// begun, it waits for other writers for at most ``ConsumerOptions/lease`` or half a minute.
    ///
    /// - Throws: ``WorkerError/leaseLost(consumer:)`` if another process has taken over, and
    ///   ``WorkerError/alreadySaved(consumer:)`` if the position was already saved, for example by
    ///   a call that threw `.outcomeUnknown`, both before the body runs; whatever the body throws,
    ///   in which case nothing is saved; the errors of `write`, of which `.busy` also if that wait
    ///   was too long.
    @discardableResult
    public func save<R: Sendable>(
        _ body: sending @escaping (Transaction) throws -> R
    ) async throws -> R {
        // Guard: the caller has sent `body`, and only the write calls it, once.
        nonisolated(unsafe) let body = body
        let limit = endLimit(lease.options.lease)
        let result = try await uncancelled(for: limit, stop: stop) { [lease, completion] in
            try await lease.realm.writeReleasing(origin: lease.origin) { tx in
                try lease.check(completion, tx)
                let result = try body(tx)
                try lease.complete(completion, tx)
                return result
            }
        }
        saved.withLock { $0 = true }
        return result
    }

    /// Saves the position unless that was done before.
    func saveIfNeeded() async throws {
        do { try await save { _ in } } catch WorkerError.alreadySaved {}
    }

    /// Whether the position was saved.
    var isSaved: Bool { saved.withLock { $0 } }
}

extension ConsumerLease {
    /// The label of the consumer's commits.
    var origin: String { "consumer \(name)" }

    /// Throws ``WorkerError/leaseLost(consumer:)``, or ``WorkerError/alreadySaved(consumer:)`` for
    /// changes that were marked as processed.
    fileprivate func check<T>(
        _ completion: ConsumerBatch<T>.Completion, _ tx: Transaction
    ) throws {
        let record = try self.record(tx)
        let isSaved =
            switch completion {
            case .position(let cursor): !record.needsResync && isProcessed(cursor, record)
            case .deadLetter(let id): tx.object(DeadChange.self, forPrimaryKey: id) == nil
            }
        if isSaved { throw WorkerError.alreadySaved(consumer: name) }
    }

    private func isProcessed(_ cursor: ChangeCursor, _ record: RegnumConsumerRecord) -> Bool {
        guard let position = record.cursor.flatMap({ ChangeCursor($0) }) else { return false }
        return position.version >= cursor.version
    }

    /// Marks changes as processed.
    fileprivate func complete<T>(
        _ completion: ConsumerBatch<T>.Completion, _ tx: Transaction
    ) throws {
        let record = try self.record(tx)
        switch completion {
        case .position(let cursor): advance(record, to: cursor)
        case .deadLetter(let id):
            if let letter = tx.object(DeadChange.self, forPrimaryKey: id) { tx.delete(letter) }
        }
        renew(record)
    }

    /// Moves the position of a consumer. The attempts were at changes before it.
    func advance(_ record: RegnumConsumerRecord, to cursor: ChangeCursor) {
        record.cursor = "\(cursor)"
        record.needsResync = false
        record.attempts = 0
        record.lastError = nil
    }
}
