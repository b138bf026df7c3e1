public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The state that ``Realm/restore(from:to:upTo:)`` restores.
    public enum RestorePoint: Sendable, Hashable {
        /// The newest state.
        case newest
        /// The state after the commit with this version.
        case version(UInt64)
        /// The state after the newest commit that was made on this date or earlier, by the clock of
        /// the computer that committed it.
        case date(Date)
    }

    /// Creates a realm with an earlier state of another realm or of a backup, as far as its history
    /// reaches back.
    ///
    ///     try await Realm.restore(
    ///         from: URL(filePath: "chat.realm"), to: URL(filePath: "restored.realm"),
    ///         upTo: .version(41))
    ///
    /// The history of a realm is limited by `Configuration.historyRetention`; that of a backup
    /// begins when it was made and grows with each ``updateBackup(at:)``. The source is only read,
    /// and may be in use by this and other processes. The new realm has a single version, and is on
    /// disk when the call returns; before that, and after a crash, there is nothing at `target`.
    /// Nothing is ever replaced: to continue with the restored state, close the realm in all
    /// processes, move its directory away and the new one to its place.
    ///
    /// Once the new realm has been written to, it refuses cursors of the source that are newer than
    /// the restored version. Those of earlier versions have to start again too, because the new
    /// realm has no history.
    ///
    /// - Parameters:
    ///   - source: The directory of a realm or backup, or a copy in a file.
    ///   - target: A location where nothing exists; its parent directory must exist.
    ///   - point: The state to restore.
    ///   - encryptionKey: The key of both realms; `nil` if they aren't encrypted.
    ///   - formerEncryptionKeys: Keys that the source may have instead
    ///     (``Configuration/formerEncryptionKeys``).
    /// - Returns: The commit version of the new realm.
    /// - Throws: `.historyTrimmed` if the state is older than the history, and `.invalidInput` for
    ///   a version that doesn't exist yet; the message names the versions that are available.
    ///   `.fileNotFound` if there is no realm at `source`; `.fileExists` if there is anything at
    ///   `target`; `.invalidInput` if one of them isn't a file URL or if `target` is inside the
    ///   directory of a realm; `.invalidDatabase` if the source is damaged; `.keyRequired`,
    ///   `.wrongKey`, `.notEncrypted`; `.fileAccess`, `.filePermissionDenied`, `.diskFull`,
    ///   `.ioFailed`; `CancellationError`. After an error, nothing is left at `target`.
    /// - Complexity: O(n) for the restored state, and O(changes) for the commits since the
    ///   checkpoint before it. For a date, the log since then is read.
    @discardableResult
    public static func restore(
        from source: URL, to target: URL, upTo point: RestorePoint = .newest,
        encryptionKey: Data? = nil, formerEncryptionKeys: [Data] = []
    ) async throws -> UInt64 {
        try Configuration.checkFile(source)
        try Configuration.checkFile(target)
        try Task.checkCancellation()
        let isCancelled = CancellationFlag()
        let restore = RealmRestore(
            of: source.directoryPath, at: point.enginePoint, to: target.directoryPath,
            key: try EncryptionKey.make(encryptionKey, former: formerEncryptionKeys)
        ) { !isCancelled.isSet }
        do {
            return try await withTaskCancellationHandler {
                try await restore.make()
            } onCancel: {
                isCancelled.set()
            }
        } catch {
            if isCancelled.isSet { throw CancellationError() }
            throw Error(below: error)
        }
    }
}

extension Realm.RestorePoint {
    fileprivate var enginePoint: RealmRestore.Point {
        switch self {
        case .newest: return .newest
        case .version(let version): return .version(version)
        case .date(let date):
            let microseconds = (date.timeIntervalSince1970 * 1e6).rounded(.down)
            let isInRange = abs(microseconds) < 9e18
            return .time(isInRange ? Int64(microseconds) : microseconds > 0 ? .max : .min)
        }
    }
}
