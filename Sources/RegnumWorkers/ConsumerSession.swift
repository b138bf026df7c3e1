internal import FoundationEssentials
internal import Logging
internal import Regnum

/// A consumer that has the lease. Confined to the task of `consume`.
struct ConsumerSession<T: Object> {
    typealias Handler = @Sendable (ConsumerBatch<T>) async throws -> Void

    let lease: ConsumerLease
    private let type: T.Type
    private let className: String
    private let gate: HandlerGate
    private let handler: Handler
    /// The position after the changes that were processed.
    private var position: ChangeCursor?
    private var needsResync: Bool
    /// The number of attempts at the change after the position.
    private(set) var attempts: Int
    /// The number of changes from here on that the last holder may have delivered together when its
    /// process died.
    private var suspectCount: Int
    /// Whether the next change may have to be read from history, which can take longer than the
    /// lease lasts.
    private var isBehind = true

    init(
        _ lease: ConsumerLease, _ beginning: ConsumerLease.Beginning, _ type: T.Type,
        _ gate: HandlerGate, _ handler: @escaping Handler
    ) {
        self.lease = lease
        self.type = type
        className = "\(type as ObjectBase.Type)"
        self.gate = gate
        self.handler = handler
        position = beginning.cursor
        needsResync = beginning.needsResync
        attempts = beginning.attempts
        suspectCount = beginning.isUnclean ? lease.options.batchSize : 0
    }

    private var realm: Realm { lease.realm }
    private var options: ConsumerOptions { lease.options }
    /// Whether attempts are counted in the realm before they are made, because the change may kill
    /// the process. Then changes are delivered one at a time.
    private var isCareful: Bool { attempts > 0 || suspectCount > 0 }

    /// Delivers changes until the task is cancelled or the realm is closed.
    mutating func run() async throws {
        while try await isResyncNeeded() {
            log(
                .warning,
                "The history that the consumer \"\(lease.name)\" needs is no longer available.")
            try await persist { [lease] in
                try await lease.update { record, _ in
                    record.needsResync = true
                    record.attempts = 0
                }
            }
            needsResync = true
            attempts = 0
        }
    }

    /// Delivers changes until the end. Returns true if history was lost and a resync is needed.
    private mutating func isResyncNeeded() async throws -> Bool {
        do {
            try await follow()
            return false
        } catch {
            guard options.lostHistory == .resync, isHistoryUnavailable(error) else { throw error }
            return true
        }
    }

    /// Delivers changes from the position on.
    private mutating func follow() async throws {
        var changes = stream(since: needsResync ? nil : position).makeAsyncIterator()
        let skipsInitial = position == nil && !needsResync && options.start == .changes
        while try await advance(&changes, skipsInitial: skipsInitial) {}
    }

    /// Waits for changes, or until the lease has to be renewed. Returns false at the end.
    private mutating func advance(
        _ changes: inout CollectionChanges<T>.AsyncIterator, skipsInitial: Bool
    ) async throws -> Bool {
        let limit = options.lease / 3
        let next =
            if isBehind {
                try await lease.next(of: &changes, within: limit)
            } else {
                try await changes.next(within: limit, clock: options.time.clock)
            }
        if case .end = next { return false }
        guard let first = next.element else {
            isBehind = false
            suspectCount = 0
            // passes commits that don't concern the consumer, so that history isn't lost
            if let cursor = changes.cursor { try await save(cursor) }
            try await retryLetters()
            return true
        }
        if case .initial = first {
            if skipsInitial { try await save(first.cursor) } else { try await deliver([first]) }
        } else {
            let rest = isCareful ? [] : try await more(&changes)
            try await deliver([first] + rest)
        }
        try await retryLetters()
        return true
    }

    /// Returns the changes that can be delivered together with a first one.
    private mutating func more(
        _ changes: inout CollectionChanges<T>.AsyncIterator
    ) async throws -> [CollectionChange<T>] {
        var batch: [CollectionChange<T>] = []
        while batch.count < options.batchSize - 1, realm.hasRoomForVersions {
            let next = try await changes.next(within: .zero, clock: options.time.clock)
            guard let change = next.element else {
                isBehind = false
                break
            }
            batch.append(change)
        }
        return batch
    }

    private func stream(since cursor: ChangeCursor?) -> CollectionChanges<T> {
        realm.objects(type).changes(
            depth: options.depth, policy: .everyCommit, since: cursor,
            excludingOrigins: options.includesOwnChanges ? [] : [lease.origin])
    }

    /// Saves a position between changes.
    private mutating func save(_ cursor: ChangeCursor) async throws {
        try await persist { [lease] in try await lease.renew(at: cursor) }
        position = cursor
        attempts = 0
    }

    // MARK: Delivering

    /// Delivers changes together or, if that fails, one at a time.
    private mutating func deliver(_ changes: [CollectionChange<T>]) async throws {
        guard let last = changes.last else { return }
        if changes.count > 1 {
            let error = try await attempt(changes, number: 1, .position(last.cursor))
            guard let error else {
                position = last.cursor
                return
            }
            log(
                .debug,
                "The consumer \"\(lease.name)\" failed to process \(changes.count) changes "
                    + "together: \(error)")
        }
        for change in changes { try await deliver(change) }
    }

    /// Delivers a change until its handler succeeds or it becomes a dead letter.
    private mutating func deliver(_ change: CollectionChange<T>) async throws {
        var lastError = "The process died during each attempt."
        while attempts < options.retry.attempts {
            if isCareful {
                let number = attempts + 1
                try await persist { [lease] in
                    try await lease.update { record, _ in record.attempts = number }
                }
                attempts = number
            }
            guard let error = try await attempt(change) else {
                pass(change)
                return
            }
            if !isCareful { attempts += 1 }
            lastError = storedText("\(error)")
            log(
                .debug,
                "Attempt \(attempts) of the consumer \"\(lease.name)\" at version "
                    + "\(change.cursor.version) failed: \(error)")
            try await persist { [lease, attempts, lastError] in
                try await lease.update { record, _ in
                    record.attempts = attempts
                    record.lastError = lastError
                }
            }
            if attempts < options.retry.attempts { try await pause() }
        }
        try await bury(change, lastError)
        pass(change)
    }

    /// Attempts a change once. Returns the handler's error.
    private mutating func attempt(_ change: CollectionChange<T>) async throws -> (any Error)? {
        let number = isCareful ? attempts : attempts + 1
        do {
            return try await attempt([change], number: number, .position(change.cursor))
        } catch let error as CancellationError {
            // an attempt that was interrupted doesn't count
            if isCareful { attempts -= 1 }
            throw error
        }
    }

    private mutating func pass(_ change: CollectionChange<T>) {
        position = change.cursor
        needsResync = false
        attempts = 0
        suspectCount = max(suspectCount - 1, 0)
    }

    /// Waits before the next attempt.
    private func pause() async throws {
        let delay = options.retry.delay(afterAttempt: attempts)
        _ = try await lease.renewing { [clock = options.time.clock] in
            try await clock.sleep(for: delay)
        }
        try Task.checkCancellation()
    }

    /// Calls the handler and saves that it has succeeded. Returns the handler's error.
    private func attempt(
        _ changes: [CollectionChange<T>], number: Int, _ completion: ConsumerBatch<T>.Completion
    ) async throws -> (any Error)? {
        try Task.checkCancellation()
        try gate.begin()
        defer { gate.end() }
        let batch = ConsumerBatch(
            changes, attempt: number, lease, completion, until: gate.stop)
        let failure = try await lease.renewing { [handler] in
            try await batch.inSpan { try await handler(batch) }
        }
        if batch.isSaved { return nil }
        guard let failure else {
            try await persist(ending: gate) { try await batch.saveIfNeeded() }
            return nil
        }
        // not the errors of another consumer, whose changes the handler may save
        switch failure as? WorkerError {
        case .alreadySaved(consumer: lease.name)?:
            // the write that saved the position threw an error although it was committed
            return nil
        case .leaseLost(consumer: lease.name)?: throw failure
        default: break
        }
        if (failure as? Realm.Error)?.code == .closed, realm.isClosed { throw failure }
        // the cancellation of the handler can have caused any error
        try Task.checkCancellation()
        if gate.isStopping, isInterruption(failure) { throw CancellationError() }
        return failure
    }

    /// Stores a change as a dead letter and moves past it.
    private func bury(_ change: CollectionChange<T>, _ text: String) async throws {
        log(
            .error,
            "The consumer \"\(lease.name)\" gave up on the change at version "
                + "\(change.cursor.version) after \(attempts) attempts: \(text)")
        var since = position
        if case .initial = change { since = nil }
        try await persist { [lease, className, attempts, since] in
            try await lease.update { record, tx in
                let letter = DeadChange()
                letter.consumer = lease.name
                letter.className = className
                letter.version = Int(clamping: change.cursor.version)
                letter.attempts = attempts
                letter.error = record.lastError ?? text
                letter.diedAt = lease.options.time.now()
                letter.since = since.map { "\($0)" }
                try tx.add(letter)
                lease.advance(record, to: change.cursor)
            }
        }
    }

    // MARK: Dead letters

    /// A dead letter that is marked to be retried.
    private struct Letter: Sendable {
        let id: ObjectId
        let since: String?
        let version: Int
        let attempts: Int
        let error: String
    }

    /// Retries the dead letters that are marked.
    private func retryLetters() async throws {
        let letters = try await realm.read { [name = lease.name] tx in
            // the marked ones first: they are few, and a consumer can have many letters; names
            // differ if their bytes do
            tx.objects(DeadChange.self).where { $0.isRetried == true }.filter {
                $0.consumer.utf8.elementsEqual(name.utf8)
            }.map {
                Letter(
                    id: $0.id, since: $0.since, version: $0.version, attempts: $0.attempts,
                    error: $0.error)
            }
        }
        for letter in letters {
            do { try await retry(letter) } catch WorkerError.alreadySaved {}
        }
    }

    /// Retries a dead letter once. Throws `WorkerError.alreadySaved` if it no longer exists.
    private func retry(_ letter: Letter) async throws {
        let found = try await self.change(of: letter)
        // counted before it is made, so that a change that kills the process doesn't do so forever
        try await update(letter) { [time = options.time] letter in
            letter.attempts &+= 1
            letter.isRetried = false
            letter.diedAt = time.now()
            letter.error =
                found == nil
                ? "The history that contains the change is no longer available."
                : "The process died during the last attempt."
        }
        guard let change = found else { return }
        do {
            let error = try await attempt(
                [change], number: letter.attempts &+ 1, .deadLetter(letter.id))
            if let error { try await update(letter) { $0.error = storedText("\(error)") } }
        } catch let error as CancellationError {
            // an attempt that was interrupted doesn't count
            try await update(letter) { stored in
                stored.attempts = letter.attempts
                stored.isRetried = true
                stored.error = letter.error
            }
            throw error
        }
    }

    /// Changes a dead letter. Throws `WorkerError.alreadySaved` if it no longer exists.
    private func update(
        _ letter: Letter, _ change: @escaping @Sendable (DeadChange) -> Void
    ) async throws {
        try await persist { [lease] in
            try await lease.update { _, tx in
                guard let stored = tx.object(DeadChange.self, forPrimaryKey: letter.id) else {
                    throw WorkerError.alreadySaved(consumer: lease.name)
                }
                change(stored)
            }
        }
    }

    /// Returns the change of a dead letter, or `nil` if its history is no longer kept.
    private func change(of letter: Letter) async throws -> CollectionChange<T>? {
        guard let since = letter.since else { return .initial(realm.objects(type).current) }
        guard let cursor = ChangeCursor(since) else { return nil }
        do {
            return try await change(leadingTo: UInt64(clamping: letter.version), since: cursor)
        } catch {
            guard isHistoryUnavailable(error) else { throw error }
            return nil
        }
    }

    /// Returns the change that leads from a position to a version. Others can come before it that
    /// weren't delivered with the settings of the process that stored the position.
    private func change(
        leadingTo version: UInt64, since cursor: ChangeCursor
    ) async throws -> CollectionChange<T>? {
        var changes = stream(since: cursor).makeAsyncIterator()
        while true {
            let next = try await lease.next(of: &changes, within: .zero)
            if case .end = next { throw realm.isClosed ? realm.closedError : CancellationError() }
            guard let change = next.element, change.cursor.version <= version else { return nil }
            if change.cursor.version == version { return change }
        }
    }

    // MARK: Writes

    /// Makes a write even if the task is cancelled. Until then, repeats it after transient errors.
    /// The first such error ends the use of a gate, whose owner cancels the task if it is to stop.
    private func persist(
        ending gate: HandlerGate? = nil, _ write: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await repeating(options.time.clock) { error in
            gate?.end()
            log(
                .warning,
                "The consumer \"\(lease.name)\" couldn't write, and will try again: \(error)")
        } _: {
            try await uncancelled(for: endLimit(options.lease), stop: self.gate.stop, write)
        }
    }

    private func log(_ level: Logger.Level, _ text: String) {
        options.logger?.log(level: level, "\(text)")
    }
}
