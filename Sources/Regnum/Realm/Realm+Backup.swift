public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Copies the current state of the realm into a new directory, while this and other processes
    /// continue to use the realm. The copy is itself a realm, which can be opened or used as a
    /// `seedFile`.
    ///
    ///     let version = try await realm.backup(to: URL(filePath: "backups/chat.realm"))
    ///
    /// The copy contains a single version, the newest commit of any process when the call began,
    /// and is compact: it has no log and no history. Writers don't wait for the backup. The copy is
    /// on disk when the call returns, and was read back; before that, and after a crash, there is
    /// nothing at `url` (a hidden `.unfinished-backup-…` next to it is removed by the next backup
    /// to the same parent directory). In-memory realms can be copied too.
    ///
    /// A `ChangeCursor` of the original refers to the same version in the copy. Once the copy has
    /// been written to, cursors of newer versions of one are refused by the other.
    ///
    /// - Parameter url: A location where nothing exists; its parent directory must exist.
    /// - Returns: The commit version of the copy.
    /// - Throws: `.fileExists` if there is anything at `url`; `.invalidInput` if `url` isn't a file
    ///   URL or is inside the directory of a realm; `.fileAccess`, `.filePermissionDenied`,
    ///   `.diskFull` and `.ioFailed`, which name the path; `.closed`; `.invalidDatabase` if this
    ///   realm is damaged; `CancellationError`. After an error, nothing is left at `url`.
    /// - Complexity: O(n), reading and writing all live data once and reading what was written,
    ///   with O(n / 1,024) memory, and 4 MiB if the realm or the copy is encrypted.
    @discardableResult
    public nonisolated func backup(to url: URL) async throws -> UInt64 {
        try await backup(to: url, core.coordinator.options.store.key)
    }

    /// Copies the realm as ``backup(to:)`` does, encrypted with another key, or not encrypted.
    ///
    ///     try await realm.backup(to: encrypted, encryptionKey: key)
    ///
    /// This is how an existing realm gets a key or loses it: close it in all processes afterwards,
    /// and replace its directory by the copy. (If it only needs another key, it can stay open:
    /// ``Configuration/formerEncryptionKeys``.) ``updateBackup(at:)`` only updates copies with the
    /// key of the realm or a former one.
    ///
    /// - Parameters:
    ///   - url: A location where nothing exists; its parent directory must exist.
    ///   - encryptionKey: The key of the copy (``Configuration/encryptionKey``); `nil` if it isn't
    ///     to be encrypted.
    /// - Returns: The commit version of the copy.
    /// - Throws: `.invalidInput` for a key that can't be used; the errors of ``backup(to:)``.
    @discardableResult
    public nonisolated func backup(to url: URL, encryptionKey: Data?) async throws -> UInt64 {
        try await backup(to: url, try EncryptionKey.make(encryptionKey))
    }

    nonisolated func backup(
        to url: URL, _ key: EncryptionKey?, asFile: Bool = false
    ) async throws -> UInt64 {
        try Configuration.checkFile(url)
        try Task.checkCancellation()
        try await core.catchUp()
        // not what is committed from now on, which may not be durable
        let root = core.coordinator.published
        try await core.catchUp(durably: true)
        return try await core.backup(of: root, to: url, key, asFile: asFile)
    }

    /// Copies the current state of the realm into a single file, for example to upload it or to
    /// ship it with a program, while this and other processes continue to use the realm.
    ///
    ///     try await realm.writeCopy(toFile: URL(filePath: "chat.realm.tar"))
    ///
    /// The copy is made as ``backup(to:)`` makes one, but is a tar archive of the files that a
    /// backup has. Regnum reads it without unpacking it: open it with `readOnly`, use it as a
    /// `seedFile`, or make a realm of it (``restore(from:to:upTo:)``). It can't be written to, or
    /// updated (``updateBackup(at:)``). After unpacking it into an empty directory, it is a backup
    /// like any other. To replace a copy that a program may have open, rename another file to its
    /// name: a download that writes into the file would change what the program reads, or end it.
    ///
    /// Until the copy is complete, the disk has its content twice.
    ///
    /// - Parameter url: A location where nothing exists; its parent directory must exist.
    /// - Returns: The commit version of the copy.
    /// - Throws: As ``backup(to:)`` does.
    /// - Complexity: O(n), reading and writing all live data twice and reading what was written,
    ///   with O(n / 1,024) memory, and 4 MiB if the realm or the copy is encrypted.
    @discardableResult
    public nonisolated func writeCopy(toFile url: URL) async throws -> UInt64 {
        try await backup(to: url, core.coordinator.options.store.key, asFile: true)
    }

    /// Copies the realm into a single file, as ``writeCopy(toFile:)`` does, encrypted with another
    /// key, or not encrypted.
    ///
    /// - Parameters:
    ///   - url: A location where nothing exists; its parent directory must exist.
    ///   - encryptionKey: The key of the copy (``Configuration/encryptionKey``); `nil` if it isn't
    ///     to be encrypted.
    /// - Returns: The commit version of the copy.
    /// - Throws: `.invalidInput` for a key that can't be used; the errors of ``backup(to:)``.
    @discardableResult
    public nonisolated func writeCopy(
        toFile url: URL, encryptionKey: Data?
    ) async throws -> UInt64 {
        try await backup(to: url, try EncryptionKey.make(encryptionKey), asFile: true)
    }

    /// Adds the commits that were made since to a backup, from the log of this realm, while this
    /// and other processes continue to use the realm.
    ///
    ///     try await realm.updateBackup(at: URL(filePath: "backups/chat.realm"))
    ///
    /// The backup must have been made by ``backup(to:)``, of this realm or of one from which it was
    /// copied or restored, and never have been written to. It keeps the state of each version since
    /// it was made, so that all of them can be restored (``restore(from:to:upTo:)``). A new backup
    /// would take less space. When the call returns, the commits are on disk, and were read back.
    /// After an error or a crash, the backup has the state that it had before, or that of a version
    /// in between.
    ///
    /// - Parameter url: The directory of the backup. No other process may write to it.
    /// - Returns: The commit version of the backup.
    /// - Throws: `.historyTrimmed` if the log since the backup was removed
    ///   (`Configuration.historyRetention`), or if there were transactions that aren't stored in
    ///   the log, such as migrations: make a new backup in that case; `.invalidInput` if the
    ///   directory isn't a backup of an earlier version of this realm; `.fileAccess` for a copy in
    ///   a file; `.fileNotFound` if there is no realm, or it was moved, removed or replaced during
    ///   the update; `.busy` if another process is writing to it; `.invalidDatabase` if it is
    ///   damaged; `.keyRequired`, `.wrongKey` or `.notEncrypted` if it isn't encrypted as this
    ///   realm is or was; `.diskFull`, `.ioFailed`, `.filePermissionDenied`, `.closed`,
    ///   `CancellationError`.
    /// - Complexity: O(changes) to add the commits, O(n / 1,024) to open the backup, and the log of
    ///   all commits in it to read it back.
    @discardableResult
    public nonisolated func updateBackup(at url: URL) async throws -> UInt64 {
        try Configuration.checkFile(url)
        try Task.checkCancellation()
        return try await core.updateBackup(at: url)
    }
}

extension RealmCore {
    /// Reads what other processes have committed.
    ///
    /// - Parameter durably: Whether to make `.relaxed` commits durable, so that the realm can't
    ///   lose commits that its backup has.
    func catchUp(durably: Bool = false) async throws(Realm.Error) {
        do throws(StoreError) {
            try await coordinator.catchUp(durably: durably)
        } catch {
            throw Realm.Error(error)
        }
    }

    /// Copies a version into a new directory, or file.
    ///
    /// - Parameter key: The key of the copy; `nil` if it isn't to be encrypted.
    func backup(
        of root: DatabaseRoot, to url: URL, _ key: EncryptionKey?, asFile: Bool = false
    ) async throws -> UInt64 {
        let path = url.directoryPath
        var options = coordinator.options
        options.store.key = key
        do {
            try await copying(path) { [coordinator, options] shouldContinue in
                try await RealmCopy(
                    of: root, coordinator.timelines, to: path, options, isFile: asFile,
                    shouldContinue: shouldContinue
                ).make()
            }
        } catch {
            if root.hasDamage { coordinator.heal() }
            throw error
        }
        return root.version
    }

    /// Adds the commits since a backup to it.
    func updateBackup(at url: URL) async throws -> UInt64 {
        let path = url.directoryPath
        return try await copying(path) { [coordinator] shouldContinue in
            try await CopyExtension(of: coordinator, at: path, shouldContinue: shouldContinue)
                .make()
        }
    }

    /// - Parameter shouldContinue: Returns false once the task was cancelled or the realm closed.
    private func copying<Result: Sendable>(
        _ path: String,
        _ body: (_ shouldContinue: @escaping @Sendable () -> Bool) async throws -> Result
    ) async throws -> Result {
        let isCancelled = CancellationFlag()
        do {
            return try await withTaskCancellationHandler {
                try await body { [coordinator] in !isCancelled.isSet && !coordinator.isClosed }
            } onCancel: {
                isCancelled.set()
            }
        } catch {
            if isCancelled.isSet { throw CancellationError() }
            if coordinator.isClosed {
                throw Realm.Error(.closed, "The realm was closed while being copied.", path: path)
            }
            throw Realm.Error(below: error)
        }
    }
}

extension URL {
    /// The path without trailing slashes.
    var directoryPath: String {
        var path = self.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
