internal import Glibc
package import RegnumStore

/// A copy of one version of a realm, made beside it, which gets its name when it is complete.
///
/// It is a realm that begins with the version as its seed, in a directory of its own with a name
/// that says so, and with a mark in it. Nothing of the original is locked: the root is held, and
/// what it shows stays.
package struct RealmCopy: Sendable {
    private let root: DatabaseRoot
    private let target: String
    private let options: CoordinatorOptions
    /// Asked between writes.
    private let mayGoOn: @Sendable () -> Bool

    static let temporaryPrefix = ".unfinished-backup-"

    /// - Parameters:
    ///   - target: the directory to make; a path without a slash at its end.
    ///   - options: those of the realm that is copied.
    package init(
        of root: DatabaseRoot, to target: String, _ options: CoordinatorOptions,
        mayGoOn: @escaping @Sendable () -> Bool
    ) {
        self.root = root
        self.target = target
        self.options = options
        self.mayGoOn = mayGoOn
    }

    /// Makes the copy on a thread of `IOPool`.
    ///
    /// Throws `fileExists` if there is anything at the target, `fileAccess` and
    /// `filePermissionDenied` where it cannot be made, `diskFull`, `ioFailed`; `closed` if it may not
    /// go on; `invalidDatabase` for damage of the original that is met. On an error nothing stays.
    /// - Complexity: O(n), read and written once.
    package func make() async throws(StoreError) {
        try await Coordinator.onPool { () throws(StoreError) in try makeHere() }
    }

    private var fileSystem: any FileSystem { options.fileSystem }

    /// The directory above the target.
    private var parent: String {
        guard let slash = target.lastIndex(of: "/") else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }

    private func makeHere() throws(StoreError) {
        guard try !fileSystem.hasEntry(target) else {
            throw StoreError(
                .fileExists,
                "There is something at \"\(target)\" already: a backup needs a place of its own.",
                path: target)
        }
        try checkParent()
        let place = try makePlace()
        do throws(StoreError) {
            let log = try write(to: place)
            defer { log.leave() }
            try goOn()
            try log.checkPlace()
            try fileSystem.moveDirectory(place.path, to: target)
            place.lock.unlock(.session)
        } catch {
            place.lock.unlock(.session)
            try? RealmLog.removeBackup(
                fileSystem, path: place.path, identity: place.directory.identity)
            var error = error  // nobody has heard of the temporary name
            error.sentence = error.sentence.replacing(place.path, with: target)
            error.path = error.path?.replacing(place.path, with: target)
            throw error
        }
        // the copy is there: what is left of the mark goes when it is opened
        guard let copy = try? fileSystem.openOwnDirectory(target),
            copy.identity == place.directory.identity
        else { return }
        try? copy.unlink(RealmLog.backupMarkName)
        try? copy.sync()
    }

    /// A new directory under a temporary name.
    private struct Place {
        var path: String
        var directory: any RealmDirectory
        /// Locked for as long as nobody may take the directory for a leftover.
        var lock: any LockFile
    }

    private func makePlace() throws(StoreError) -> Place {
        let prefix = (parent == "/" ? "/" : parent + "/") + Self.temporaryPrefix
        for attempt in 0... {
            let path = prefix + String(fileSystem.random(), radix: 16)
            do throws(StoreError) {
                let directory = try fileSystem.makeDirectory(path)
                let lock = try directory.openLock()
                _ = try lock.tryLock(.session, .shared)
                _ = try directory.create(RealmLog.backupMarkName)
                try directory.sync()
                return Place(path: path, directory: directory, lock: lock)
            } catch {
                try? RealmLog.removeBackup(fileSystem, path: path)
                // another backup may have found it empty, and removed it
                guard error.code == .fileNotFound, attempt < 3 else {
                    var error = error
                    error.sentence = error.sentence.replacing(path, with: target)
                    error.path = error.path?.replacing(path, with: target)
                    throw error
                }
            }
        }
        preconditionFailure("the attempts end")
    }

    private func write(to place: Place) throws(StoreError) -> RealmLog {
        var seed = RealmContent.seed(of: root) { [options, mayGoOn] _ in
            if options.checkpoint.paceNanoseconds > 0 {
                usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
            }
            return mayGoOn()
        }
        seed.directory = place.directory.identity
        var store = options.store
        store.allowsNetworkFileSystem = true  // nobody else uses the copy yet
        try goOn()
        // opened as any realm is: so what was written can be read
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        return try RealmLog.open(
            fileSystem, path: place.path, options: store, seed: seed, load: incoming.begin,
            incoming.apply
        ).log
    }

    private func goOn() throws(StoreError) {
        if !mayGoOn() { throw StoreError(.closed, "The backup was stopped.", path: target) }
    }

    /// The directory above must be there, and be none of a realm's. What copies of this user that
    /// were cut short left in it is removed.
    private func checkParent() throws(StoreError) {
        let directory: any RealmDirectory
        let names: [String]
        do throws(StoreError) {
            directory = try fileSystem.openDirectoryForReading(parent)
            names = try directory.names()
        } catch {
            // a directory that lets make entries and not list them is one, too
            if error.code == .filePermissionDenied { return }
            throw StoreError(
                .fileAccess, "Cannot make \"\(target)\": \(error.sentence)", path: target,
                errno: error.errno)
        }
        if names.contains(where: { SegmentHeader.parse(fileName: $0) != nil }) {
            throw StoreError(
                .invalidInput,
                "\"\(target)\" would lie in the directory of a realm: name a place beside it.",
                path: target)
        }
        for name in names where name.hasPrefix(Self.temporaryPrefix) {
            try? RealmLog.removeBackup(fileSystem, path: "\(parent)/\(name)")
        }
    }
}
