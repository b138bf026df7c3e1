internal import Glibc
package import RegnumStore

/// A copy of one version of a realm, created under a temporary name and renamed when complete.
///
/// The copy is a realm whose seed is that version. Until it is complete, its directory has a
/// temporary name and contains a mark. Nothing in the original is locked: holding the root keeps
/// its content.
package struct RealmCopy: Sendable {
    private let root: DatabaseRoot
    private let timelines: Timelines
    private let target: String
    private let options: CoordinatorOptions
    /// Called between writes; returning false cancels the copy.
    private let shouldContinue: @Sendable () -> Bool

    static let temporaryPrefix = ".unfinished-backup-"

    /// - Parameters:
    ///   - timelines: the timelines of the realm to copy.
    ///   - target: the directory to create; a path without a trailing slash.
    ///   - options: the options of the realm to copy.
    package init(
        of root: DatabaseRoot, _ timelines: Timelines, to target: String,
        _ options: CoordinatorOptions,
        shouldContinue: @escaping @Sendable () -> Bool
    ) {
        self.root = root
        self.timelines = timelines
        self.target = target
        self.options = options
        self.shouldContinue = shouldContinue
    }

    /// Creates the copy on a thread of `IOPool`.
    ///
    /// Throws `fileExists` if the target exists, `fileAccess` and `filePermissionDenied` if it
    /// can't be created, `diskFull`, `ioFailed`; `closed` if canceled; `invalidDatabase` if damage
    /// is found in the original, or in what was written. On an error nothing is left behind.
    ///
    /// - Complexity: O(n), read and written once, and what was written is read again.
    package func make() async throws(StoreError) {
        try await Coordinator.onPool { () throws(StoreError) in try makeHere() }
    }

    private var fileSystem: any FileSystem { options.fileSystem }

    /// The parent directory of the target.
    private var parent: String {
        guard let slash = target.lastIndex(of: "/") else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }

    /// Throws `fileExists` if there is anything at the target.
    static func checkTarget(
        _ target: String, _ fileSystem: any FileSystem
    ) throws(StoreError) {
        guard try !fileSystem.hasEntry(target) else {
            throw StoreError(
                .fileExists,
                "\"\(target)\" already exists: a copy needs a new directory.",
                path: target)
        }
    }

    /// Creates the copy, on the caller's thread.
    func makeHere() throws(StoreError) {
        try Self.checkTarget(target, fileSystem)
        try checkParent()
        let place = try makePlace()
        do throws(StoreError) {
            let log = try write(to: place)
            defer { log.releaseLocks() }
            try checkCancellation()
            try log.checkPlace()
            try fileSystem.moveDirectory(place.path, to: target)
            place.lock.unlock(.session)
        } catch {
            place.lock.unlock(.session)
            // It has its final name already if only syncing that failed.
            for path in [place.path, target] {
                try? RealmLog.removeBackup(
                    fileSystem, path: path, identity: place.directory.identity)
            }
            throw renamed(error, from: place.path)
        }
        // The copy is complete. If removing the mark fails, opening the copy removes it.
        guard let copy = try? fileSystem.openDirectory(target, .own),
            copy.identity == place.directory.identity
        else { return }
        try? copy.unlink(RealmLog.backupMarkName)
        try? copy.sync()
    }

    /// Returns the error with the name of the target, since the caller doesn't know the temporary
    /// one.
    private func renamed(_ error: StoreError, from path: String) -> StoreError {
        var error = error
        error.message = error.message.replacing(path, with: target)
        error.path = error.path?.replacing(path, with: target)
        return error
    }

    /// A new directory with a temporary name.
    private struct Place {
        var path: String
        var directory: any RealmDirectory
        /// Locked while the directory must not be mistaken for a leftover.
        var lock: any LockFile
    }

    private func makePlace() throws(StoreError) -> Place {
        let prefix = (parent == "/" ? "/" : parent + "/") + Self.temporaryPrefix
        for attempt in 0... {
            let path = prefix + String(fileSystem.random(), radix: 16)
            do throws(StoreError) {
                let directory = try fileSystem.openDirectory(path, .new)
                let lock = try directory.openLock()
                guard try lock.tryLock(.session, .shared), try lock.isCurrent() else {
                    throw StoreError(
                        .fileNotFound,
                        "Cannot create \"\(path)\": another backup removed it as a leftover.",
                        path: path)
                }
                _ = try directory.create(RealmLog.backupMarkName)
                try directory.sync()
                return Place(path: path, directory: directory, lock: lock)
            } catch {
                try? RealmLog.removeBackup(fileSystem, path: path)
                // Another backup may have found it without a locked file and removed it.
                guard error.code == .fileNotFound, attempt < 3 else {
                    throw renamed(error, from: path)
                }
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    private func write(to place: Place) throws(StoreError) -> RealmLog {
        var seed = RealmContent.seed(of: root, timelines) { [options, shouldContinue] _ in
            if options.checkpoint.paceNanoseconds > 0 {
                usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
            }
            return shouldContinue()
        }
        seed.directory = place.directory.identity
        var store = options.store
        store.allowsNetworkFileSystem = true  // the copy isn't shared yet
        try checkCancellation()
        // Opening it like any realm verifies that its directory image can be read.
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let log = try RealmLog.open(
            fileSystem, path: place.path, options: store, seed: seed, load: incoming.begin,
            incoming.apply
        ).log
        do throws(StoreError) {
            try verify(incoming.root)
        } catch {
            log.releaseLocks()
            throw error
        }
        return log
    }

    /// Reads all leaves that were written and compares them with their checksums.
    private func verify(_ written: DatabaseRoot) throws(StoreError) {
        let walk = IntegrityWalk(limit: 1) { [shouldContinue] in !shouldContinue() }
        for table in written.schema.tables where !walk.endsHere() {
            TableCheck(walk: walk, root: written, table: table).checkLeaves()
        }
        try checkCancellation()
        if var damage = try walk.finish().damages.first {
            damage.message = "The copy can't be read back. \(damage.message)"
            throw damage
        }
    }

    private func checkCancellation() throws(StoreError) {
        if !shouldContinue() {
            throw StoreError(.closed, "The backup was cancelled.", path: target)
        }
    }

    /// Checks that the parent directory exists and isn't a realm's directory. Removes the remains
    /// of this user's interrupted backups from it.
    private func checkParent() throws(StoreError) {
        let directory: any RealmDirectory
        let names: [String]
        do throws(StoreError) {
            directory = try fileSystem.openDirectory(parent, .readOnly)
            names = try directory.names()
        } catch {
            // A directory that allows creating entries but not listing them is acceptable.
            if error.code == .filePermissionDenied { return }
            let reason =
                error.code == .fileNotFound
                ? "its parent directory does not exist." : error.message
            throw StoreError(
                .fileAccess, "Cannot create \"\(target)\": \(reason)", path: target,
                errno: error.errno)
        }
        if names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) {
            throw StoreError(
                .invalidInput,
                "\"\(target)\" is inside the directory of a realm. Choose a path outside of it.",
                path: target)
        }
        for name in names where name.hasPrefix(Self.temporaryPrefix) {
            try? RealmLog.removeBackup(fileSystem, path: "\(parent)/\(name)")
        }
    }
}
