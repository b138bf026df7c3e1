internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Runs `body` in a transaction and commits its changes.
    ///
    /// The body sees the newest state and has exclusive write access: writers in this process take
    /// turns in order of arrival, and `write` also waits for writers in other processes. When it
    /// returns, the commit is durable to the requested degree and visible to snapshots and streams.
    /// A body that changes nothing commits nothing.
    ///
    /// If the body throws, nothing is committed and `write` rethrows the error. Cancelling the task
    /// has no effect once the body has returned and its commit has begun. (The commit of a large
    /// transaction begins once no other process is writing a checkpoint.)
    ///
    /// The body runs on the realm's actor, so everything it captures is transferred there:
    /// `Sendable` values, and other values only if nothing else can use them afterwards. An
    /// unmanaged object or a `[String: Any]` created just before the call qualifies. A parameter,
    /// an element of an array that is used afterwards, or a property of an actor doesn't; the
    /// compiler then reports that passing the closure as a `sending` parameter risks data races.
    /// These forms compile:
    ///
    ///     func save(_ dog: sending Dog) async throws {              // the caller transfers it
    ///         try await realm.write { tx in try tx.add(dog) }
    ///     }
    ///     func save(_ values: [String: any Sendable]) async throws { // sendable values
    ///         try await realm.write { tx in try tx.create(Dog.self, value: values) }
    ///     }
    ///     func save(_ dogs: sending [Dog]) async throws {            // one write around the loop
    ///         try await realm.write { tx in for dog in dogs { try tx.add(dog) } }
    ///     }
    ///     func save(_ json: Data) async throws {                     // objects created inside
    ///         try await realm.write { tx in
    ///             try tx.add(JSONDecoder().decode([Dog].self, from: json))
    ///         }
    ///     }
    ///
    /// An object that was added in a body can't be used after the body has returned. Return what
    /// you need from the body, or read the object again.
    ///
    /// - Parameters:
    ///   - origin: A label for the commit, reported by change streams; at most 4,096 bytes of
    ///     UTF-8.
    ///   - durability: The failures that the commit survives. `nil` uses
    ///     `Configuration.durability`.
    ///   - body: Runs once, synchronously. Its result must be `Sendable`, so objects can't escape.
    /// - Throws: `.invalidInput` for an origin that is too long, before the body runs;
    ///   `.invalidDatabase` or `.ioFailed` if the body encountered unreadable data; the first
    ///   `.invalidValue` of a property that was set to a value beyond its limits, and other errors
    ///   that fail a transaction (`Docs/ERRORS.md`); `.schemaMismatch` or `.invalidInput` for a
    ///   class that doesn't match the realm, and `.schemaMismatch` if a newer program has raised
    ///   the schema version; otherwise whatever the body throws; `.busy` after
    ///   `Configuration.writeTimeout`; `.readOnly`; `.closed`; `.diskFull`, `.ioFailed` and
    ///   `.outcomeUnknown` from the disk; `CancellationError`.
    @discardableResult
    @concurrent public nonisolated func write<R: Sendable>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: sending (Transaction) throws -> R
    ) async throws -> R {
        try await written(
            origin, durability, CallPlace(file: file, line: line), body
        ).result
    }

    /// Runs a body that returns an object, and discards the object.
    ///
    ///     try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
    ///
    /// Nothing is returned because objects become invalid when their transaction ends. Otherwise
    /// behaves like ``write(origin:durability:file:line:_:)-(_,_,_,_,(Transaction)->R)``.
    @_disfavoredOverload
    @concurrent public nonisolated func write<Model: ConfinedObject>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: sending (Transaction) throws -> Model
    ) async throws {
        try await write(origin: origin, durability: durability, file: file, line: line) { tx in
            _ = try body(tx)
        }
    }

    /// Runs `body` like ``write(origin:durability:file:line:_:)`` and returns a snapshot of exactly
    /// the version it committed, regardless of concurrent commits.
    ///
    ///     let (snapshot, id) = try await realm.snapshot(afterWriting: { tx in
    ///         try tx.create(Message.self, value: ["text": "hello"]).id
    ///     })
    ///     return snapshot.object(Message.self, forPrimaryKey: id)
    ///
    /// - Returns: A snapshot with the body's changes and everything before them, but nothing after
    ///   them (if the body changed nothing, the state that it saw), and the body's result.
    /// - Throws: The same errors as `write`.
    @concurrent public nonisolated func snapshot<R: Sendable>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, afterWriting body: sending (Transaction) throws -> R
    ) async throws -> (snapshot: Snapshot, result: R) {
        let place = CallPlace(file: file, line: line)
        let (result, root) = try await written(origin, durability, place, body)
        return (Snapshot(core: SnapshotCore(realm: core, root: root, place: place)), result)
    }

    /// Runs `body` like `write`, however many versions are held: for callers that release versions
    /// after the write.
    @discardableResult
    @concurrent package nonisolated func writeReleasing<R: Sendable>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: sending (Transaction) throws -> R
    ) async throws -> R {
        try await written(
            origin, durability, CallPlace(file: file, line: line), checksVersions: false, body
        ).result
    }

    /// Runs `body` like `writeReleasing` and returns a snapshot of the version it committed.
    @concurrent package nonisolated func snapshotReleasing<R: Sendable>(
        durability: Durability? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: sending (Transaction) throws -> R
    ) async throws -> (snapshot: Snapshot, result: R) {
        let place = CallPlace(file: file, line: line)
        let (result, root) = try await written(
            nil, durability, place, checksVersions: false, body)
        return (Snapshot(core: SnapshotCore(realm: core, root: root, place: place)), result)
    }

    /// Waits for the write turn outside the actor that runs the bodies, so that a cancelled task
    /// ends at once however long the preceding body runs.
    ///
    /// - Parameters:
    ///   - isLong: Whether the body is known to take long.
    ///   - checksVersions: Whether to fail if too many versions are held.
    /// - Returns: The body's result and the state it committed.
    @concurrent nonisolated func written<R: Sendable>(
        _ origin: String?, _ durability: Durability?, _ place: CallPlace, isLong: Bool = false,
        checksVersions: Bool = true, _ body: sending (Transaction) throws -> R
    ) async throws -> (result: R, root: DatabaseRoot) {
        var span = OperationSpan.begin("write", core.configuration.name, place, origin: origin)
        defer { span?.end() }
        do {
            try Task.checkCancellation()
            let recorded = RecordedOrigin(label: origin, trace: span?.trace).text
            try Error.check(origin: recorded)
            if checksVersions { try core.checkActiveVersions() }
            let turn: WriteTurn
            do {
                turn = try await core.coordinator.beginWrite(
                    timeoutNanoseconds: core.configuration.writeTimeout?.nanosecondsClamped,
                    place: place)
            } catch let error as StoreError {
                throw Error(error)
            }
            span?.began()
            let run = WriteRun(
                base: turn.base, origin: recorded, realm: core, place: place, span: span)
            return try await perform(
                run, turn, (durability ?? core.configuration.durability).engineDurability,
                isLong: isLong, body)
        } catch {
            span?.failed(error)
            throw error
        }
    }

    /// Runs a body while the caller holds the write turn, and releases the turn.
    private func perform<R: Sendable>(
        _ run: WriteRun, _ turn: WriteTurn, _ durability: RegnumEngine.Durability, isLong: Bool,
        _ body: sending (Transaction) throws -> R
    ) async throws -> (result: R, root: DatabaseRoot) {
        let coordinator = core.coordinator
        var commit: Commit?
        let result: R
        do {
            if isLong || pace.isLong {
                (result, commit, pace.lastBody) = try await lane.run(body, run)
            } else {
                (result, commit, pace.lastBody) = try run(body)
            }
            if commit != nil { try Task.checkCancellation() }
        } catch {
            commit = nil  // the next transaction would have to copy the tree while this one has it
            do { try await coordinator.abandon(turn) } catch { throw Error(error) }
            throw error
        }
        do {
            guard var commit else {
                try await coordinator.abandon(turn)
                return (result, turn.base)
            }
            let committing = run.span?.committing(&commit, bodyNanoseconds: pace.lastBody)
            let waited = try await coordinator.commit(turn, commit, durability: durability)
            committing?.end()
            if waited {
                pace.paused()
                return (result, commit.root)
            }
            if pace.countWrite() { await Task.yield() }
            return (result, commit.root)
        } catch let error as StoreError {
            throw Error(error)
        }
    }
}

/// An object that is confined to its transaction's body: a model object, a projection or a
/// ``DynamicObject``.
public protocol ConfinedObject: AnyObject, SendableMetatype {}

extension ObjectBase: ConfinedObject {}

extension DynamicObject: ConfinedObject {}

extension Realm.Error {
    /// Throws `.invalidInput` if a commit's label is too long.
    static func check(origin: String?) throws(Realm.Error) {
        guard let problem = Limits.problem(withOrigin: origin) else { return }
        throw Realm.Error(problem)
    }
}

/// One execution of a body. The caller holds the write turn until it calls `commit` or `abandon`.
struct WriteRun: Sendable {
    /// The state that the body builds on.
    let base: DatabaseRoot
    /// The origin of the commit's record.
    let origin: String?
    let realm: RealmCore
    let place: CallPlace
    let span: OperationSpan?

    /// Runs the body and ends its transaction. Returns the body's result, the commit (`nil` if
    /// nothing was changed) and the nanoseconds it took to run the body and build the commit
    /// record.
    func callAsFunction<R>(
        _ body: (Transaction) throws -> R
    ) throws -> (R, Commit?, UInt64) {
        try realm.checkSchemaVersion(base.schema)
        let start = IOPool.now()
        let transaction = EngineTransaction(base: base, origin: origin)
        let state = TransactionCore(.writing(transaction), realm: realm, place: place)
        let (outcome, damage) = DamageWatch.run(on: base) {
            ReadScope.run(failing: state) {
                OperationSpan.run(in: span) { Result { try body(Transaction(state)) } }
            }
        }
        state.end()
        if let damage {
            transaction.abort()
            realm.coordinator.heal()
            throw Realm.Error(damage)
        }
        guard state.violation == nil, case .success(let result) = outcome, transaction.hasChanges
        else {
            // before the turn is released: the next transaction edits the same tree in place
            transaction.abort()
            if let violation = state.violation { throw violation }
            return (try outcome.get(), nil, IOPool.now() - start)
        }
        do throws(StoreError) {
            let commit = try transaction.commit(
                timestampMicroseconds: realm.wallClockMicroseconds(),
                maximumBodyByteCount: realm.maximumRecordByteCount)
            return (result, commit, IOPool.now() - start)
        } catch {
            transaction.abort()
            throw realm.failure(error)
        }
    }
}
