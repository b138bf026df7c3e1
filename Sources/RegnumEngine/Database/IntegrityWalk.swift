package import RegnumStore

/// The result of checking a realm: the amounts of data read, and the damage found.
package struct IntegrityFindings: Sendable {
    /// The damage, in the order in which it was found: at most as much as the check was limited to.
    package internal(set) var damages: [StoreError] = []
    /// The version whose content was checked; `nil` if it can't be read.
    package internal(set) var version: UInt64?
    /// Whether everything was read. Otherwise the check ended early, because it found as much
    /// damage as it was limited to, or was cancelled.
    package internal(set) var isComplete = true
    /// The log segments that were read, and the records in them.
    package internal(set) var segmentCount = 0
    package internal(set) var recordCount = 0
    /// The directories of checkpoints and the leaves that were read, each once.
    package internal(set) var directoryCount = 0
    package internal(set) var leafCount = 0
    /// The bytes of the log, directories and leaves.
    package internal(set) var byteCount: UInt64 = 0
    /// The rows that were checked, the entries of their indexes, and the elements of their lists.
    package internal(set) var rowCount = 0
    package internal(set) var entryCount = 0
    package internal(set) var elementCount = 0
}

/// Follows a check while it runs. Confined to the thread that runs the check.
protocol CheckObserver: AnyObject {
    /// Called when bytes of a file are read. May wait.
    func read(_ byteCount: Int)
    /// Called with each damage.
    func found(_ damage: StoreError)
}

/// A check in progress: collects the damage that its parts find, each location once.
///
/// Confined to the thread that runs the check.
final class IntegrityWalk {
    var findings = IntegrityFindings()
    let limit: Int
    let isCancelled: () -> Bool
    let observer: (any CheckObserver)?
    /// The limit of `TransientLeaves`. Lowered in tests.
    var maximumLeafByteCount = TransientLeaves.maximumByteCount
    /// Returns whether the file that is being read was removed, so that the rest of it needn't be
    /// checked and shouldn't be kept open.
    private var isRemoved: (() -> Bool)?
    private var wasRemoved = false
    /// The bytes visited since `isRemoved` was called.
    private var visitedByteCount = 0
    private static let removalCheckByteCount = 1 << 20
    /// The error because of which the check can't continue.
    private var failure: StoreError?
    private var wasCancelled = false
    private var reported: Set<Location> = []
    private var visited: Set<ImageLocation> = []

    private struct Location: Hashable {
        let path: String?
        let offset: UInt64
    }

    private struct ImageLocation: Hashable {
        let file: UInt64
        let offset: UInt64
    }

    init(
        limit: Int, isCancelled: @escaping () -> Bool, observer: (any CheckObserver)? = nil
    ) {
        self.limit = limit
        self.isCancelled = isCancelled
        self.observer = observer
    }

    /// Whether the check, or that of a file that was removed, ends here.
    var isOver: Bool { wasRemoved || hasEnded }
    private var hasEnded: Bool {
        failure != nil || wasCancelled || findings.damages.count >= limit
    }

    /// Checks a part of the content. Ends early if the file that contains it is removed.
    ///
    /// - Parameter isRemoved: Called periodically.
    func run<Failure: Error>(
        whileNot isRemoved: @escaping () -> Bool, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        self.isRemoved = isRemoved
        defer { (self.isRemoved, wasRemoved) = (nil, false) }
        try body()
    }

    /// Whether the check ends here. Also examines whether it was cancelled, and may free the leaves
    /// that were read (`TransientLeaves.letGo`).
    func endsHere() -> Bool {
        TransientLeaves.letGo()
        if !wasCancelled, isCancelled() { wasCancelled = true }
        return isOver
    }

    /// Adds damage, unless other damage at the same location of a file was added before. Any other
    /// error, such as a lack of memory, ends the check.
    func add(_ error: StoreError) {
        if isOver { return }
        guard error.isPermanentDamage else { return fail(error) }
        if let offset = error.position,
            !reported.insert(Location(path: error.path, offset: offset)).inserted
        {
            return
        }
        findings.damages.append(error)
        observer?.found(error)
    }

    /// Ends the check with an error.
    func fail(_ error: StoreError) { failure = failure ?? error }

    /// Counts an image of a nodes file. Returns whether it is visited for the first time.
    func visit(_ offset: UInt64, in file: any NodeBytes, byteCount: Int) -> Bool {
        let number = (file as? NodesFile)?.number ?? 0
        guard visited.insert(ImageLocation(file: number, offset: offset)).inserted else {
            return false
        }
        findings.byteCount &+= UInt64(byteCount)  // wraps only for a hostile file
        observer?.read(byteCount)
        if let isRemoved {
            visitedByteCount = visitedByteCount.addingReportingOverflow(byteCount).partialValue
            if visitedByteCount >= Self.removalCheckByteCount {
                visitedByteCount = 0
                wasRemoved = isRemoved()
            }
        }
        return !wasRemoved
    }

    /// Returns the result. Throws the error that ended the check.
    func finish() throws(StoreError) -> IntegrityFindings {
        if let failure { throw failure }
        findings.isComplete = !hasEnded
        return findings
    }
}
