/// A check of everything that is kept of a realm's log: the headers and records of all segments,
/// and the small files in its directory. Finds the checkpoints that they name.
///
/// Changes nothing. Other processes may append to the log and trim it at the same time.
package struct LogCheck {
    /// The damage found, with the path of a file and the offset in it.
    package private(set) var damages: [StoreError] = []
    package private(set) var segmentCount = 0
    package internal(set) var recordCount = 0
    /// The bytes of headers and records, and of what follows the last record.
    package internal(set) var byteCount: UInt64 = 0
    /// The checkpoints that segments and records name, newest first, each once.
    package private(set) var checkpoints: [CheckpointReference] = []
    /// The bodies of the bulk commits.
    package internal(set) var bulkCommits: [[UInt8]] = []
    /// The versions of the intact commits that aren't bulk commits, as runs without gaps, in the
    /// order of the log.
    package internal(set) var versions: [ClosedRange<UInt64>] = []
    /// Whether commits may be missing at the end of the log because of damage.
    package var mayLackEnd: Bool { lackingEnd != nil }
    /// The nodes files of the realm; `nil` if it can't be identified.
    package private(set) var nodes: NodesDirectory?

    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    let lock: any LockFile
    let options: StoreOptions
    /// The control page before the check, if it is that of this realm.
    private(set) var page: ControlPage?
    private let stores: UInt64?
    private let limit: Int
    let isCancelled: () -> Bool
    let deliver: RealmLog.Deliver?
    /// Called with the numbers of bytes that were read. May wait.
    let didRead: (Int) -> Void
    /// The checkpoints that opening the realm uses.
    private var kept = KeptCheckpoints()
    /// The position up to which records confirm that everything is durable.
    var durableEnd: LogPosition = 0
    /// The version of the last commit that was read; `nil` if unknown.
    var version: UInt64?
    /// The position before which the last damage may have hidden commits. `nil` if the version of a
    /// later commit or checkpoint tells which these are.
    var lackingEnd: LogPosition?

    /// Checks the log in the directory at `path`. If damage is found while another process commits,
    /// the check is repeated, since files may have been removed while they were listed.
    ///
    /// Throws `fileNotFound` if there is no realm; `unsupportedFormat`, `incompatiblePeer`, and the
    /// errors of the file system; but not damage, except that of a file with a realm
    /// (`ArchiveDirectory`).
    ///
    /// - Parameters:
    ///   - limit: The check ends when it has found this much damage.
    ///   - isCancelled: Called periodically. If it returns true, the check ends.
    ///   - deliver: Called with the body of each intact commit that isn't a bulk commit. The check
    ///     isn't repeated then.
    ///   - isOpen: Whether this process has the realm open, so that it can't be removed. The check
    ///     doesn't appear as another process then.
    ///   - didRead: Called with the numbers of bytes that were read. May wait.
    package static func run(
        _ fileSystem: any FileSystem, path: String, options: StoreOptions, limit: Int,
        isCancelled: @escaping () -> Bool, deliver: RealmLog.Deliver? = nil, isOpen: Bool = false,
        didRead: @escaping (Int) -> Void = { _ in }
    ) throws(StoreError) -> LogCheck {
        try RealmLog.checkLocal(fileSystem, path, options)
        let directory = try fileSystem.openDirectory(path, .readOnly)
        let lock = try ReadOnlyLock(directory)
        for attempt in 0... {
            if !isOpen { lock.show(in: directory) }  // prevents removal of the realm
            try RealmLog.checkForeignPeer(lock, path)
            var check = LogCheck(
                fileSystem, directory, lock, options, limit, isCancelled, deliver, didRead)
            try check.run()
            if check.damages.isEmpty || check.isCurrent || attempt == 3 || isCancelled()
                || deliver != nil
            {
                return check
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    private init(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, _ lock: any LockFile,
        _ options: StoreOptions, _ limit: Int, _ isCancelled: @escaping () -> Bool,
        _ deliver: RealmLog.Deliver?, _ didRead: @escaping (Int) -> Void
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.lock = lock
        self.options = options
        self.limit = limit
        self.isCancelled = isCancelled
        self.deliver = deliver
        self.didRead = didRead
        page = lock.loadControl()
        stores = page?.stores
    }

    /// Whether no process has published anything since the check began.
    var isCurrent: Bool { lock.loadControl()?.stores == stores }

    var isOver: Bool { damages.count >= limit || isCancelled() }

    /// Returns whether opening the realm may need a checkpoint, so that its file must exist.
    package func needs(_ reference: CheckpointReference) -> Bool {
        isCurrent && kept.all.contains { $0.namesSameImage(as: reference) }
    }

    private mutating func run() throws(StoreError) {
        let names = try directory.names()
        guard try !UnfinishedMark.isUnfinished(directory, names, page),
            let last = try RealmLog.lastSegmentNumber(directory)
        else {
            if let error = try RealmLog.missingLog(directory, lock, page) {
                return damages.append(error)
            }
            throw StoreError(
                .fileNotFound, "There is no realm in \"\(directory.path)\".", path: directory.path)
        }
        let numbers = SegmentHeader.numbers(names).filter { $0 <= last }
        guard let realmID = try identify(names, numbers) else { return }
        try checkKey(numbers, realmID)
        if page?.realmID != realmID { page = nil }
        nodes = NodesDirectory(
            fileSystem, directory, realmID: realmID, options: options, lock: lock)
        try readSegments(numbers, realmID)
        checkpoints.reverse()
        try checkSealedFiles(realmID)
    }

    /// Throws `keyRequired`, `wrongKey` or `notEncrypted` by the last segment of the realm that has
    /// an intact header. Others for which the key is wrong are damage.
    private func checkKey(_ numbers: [UInt64], _ realmID: Identity128) throws(StoreError) {
        for number in numbers.reversed()
        where (try? LogSegment.realmID(directory, number)) == realmID {
            do throws(StoreError) {
                _ = try LogSegment.openLast(directory, number, options)
                return
            } catch {
                if error.isAboutKey { throw error }
            }
        }
    }

    /// Returns the identity of the realm: the one that most files have, since some may be those of
    /// another realm, and of several the one of the last segment. Without an intact header of a
    /// segment, returns `nil`, and each header is damage.
    private mutating func identify(
        _ names: [String], _ numbers: [UInt64]
    ) throws(StoreError) -> Identity128? {
        var found: [Identity128] = []
        for number in numbers.reversed() {
            let realmID = Result { () throws(StoreError) in
                try LogSegment.realmID(directory, number)
            }
            if case .success(let realmID?) = realmID { found.append(realmID) }
        }
        guard !found.isEmpty else {
            for number in numbers { _ = try open(number) }
            return nil
        }
        for name in names where NodesHeader.parse(fileName: name) != nil {
            let header = try? directory.open(name).read(at: 0, count: Int(NodesHeader.byteCount))
            if let realmID = header.flatMap(NodesHeader.realmID) { found.append(realmID) }
        }
        // after a crash of the machine, the content can be that of a deleted realm
        if let page, page.version > 0, isSameBoot { found.append(page.realmID) }
        let counts = Dictionary(grouping: found) { $0 }.mapValues(\.count)
        let most = counts.values.max()
        return found.first { counts[$0] == most }
    }

    /// Opens a segment; `nil` if its header is damaged, which is reported, or if it was trimmed.
    /// Blocks after the header that the disk can't read are read as zeros.
    private mutating func open(_ number: UInt64) throws(StoreError) -> LogSegment? {
        do throws(StoreError) {
            var segment = try LogSegment.open(directory, number, options)
            segment.file = PatchedFile(segment.file)
            return segment
        } catch {
            let name = SegmentHeader.fileName(number: number)
            if error.code == .fileNotFound, try !directory.names().contains(name) { return nil }
            guard
                error.code == .invalidDatabase || error.code == .wrongKey || error.isMediaFailure
            else { throw error }
            add(error, name, at: 0)
            return nil
        }
    }

    // MARK: Records

    private mutating func readSegments(
        _ numbers: [UInt64], _ realmID: Identity128
    ) throws(StoreError) {
        /// Where the log continues; `nil` if that isn't known because of damage.
        var end: LogPoint?
        var next: LogSegment?
        if let first = numbers.first { next = try open(first) }
        for (index, number) in numbers.enumerated() where !isOver {
            let current = next
            let isLast = index + 1 == numbers.count
            next = isLast ? nil : try open(numbers[index + 1])
            if index > 0, numbers[index - 1] + 1 != number {
                try reportGap(after: numbers[index - 1], before: number)
                (end, version) = (nil, nil)
            }
            guard let segment = current else {
                (end, version) = (nil, nil)
                lackingEnd = .max
                continue
            }
            segmentCount += 1
            byteCount += SegmentHeader.byteCount
            didRead(Int(SegmentHeader.byteCount))
            let header = segment.header
            guard header.realmID == realmID else {
                report("it belongs to another realm", segment, at: header.base, fileOffset: 0)
                (end, version) = (nil, nil)
                lackingEnd = .max
                continue
            }
            lackingEnd = lackingEnd.map { min($0, header.base) }
            if let end, end != header.start {
                report(
                    "it does not continue the segment before it", segment, at: header.base,
                    fileOffset: 0)
                version = nil
                lackingEnd = header.base
            }
            keep(header.checkpoints)
            durableEnd = max(durableEnd, header.base)
            let base = next.flatMap { next in
                let follows = next.header.realmID == realmID && next.header.number == number + 1
                return follows ? next.header.base : nil
            }
            end = try read(segment, before: base, isLast: isLast)
            if isLast {
                do throws(StoreError) {
                    try segment.checkSize(directory)
                } catch {
                    add(error, segment.name, at: segment.byteCount)
                }
            }
        }
    }

    mutating func keep(_ kept: KeptCheckpoints) {
        self.kept = kept
        if let lackingEnd, let newest = kept.newest, newest.position >= lackingEnd {
            self.lackingEnd = nil
        }
        for reference in kept.all.reversed()
        where !checkpoints.contains(where: { $0.namesSameImage(as: reference) }) {
            checkpoints.append(reference)
        }
    }

    // MARK: Damage

    /// Adds the damage of a small file, which counts as missing.
    private mutating func checkSealedFiles(_ realmID: Identity128) throws(StoreError) {
        let retention = RetentionFile(fileSystem, directory, realmID: realmID)
        let mark = MigrationMarkFile(
            fileSystem, directory, realmID: realmID, key: options.key)
        let files: [(name: String, isSound: () throws(StoreError) -> Bool)] = [
            (RetentionFile.fileName, { () throws(StoreError) in try retention.read() != nil }),
            (MigrationMark.fileName, { () throws(StoreError) in try mark.read() != nil }),
        ]
        for (name, isSound) in files where !isOver {
            // other processes can create and remove the file in the meantime
            do throws(StoreError) {
                guard try directory.names().contains(name), try !isSound(),
                    try directory.names().contains(name)
                else { continue }
            } catch {
                guard error.isMediaFailure else { throw error }
                add(error, name, at: 0)
                continue
            }
            let path = directory.path + "/" + name
            add(
                StoreError(
                    .invalidDatabase,
                    "\(path) is damaged or belongs to another realm, so it is ignored."), name,
                at: 0)
        }
    }

    /// Adds missing segments, unless the earlier ones were trimmed while they were listed.
    private mutating func reportGap(
        after earlier: UInt64, before number: UInt64
    ) throws(StoreError) {
        let numbers = try SegmentHeader.numbers(directory.names())
        guard numbers.contains(earlier), !numbers.contains(number - 1) else { return }
        lackingEnd = .max
        let name = SegmentHeader.fileName(number: number - 1)
        add(RealmLog.missing(directory, number - 1, next: number), name, at: 0)
    }

    mutating func report(
        _ what: String, _ segment: LogSegment, at position: LogPosition, fileOffset: UInt64? = nil
    ) {
        let offset = fileOffset ?? segment.fileOffset(of: position)
        add(
            StoreError(
                .invalidDatabase,
                "\(directory.path)/\(segment.name) is damaged at byte \(offset) (log position "
                    + "\(position)): \(what).", lastGoodVersion: version), segment.name,
            at: offset)
    }

    /// Adds damage with the path of a file and the offset in it.
    mutating func add(_ error: StoreError, _ name: String, at offset: UInt64) {
        guard damages.count < limit else { return }
        var error = error
        error.path = directory.path + "/" + name
        error.position = offset
        damages.append(error)
    }
}
