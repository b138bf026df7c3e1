import RegnumStore

/// A realm that is being made from another one. Until it is complete, its directory has a temporary
/// name and contains a mark.
struct UnfinishedRealm: Sendable {
    /// The directory under its temporary name.
    let path: String
    let directory: any RealmDirectory
    /// Locked while the directory must not be mistaken for a leftover.
    private let lock: any LockFile
    private let target: String
    private let fileSystem: any FileSystem

    static let temporaryPrefix = ".unfinished-backup-"

    /// Creates the directory with its temporary name, next to `target`.
    ///
    /// Throws `fileExists` if the target exists; `fileAccess`, `filePermissionDenied` and
    /// `invalidInput` if it can't be created, and `ioFailed` if it can't be now.
    ///
    /// - Parameters:
    ///   - target: a path without a trailing slash.
    ///   - what: what is made, for messages.
    static func make(
        _ target: String, _ what: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> UnfinishedRealm {
        try checkTarget(target, what, fileSystem)
        let parent = parent(of: target)
        try check(parent, of: target, fileSystem)
        let prefix = (parent == "/" ? "/" : parent + "/") + temporaryPrefix
        for attempt in 0... {
            let path = prefix + String(fileSystem.random(), radix: 16)
            do throws(StoreError) {
                let directory = try fileSystem.openDirectory(path, .new)
                let lock = try makeLock(in: directory)
                guard try lock.tryLock(.session, .shared), try lock.isCurrent() else {
                    throw StoreError(
                        .fileNotFound,
                        "Cannot create \"\(path)\": another backup removed it as a leftover.",
                        path: path)
                }
                _ = try directory.create(RealmLog.backupMarkName)
                try directory.sync()
                return UnfinishedRealm(
                    path: path, directory: directory, lock: lock, target: target,
                    fileSystem: fileSystem)
            } catch {
                try? RealmLog.removeBackup(fileSystem, path: path)
                // Another backup may have found it without a locked file and removed it.
                guard error.code == .fileNotFound, attempt < 3 else {
                    throw renamed(error, from: path, to: target)
                }
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    /// Creates `LOCK`. If the disk has no space for its content, removes it: what can't be locked
    /// can't be removed as a leftover either.
    private static func makeLock(
        in directory: any RealmDirectory
    ) throws(StoreError) -> any LockFile {
        do throws(StoreError) {
            return try directory.openLock()
        } catch {
            try? directory.unlink("LOCK")
            throw error
        }
    }

    /// Throws `fileExists` if there is anything at the target.
    static func checkTarget(
        _ target: String, _ what: String, _ fileSystem: any FileSystem
    ) throws(StoreError) {
        guard try !fileSystem.hasEntry(target) else {
            throw StoreError(
                .fileExists,
                "\"\(target)\" already exists, and a \(what) doesn't replace anything.",
                path: target)
        }
    }

    /// Gives the complete realm its name. Whoever wrote it has synced it.
    func complete() throws(StoreError) {
        try fileSystem.moveDirectory(path, to: target)
        lock.unlock(.session)
        // The realm is complete. If removing the mark fails, opening the realm removes it.
        guard let copy = try? fileSystem.openDirectory(target, .own),
            copy.identity == directory.identity
        else { return }
        try? copy.unlink(RealmLog.backupMarkName)
        try? copy.sync()
    }

    /// Throws `fileAccess` if the parent directory was moved, so that what is made would get its
    /// name somewhere else.
    func checkPlace() throws(StoreError) {
        guard try directory.isCurrent() else { throw Self.moved(target) }
    }

    private static func moved(_ target: String) -> StoreError {
        StoreError(
            .fileAccess,
            "Cannot create \"\(target)\": its parent directory, or what was made there, was moved "
                + "in the meantime.", path: target)
    }

    /// Gives a file of the directory, which whoever wrote it has synced, the name of the target.
    ///
    /// Throws `fileExists`; `fileAccess` if the parent directory was moved.
    func complete(as name: String) throws(StoreError) {
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let entry = slash.map { String(target[target.utf8.index(after: $0)...]) } ?? target
        try checkPlace()
        try directory.moveToParent(name, as: entry)
    }

    /// Removes the directory after its file has become the target. If that fails, the next backup
    /// does it.
    func remove() {
        lock.unlock(.session)
        try? RealmLog.removeBackup(fileSystem, path: path, identity: directory.identity)
    }

    /// Removes the directory after an error. Returns the error with the name of the target, since
    /// the caller doesn't know the temporary one.
    func remove(after error: StoreError) -> StoreError {
        lock.unlock(.session)
        // It has its final name already if only syncing that failed.
        for path in [path, target] {
            try? RealmLog.removeBackup(fileSystem, path: path, identity: directory.identity)
        }
        return Self.renamed(error, from: path, to: target)
    }

    private static func renamed(
        _ error: StoreError, from path: String, to target: String
    ) -> StoreError {
        // the caller would take it for the realm that is copied
        if error.code == .fileMoved { return moved(target) }
        var error = error
        error.message = error.message.replacing(path, with: target)
        error.path = error.path?.replacing(path, with: target)
        return error
    }

    /// Returns the parent directory of a path.
    private static func parent(of path: String) -> String {
        // not by characters: the name may begin with a combining one
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Checks that the parent directory exists and isn't a realm's directory. Removes the remains
    /// of what this user began and didn't complete there.
    private static func check(
        _ parent: String, of target: String, _ fileSystem: any FileSystem
    ) throws(StoreError) {
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
            // not the fault of the place, if the process lacks descriptors, for example
            throw StoreError(
                error.code == .ioFailed ? .ioFailed : .fileAccess,
                "Cannot create \"\(target)\": \(reason)", path: target, errno: error.errno)
        }
        if names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) {
            throw StoreError(
                .invalidInput,
                "\"\(target)\" is inside the directory of a realm. Choose a path outside of it.",
                path: target)
        }
        for name in names where name.hasPrefix(temporaryPrefix) {
            try? RealmLog.removeBackup(fileSystem, path: "\(parent)/\(name)")
        }
    }
}
