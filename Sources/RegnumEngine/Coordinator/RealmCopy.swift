internal import Glibc
package import RegnumStore

/// A copy of one version of a realm, made beside it, which gets its name when it is complete.
///
/// It is a realm that begins with the version as its seed, in a directory of its own with a name
/// that tells so. Nothing of the original is locked: the root is held, and what it shows stays.
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
        let number = String(fileSystem.random(), radix: 16)
        let prefix = parent == "/" ? "/" : parent + "/"
        let temporary = prefix + Self.temporaryPrefix + number
        do throws(StoreError) {
            let log = try write(to: temporary)
            defer { log.leave() }  // until then nobody takes it for a leftover
            try goOn()
            try fileSystem.moveDirectory(temporary, to: target)
        } catch {
            _ = try? RealmLog.remove(fileSystem, path: temporary, isLeftover: true)
            var error = error  // nobody has heard of the temporary name
            error.sentence = error.sentence.replacing(temporary, with: target)
            error.path = error.path?.replacing(temporary, with: target)
            throw error
        }
    }

    private func write(to path: String) throws(StoreError) -> RealmLog {
        let seed = RealmContent.seed(of: root) { [options, mayGoOn] _ in
            if options.checkpoint.paceNanoseconds > 0 {
                usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
            }
            return mayGoOn()
        }
        try goOn()
        // opened as any realm is: so what was written can be read
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        return try RealmLog.open(
            fileSystem, path: path, options: options.store, seed: seed, load: incoming.begin,
            incoming.apply
        ).log
    }

    private func goOn() throws(StoreError) {
        if !mayGoOn() { throw StoreError(.closed, "The backup was stopped.", path: target) }
    }

    /// The directory above must be there, and be none of a realm's. What copies that were cut short
    /// left in it is removed.
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
            _ = try? RealmLog.remove(
                fileSystem, path: "\(parent)/\(name)", isLeftover: true)
        }
    }
}
