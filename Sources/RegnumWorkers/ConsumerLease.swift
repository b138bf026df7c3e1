internal import FoundationEssentials
internal import Logging
internal import Regnum

/// The right to run a consumer, until another process takes it.
///
/// The lease expires on a date, which each renewal extends. Because clocks can be set, the date is
/// only a hint, and two processes may believe that they have the lease. Each new holder therefore
/// increments the token, and every transaction of a holder verifies its token: only the newest
/// holder can write.
struct ConsumerLease: Sendable {
    let realm: Realm
    let name: String
    let options: ConsumerOptions
    /// Identifies the holder. Differs each time that a lease is taken.
    let holder: String
    let token: Int

    /// The state of the consumer when the lease is taken.
    struct Beginning: Sendable {
        var cursor: ChangeCursor?
        var needsResync: Bool
        /// The number of attempts at the change after the cursor.
        var attempts: Int
        /// Whether the last holder didn't release the lease: the changes may have killed it.
        var isUnclean: Bool
    }

    /// Returns the record of the consumer.
    ///
    /// - Throws: ``WorkerError/leaseLost(consumer:)``.
    func record(_ tx: Transaction) throws -> RegnumConsumerRecord {
        guard let record = tx.object(RegnumConsumerRecord.self, forPrimaryKey: name),
            record.token == token, record.holder == holder
        else { throw WorkerError.leaseLost(consumer: name) }
        return record
    }

    /// Commits a change of the record, which also renews the lease.
    ///
    /// - Throws: ``WorkerError/leaseLost(consumer:)``; the errors of `write`.
    func update(
        durability: Realm.Durability? = nil,
        _ change: @escaping @Sendable (RegnumConsumerRecord, Transaction) throws -> Void
    ) async throws {
        try await realm.writeReleasing(durability: durability) { tx in
            let record = try self.record(tx)
            try change(record, tx)
            renew(record)
        }
    }

    func renew(_ record: RegnumConsumerRecord) {
        record.beat &+= 1
        record.expiresAt = options.time.now() + options.lease
        let milliseconds = min(options.lease, .longestWait).inSeconds * 1_000
        record.leaseMilliseconds = Int(milliseconds.rounded(.up))
    }

    /// Renews the lease and, if the position is given, saves it: there is no change before it that
    /// is yet to be delivered.
    ///
    /// - Throws: ``WorkerError/leaseLost(consumer:)``; the errors of `write`.
    func renew(at position: ChangeCursor? = nil) async throws {
        try await update(durability: .relaxed(within: .seconds(1))) { record, _ in
            if let position { advance(record, to: position) }
        }
    }

    /// Renews the lease whenever it hasn't been renewed for an interval, until the task is
    /// cancelled.
    ///
    /// - Throws: ``WorkerError/leaseLost(consumer:)`` as soon as another process takes the lease;
    ///   `.closed` when the realm is closed; the errors of streams and `write`.
    func keepRenewing(every interval: Duration) async throws {
        var changes = realm.object(RegnumConsumerRecord.self, forPrimaryKey: name).changes
            .makeAsyncIterator()
        while true {
            let next = try await changes.next(within: interval, clock: options.time.clock)
            switch next {
            // what the holder has committed has also renewed the lease
            case .element: try await realm.read { tx in _ = try record(tx) }
            case .timedOut: try await renewUnlessBusy()
            case .end:
                if Task.isCancelled { return }
                throw realm.closedError
            }
        }
    }

    /// Renews the lease. After a transient error, the next renewal tries again.
    private func renewUnlessBusy() async throws {
        do {
            try await renew()
        } catch {
            if Task.isCancelled { return }
            guard isTransient(error) else { throw error }
        }
    }

    /// Waits for the next element of a stream, renewing the lease in the meantime, because reading
    /// history can take longer than the lease lasts.
    func next<Iterator: ChangeStreamIterator>(
        of changes: inout Iterator, within limit: Duration
    ) async throws -> NextElement<Iterator.Element> {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // longer than the waits for a change, after which the lease is renewed anyway
            group.addTask { try await keepRenewing(every: options.lease / 2) }
            let next = try await changes.next(within: limit, clock: options.time.clock)
            group.cancelAll()
            try await group.waitForAll()
            return next
        }
    }

    /// Releases the lease, so that another process can take it at once.
    ///
    /// - Parameter attempts: The number of attempts at the change after the cursor.
    func release(attempts: Int) async throws {
        try await realm.writeReleasing { tx in
            let record = try self.record(tx)
            record.attempts = attempts
            record.holder = nil
            record.expiresAt = .distantPast
        }
    }

    // MARK: Taking

    /// Waits for the lease and takes it. Returns `nil` if the task is cancelled or the realm is
    /// closed.
    ///
    /// The lease is free if it was released or has expired, or if it wasn't renewed for as long as
    /// it lasts (for this consumer or its holder, whichever is longer) while this process was
    /// waiting, whatever the date.
    static func take(
        _ realm: Realm, _ name: String, _ className: String, _ options: ConsumerOptions
    ) async throws -> (lease: ConsumerLease, beginning: Beginning)? {
        let holder = UUID().uuidString
        var changes = realm.object(RegnumConsumerRecord.self, forPrimaryKey: name).changes
            .makeAsyncIterator()
        var seen: Stamp?
        while true {
            let limit = max(options.lease, seen?.lease ?? .zero)
            let next = try await changes.next(within: limit, clock: options.time.clock)
            if case .end = next { return nil }
            let hasTimedOut = next.element == nil
            let unrenewed = hasTimedOut ? seen : nil
            let taken = try await repeating(options.time.clock) { error in
                options.logger?.warning(
                    "The consumer \"\(name)\" couldn't write, and will try again: \(error)")
            } _: {
                try await take(realm, name, className, holder, unrenewed: unrenewed, options)
            }
            if let taken { return taken }
            if !hasTimedOut { seen = try await stamp(realm, name) }
        }
    }

    /// Identifies a renewal of a lease.
    private struct Stamp: Sendable, Equatable {
        let token: Int
        let beat: Int
        /// The duration of the lease.
        let lease: Duration

        init(_ record: RegnumConsumerRecord) {
            token = record.token
            beat = record.beat
            lease = .milliseconds(record.leaseMilliseconds)
        }
    }

    private static func stamp(_ realm: Realm, _ name: String) async throws -> Stamp? {
        try await realm.read { tx in
            tx.object(RegnumConsumerRecord.self, forPrimaryKey: name).map { Stamp($0) }
        }
    }

    /// Takes the lease if it is free, otherwise returns `nil`.
    ///
    /// - Parameter stamp: The renewal after which there was none for as long as the lease lasts.
    private static func take(
        _ realm: Realm, _ name: String, _ className: String, _ holder: String,
        unrenewed stamp: Stamp?, _ options: ConsumerOptions
    ) async throws -> (lease: ConsumerLease, beginning: Beginning)? {
        // without a write, because a waiting consumer checks after each renewal
        let isFree = try await realm.read { tx in
            Self.isFree(try Self.stored(tx, name, className), stamp, options)
        }
        guard isFree else { return nil }
        typealias Taken = (lease: ConsumerLease, beginning: Beginning)
        return try await realm.writeReleasing { tx -> Taken? in
            let stored = try Self.stored(tx, name, className)
            guard Self.isFree(stored, stamp, options) else { return nil }
            let record: RegnumConsumerRecord
            if let stored {
                record = stored
            } else {
                record = RegnumConsumerRecord()
                record.name = name
                record.className = className
                try tx.add(record)
            }
            let isUnclean = record.holder != nil
            // not trapping, because a file can contain any number
            record.token &+= 1
            record.holder = holder
            let lease = ConsumerLease(
                realm: realm, name: name, options: options, holder: holder,
                token: record.token)
            lease.renew(record)
            let position = record.cursor.flatMap { ChangeCursor($0) }
            if position == nil, let text = record.cursor {
                // not like a consumer without a position, which may skip what was committed before
                guard options.lostHistory == .resync else {
                    throw Realm.Error(
                        .invalidInput,
                        "The position of the consumer \"\(name)\" isn't a cursor: "
                            + "\"\(storedText(text))\".", className: className)
                }
                // the attempts were at changes after that position
                (record.cursor, record.needsResync, record.attempts) = (nil, true, 0)
            }
            let beginning = Beginning(
                cursor: position,
                needsResync: record.needsResync, attempts: record.attempts,
                isUnclean: isUnclean)
            return (lease, beginning)
        }
    }

    /// Returns the record of a name, if there is one.
    ///
    /// - Throws: `.invalidInput` if it belongs to another class.
    private static func stored(
        _ tx: Transaction, _ name: String, _ className: String
    ) throws -> RegnumConsumerRecord? {
        guard let record = tx.object(RegnumConsumerRecord.self, forPrimaryKey: name) else {
            return nil
        }
        guard record.className == className else {
            throw Realm.Error(
                .invalidInput,
                "The consumer \"\(name)\" consumes changes of \(record.className), not of "
                    + "\(className): use another name.", className: className)
        }
        return record
    }

    private static func isFree(
        _ record: RegnumConsumerRecord?, _ stamp: Stamp?, _ options: ConsumerOptions
    ) -> Bool {
        guard let record else { return true }
        return record.holder == nil || record.expiresAt <= options.time.now()
            || stamp == Stamp(record)
    }
}
