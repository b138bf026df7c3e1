public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore
internal import Synchronization

extension Realm {
    /// Copies the realm, as it is now, into a directory of its own, while it is in use by this and
    /// other processes. The copy is a realm: it can be opened, be a `seedFile`, or be kept.
    ///
    /// It has one version, that of the newest commit of any process when the call began, and is
    /// compact: without the log and its history. No writer waits for it. It is on disk when the call
    /// returns; until then, and after a crash, nothing is at `url` (a hidden `.unfinished-backup-…`
    /// beside it is removed by the next backup into that directory). Realms in memory are copied too.
    ///
    /// The copy has the realm's identity: a `ChangeCursor` of the original means the same version in
    /// the copy. Do not let both go on being written and then mix up their cursors.
    ///
    /// - Parameter url: where nothing must be; the directory above it must be there.
    /// - Returns: the commit version that the copy has.
    /// - Throws: `.fileExists` if there is anything at `url`; `.invalidInput` if `url` is no file URL
    ///   or lies in the directory of a realm; `.fileAccess`, `.filePermissionDenied`, `.diskFull` and
    ///   `.ioFailed`, which name the path; `.closed`; `.invalidDatabase` for damage of this realm;
    ///   `CancellationError`. On an error nothing stays at `url`.
    /// - Complexity: O(n): everything that is live is read and written once. O(n / 1,024) memory.
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
    /// Copies a version into a directory of its own.
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
                throw Realm.Error(.closed, "The realm was closed while it was copied.", path: path)
            }
            if root.damage != nil { coordinator.heal() }
            throw Realm.Error(below: error)
        }
        return root.version
    }
}

/// Set once, read by another thread.
private final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
