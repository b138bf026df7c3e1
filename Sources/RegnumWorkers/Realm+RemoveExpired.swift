public import FoundationEssentials
public import Regnum

extension Realm {
    /// Removes the objects of a class when they expire, until the task is cancelled or the realm is
    /// closed.
    ///
    ///     final class Session: Object {
    ///         @Persisted(primaryKey: true) var token: String
    ///         @Persisted var user: User?
    ///         @Persisted(indexed: true) var expiresAt: Date
    ///     }
    ///
    ///     try await realm.removeExpired(Session.self, at: \.expiresAt) { tx, sessions in
    ///         for session in sessions { session.user?.isOnline = false }
    ///     }
    ///
    /// An object has expired when its date is not in the future. Several processes (and tasks) can
    /// call this for a class: each transaction queries the objects that still exist, so that each
    /// object is removed once. Nothing polls: the call waits for the next date, and for commits by
    /// any process that change objects of the class. (It also checks the clock of the process once
    /// a minute, in case the clock was set.)
    ///
    /// The objects with the earliest dates are removed first, at most ``ExpiryOptions/batchSize``
    /// in a transaction. The origin of its commit is `expiry CLASS`, here `expiry Session`, which
    /// lets change streams recognize or exclude it. Links, lists and delete rules are handled as by
    /// `Transaction.delete`.
    ///
    /// If the body throws, or a delete rule denies the removal, what the body has written is rolled
    /// back, and each object is then processed individually. Objects for which that fails are kept
    /// and retried after a delay, which doubles from one second to an hour; the others are removed.
    /// While as many objects are waiting for a retry as fit into one transaction, and at least 100,
    /// no others are processed.
    ///
    /// - Parameters:
    ///   - keyPath: A stored property with an index. An object whose date isn't known yet can have
    ///     `Date.distantFuture`. Declare that as the default if the class already has objects when
    ///     the property is added: otherwise they get a date in the past, and are removed.
    ///   - options: The settings.
    ///   - body: Runs in the transaction that removes the objects, before they are removed: what it
    ///     writes takes effect exactly once for each object, together with the removal. It may run
    ///     several times before that, so it should have no other effects. Objects whose date it
    ///     moves into the future are kept.
    /// - Throws: `.invalidInput` for invalid settings, for a key path that doesn't refer to a
    ///   stored property with an index, and if the realm's `objectTypes` lack the class;
    ///   `.readOnly`; `.closed` if the realm was already closed; the other errors of reads and
    ///   writes. Writes that fail with `.busy` or `.diskFull` are retried until the task is
    ///   cancelled.
    /// - Complexity: O(log n) for each object that is removed, and each time the call wakes up.
    public nonisolated func removeExpired<T: Object>(
        _ type: T.Type, at keyPath: any KeyPath<T, Date> & Sendable,
        options: ExpiryOptions = ExpiryOptions(),
        _ body: @escaping @Sendable (Transaction, [T]) throws -> Void = { _, _ in }
    ) async throws {
        try await removeExpired(ExpiryTable(type: type, keyPath: keyPath), options, body)
    }

    /// Removes the objects of a class when they expire. Objects whose date is `nil` never expire.
    /// Otherwise behaves like the method for properties of type `Date`.
    public nonisolated func removeExpired<T: Object>(
        _ type: T.Type, at keyPath: any KeyPath<T, Date?> & Sendable,
        options: ExpiryOptions = ExpiryOptions(),
        _ body: @escaping @Sendable (Transaction, [T]) throws -> Void = { _, _ in }
    ) async throws {
        try await removeExpired(ExpiryTable(type: type, keyPath: keyPath), options, body)
    }

    private nonisolated func removeExpired<T: Object, Expiry: ExpiryDate>(
        _ table: ExpiryTable<T, Expiry>, _ options: ExpiryOptions,
        _ body: @escaping @Sendable (Transaction, [T]) throws -> Void
    ) async throws {
        if let problem = options.problem { throw Realm.Error(.invalidInput, problem) }
        try requireModels([table.type])
        try table.check()
        guard !isClosed else { throw closedError }
        let wakeup = Wakeup()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.watch([table.name], setting: wakeup) }
                group.addTask {
                    var run = ExpiryRun(self, table, options, body)
                    try await run.run(wakeup)
                }
                // the end of one is the end of both
                try await group.next()
                group.cancelAll()
                // a commit that the cancellation came too late for can have failed
                try await group.waitForAll()
            }
        } catch is CancellationError where Task.isCancelled {
            return
        } catch Realm.Error.Code.closed where isClosed {
            return
        }
    }
}
