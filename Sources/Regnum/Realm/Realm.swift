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

    /// Opens a realm; a place where there is none gets a new one.
    ///
    /// Opening a realm again in the same process gives the same actor.
    ///
    /// - Throws: `CancellationError`; `.alreadyOpen` if it is open in this process with another
    ///   configuration; `.invalidInput` for classes that cannot be stored, with one line for each
    ///   mistake; `.schemaMismatch` if a listed class differs from what is stored in a way that needs a
    ///   migration; `.fileAccess`, `.filePermissionDenied`, `.invalidDatabase`,
    ///   `.unsupportedFormat`, `.incompatiblePeer` and `.ioFailed` for what is found at the place.
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        try Task.checkCancellation()
        try configuration.checkAvailable()
        try configuration.checkDeclarations()
        var options = CoordinatorOptions(place: configuration.location.place)
        options.report = { [logger = configuration.logger, name = configuration.name] event in
            logger?.log(event, realm: name)
        }
        while true {
            let coordinator: Coordinator
            do {
                coordinator = try await Coordinator.open(options)
            } catch {
                throw Error(below: error)
            }
            // a coordinator that nobody keeps closes by itself
            try Task.checkCancellation()
            guard let realm = try RealmCore.realm(coordinator, configuration) else { continue }
            if case .directory(let path) = coordinator.options.place {
                await realm.core.external.start(
                    path: path, logger: configuration.logger, name: configuration.name)
            }
            return realm
        }
    }

    /// Opens a realm of its own, in memory, that is gone when nobody holds it: for tests.
    ///
    /// - Throws: `.invalidInput` for classes that cannot be stored.
    public static func temporary(_ types: [ObjectBase.Type]? = nil) async throws -> Realm {
        let identifier = "temporary-\(UUID().uuidString)"
        return try await open(
            Configuration(location: .inMemory(identifier: identifier), objectTypes: types))
    }

    /// What the realm was opened with.
    public nonisolated var configuration: Configuration { core.configuration }

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

extension Realm.Configuration {
    /// Refuses what this release cannot do.
    fileprivate func checkAvailable() throws(Realm.Error) {
        if readOnly {
            throw Realm.Error(
                .invalidInput, "Configuration.readOnly is not available in this release.")
        }
        if schemaVersion != 0 {
            throw Realm.Error(
                .invalidInput,
                "Configuration.schemaVersion is \(schemaVersion); migrations are not available in "
                    + "this release, only version 0 is.")
        }
        if case .inMemory(identifier: "") = location {
            throw Realm.Error(.invalidInput, "The identifier of an in-memory realm is empty.")
        }
        if case .file(let url) = location, !url.isFileURL {
            throw Realm.Error(
                .invalidInput, "\(url.absoluteString) is no file URL.", path: url.absoluteString)
        }
    }

    /// Collects what is wrong with the listed classes.
    fileprivate func checkDeclarations() throws(Realm.Error) {
        let schemas = (objectTypes ?? []).map { ClassSchema.of($0) }
        var problems = schemas.flatMap(\.problems)
        let byName = Dictionary(grouping: schemas, by: \.name)
        for (name, same) in byName.sorted(by: { $0.key < $1.key }) {
            let types = Set(same.map { ObjectIdentifier($0.type) })
            guard types.count > 1 else { continue }
            problems.append("\(types.count) listed classes are named \(name): rename them.")
        }
        problems += ClassSchema.linkProblems(of: schemas)
        guard !problems.isEmpty else { return }
        throw Realm.Error(.invalidInput, problems.joined(separator: "\n"))
    }
}

extension Realm.Configuration.Location {
    fileprivate var place: RealmPlace {
        switch self {
        case .file(let url): .directory(path: url.path)
        case .inMemory(let identifier): .memory(identifier: identifier)
        }
    }
}
