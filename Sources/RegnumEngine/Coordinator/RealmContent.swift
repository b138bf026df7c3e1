package import RegnumStore

/// Access to a realm's content and files without opening it.
package enum RealmContent {
    private static let fileSystem = PosixFileSystem.shared

    /// Returns the newest published state of the realm in a directory, without changing anything;
    /// other processes may be writing it. The returned root keeps the files that it needs mapped.
    ///
    /// Throws `fileNotFound` if there is no realm; otherwise the errors of
    /// `RealmLog.openForReading`.
    ///
    /// - Complexity: O(n / 1,024), and O(changes) for those since the last checkpoint.
    static func read(
        _ path: String, _ options: CoordinatorOptions
    ) throws(StoreError) -> (root: DatabaseRoot, timelines: Timelines) {
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let (log, _) = try incoming.preferringIntact { () throws(StoreError) in
            try RealmLog.openForReading(
                options.fileSystem, path: path, options: options.store, load: incoming.begin,
                incoming.apply)
        }
        return (incoming.root, log.timelines.withLock { $0 })
    }

    private static func read(
        _ path: String, _ key: EncryptionKey?
    ) throws(StoreError) -> (root: DatabaseRoot, timelines: Timelines) {
        try read(path, reading(path, key))
    }

    /// Returns the initial content of a new realm if the options have a seed, which is read only if
    /// there is no realm. With the result for an existing one, opening it throws `fileNotFound` if
    /// it has been removed since.
    static func seed(_ options: CoordinatorOptions) throws(StoreError) -> RealmLog.Seed? {
        guard let path = options.seedPath, case .directory(let target) = options.place else {
            return nil
        }
        if try RealmLog.exists(options.fileSystem, path: target) { return .unavailable(target) }
        let (root, timelines) = try readSeed(path, options)
        return seed(of: root, timelines)
    }

    /// Returns the state of a seed, which may be encrypted with the key of the new realm or not be
    /// encrypted.
    static func readSeed(
        _ path: String, _ options: CoordinatorOptions
    ) throws(StoreError) -> (root: DatabaseRoot, timelines: Timelines) {
        do throws(StoreError) {
            return try read(path, options)
        } catch {
            guard error.code == .notEncrypted else { throw error }
            var options = options
            options.store.key = nil
            return try read(path, options)
        }
    }

    /// Returns a seed with the content of a root.
    ///
    /// - Parameters:
    ///   - timelines: the timelines of the realm.
    ///   - pace: called between writes; returning false stops with the error `closed`.
    static func seed(
        of root: DatabaseRoot, _ timelines: Timelines,
        pace: @escaping NodesAppender.Pace = { _ in true }
    ) -> RealmLog.Seed {
        let timelines = timelines.through(root.version)
        return RealmLog.Seed(realmID: root.identity, timelines: timelines) {
            (nodes) throws(StoreError) in
            let appender = try nodes.appender(after: nil, liveByteCount: 0, pace: pace)
            var writer = CheckpointWriter(root, to: appender)
            let written = try writer.write()
            try appender.sync()
            return CheckpointReference(
                version: root.version, position: 0, sequence: 0, chain: 0,
                file: appender.fileNumber, offset: written.directory.extent,
                byteCount: written.directory.byteCount, crc: written.directory.crc)
        }
    }

    /// Returns the schema version of the realm in a directory. Changes nothing.
    ///
    /// Throws as ``read(_:_:)`` does.
    package static func schemaVersion(
        _ path: String, _ key: EncryptionKey?
    ) async throws(StoreError) -> UInt64 {
        try await Coordinator.onPool { () throws(StoreError) in
            try read(path, key).root.schema.version
        }
    }

    /// Returns whether the realm in a directory is a copy of a root. Changes nothing.
    ///
    /// Throws as ``read(_:_:)`` does.
    ///
    /// - Parameter timelines: the timelines of the root's realm.
    package static func isCopy(
        of root: DatabaseRoot, _ timelines: Timelines, _ path: String, _ key: EncryptionKey?
    ) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            let copy = try read(path, key)
            return copy.root.identity == root.identity && copy.root.version == root.version
                && copy.timelines.id(at: root.version) == timelines.id(at: root.version)
        }
    }

    /// Options for a single read, which is possible even where a realm can't be opened.
    static func reading(
        _ path: String, _ key: EncryptionKey?,
        _ fileSystem: any FileSystem = PosixFileSystem.shared
    ) -> CoordinatorOptions {
        var options = CoordinatorOptions(place: .directory(path: path), fileSystem: fileSystem)
        options.store.allowsNetworkFileSystem = true
        options.store.key = key
        return options
    }

    /// Returns whether there is a realm in the directory. Changes nothing.
    package static func exists(_ path: String) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            try RealmLog.exists(fileSystem, path: path)
        }
    }

    /// Returns the error for a path at which there is no realm (`RealmLog.absence`).
    package static func absence(_ path: String) async -> StoreError {
        do throws(StoreError) {
            return try await Coordinator.onPool { () throws(StoreError) in
                RealmLog.absence(fileSystem, path: path)
            }
        } catch {
            return error
        }
    }

    /// Returns whether the newest published state of the realm in a directory meets a condition;
    /// false if there is no realm. Changes nothing.
    ///
    /// Throws as ``read(_:_:)`` does.
    package static func holds(
        _ path: String, _ key: EncryptionKey?,
        _ condition: @escaping @Sendable (DatabaseRoot) -> Bool
    ) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            try newestState(of: path, key, meets: condition)
        }
    }

    private static func newestState(
        of path: String, _ key: EncryptionKey?, meets condition: (DatabaseRoot) -> Bool
    ) throws(StoreError) -> Bool {
        let found = try ifFound(read(path, key))
        return found.map { condition($0.root) } ?? false
    }

    /// Removes the realm in the directory. Returns false if it doesn't exist or was kept.
    ///
    /// Throws `alreadyOpen` if any process has it open; the errors of `RealmLog.remove`; with a
    /// condition, those of ``read(_:_:)``.
    ///
    /// - Parameters:
    ///   - key: the key of the realm, which is only needed with a condition.
    ///   - condition: what its newest state must meet to be removed. It is examined while no other
    ///     process can open or remove the realm.
    package static func remove(
        _ path: String, _ key: EncryptionKey? = nil,
        if condition: (@Sendable (DatabaseRoot) -> Bool)? = nil
    ) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            if isInRegistry(path) {
                throw StoreError(
                    .alreadyOpen,
                    "The realm in \"\(path)\" is open in this process. Close it before deleting "
                        + "its files.", path: path)
            }
            return try RealmLog.remove(fileSystem, path: path) { () throws(StoreError) in
                guard let condition else { return true }
                return try newestState(of: path, key, meets: condition)
            }
        }
    }

    /// Returns whether the realm in the directory is open in this process.
    package static func isOpenHere(_ path: String) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in isInRegistry(path) }
    }

    private static func isInRegistry(_ path: String) -> Bool {
        // Also checks the files' identity, because the path may be spelled differently.
        let directory = try? fileSystem.openDirectory(path, .readOnly)
        let identities = directory.map { [$0.identity] } ?? []
        return CoordinatorRegistry.shared.isOpen(path, fileSystem, identities)
    }
}
