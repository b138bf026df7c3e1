package import RegnumStore

/// A realm's content and files, without opening it.
package enum RealmContent {
    /// The newest published state of the realm in a directory, of which nothing is changed; other
    /// processes may be writing it. What is returned keeps what it needs of the files mapped.
    ///
    /// Throws `fileNotFound` if there is no realm; else what `RealmLog.openForReading` throws.
    /// - Complexity: O(n / 1,024), and O(changes) for those since the last checkpoint.
    static func read(
        _ path: String, _ options: CoordinatorOptions
    ) throws(StoreError) -> (root: DatabaseRoot, realmID: Identity128) {
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let (log, _) = try RealmLog.openForReading(
            options.fileSystem, path: path, options: options.store, load: incoming.begin,
            incoming.apply)
        return (incoming.root, log.realmID)
    }

    /// What a new realm begins with, if the options name a seed. The seed is read only once it is
    /// needed.
    static func seed(_ options: CoordinatorOptions) throws(StoreError) -> RealmLog.Seed? {
        guard let path = options.seedPath, case .directory(let target) = options.place,
            try !RealmLog.exists(options.fileSystem, path: target)
        else { return nil }
        return seed(of: try read(path, options).root)
    }

    /// A new realm that begins with the content of a root.
    ///
    /// - Parameter pace: told between writes; false: stop, by the error `closed`.
    static func seed(
        of root: DatabaseRoot, pace: @escaping NodesAppender.Pace = { _ in true }
    ) -> RealmLog.Seed {
        RealmLog.Seed(realmID: root.identity) { (nodes) throws(StoreError) in
            let appender = try nodes.appender(after: nil, liveByteCount: 0, pace: pace)
            var writer = CheckpointWriter(root, to: appender)
            let written = try writer.write()
            try appender.sync()
            return CheckpointReference(
                version: root.version, position: 0, sequence: 0, chain: 0,
                file: appender.fileNumber, offset: written.directory.extent,
                byteCount: written.directoryByteCount, crc: written.directory.crc)
        }
    }

    /// The version of the schema that the realm in a directory has. Changes nothing.
    ///
    /// Throws as ``read(_:_:)``.
    package static func schemaVersion(
        _ path: String, fileSystem: any FileSystem = PosixFileSystem.shared
    ) async throws(StoreError) -> UInt64 {
        let options = reading(path, fileSystem)
        return try await Coordinator.onPool { () throws(StoreError) in
            try read(path, options).root.schema.version
        }
    }

    /// Whether the realm in a directory is a copy of a state. Changes nothing.
    ///
    /// Throws as ``read(_:_:)``.
    package static func isCopy(
        of root: DatabaseRoot, _ path: String, fileSystem: any FileSystem = PosixFileSystem.shared
    ) async throws(StoreError) -> Bool {
        let options = reading(path, fileSystem)
        return try await Coordinator.onPool { () throws(StoreError) in
            let copy = try read(path, options).root
            return copy.identity == root.identity && copy.version == root.version
        }
    }

    /// Read once and not written: also where a realm may not be opened.
    private static func reading(
        _ path: String, _ fileSystem: any FileSystem
    ) -> CoordinatorOptions {
        var options = CoordinatorOptions(place: .directory(path: path), fileSystem: fileSystem)
        options.store.allowsNetworkFileSystem = true
        return options
    }

    /// Whether there is a realm in the directory. Changes nothing.
    package static func exists(
        _ path: String, fileSystem: any FileSystem = PosixFileSystem.shared
    ) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            try RealmLog.exists(fileSystem, path: path)
        }
    }

    /// Removes the realm in the directory; false if there is none.
    ///
    /// Throws `alreadyOpen` if it is open in this or another process; what the file system throws.
    package static func remove(
        _ path: String, fileSystem: any FileSystem = PosixFileSystem.shared
    ) async throws(StoreError) -> Bool {
        try await Coordinator.onPool { () throws(StoreError) in
            // by its files too: the path may be spelled in another way
            let directory = try? fileSystem.openDirectoryForReading(path)
            let identities = [directory?.identity].compactMap { $0 }
            if CoordinatorRegistry.shared.isOpen(path, fileSystem, identities) {
                throw StoreError(
                    .alreadyOpen,
                    "The realm in \"\(path)\" is open in this process: close it before its files "
                        + "are deleted.", path: path)
            }
            return try RealmLog.remove(fileSystem, path: path)
        }
    }
}
