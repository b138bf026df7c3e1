internal import FoundationEssentials
internal import Logging
internal import RegnumEngine
internal import RegnumStore

/// A database of model objects: an actor that serializes writes, and the entry point to its three
/// views.
///
///     let realm = try await Realm.open(.init(location: .file(URL(filePath: "chat.realm"))))
///     try await realm.write { tx in
///         try tx.add(Message(room: "general", text: "hello"))     // confined: plain model objects
///     }
///     let count = realm.snapshot().objects(Message.self).count    // frozen: values of one version
///     for try await change in realm.objects(Message.self).changes { … }   // live: streams
///
/// Only `write` enters the actor. Reads, snapshots and streams never wait for a writer.
public actor Realm {
    nonisolated let core: RealmCore
    var pace = WritePace()
    let lane = Lane()

    init(_ core: RealmCore) {
        self.core = core
    }

    /// Opens the realm, creating it if it doesn't exist. Read-only configurations never create one.
    ///
    /// Opening a realm that is already open in this process returns the same actor.
    ///
    /// - Throws: `CancellationError`; `.alreadyOpen` if it is open in this process with a different
    ///   configuration; `.invalidInput` for contradictory settings and for classes that can't be
    ///   stored, with one line for each problem; `.schemaMismatch` if a listed class differs from
    ///   the stored one in a way that requires a migration, or the stored schema version is higher;
    ///   whatever `Configuration.migration` throws, `.duplicatePrimaryKey` and `.migrationFailed`
    ///   if its result can't be stored, and the errors of ``backup(to:)`` if the realm is copied
    ///   before the migration; `.fileNotFound` if a read-only realm or a seed file doesn't exist;
    ///   `.busy` if another process has been recovering the realm for more than a minute;
    ///   `.fileAccess`, `.filePermissionDenied`, `.invalidDatabase`, `.keyRequired`, `.wrongKey`,
    ///   `.notEncrypted`, `.unsupportedFormat`, `.incompatiblePeer` and `.ioFailed`, depending on
    ///   the files found there; whatever `write` throws, if a schema version has to be stored or an
    ///   index built (``Configuration/buildsIndexes``).
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        try await open(configuration, adoptsSchemaVersion: false)
    }

    /// - Parameter adoptsSchemaVersion: Whether to use the stored schema version instead of the
    ///   configuration's, which is then used only for a realm without commits.
    /// - Throws: The errors of ``open(_:)``; `.busy` if another process makes the first commit at
    ///   the same time.
    package static func open(
        _ configuration: Configuration, adoptsSchemaVersion: Bool
    ) async throws -> Realm {
        try await opened(configuration, adoptsSchemaVersion: adoptsSchemaVersion).realm
    }

    /// Opens a realm and returns it with the report of the migration that was run, if any.
    ///
    /// - Parameter isFirst: Whether to fail if the realm is already open in this process, but not
    ///   after a migration was committed.
    static func opened(
        _ configuration: Configuration, adoptsSchemaVersion: Bool = false, isFirst: Bool = false
    ) async throws -> (realm: Realm, report: MigrationReport?) {
        try Task.checkCancellation()
        try configuration.checkSettings()
        try configuration.checkDeclarations()
        let options = try configuration.coordinatorOptions()
        var deletionCount = 0
        while true {
            let coordinator: Coordinator
            do {
                coordinator = try await Coordinator.open(options)
            } catch let error as StoreError {
                throw Error(error)
            }
            // a coordinator without owners closes itself
            try Task.checkCancellation()
            var configuration = configuration
            if adoptsSchemaVersion, coordinator.published.version > 0 {
                configuration.schemaVersion = coordinator.published.schema.version
            }
            // a realm that starts as a copy of an old seed is migrated in the end
            let mayDelete =
                (configuration.seedFile == nil || deletionCount < 3)
                && coordinator.options.store.key == options.store.key
            if mayDelete, try await deletedInstead(of: coordinator, configuration) {
                deletionCount += 1
                continue
            }
            guard
                let realm = try RealmCore.realm(coordinator, configuration, isFirst: isFirst)
            else {
                await Task.yield()  // to whoever is closing it
                continue
            }
            try await realm.storeRetention(configuration)
            // only files of the real file system can be watched
            if case .directory(let path) = coordinator.options.place,
                coordinator.options.fileSystem is PosixFileSystem
            {
                HeldVersions.shared.add(realm.core)
                await realm.core.external.start(
                    path: path, logger: configuration.logger, name: configuration.name)
            }
            let report = try await realm.migrate(onlyNew: adoptsSchemaVersion)
            do {
                try await realm.buildListedIndexes(configuration.indexProgress)
                try await realm.compactOnLaunch()
            } catch  where isFirst && report != nil {
                // the migration was committed, and its report would be lost
                configuration.logger?.warning(
                    "the realm was migrated, but not all of its indexes were built: \(error)",
                    metadata: ["realm": "\(configuration.name)"])
            }
            return (realm, report)
        }
    }

    /// The configuration that the realm was opened with.
    public nonisolated var configuration: Configuration { core.configuration }

    /// Whether the newest published version contains no objects. Undelivered asymmetric objects
    /// don't count. Reading it in the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use ``Transaction/isEmpty`` there.
    ///
    /// - Complexity: O(number of classes).
    public nonisolated var isEmpty: Bool {
        core.failWrite(reading: "Realm.isEmpty", insteadOf: "isEmpty")
        return core.coordinator.published.isEmpty
    }

    /// Whether the realm was closed, by any of its owners in this process.
    public nonisolated var isClosed: Bool { core.coordinator.isClosed }

    /// Closes the realm for every owner in the process, once the running write has finished.
    /// Commits with `.relaxed` durability are synced; if that fails, the error is logged.
    ///
    /// After that, `write`, `read` and new streams throw `.closed`, and running streams end. Frozen
    /// values remain valid, and `snapshot()` and `.current` keep returning the last version.
    public func close() async {
        core.external.stop()
        await core.coordinator.close()
    }
}
