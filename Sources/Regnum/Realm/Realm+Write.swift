internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Runs `body` as a transaction and commits what it changed.
    ///
    /// The body sees the newest state and changes it alone: writers of this process take their
    /// turns in order of arrival, those of other processes are waited for. When `write` returns,
    /// the commit is durable to the requested degree, and snapshots and streams see it. A body that
    /// changes nothing commits nothing.
    ///
    /// If the body throws, nothing is committed and `write` throws the same error. Cancelling the
    /// task counts until the body has returned and its commit begins, never after that.
    ///
    /// The body runs on the realm, so it takes with it what it uses from outside: values that are
    /// `Sendable`, and others only if nobody can use them afterwards. An unmanaged object or a
    /// `[String: Any]` that was made right before is of that kind. One that is a parameter, the
    /// element of an array that is used again, or a property of an actor is not, and the compiler
    /// says that passing the closure as a `sending` parameter risks data races. These forms pass:
    ///
    ///     func save(_ dog: sending Dog) async throws {              // the caller gives it away
    ///         try await realm.write { tx in try tx.add(dog) }
    ///     }
    ///     func save(_ values: [String: any Sendable]) async throws { // values that can be sent
    ///         try await realm.write { tx in try tx.create(Dog.self, value: values) }
    ///     }
    ///     func save(_ dogs: sending [Dog]) async throws {            // one write around the loop
    ///         try await realm.write { tx in for dog in dogs { try tx.add(dog) } }
    ///     }
    ///     func save(_ json: Data) async throws {                     // objects made in the body
    ///         try await realm.write { tx in
    ///             try tx.add(JSONDecoder().decode([Dog].self, from: json))
    ///         }
    ///     }
    ///
    /// An object that a body has added cannot be used after it: take what is needed of it from the
    /// body's result, or read it again.
    ///
    /// - Parameters:
    ///   - origin: a label for the commit, which change streams report; at most 4,096 bytes of
    ///     UTF-8.
    ///   - durability: what the commit survives; nil for `Configuration.durability`.
    ///   - body: runs once, without suspension. What it returns must be `Sendable`, so no object
    ///     leaves it.
    /// - Throws: `.invalidInput` for an origin that is too long, before the body runs;
    ///   `.invalidDatabase` or `.ioFailed` if the body met something that cannot be read;
    ///   the first `.invalidValue` of a property that was given a value beyond its limits, and
    ///   other errors that fail a transaction (`Docs/ERRORS.md`); `.schemaMismatch` or
    ///   `.invalidInput` for a class that does not fit, or where a newer program has raised the
    ///   schema version; otherwise what the body throws; `.busy` after
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

    /// Runs a body whose result is an object, which stays in the body.
    ///
    ///     try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
    ///
    /// There is no result: an object ends with its transaction. Otherwise as
    /// ``write(origin:durability:file:line:_:)-(_,_,_,_,(Transaction)->R)``.
    @_disfavoredOverload
    @concurrent public nonisolated func write<Model: ConfinedObject>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: sending (Transaction) throws -> Model
    ) async throws {
        try await write(origin: origin, durability: durability, file: file, line: line) { tx in
            _ = try body(tx)
        }
    }

    /// Runs `body` as ``write(origin:durability:file:line:_:)`` does, and returns the state that it
    /// made, whatever others commit meanwhile.
    ///
    ///     let (snapshot, id) = try await realm.snapshot(afterWriting: { tx in
    ///         try tx.create(Message.self, value: ["text": "hello"]).id
    ///     })
    ///     return snapshot.object(Message.self, forPrimaryKey: id)
    ///
    /// - Returns: the state with what the body changed and everything before it, and nothing that
    ///   came after; the state that the body saw, if it changed nothing. And what the body
    ///   returned.
    /// - Throws: as `write`.
    @concurrent public nonisolated func snapshot<R: Sendable>(
        origin: String? = nil, durability: Durability? = nil, file: StaticString = #fileID,
        line: UInt = #line, afterWriting body: sending (Transaction) throws -> R
    ) async throws -> (snapshot: Snapshot, result: R) {
        let place = CallPlace(file: file, line: line)
        let (result, root) = try await written(origin, durability, place, body)
        return (Snapshot(core: SnapshotCore(realm: core, root: root, place: place)), result)
    }

    /// Waits for the turn outside of the actor, which runs bodies: so a cancelled task ends at
    /// once, however long the body before takes.
    ///
    /// - Returns: what the body returned, and the state that it made.
    @concurrent private nonisolated func written<R: Sendable>(
        _ origin: String?, _ durability: Durability?, _ place: CallPlace,
        _ body: sending (Transaction) throws -> R
    ) async throws -> (result: R, root: DatabaseRoot) {
        try Task.checkCancellation()
        try Error.check(origin: origin)
        try core.checkActiveVersions()
        let turn: WriteTurn
        do {
            turn = try await core.coordinator.beginWrite(
                timeoutNanoseconds: core.configuration.writeTimeout?.nanosecondsClamped,
                place: place)
        } catch let error as StoreError {
            throw Error(error)
        }
        let run = WriteRun(base: turn.base, origin: origin, realm: core, place: place)
        return try await perform(
            run, turn, (durability ?? core.configuration.durability).engineDurability, body)
    }

    /// Runs a body whose turn the caller has, and gives the turn back.
    private func perform<R: Sendable>(
        _ run: WriteRun, _ turn: WriteTurn, _ durability: RegnumEngine.Durability,
        _ body: sending (Transaction) throws -> R
    ) async throws -> (result: R, root: DatabaseRoot) {
        let coordinator = core.coordinator
        let commit: Commit?
        let result: R
        do {
            if pace.isLong {
                (result, commit, pace.lastBody) = try await lane.run(body, run)
            } else {
                (result, commit, pace.lastBody) = try run(body)
            }
            if commit != nil { try Task.checkCancellation() }
        } catch {
            do { try await coordinator.abandon(turn) } catch { throw Error(error) }
            throw error
        }
        do {
            guard let commit else {
                try await coordinator.abandon(turn)
                return (result, turn.base)
            }
            let waited = try await coordinator.commit(turn, commit, durability: durability)
            if waited {
                pace.paused()
                return (result, commit.root)
            }
            if pace.countWrite() { await Task.yield() }
            return (result, commit.root)
        } catch {
            throw Error(error)
        }
    }
}

/// An object that stays in the body of its transaction: a model's, a projection, or a
/// ``DynamicObject``.
public protocol ConfinedObject: AnyObject, SendableMetatype {}

extension ObjectBase: ConfinedObject {}

extension DynamicObject: ConfinedObject {}

extension Realm.Error {
    /// Refuses a label of commits that is too long.
    static func check(origin: String?) throws(Realm.Error) {
        guard let problem = Limits.problem(withOrigin: origin) else { return }
        throw Realm.Error(problem)
    }
}

/// One execution of a body. The caller has the turn and keeps it until `commit` or `abandon`.
struct WriteRun: Sendable {
    /// What the body builds on.
    let base: DatabaseRoot
    let origin: String?
    let realm: RealmCore
    let place: CallPlace

    /// Runs the body and ends it; nil for the commit if nothing was changed. The number is how long
    /// the body and the making of its commit record took, in nanoseconds.
    func callAsFunction<R>(
        _ body: (Transaction) throws -> R
    ) throws -> (R, Commit?, UInt64) {
        try realm.checkSchemaVersion(base.schema)
        let start = IOPool.now()
        let transaction = EngineTransaction(base: base, origin: origin)
        let state = TransactionCore(.writing(transaction), realm: realm, place: place)
        let (outcome, damage) = DamageWatch.run(on: base) {
            ReadScope.run(failing: state) { Result { try body(Transaction(state)) } }
        }
        state.end()
        if let damage {
            transaction.abort()
            realm.coordinator.heal()
            throw Realm.Error(damage)
        }
        guard state.violation == nil, case .success(let result) = outcome, transaction.hasChanges
        else {
            // before the turn is given back: the next transaction edits what this one did
            transaction.abort()
            if let violation = state.violation { throw violation }
            return (try outcome.get(), nil, IOPool.now() - start)
        }
        do throws(StoreError) {
            try realm.checkUndamaged(base)
            let commit = try transaction.commit(
                timestampMicroseconds: realm.wallClockMicroseconds(),
                bodyByteCountMax: realm.recordByteCountMax)
            return (result, commit, IOPool.now() - start)
        } catch {
            transaction.abort()
            throw Realm.Error(error)
        }
    }
}
