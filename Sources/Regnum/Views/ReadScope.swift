internal import RegnumEngine
internal import RegnumStore

/// Where errors go that frozen values meet on one thread: those of a ``Snapshot/read(_:)``, or of a
/// transaction's body.
final class ReadScope {
    private static let scope = ThreadScope<ReadScope>(.reads)

    /// The transaction that an error fails, nil in a `Snapshot.read`.
    private let core: TransactionCore?
    /// The first error of a `Snapshot.read`.
    private var first: Realm.Error?

    private init(_ core: TransactionCore?) { self.core = core }

    /// Runs `body`, and throws the first error that a frozen value met in it.
    static func run<Result>(_ body: () throws -> Result) throws -> Result {
        let reads = ReadScope(nil)
        let outcome = Swift.Result { try scope.run(reads, body) }
        if let first = reads.first { throw first }
        return try outcome.get()
    }

    /// As `run`, for a body that throws errors of the library only.
    static func runThrowing<Result>(
        _ body: () throws(Realm.Error) -> Result
    ) throws(Realm.Error) -> Result {
        let reads = ReadScope(nil)
        let outcome = scope.run(reads) { () -> Swift.Result<Result, Realm.Error> in
            do throws(Realm.Error) { return .success(try body()) } catch { return .failure(error) }
        }
        if let first = reads.first { throw first }
        return try outcome.get()
    }

    /// What `body` describes, or the error that it met.
    static func describe(_ name: String, _ body: () -> String) -> String {
        do {
            return try run(body)
        } catch {
            return "\(name) { cannot be read: \(error) }"
        }
    }

    /// Runs the body of a transaction, which an error that a frozen value meets fails.
    static func run<Result>(failing core: TransactionCore, _ body: () throws -> Result) rethrows
        -> Result
    {
        try scope.run(ReadScope(core), body)
    }

    /// Whether what the calling thread reads from here on is discarded.
    static var hasFailed: Bool {
        guard let reads = scope.current else { return false }
        return reads.core?.hasFailed ?? (reads.first != nil)
    }

    /// The write of a realm whose body the calling thread runs.
    static func write(in realm: RealmCore) -> TransactionCore? {
        guard let core = scope.current?.core, core.realm === realm, core.writing != nil else {
            return nil
        }
        return core
    }

    /// Records an error; false where the calling thread has no scope.
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

extension SnapshotCore {
    /// Records an error that cannot be thrown in the scope of the calling thread. Outside of one it
    /// ends the process: there is no true answer.
    func fail(_ error: Realm.Error) {
        if ReadScope.record(error) { return }
        realm.reportUnanswered(error)
        fatalError(
            "\(error) This was met by a frozen value of the realm \"\(realm.configuration.name)\" "
                + "outside of Snapshot.read, which throws such errors.")
    }

    /// What `body` answers, or `placeholder` where it failed.
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
    /// The newest published state for a live handle. In the body of a write, which would take it
    /// for its own, the handle fails the transaction.
    func liveSnapshot(
        _ place: CallPlace, _ entry: ClassEntry, _ call: StaticString
    ) -> SnapshotCore {
        if let core = ReadScope.write(in: self) {
            let name = entry.schema.name
            core.fail(
                Realm.Error(
                    .invalidInput,
                    "A live handle on \(name) was read in the write at \(core.place): it shows the "
                        + "version that was published last, not what the transaction sees. Use "
                        + "tx.\(call).", className: name))
        }
        return snapshot(place)
    }
}

extension Snapshot {
    /// Runs `body`, and throws the first error that a frozen value met in it.
    ///
    ///     let names = try snapshot.read { $0.objects(Person.self).map(\.name) }
    ///
    /// Properties and collections cannot throw. Where one meets damage of the file, a class that
    /// does not fit what is stored, a stored value that its type does not have, an operand of
    /// another realm, or a sum that does not fit, it answers with something arbitrary inside of
    /// `body`, and the whole result is discarded. Outside of a `read`, and of the bodies of
    /// `Realm.read` and `write`, it logs the error and ends the process.
    ///
    /// That holds for all frozen values that the body uses, also those of other snapshots, of live
    /// handles and of streams.
    ///
    ///     for try await change in people.changes {
    ///         let names = try change.collection.snapshot.read { _ in
    ///             change.collection.map(\.name)
    ///         }
    ///     }
    ///
    /// - Parameter body: runs once, where you are.
    /// - Throws: `.invalidDatabase`, `.schemaMismatch`, `.invalidValue`, `.invalidQuery`,
    ///   `.ioFailed`; what the body throws, if no frozen value met an error.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try ReadScope.run { try body(self) }
    }

    /// Reads everything in the snapshot and checks it: the checksums of what lies in the nodes
    /// file, that each object is in the indexes of its class under its value and nothing else is,
    /// that links and collections lead to objects that are there, and that inverses agree with
    /// them.
    ///
    /// It needs no Swift classes, and runs on a thread of the library.
    ///
    /// - Throws: `.invalidDatabase` for the first damage, with `className`, `property` and `key` as
    ///   far as they are known, and for damage of the file with its `path` and `position`;
    ///   `.ioFailed` where the file cannot be read; `CancellationError`.
    /// - Complexity: O(n log n) for the whole content, which is read from the disk.
    public func checkIntegrity() async throws {
        let isCancelled = Guarded(false)
        try await withTaskCancellationHandler {
            try await blocking(on: Self.checks) { [root = core.root] () throws(StoreError) in
                try root.checkIntegrity { isCancelled.withLock { $0 } }
            }
            try Task.checkCancellation()
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// A thread for checks, so that they take none from others.
    private static let checks = IOPool(threadCountMax: 1)
}

extension Frozen {
    /// The snapshot that the object is of.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}

extension FrozenResults {
    /// The snapshot that the objects are of.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}

extension FrozenValues {
    /// The snapshot that the values are of.
    public var snapshot: Snapshot { Snapshot(core: query.table.snapshot) }
}

extension FrozenMap {
    /// The snapshot that the entries are of.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}
