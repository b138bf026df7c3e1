public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Whether there is a realm where the configuration says. False for realms in memory.
    ///
    /// - Throws: `.filePermissionDenied` and `.ioFailed` where that cannot be seen.
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

    /// Deletes the realm where the configuration says, with all of its files, and the directory if
    /// nothing else is in it. A crash leaves the whole realm or none.
    ///
    /// - Returns: false if there is no realm.
    /// - Throws: `.alreadyOpen` if it is open, in this process or another one; `.fileAccess`,
    ///   `.filePermissionDenied`, `.ioFailed`.
    @discardableResult
    public static func deleteFiles(
        for configuration: Configuration
    ) async throws(Realm.Error) -> Bool {
        switch configuration.location {
        case .inMemory(let identifier):
            guard Coordinator.isOpen(memory: identifier) else { return false }
            throw Error(
                .alreadyOpen, "The realm \"\(identifier)\" is in memory and open: close it instead."
            )
        case .file(let url):
            try Configuration.checkFile(url)
            do throws(StoreError) {
                return try await RealmContent.remove(url.path)
            } catch {
                throw Error(error)
            }
        }
    }

    /// The schema version of the realm in a directory, of which nothing is changed.
    ///
    /// It is that of the newest published commit: one that a process has written and died before it
    /// published it counts once the realm is opened for writing.
    ///
    /// - Throws: `.fileNotFound` if there is none; what `open` throws for what is found there.
    public static func schemaVersion(at url: URL) async throws(Realm.Error) -> UInt64 {
        try Configuration.checkFile(url)
        do throws(StoreError) {
            return try await RealmContent.schemaVersion(url.path)
        } catch {
            throw Error(error)
        }
    }
}
