public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Writes everything that can still be read of a damaged realm to a new one, and reports what
    /// was lost. Also works for a realm that can't be opened.
    ///
    ///     let report = try await Realm.salvage(damaged, to: URL(filePath: "salvaged.realm"))
    ///     if !report.isComplete { print(report) }
    ///
    /// The new realm has an object if all its properties can be read: from the newest checkpoint,
    /// from an older one and the log since then, or from an index. Links to lost objects become
    /// `nil`, and collections lose them; indexes and inverses are rebuilt. The schema version, the
    /// classes, and the keys of objects in exports stay the same, but the new realm has an identity
    /// of its own: cursors of the damaged realm can't be used with it.
    ///
    /// If commits in the middle of the log can't be read, those after them are used where they are
    /// complete. Objects from before them have the last values that are known, which the report
    /// counts as uncertain. If one of them migrated the realm, see
    /// ``SalvageReport/missingCommits``.
    ///
    /// Nothing in the damaged realm is changed; close it in all processes first, or what they write
    /// in the meantime may be missing. Before the new realm is moved to `target`, it is checked as
    /// `regnum verify` would check it. A call that is interrupted leaves nothing at `target`; the
    /// next backup or salvage to the same parent directory removes what is left next to it.
    ///
    /// - Parameters:
    ///   - url: The directory of the damaged realm, or a copy in a file.
    ///   - target: A location where nothing exists; its parent directory must exist.
    ///   - encryptionKey: The key of both realms; `nil` if they aren't encrypted.
    ///   - formerEncryptionKeys: Keys that the damaged realm may have instead
    ///     (``Configuration/formerEncryptionKeys``).
    /// - Throws: `.invalidInput` if a URL isn't a file URL, or `target` is inside a realm's
    ///   directory; `.fileNotFound` if there is no realm; `.fileExists` if there is anything at
    ///   `target`; `.invalidDatabase` if nothing can be read; `.keyRequired`, `.wrongKey`,
    ///   `.notEncrypted`, `.unsupportedFormat`; `.fileAccess`, `.filePermissionDenied`, `.diskFull`
    ///   and `.ioFailed`, which name the path; `CancellationError`.
    /// - Complexity: O(n log n). Needs as much memory as opening the realm.
    @discardableResult
    public static func salvage(
        _ url: URL, to target: URL, encryptionKey: Data? = nil, formerEncryptionKeys: [Data] = []
    ) async throws -> SalvageReport {
        try Configuration.checkFile(url)
        try Configuration.checkFile(target)
        try Task.checkCancellation()
        let key = try EncryptionKey.make(encryptionKey, former: formerEncryptionKeys)
        let (source, path) = (url.path, target.directoryPath)
        let isCancelled = CancellationFlag()
        do {
            let findings = try await withTaskCancellationHandler {
                try await RealmSalvage.run(source, to: path, key, isCancelled: isCancelled)
            } onCancel: {
                isCancelled.set()
            }
            return SalvageReport(findings)
        } catch {
            if isCancelled.isSet { throw CancellationError() }
            throw Error(below: error)
        }
    }
}
