internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Delivers the objects of an asymmetric class to a sink, in the order of the commits that created
    /// them, and removes what the sink has taken. Waits for new ones, whichever process makes them,
    /// until the task is cancelled or the realm is closed, and then returns.
    ///
    ///     try await realm.drain(Measurement.self, batchSize: 500) { batch in
    ///         try await client.post(batch)          // Frozen<Measurement> is Encodable
    ///     }
    ///
    /// Each object is delivered at least once: a batch counts as taken when the sink has returned, and
    /// is removed by a commit of its own. Where the process dies in between, or the realm is closed,
    /// the batch is delivered again; so a sink has to bear what it has seen before. No object is
    /// delivered before those that were created before it.
    ///
    /// One task of one process at a time drains a class; others wait for it to end or to die, and look
    /// once a second whether it has. Different classes are drained side by side.
    ///
    /// - Parameters:
    ///   - batchSize: the most objects that a call of the sink gets, at least 1. So many are held in
    ///     memory, whatever waits.
    ///   - untilEmpty: whether to return when nothing waits any more, rather than to wait for more.
    ///   - sink: runs where the caller runs. What it throws is thrown on, and the batch stays.
    /// - Returns: how many objects were delivered and removed.
    /// - Throws: what the sink throws; `.invalidInput` for a `batchSize` below 1 and for a class that is
    ///   declared with links; `.schemaMismatch`; `.readOnly`; `.closed` if the realm was closed before;
    ///   what `write` throws, for the removal.
    /// - Precondition: the class is one of `Configuration.objectTypes`, if there is a list.
    /// - Complexity: O(log n) for each object; a commit for each batch.
    @discardableResult
    public nonisolated func drain<T: AsymmetricObject>(
        _ type: T.Type, batchSize: Int = 100, untilEmpty: Bool = false,
        file: StaticString = #fileID, line: UInt = #line,
        to sink: ([Frozen<T>]) async throws -> Void
    ) async throws -> Int {
        guard batchSize > 0 else {
            throw Error(.invalidInput, "The batch size of a drain is \(batchSize); 1 is the least.")
        }
        guard !configuration.readOnly else {
            throw Error(
                .readOnly,
                "The realm \"\(configuration.name)\" was opened read-only: what is delivered could "
                    + "not be removed.")
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
                try await sink(rows.map { Frozen<T>(rows.table, row: $0) })
            } catch is CancellationError where Task.isCancelled {
                break
            }
            guard try await drain.remove(rows.keys) else { break }
            count += rows.keys.count
        }
        return count
    }
}

/// One drain of a class. Confined to the task that drains.
private final class Drain {
    /// The rows of one batch.
    struct Rows {
        let table: FrozenTable
        let keys: [ObjectKey]

        func map<R>(_ body: (ObjectKey) -> R) -> [R] { keys.map(body) }
    }

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
        subscription = realm.core.coordinator.subscribe(.all, keeps: .nothing)
        slot = subscription.attach()
        realm.core.external.observerBegan()
    }

    func end() {
        slot.close()
        subscription.cancel()
        realm.core.external.observerEnded()
        guard let lease else { return }
        lease.unlock()
        let name = entry.schema.name
        realm.core.drainedClasses.withLock { _ = $0.remove(name) }
    }

    /// The oldest rows, waited for; nil at the end.
    func nextRows() async throws -> Rows? {
        guard try await takeLease() else { return nil }
        while !Task.isCancelled {
            if let rows = try rows() { return rows }
            if untilEmpty { return nil }
            try realm.core.checkReadable()
            switch await slot.wait() {
            case .changed: continue
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
        let keys = root.firstKeys(table.key, countMax: batchSize)
        try core.checkDelivery(of: root)
        let snapshot = SnapshotCore(realm: core, root: root, place: place)
        return Rows(table: FrozenTable(snapshot, entry), keys: keys)
    }

    /// Waits for the right to drain; false at the end. What others have removed is known then.
    private func takeLease() async throws -> Bool {
        if lease != nil { return true }
        let core = realm.core
        let name = entry.schema.name
        while !Task.isCancelled {
            if core.drainedClasses.withLock({ $0.insert(name).inserted }) {
                do throws(StoreError) {
                    lease = try core.coordinator.tryLockDrain(className: name)
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

    /// Removes what was delivered, also if the task was cancelled meanwhile; false if the realm was
    /// closed.
    func remove(_ keys: [ObjectKey]) async throws -> Bool {
        let name = entry.schema.name
        // a task of its own: a cancelled one does not write
        let removal = Task { [realm, place] in
            try await realm.write(file: place.file, line: place.line) { tx in
                tx.removeDelivered(keys, className: name)
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
    /// Removes rows of an asymmetric class that were delivered.
    fileprivate func removeDelivered(_ keys: [ObjectKey], className: String) {
        let transaction = requireWriting("drain")
        guard let table = transaction.schema.table(named: className) else { return }
        transaction.delete(table.key, keys)
        core.didEditAll()
    }
}
