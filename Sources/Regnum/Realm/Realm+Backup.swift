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
    /// on disk when the call returns; before that, and after a crash, there is nothing at `url` (a
    /// hidden `.unfinished-backup-…` next to it is removed by the next backup to the same parent
    /// directory). In-memory realms can be copied too.
    ///
    /// The copy has the identity of the original: a `ChangeCursor` of the original refers to the
    /// same version in the copy. If you continue writing to both, don't use cursors of one with the
    /// other.
    ///
    /// - Parameter url: A location where nothing exists; its parent directory must exist.
    /// - Returns: The commit version of the copy.
    /// - Throws: `.fileExists` if there is anything at `url`; `.invalidInput` if `url` isn't a file
    ///   URL or is inside the directory of a realm; `.fileAccess`, `.filePermissionDenied`,
    ///   `.diskFull` and `.ioFailed`, which name the path; `.closed`; `.invalidDatabase` if this
    ///   realm is damaged; `CancellationError`. After an error, nothing is left at `url`.
    /// - Complexity: O(n), reading and writing all live data once, with O(n / 1,024) memory.
    @discardableResult
    public nonisolated func backup(to url: URL) async throws -> UInt64 {
        try Configuration.checkFile(url)
        try Task.checkCancellation()
        do throws(StoreError) {
            try await core.coordinator.catchUp()
        } catch {
            throw Error(error)
        }
        return try await core.backup(of: core.coordinator.published, to: url)
    }
}

extension RealmCore {
    /// Copies a version into a new directory.
    func backup(of root: DatabaseRoot, to url: URL) async throws -> UInt64 {
        var path = url.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let isCancelled = CancellationFlag()
        let copy = RealmCopy(of: root, to: path, coordinator.options) { [coordinator] in
            !isCancelled.isSet && !coordinator.isClosed
        }
        do {
            try await withTaskCancellationHandler {
                try await copy.make()
            } onCancel: {
                isCancelled.set()
            }
        } catch {
            if isCancelled.isSet { throw CancellationError() }
            if coordinator.isClosed {
                throw Realm.Error(.closed, "The realm was closed while being copied.", path: path)
            }
            if root.hasDamage { coordinator.heal() }
            throw Realm.Error(below: error)
        }
        return root.version
    }
}
