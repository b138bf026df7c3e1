internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Delivers the objects of an asymmetric class to a sink, in the order of the commits that
    /// created them, and removes those that the sink has processed. Waits for new objects, created
    /// by any process, and returns when the task is cancelled or the realm is closed.
    ///
    ///     try await realm.drain(Measurement.self, batchSize: 500) { batch in
    ///         try await client.post(batch)          // Frozen<Measurement> is Encodable
    ///     }
    ///
    /// Each object is delivered at least once: a batch counts as delivered when the sink returns,
    /// and is then removed by a separate commit. If the process dies in between, or the realm is
    /// closed, the batch is delivered again, so the sink must tolerate duplicates. Objects are
    /// never delivered before earlier ones.
    ///
    /// A batch that the sink has processed is removed even if the task has been cancelled. Like any
    /// write, the removal waits for earlier writes, for at most `Configuration.writeTimeout`, so a
    /// cancelled drain can take that long to return.
    ///
    /// Only one task in one process drains a class at a time. Others wait for it to end or die,
    /// polling once a second. Different classes can be drained concurrently.
    ///
    /// - Parameters:
    ///   - batchSize: The maximum number of objects passed to each call of the sink, at least 1. No
    ///     more than that are held in memory, however many are waiting.
    ///   - untilEmpty: Whether to return once no more objects are waiting, instead of waiting for
    ///     new ones.
    ///   - sink: Runs in the caller's isolation. If it throws, its error is rethrown and the batch
    ///     isn't removed.
    /// - Returns: The number of objects that were delivered and removed.
    /// - Throws: Whatever the sink throws; `.invalidInput` for a `batchSize` below 1 and for a
    ///   class that declares links; `.schemaMismatch`; `.readOnly`; `.closed` if the realm was
    ///   already closed; whatever `write` throws, for the removal.
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    /// - Complexity: O(log n) for each object; one commit for each batch.
    @discardableResult
    public nonisolated func drain<T: AsymmetricObject>(
        _ type: T.Type, batchSize: Int = 100, untilEmpty: Bool = false,
        file: StaticString = #fileID, line: UInt = #line,
        to sink: ([Frozen<T>]) async throws -> Void
    ) async throws -> Int {
        guard batchSize > 0 else {
            throw Error(
                .invalidInput, "The batch size of a drain is \(batchSize); the minimum is 1.")
        }
        guard !configuration.readOnly else {
            throw Error(
                .readOnly,
                "The realm \"\(configuration.name)\" was opened read-only, so delivered "
                    + "objects could not be removed.")
        }
        guard !isClosed else { throw Error.closed(configuration.name) }
        let entry = core.entry(for: type)
        if let problem = entry.problem { throw problem }
        let drain = Drain(
            self, entry, CallPlace(file: file, line: line), batchSize: batchSize,
            untilEmpty: untilEmpty)
        defer { drain.end() }
        var count = 0
        while let rows = try await drain.nextRows() {
            do {
                try await sink(rows.keys.map { Frozen<T>(rows.table, row: $0) })
            } catch is CancellationError where Task.isCancelled {
                break
            }
            guard try await drain.remove(rows) else { break }
            count += rows.keys.count
        }
        return count
    }
}

/// One drain of a class. Confined to the task that drains.
private final class Drain {
    /// The rows of one batch.
    typealias Rows = (table: FrozenTable, keys: [ObjectKey])

    private let realm: Realm
    private let entry: ClassEntry
    private let place: CallPlace
    private let batchSize: Int
    private let untilEmpty: Bool
    private let slot: SignalSlot
    private let subscription: Subscription
    private var lease: DrainLock?

    init(
        _ realm: Realm, _ entry: ClassEntry, _ place: CallPlace, batchSize: Int, untilEmpty: Bool
    ) {
        self.realm = realm
        self.entry = entry
        self.place = place
        self.batchSize = batchSize
        self.untilEmpty = untilEmpty
        subscription = realm.core.coordinator.subscribe(.all, buffering: .concern)
        slot = subscription.attach()
        realm.core.external.observerBegan()
    }

    func end() {
        slot.close()
        subscription.cancel()
        realm.core.external.observerEnded()
        guard let lease else { return }
        lease.unlock()
        let name = StoredText(entry.schema.name)
        realm.core.drainedClasses.withLock { _ = $0.remove(name) }
    }

    /// Waits for the oldest rows and returns them, or `nil` at the end.
    func nextRows() async throws -> Rows? {
        guard try await acquireLease() else { return nil }
        while !Task.isCancelled {
            if let rows = try rows() { return rows }
            if untilEmpty { return nil }
            try realm.core.checkReadable()
            switch await slot.wait() {
            case .changed, .timedOut: continue
            case .closed, .cancelled: return nil
            }
        }
        return nil
    }

    private func rows() throws -> Rows? {
        let core = realm.core
        let root = core.coordinator.published
        let mapping = entry.mapping(in: root.schema)
        if let mismatch = mapping.mismatch { throw mismatch }
        guard let table = mapping.table, root.count(table.key) > 0 else { return nil }
        let keys = try core.checked(root) { root.firstKeys(table.key, maximumCount: batchSize) }
        let snapshot = SnapshotCore(realm: core, root: root, place: place)
        return (FrozenTable(snapshot, entry), keys)
    }

    /// Waits for the right to drain the class, and for the removals of earlier drains to be
    /// visible. Returns false at the end.
    private func acquireLease() async throws -> Bool {
        if lease != nil { return true }
        let core = realm.core
        let name = StoredText(entry.schema.name)
        while !Task.isCancelled {
            if core.drainedClasses.withLock({ $0.insert(name).inserted }) {
                do throws(StoreError) {
                    lease = try core.coordinator.tryLockDrain(className: name.wrappedValue)
                    if lease != nil {
                        try await core.coordinator.catchUp()
                        return true
                    }
                } catch {
                    if lease == nil { core.drainedClasses.withLock { _ = $0.remove(name) } }
                    if error.code == .closed { return false }
                    throw Realm.Error(error)
                }
                core.drainedClasses.withLock { _ = $0.remove(name) }
            }
            do { try await Task.sleep(for: .seconds(1)) } catch { return false }
            if realm.isClosed { return false }
        }
        return false
    }

    /// Removes delivered rows, even if the task was cancelled in the meantime. Returns false if the
    /// realm was closed.
    func remove(_ rows: Rows) async throws -> Bool {
        guard let table = rows.table.mapping.table?.key else { return true }
        // in a task of its own, because a cancelled task can't write
        let removal = Task { [realm, place, name = entry.schema.name, keys = rows.keys] in
            try await realm.write(file: place.file, line: place.line) { tx in
                tx.removeDelivered(keys, of: table, className: name)
            }
        }
        do {
            try await removal.value
            return true
        } catch Realm.Error.Code.closed {
            return false
        }
    }
}

extension Transaction {
    /// Removes delivered rows of an asymmetric class, unless a newer program has dropped it.
    fileprivate func removeDelivered(
        _ keys: [ObjectKey], of table: TableKey, className: String
    ) {
        let transaction = requireWriting("drain")
        guard transaction.schema.table(named: className)?.key == table else { return }
        transaction.delete(table, keys)
        core.didEditAll()
    }
}
