package import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Reads and checks the files of the realm in a directory, which processes may be using: the
    /// records of all segments of the log, the directories and leaves of the checkpoints that they
    /// name, and everything in the newest version, as ``Snapshot/integrityReport(limit:)`` does.
    ///
    /// Changes no file.
    ///
    /// - Throws: `.invalidInput` if `url` isn't a file URL; `.fileNotFound` if there is no realm;
    ///   `.unsupportedFormat`, `.filePermissionDenied`, `.ioFailed`; `CancellationError`. Damage
    ///   isn't thrown.
    package static func verify(
        at url: URL, encryptionKey: Data? = nil, formerEncryptionKeys: [Data] = []
    ) async throws -> IntegrityReport {
        try Configuration.checkFile(url)
        let path = url.path
        let key = try EncryptionKey.make(encryptionKey, former: formerEncryptionKeys)
        return IntegrityReport(
            try await IntegrityReport.run { isCancelled throws(StoreError) in
                try RealmCheck.run(path, key, limit: 1_000, isCancelled: isCancelled)
            })
    }
}
