public import FoundationEssentials
internal import Logging
public import Regnum
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The result of an import.
    public struct ImportSummary: Sendable, Hashable {
        /// The number of imported objects, not counting embedded objects.
        public internal(set) var objectCount = 0
        /// The number of transactions that imported objects.
        public internal(set) var batchCount = 0
    }

    /// Imports JSON lines, as written by `snapshot.exportJSON`, from text that arrives in chunks.
    ///
    ///     try await realm.importJSON(from: chunks, update: .modified)
    ///
    /// The text is read once, and each batch of lines is imported in a transaction. An invalid line
    /// ends the import and rolls back its batch; earlier batches are kept. If `batchSize` is `nil`,
    /// everything is imported in one transaction, all or nothing, which requires memory for the
    /// whole text.
    ///
    /// Classes that are neither stored nor declared are created according to the first line. Links
    /// are resolved by primary key or, for classes without one, by the keys in the text; the
    /// imported objects get new keys. An object that is linked to before its line is read has
    /// default values until then; if there is no such line, the import throws and deletes these
    /// objects, except those that another transaction has changed, and those of a batch whose write
    /// threw `.outcomeUnknown`. If such an object has a primary key and another transaction has
    /// changed it, it is treated as an object that already existed.
    /// If the process is killed, complete batches remain; if all classes have primary keys,
    /// importing again with `update: .modified` completes the import.
    ///
    /// A cancelled import waits for other writes for at most half a second. If they take longer,
    /// the objects whose lines are missing are deleted in the background. If they can't be deleted,
    /// for example because the realm was closed or a newer program has migrated it, they remain,
    /// and the reason is logged.
    ///
    /// - Parameters:
    ///   - chunks: The text, split into chunks at any position.
    ///   - update: The policy for objects whose primary key already exists. Both `.modified` and
    ///     `.all` set the properties to the values of the line, replacing lists, sets, maps and
    ///     embedded objects as a whole; `.modified` skips columns that already have the value.
    ///     Properties missing from the line stay unchanged.
    ///   - batchSize: The maximum number of lines in a transaction, at least 1; a batch also ends
    ///     at 8 MiB.
    ///   - origin: A label for the commits, reported by change streams; at most 4,096 bytes of
    ///     UTF-8.
    /// - Returns: The numbers of imported objects and of transactions.
    /// - Throws: `Realm.Error` with the `line`, the class and the property: `.invalidInput` for an
    ///   invalid line and for a `batchSize` below 1, `.invalidValue` for values that a property
    ///   cannot hold, `.schemaMismatch` for classes and properties that differ from the stored
    ///   ones, `.duplicatePrimaryKey`, `.unsupportedFormat`; the errors of `chunks` and `write`;
    ///   `CancellationError`.
    /// - Complexity: O(n) for a text of n bytes. Needs memory for one batch and, for classes
    ///   without a primary key, two words for each run of objects with consecutive keys and for
    ///   each object out of order.
    @discardableResult
    public nonisolated func importJSON<Chunks: AsyncSequence>(
        from chunks: Chunks, update: UpdatePolicy = .error, batchSize: Int? = 5_000,
        origin: String? = nil
    ) async throws -> ImportSummary where Chunks.Element: Sequence<UInt8> {
        if let batchSize, batchSize < 1 {
            throw Error(
                .invalidInput, "The batch size of an import is \(batchSize); the minimum is 1.")
        }
        let recorded = RecordedOrigin(label: origin).text
        if let problem = Limits.problem(withOrigin: recorded) { throw Error(problem) }
        let run = ImportRun(self, update, origin)
        do {
            var lines = LineBatches(maximumLineCount: batchSize)
            for try await chunk in chunks {
                try await lines.append(chunk) { try await run.apply($0, isLast: false) }
            }
            return try await run.apply(lines.rest(), isLast: true)
        } catch {
            await run.removePlaceholders()
            throw error
        }
    }

    /// Imports a file of JSON lines, as written by `snapshot.exportJSON`.
    ///
    ///     try await realm.importJSON(from: URL(filePath: "dogs.jsonl"))
    ///
    /// See ``importJSON(from:update:batchSize:origin:)`` for the details. A pipe is read until its
    /// last writer closes it, or until the task is cancelled.
    ///
    /// - Throws: The errors of ``importJSON(from:update:batchSize:origin:)``; `.invalidInput` if
    ///   `url` isn't a file URL; `.fileNotFound`, `.fileAccess`, `.filePermissionDenied` and
    ///   `.ioFailed` for the file.
    @discardableResult
    public nonisolated func importJSON(
        from url: URL, update: UpdatePolicy = .error, batchSize: Int? = 5_000,
        origin: String? = nil
    ) async throws -> ImportSummary {
        try Configuration.checkFile(url)
        let path = url.path
        let file = try await blocking { () throws(StoreError) in try PosixStream(reading: path) }
        do {
            return try await importJSON(
                from: StreamChunks(stream: file), update: update, batchSize: batchSize,
                origin: origin)
        } catch var error as Error {
            error.path = error.path ?? path
            throw error
        }
    }
}

extension Snapshot {
    /// Removes the files of the realm, which is closed, unless a process has it open or has
    /// committed something since the snapshot was taken.
    package func removeUnchangedRealm() async {
        guard case .file(let url) = configuration.location else { return }
        let (identity, version) = (root.identity, root.version)
        let key = try? EncryptionKey.make(
            configuration.encryptionKey, former: configuration.formerEncryptionKeys)
        _ = try? await RealmContent.remove(url.path, key) {
            $0.identity == identity && $0.version == version
        }
    }
}

/// The content of a file or pipe.
private struct StreamChunks: AsyncSequence, AsyncIteratorProtocol {
    let stream: PosixStream

    func makeAsyncIterator() -> StreamChunks { self }

    func next() async throws -> [UInt8]? {
        let bytes = try await blocking(on: stream) { [stream] () throws(StoreError) in
            try stream.read(atMost: 1 << 18)
        }
        guard let bytes else { throw CancellationError() }
        return bytes.isEmpty ? nil : bytes
    }
}

/// The state that one import carries from batch to batch.
private final class ImportRun: Sendable {
    private let realm: Realm
    private let origin: String?
    private let update: Realm.UpdatePolicy
    /// `nil` while a batch is using it.
    private let state = Guarded<ImportState?>(ImportState())
    private let summary = Guarded(Realm.ImportSummary())

    init(_ realm: Realm, _ update: Realm.UpdatePolicy, _ origin: String?) {
        self.realm = realm
        self.origin = origin
        self.update = update
    }

    /// Imports a batch in a transaction.
    @discardableResult
    func apply(
        _ batch: LineBatches.Batch, isLast: Bool
    ) async throws -> Realm.ImportSummary {
        let (state, update) = (state, update)
        let count = try await realm.write(origin: origin) { tx in
            guard let taken = state.withLock({ $0.take() }) else {
                preconditionFailure("Two batches of one import run at once.")
            }
            var importer = Importer(tx, update, taken)
            defer { state.withLock { $0 = importer.state } }
            return try importer.apply(batch, isLast: isLast)
        }
        state.withLock { $0?.pendingVersion = nil }
        return summary.withLock { summary in
            summary.objectCount += count
            if count > 0 { summary.batchCount += 1 }
            return summary
        }
    }

    /// Deletes the placeholders whose lines won't be read, even if the task was cancelled. In
    /// that case a deletion that has to wait continues in the background.
    func removePlaceholders() async {
        let left = state.withLock { $0.take() }?.committedPlaceholders ?? [:]
        let placeholders = left.filter { !$0.value.isEmpty }
        guard !placeholders.isEmpty else { return }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // in a task of its own, because a cancelled task can't write
        Task { [realm, origin] in
            do {
                try await realm.write(origin: origin) { tx in
                    Importer.remove(placeholders, in: tx.requireWriting("importJSON"))
                }
            } catch {
                let configuration = realm.configuration
                configuration.logger?.error(
                    "\(error)", metadata: ["realm": "\(configuration.name)"])
            }
            end.finish()
        }
        await withTaskCancellationHandler {
            // in a task that isn't cancelled, because the loop of a cancelled one ends at once
            await Task { for await _ in ended {} }.value
        } onCancel: {
            IOPool.shared.schedule(afterNanoseconds: Self.removalNanoseconds) { end.finish() }
        }
    }

    /// The time that a cancelled import waits for its placeholders to be deleted.
    private static let removalNanoseconds: UInt64 = 500_000_000
}
