internal import RegnumEngine
internal import RegnumStore

/// Collects the errors that frozen values encounter on one thread during a ``Snapshot/read(_:)`` or
/// the body of a transaction.
final class ReadScope {
    private static let scope = ThreadScope<ReadScope>(.reads)

    /// The transaction that errors fail; `nil` in a `Snapshot.read`.
    private let core: TransactionCore?
    /// The first error of a `Snapshot.read`.
    private var first: Realm.Error?
    /// The scope around this one on the same thread, which outlives it.
    private let outer: ReadScope?

    private init(_ core: TransactionCore?) {
        self.core = core
        outer = Self.scope.current
    }

    /// Runs `body`, and throws the first error that a frozen value encountered in it.
    static func run<Result>(_ body: () throws -> Result) throws -> Result {
        let reads = ReadScope(nil)
        let outcome = Swift.Result { try scope.run(reads, body) }
        if let first = reads.first { throw first }
        return try outcome.get()
    }

    /// Like `run`, for a body that only throws errors of the library.
    static func runThrowing<Result>(
        _ body: () throws(Realm.Error) -> Result
    ) throws(Realm.Error) -> Result {
        do { return try run(body) } catch { throw Realm.Error(below: error) }
    }

    /// Returns the description that `body` creates, or the error that it encountered.
    static func describe(_ name: String, _ body: () -> String) -> String {
        do {
            return try run(body)
        } catch {
            return "\(name) { cannot be read: \(error) }"
        }
    }

    /// Runs the body of a transaction, which fails if a frozen value encounters an error.
    static func run<Result>(failing core: TransactionCore, _ body: () throws -> Result) rethrows
        -> Result
    {
        try scope.run(ReadScope(core), body)
    }

    /// Whether one of the calling thread's scopes has failed, so that its result is discarded and
    /// positions may be computed from placeholders.
    static var hasFailed: Bool {
        var reads = scope.current
        while let scope = reads {
            if scope.hasFailed { return true }
            reads = scope.outer
        }
        return false
    }

    /// Whether the calling thread's innermost scope has failed, so that anything it reads from now
    /// on is discarded.
    static var innermostHasFailed: Bool { scope.current?.hasFailed ?? false }

    /// The error of the innermost of the calling thread's scopes that has one.
    static var failure: Realm.Error? {
        var reads = scope.current
        while let scope = reads {
            if let error = scope.core?.violation ?? scope.first { return error }
            reads = scope.outer
        }
        return nil
    }

    private var hasFailed: Bool { core?.hasFailed ?? (first != nil) }

    /// A sentence that names the transaction whose body the calling thread is running; empty
    /// outside of bodies.
    static var callSiteMessage: String { innermost { _ in true }?.callSiteMessage ?? "" }

    /// Returns the write of a realm whose body the calling thread is running, if any, including one
    /// around the innermost scope.
    static func write(in realm: RealmCore) -> TransactionCore? {
        innermost { $0.realm === realm && $0.writing != nil }
    }

    /// Returns the innermost matching transaction whose body the calling thread is running.
    private static func innermost(_ matches: (TransactionCore) -> Bool) -> TransactionCore? {
        var reads = scope.current
        while let scope = reads {
            if let core = scope.core, matches(core) { return core }
            reads = scope.outer
        }
        return nil
    }

    /// Records an error. Returns false if the calling thread has no scope.
    static func record(_ error: Realm.Error) -> Bool {
        guard let reads = scope.current else { return false }
        if let core = reads.core {
            core.fail(error)
        } else if reads.first == nil {
            reads.first = error
        }
        return true
    }
}

extension TransactionCore {
    /// The last sentence of a message about misuse of a collection: the call site of the
    /// transaction. Empty in a migration.
    var callSiteMessage: String { place.line > 0 ? " The transaction is at \(place)." : "" }
}

extension SnapshotCore {
    /// The last sentence of a message about misuse of a collection: the call site at which the
    /// snapshot was taken.
    var callSiteMessage: String { " The snapshot was taken at \(place)." }

    /// Records an error that can't be thrown in the calling thread's scope. Traps if there is none,
    /// because there is no correct result to return.
    func fail(_ error: Realm.Error) {
        if ReadScope.record(error) { return }
        realm.reportUnanswered(error)
        fatalError(
            "A frozen value of the realm \"\(realm.configuration.name)\" encountered an error "
                + "outside of Snapshot.read, which throws such errors: \(error)")
    }

    /// Returns the result of `body`, or `placeholder` if `body` failed.
    func answer<Answer>(
        _ placeholder: @autoclosure () -> Answer, _ body: () throws(Realm.Error) -> Answer
    ) -> Answer {
        do throws(Realm.Error) {
            return try body()
        } catch {
            fail(error)
            return placeholder()
        }
    }
}

extension RealmCore {
    /// Returns the newest published state for a live handle. Inside the body of a write, which
    /// might mistake it for its own state, this fails the transaction.
    func liveSnapshot(
        _ place: CallPlace, _ entry: ClassEntry, _ call: StaticString
    ) -> SnapshotCore {
        let name = entry.schema.name
        failWrite(reading: "A live handle to \(name)", of: name, insteadOf: call)
        return snapshot(place)
    }

    /// Inside the body of a write, fails the transaction because it reads the newest published
    /// state instead of its own.
    ///
    /// - Parameter call: The member of the transaction to use.
    func failWrite(
        reading name: @autoclosure () -> String, of className: String? = nil,
        insteadOf call: StaticString
    ) {
        guard let core = ReadScope.write(in: self) else { return }
        core.fail(
            Realm.Error(
                .invalidInput,
                "\(name()) was read in the write at \(core.place): it shows the newest published "
                    + "version, not the state of the transaction. Use tx.\(call).",
                className: className))
    }
}
