internal import Glibc
package import RegnumStore

/// A copy of one version of a realm, created under a temporary name and renamed when complete
/// (`UnfinishedRealm`).
///
/// The copy is a realm whose seed is that version. Nothing in the original is locked: holding the
/// root keeps its content.
package struct RealmCopy: Sendable {
    private let root: DatabaseRoot
    private let timelines: Timelines
    private let target: String
    private let options: CoordinatorOptions
    private let isFile: Bool
    /// Called between writes; returning false cancels the copy.
    private let shouldContinue: @Sendable () -> Bool

    /// - Parameters:
    ///   - timelines: the timelines of the realm to copy.
    ///   - target: the directory to create; a path without a trailing slash.
    ///   - options: the options of the realm to copy.
    ///   - isFile: whether to create a file instead, with the files of the directory.
    package init(
        of root: DatabaseRoot, _ timelines: Timelines, to target: String,
        _ options: CoordinatorOptions, isFile: Bool = false,
        shouldContinue: @escaping @Sendable () -> Bool
    ) {
        self.root = root
        self.timelines = timelines
        self.target = target
        self.options = options
        self.isFile = isFile
        self.shouldContinue = shouldContinue
    }

    /// Creates the copy on a thread of `IOPool`.
    ///
    /// Throws `fileExists` if the target exists, `fileAccess` and `filePermissionDenied` if it
    /// can't be created, `diskFull`, `ioFailed`; `closed` if cancelled; `invalidDatabase` if damage
    /// is found in the original, or in what was written. On an error nothing is left behind.
    ///
    /// - Complexity: O(n), read and written once, and what was written is read again.
    package func make() async throws(StoreError) {
        try await Coordinator.onPool { () throws(StoreError) in try makeHere() }
    }

    /// Creates the copy, on the caller's thread.
    func makeHere() throws(StoreError) {
        let place = try UnfinishedRealm.make(target, "copy", options.fileSystem)
        do throws(StoreError) {
            let log = try write(to: place)
            defer { log.releaseLocks() }
            if isFile {
                try place.complete(as: pack(place))
            } else {
                try place.complete()
            }
        } catch {
            throw place.remove(after: error)
        }
        if isFile { place.remove() }
    }

    /// Writes the copy to the directory. Unless it is to be packed, what was written is verified.
    private func write(to place: UnfinishedRealm) throws(StoreError) -> RealmLog {
        var seed = RealmContent.seed(of: root, timelines) { [self] _ in continuesAfterPause() }
        seed.directory = place.directory.identity
        try checkCancellation()
        // Opening it like any realm verifies that its directory image can be read.
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let log = try RealmLog.open(
            options.fileSystem, path: place.path, options: store, seed: seed, load: incoming.begin,
            incoming.apply
        ).log
        do throws(StoreError) {
            if !isFile { try verify(incoming.root) }
            try checkCancellation()
            try log.checkPlace()
        } catch {
            log.releaseLocks()
            throw error
        }
        return log
    }

    /// Packs the copy into a file of its directory, verifies that, and returns its name.
    private func pack(_ place: UnfinishedRealm) throws(StoreError) -> String {
        let name = try RealmLog.pack(place.directory, options.fileSystem, store) { [self] in
            continuesAfterPause()
        }
        var reading = options
        reading.store = store
        try place.checkPlace()  // it is read by its path
        try verify(RealmContent.read("\(place.path)/\(name)", reading).root)
        return name
    }

    private var store: StoreOptions {
        var store = options.store
        store.allowsNetworkFileSystem = true  // the copy isn't shared yet
        return store
    }

    /// Leaves the disk to others for a moment. Returns whether to continue.
    private func continuesAfterPause() -> Bool {
        if options.checkpoint.paceNanoseconds > 0 {
            usleep(UInt32(truncatingIfNeeded: options.checkpoint.paceNanoseconds / 1000))
        }
        return shouldContinue()
    }

    /// Reads all leaves that were written and compares them with their checksums.
    private func verify(_ written: DatabaseRoot) throws(StoreError) {
        let walk = IntegrityWalk(limit: 1) { [shouldContinue] in !shouldContinue() }
        written.checkLeaves(walk)
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
}
