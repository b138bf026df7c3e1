public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// What an import did.
    public struct ImportSummary: Sendable, Hashable {
        /// The objects that were imported, those inside others not counted.
        public internal(set) var objectCount = 0
        /// The transactions that did it.
        public internal(set) var batchCount = 0
    }

    /// Imports JSON lines, as `snapshot.exportJSON` writes them, from a text that comes in pieces.
    ///
    /// The text is read once; each batch of lines is a transaction. A line that is wrong fails its batch,
    /// of which nothing is imported, and ends the import; the batches before it stay. With `batchSize`
    /// nil all is one transaction: everything or nothing, with the memory of the whole text.
    ///
    /// Classes that are neither stored nor declared are made as the first line says. Links go by primary
    /// keys, else by the keys in the text, for which the objects get new ones. An object that is linked to
    /// before its line comes is made with default values until then; if no line comes, the import
    /// throws and these are deleted, but for those that another transaction has changed: an object
    /// with a primary key that was changed counts as one that exists. A process that is killed leaves
    /// whole batches; where all classes have primary keys, importing again with `update: .modified`
    /// completes them.
    ///
    /// A cancelled import doesn't wait for the writes of others: if one takes long, the objects
    /// without a line are deleted after it, unless the realm is closed before.
    ///
    /// - Parameters:
    ///   - chunks: the text, in pieces with any boundaries.
    ///   - update: what happens where an object with the same primary key exists. Both `.modified` and
    ///     `.all` give the properties the values of the line, lists, sets, maps and embedded objects
    ///     as a whole; `.modified` leaves columns alone that have the value already. What a line leaves
    ///     out stays.
    ///   - batchSize: the most lines of a transaction, at least 1; a batch of 8 MB ends earlier.
    ///   - origin: a label for the commits, which change streams report; at most 4,096 bytes of
    ///     UTF-8.
    /// - Throws: `Realm.Error` with the `line`, the class and the property: `.invalidInput` for what is no
    ///   such line and for a `batchSize` below 1, `.invalidValue` for values that a property cannot
    ///   have, `.schemaMismatch` for classes and properties that differ from what is stored,
    ///   `.duplicatePrimaryKey`, `.unsupportedFormat`;
    ///   what `chunks` and `write` throw; `CancellationError`.
    /// - Complexity: O(text), with the memory of a batch and, for classes without a primary key, of two
    ///   words for each run of objects whose keys follow each other, or object that is out of order.
    @discardableResult
    public nonisolated func importJSON<Chunks: AsyncSequence>(
        from chunks: Chunks, update: UpdatePolicy = .error, batchSize: Int? = 5_000,
        origin: String? = nil
    ) async throws -> ImportSummary where Chunks.Element: Sequence<UInt8> {
        if let batchSize, batchSize < 1 {
            throw Error(
                .invalidInput, "The batch size of an import is \(batchSize); the minimum is 1.")
        }
        try Error.check(origin: origin)
        let run = ImportRun(self, update, origin)
        do {
            var lines = LineBatches(lineCountMax: batchSize)
            for try await chunk in chunks {
                try await lines.append(chunk) { try await run.apply($0, isLast: false) }
            }
            return try await run.apply(lines.rest(), isLast: true)
        } catch {
            await run.removePlaceholders()
            throw error
        }
    }

    /// Imports a file of JSON lines, as `snapshot.exportJSON` writes it.
    ///
    /// As ``importJSON(from:update:batchSize:origin:)``. A pipe is read until nobody has it open for
    /// writing any more, or the task is cancelled.
    ///
    /// - Throws: as there, and `.fileNotFound`, `.fileAccess`, `.filePermissionDenied` and `.ioFailed`
    ///   from the file.
    @discardableResult
    public nonisolated func importJSON(
        from url: URL, update: UpdatePolicy = .error, batchSize: Int? = 5_000,
        origin: String? = nil
    ) async throws -> ImportSummary {
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

/// One import: what is carried from batch to batch.
private final class ImportRun: Sendable {
    private let realm: Realm
    private let origin: String?
    /// Nil while a batch has it.
    private let importer: Guarded<Importer?>
    /// What committed batches have left to be filled.
    private let committed = Guarded<Importer.Placeholders>([:])
    private let summary = Guarded(Realm.ImportSummary())

    init(_ realm: Realm, _ update: Realm.UpdatePolicy, _ origin: String?) {
        self.realm = realm
        self.origin = origin
        importer = Guarded(Importer(realm: realm.core, update: update))
    }

    /// Imports a batch in a transaction.
    @discardableResult
    func apply(
        _ batch: LineBatches.Batch, isLast: Bool
    ) async throws -> Realm.ImportSummary {
        let importer = importer
        let (count, placeholders) = try await realm.write(origin: origin) { tx in
            guard var state = importer.withLock({ $0.take() }) else {
                preconditionFailure("Two batches of one import run at once.")
            }
            let count = try state.apply(
                batch, isLast: isLast, in: tx.requireWriting("importJSON"))
            let placeholders = state.placeholders
            importer.withLock { [state] in $0 = state }
            return (count, placeholders)
        }
        committed.withLock { $0 = placeholders }
        return summary.withLock { summary in
            summary.objectCount += count
            if count > 0 { summary.batchCount += 1 }
            return summary
        }
    }

    /// Deletes what was made for lines that will not come, also if the task was cancelled. Then the
    /// deletion goes on in the background if it has to wait long.
    func removePlaceholders() async {
        let placeholders = committed.withLock { $0 }.filter { !$0.value.isEmpty }
        guard !placeholders.isEmpty else { return }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // in a task of its own, because a cancelled task can't write
        Task { [realm, origin] in
            do {
                try await realm.write(origin: origin) { tx in
                    Importer.remove(placeholders, in: tx.requireWriting("importJSON"))
                }
            } catch {
                realm.core.report(Realm.Error(below: error))
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

    /// How long a cancelled import waits for its placeholders to be deleted.
    private static let removalNanoseconds: UInt64 = 500_000_000
}
