internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

/// A database of model objects: an actor that orders writes, and the entry to its three views.
///
///     let realm = try await Realm.open(.init(location: .file(URL(filePath: "chat.realm"))))
///     try await realm.write { tx in
///         try tx.add(Message(room: "general", text: "hello"))     // confined: plain model objects
///     }
///     let count = realm.snapshot().objects(Message.self).count    // frozen: values of one version
///     for try await change in realm.objects(Message.self).changes { … }   // live: streams
///
/// Only `write` enters the actor. Reading, snapshots and streams never wait for a writer.
public actor Realm {
    nonisolated let core: RealmCore
    var pace = WritePace()
    let lane = Lane()

    init(_ core: RealmCore) {
        self.core = core
    }

    /// Opens a realm; a place where there is none gets a new one, unless it is only to be read.
    ///
    /// Opening a realm again in the same process gives the same actor.
    ///
    /// - Throws: `CancellationError`; `.alreadyOpen` if it is open in this process with another
    ///   configuration; `.invalidInput` for settings that contradict each other and for classes that
    ///   cannot be stored, with one line for each mistake; `.schemaMismatch` if a listed class differs
    ///   from what is stored in a way that needs a migration, or a higher schema version is stored;
    ///   what `Configuration.migration` throws, and after it `.duplicatePrimaryKey`, and
    ///   `.migrationFailed` where a stored property that the program lacks leads to a class that became
    ///   asymmetric;
    ///   `.fileNotFound` for a realm to read, or a seed, that is not there;
    ///   `.busy` if another process recovers it for longer than a minute;
    ///   `.fileAccess`, `.filePermissionDenied`, `.invalidDatabase`,
    ///   `.unsupportedFormat`, `.incompatiblePeer` and `.ioFailed` for what is found at the place;
    ///   what `write` throws, where a schema version is stored.
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        try await open(configuration, adoptsSchemaVersion: false)
    }

    /// - Parameter adoptsSchemaVersion: whether the schema version is the stored one, whatever the
    ///   configuration says.
    static func open(_ configuration: Configuration, adoptsSchemaVersion: Bool) async throws
        -> Realm
    {
        try await opened(configuration, adoptsSchemaVersion: adoptsSchemaVersion).realm
    }

    /// Opens a realm, with what was migrated at that.
    ///
    /// - Parameter isFirst: whether it is an error if it is open in this process.
    static func opened(
        _ configuration: Configuration, adoptsSchemaVersion: Bool = false, isFirst: Bool = false
    ) async throws -> (realm: Realm, report: MigrationReport?) {
        try Task.checkCancellation()
        try configuration.checkSettings()
        try configuration.checkDeclarations()
        while true {
            let coordinator: Coordinator
            do {
                coordinator = try await Coordinator.open(configuration.coordinatorOptions)
            } catch {
                throw Error(below: error)
            }
            // a coordinator that nobody keeps closes by itself
            try Task.checkCancellation()
            var configuration = configuration
            if adoptsSchemaVersion {
                configuration.schemaVersion = coordinator.published.schema.version
            }
            if try await deletedInstead(of: coordinator, configuration) { continue }
            guard
                let realm = try RealmCore.realm(coordinator, configuration, isFirst: isFirst)
            else { continue }
            if let retention = configuration.historyRetention {
                do throws(StoreError) {
                    try await coordinator.setRetention(retention.storeRetention)
                } catch {
                    throw Error(error)
                }
            }
            // only files of the system can be watched
            if case .directory(let path) = coordinator.options.place,
                coordinator.options.fileSystem is PosixFileSystem
            {
                await realm.core.external.start(
                    path: path, logger: configuration.logger, name: configuration.name)
            }
            return (realm, try await realm.migrate())
        }
    }

    /// What the realm was opened with.
    public nonisolated var configuration: Configuration { core.configuration }

    /// Whether no class has any object, in the newest published version. Asymmetric objects that wait
    /// to be delivered do not count.
    public nonisolated var isEmpty: Bool {
        let root = core.coordinator.published
        return root.schema.tables.allSatisfy { $0.kind != .object || root.count($0.key) == 0 }
    }

    /// Whether the realm was closed, by any of its holders.
    public nonisolated var isClosed: Bool { core.coordinator.isClosed }

    /// Closes the realm for every holder in the process, when the running write has ended.
    ///
    /// From then on `write`, `read` and new streams throw `.closed`, and running streams end.
    /// Frozen values stay valid, and `snapshot()` and `.current` go on answering with the last
    /// version.
    public func close() async {
        core.external.stop()
        await core.coordinator.close()
    }
}
