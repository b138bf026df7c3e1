public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Returns whether the realm of a configuration exists; `false` for in-memory realms.
    ///
    /// - Throws: `.filePermissionDenied` and `.ioFailed` if that can't be determined; `.fileAccess`
    ///   if something else has the name of one of its files; `.invalidDatabase` if its log is
    ///   missing, or for a copy in a file (``writeCopy(toFile:)``) that is damaged.
    public static func fileExists(
        for configuration: Configuration
    ) async throws(Realm.Error) -> Bool {
        guard case .file(let url) = configuration.location else { return false }
        try Configuration.checkFile(url)
        do throws(StoreError) {
            return try await RealmContent.exists(url.path)
        } catch {
            throw Error(error)
        }
    }

    /// Deletes all files of a configuration's realm, and the directory if nothing else is in it. A
    /// crash leaves either the whole realm or nothing.
    ///
    /// - Returns: Whether the realm existed.
    /// - Throws: `.alreadyOpen` if it is open in this or another process; `.invalidInput` if its
    ///   location isn't a file URL; `.invalidDatabase` if its log is missing; `.fileAccess`,
    ///   `.filePermissionDenied`, `.ioFailed`.
    @discardableResult
    public static func deleteFiles(
        for configuration: Configuration
    ) async throws(Realm.Error) -> Bool {
        switch configuration.location {
        case .inMemory(let identifier):
            guard Coordinator.isOpen(memory: identifier) else { return false }
            throw Error(
                .alreadyOpen, "The in-memory realm \"\(identifier)\" is open: close it instead.")
        case .file(let url):
            try Configuration.checkFile(url)
            do throws(StoreError) {
                return try await RealmContent.remove(url.path)
            } catch {
                throw Error(error)
            }
        }
    }

    /// Returns the schema version of the realm in a directory, or of a copy in a file, without
    /// changing anything.
    ///
    /// This is the version in the newest published commit. A commit that a process wrote but didn't
    /// publish before it died only counts once the realm has been opened for writing.
    ///
    /// - Parameters:
    ///   - encryptionKey: The key of the realm; `nil` if it isn't encrypted.
    ///   - formerEncryptionKeys: The keys that it had before
    ///     (``Configuration/formerEncryptionKeys``).
    /// - Throws: `.invalidInput` if `url` isn't a file URL; `.fileNotFound` if there is no realm;
    ///   whatever `open` throws for the files found there.
    public static func schemaVersion(
        at url: URL, encryptionKey: Data? = nil, formerEncryptionKeys: [Data] = []
    ) async throws(Realm.Error) -> UInt64 {
        try Configuration.checkFile(url)
        let key = try EncryptionKey.make(encryptionKey, former: formerEncryptionKeys)
        do throws(StoreError) {
            return try await RealmContent.schemaVersion(url.path, key)
        } catch {
            throw Error(error)
        }
    }
}
