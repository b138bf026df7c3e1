/// Where reading a log begins: behind a checkpoint, or at the log's own beginning.
extension RealmLog {
    /// The log of an open realm, with nothing read yet.
    struct Place {
        let fileSystem: any FileSystem
        let directory: any RealmDirectory
        let lock: any LockFile
        let options: StoreOptions
    }

    /// What is known before reading begins.
    struct Beginning {
        /// The segments from the one where reading begins to the last one.
        var segments: [LogSegment]
        var reference: CheckpointReference?
        var search: CheckpointSearch
        /// Checkpoints that were tried and are damaged.
        var damaged: [CheckpointReference]
    }

    /// Makes the log stand where `beginning` says.
    func stand(at beginning: Beginning) {
        let first = beginning.segments[0]
        segment = first
        damagedCheckpoints = beginning.damaged
        if let reference = beginning.reference {
            position = reference.position
            nextSequence = reference.sequence
            chain = reference.chain
            version = reference.version
            checkpoints = beginning.search.kept.without(beginning.damaged)
            checkpointsEnd = beginning.search.keptEnd
        } else {
            position = first.header.base
            nextSequence = first.header.firstSequence
            chain = first.header.previousChain
            version = 0
            checkpoints = KeptCheckpoints()
            checkpointsEnd = position
        }
        endsIdle = false
        durableEnd = 0
        publishedEnd = end
    }

    /// Finds the newest checkpoint that `load` takes, and the segments from it on.
    ///
    /// - Parameters:
    ///   - number: the last segment.
    ///   - limit: nothing at or behind it is read.
    ///   - page: the control page, if there is one, of whatever realm.
    ///   - load: nil: checkpoints are not used.
    static func findBeginning(
        _ directory: any RealmDirectory, nodes: (Identity128) -> NodesDirectory,
        options: StoreOptions, lastNumber number: UInt64, limit: LogPosition,
        page: ControlPage?, load: Load?
    ) throws(StoreError) -> Beginning {
        let last = try LogSegment.open(directory, generation: 0, number: number)
        try last.checkSize(directory)
        let vouchedEnd = page.flatMap { $0.realmID == last.header.realmID ? $0.durableEnd : nil }
        var search = try CheckpointSearch(
            last, limit: limit, vouchedEnd: vouchedEnd ?? 0, options: options)
        let nodes = nodes(last.header.realmID)
        var damaged: [CheckpointReference] = []
        var firstError: StoreError?
        if let load {
            for reference in search.kept.all {
                do {
                    let segments = try segments(directory, from: reference.position, to: last)
                    try load(reference, nodes)
                    if reference != search.kept.newest { search.damagedPosition = nil }
                    return Beginning(
                        segments: segments, reference: reference, search: search,
                        damaged: damaged)
                } catch {
                    guard
                        error.code == .invalidDatabase || error.code == .historyTrimmed
                            || error.isMediaFailure
                    else { throw error }
                    damaged.append(reference)
                    firstError = firstError ?? error
                }
            }
        }
        search.damagedPosition = nil
        let segments: [LogSegment]
        do {
            segments = try Self.segments(directory, from: 0, to: last)
        } catch {
            throw firstError ?? error
        }
        try load?(nil, nodes)
        return Beginning(segments: segments, reference: nil, search: search, damaged: damaged)
    }

    /// The segments from the one that holds `position` to `last`, or from the first one (0).
    private static func segments(
        _ directory: any RealmDirectory, from position: LogPosition, to last: LogSegment
    ) throws(StoreError) -> [LogSegment] {
        var segments = [last]
        var first = last
        while position == 0 ? first.header.number > 0 : first.header.base > position {
            guard first.header.number > 0 else {
                throw StoreError(
                    .invalidDatabase,
                    "The log of \(directory.path) begins behind position \(position), where a "
                        + "checkpoint goes on. Restore it from a backup.", path: directory.path,
                    position: position)
            }
            let number = first.header.number - 1
            do {
                first = try LogSegment.open(directory, generation: 0, number: number)
            } catch {
                guard error.code == .fileNotFound else { throw error }
                throw missing(directory, number, next: number + 1)
            }
            segments.append(first)
        }
        return segments.reversed()
    }

    static func missing(_ directory: any RealmDirectory, _ number: UInt64, next: UInt64)
        -> StoreError
    {
        StoreError(
            .invalidDatabase,
            "\(directory.path) lacks segment log-0-\(number) of its log, though log-0-\(next) "
                + "is there. Restore it from a backup.",
            path: directory.path + "/log-0-\(number)")
    }

    /// Begins anew, behind everything that this process has read: the segment that comes next was
    /// trimmed away, so a newer checkpoint is there.
    func reload(_ page: ControlPage, _ load: @escaping Load, _ deliver: Deliver) throws(StoreError)
    {
        var page = page
        for attempt in 0... {
            do throws(StoreError) {
                let beginning = try Self.findBeginning(
                    directory, nodes: { _ in nodes }, options: options,
                    lastNumber: page.segmentNumber, limit: page.visibleEnd,
                    page: page, load: load)
                try checkSuccessor(beginning.segments[0])
                stand(at: beginning)
                control = page
                return try read(through: page, deliver)
            } catch {
                // trimmed again meanwhile: there is a newer one still
                guard !holdsWriter, attempt < 8, let now = lock.loadControl(),
                    now.realmID == realmID, now.visibleEnd != page.visibleEnd
                else { throw error }
                page = now
            }
        }
    }
}
