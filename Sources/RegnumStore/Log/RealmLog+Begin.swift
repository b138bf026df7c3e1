/// Where reading a log starts: after a checkpoint, or at the beginning of the log.
extension RealmLog {
    /// The files and options of a log that is being opened.
    struct Place {
        let fileSystem: any FileSystem
        let directory: any RealmDirectory
        let lock: any LockFile
        let options: StoreOptions
    }

    /// The result of the search for a starting point.
    struct Beginning {
        /// The segments from the one where reading starts to the last one.
        var segments: [LogSegment]
        var reference: CheckpointReference?
        var search: CheckpointSearch
        /// Shares the files with the tree that was loaded from `reference`, so that checkpoints
        /// don't copy the leaves that their file has.
        var nodes: NodesDirectory
        /// Checkpoints that were tried and found to be damaged.
        var damaged: [CheckpointReference]

        var realmID: Identity128 { segments[0].header.realmID }

        /// The end of a log that is read up to there.
        var end: End {
            let first = segments[0]
            guard let reference else {
                return End(
                    segment: first, point: first.header.start, checkpointsEnd: first.header.base)
            }
            return End(
                segment: first, point: reference.point, version: reference.version,
                checkpoints: search.kept.without(damaged), checkpointsEnd: search.keptEnd)
        }
    }

    /// Positions the log at `beginning`.
    func seek(to beginning: Beginning) {
        end = beginning.end
        damagedCheckpoints = beginning.damaged
        reframeCount += 1  // perhaps, in segments that weren't read
        durableEnd = 0
        publishedEnd = end
    }

    /// Finds the newest checkpoint that `load` accepts, and the segments from there on.
    ///
    /// - Parameters:
    ///   - nodes: the nodes files if they are in use already.
    ///   - number: the last segment.
    ///   - limit: the log position at which reading stops.
    ///   - page: the control page, if there is one, of any realm.
    ///   - load: loads a checkpoint; `nil` to ignore checkpoints.
    static func findBeginning(
        _ place: Place, nodes: NodesDirectory? = nil, lastNumber number: UInt64,
        limit: LogPosition, page: ControlPage?, _ load: Load?
    ) throws(StoreError) -> Beginning {
        let (directory, options) = (place.directory, place.options)
        let last = try LogSegment.openLast(directory, number, options)
        try last.checkSize(directory)
        let realmID = last.header.realmID
        try checkRealm(of: page, realmID, place)
        let vouchedEnd = page.flatMap { $0.realmID == realmID ? $0.durableEnd : nil }
        var search = try CheckpointSearch(
            last, limit: limit, vouchedEnd: vouchedEnd ?? 0, options: options)
        let nodes =
            nodes
            ?? NodesDirectory(
                place.fileSystem, directory, realmID: realmID, options: options,
                lock: place.lock)
        var damaged: [CheckpointReference] = []
        var firstError: StoreError?
        if let load {
            for reference in search.kept.all {
                do {
                    let segments = try segments(
                        directory, from: reference.position, to: last, options)
                    try load(reference, nodes)
                    return Beginning(
                        segments: segments, reference: reference, search: search, nodes: nodes,
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
            segments = try Self.segments(directory, from: 0, to: last, options)
        } catch {
            // What the disk can't read now may name the checkpoints that are needed.
            throw search.failure ?? firstError ?? error
        }
        try load?(nil, nodes)
        return Beginning(
            segments: segments, reference: nil, search: search, nodes: nodes, damaged: damaged)
    }

    /// Throws `invalidDatabase` if a control page shows that the log was replaced by that of
    /// another realm.
    ///
    /// `LOCK` is rarely synced. After a system crash, it can therefore be that of a realm that was
    /// deleted before this one was created.
    static func checkRealm(
        of page: ControlPage?, _ realmID: Identity128, _ place: Place
    ) throws(StoreError) {
        guard let page, page.realmID != realmID, page.version > 0, let boot = page.bootID,
            boot == place.fileSystem.bootID()
        else { return }
        throw belongsToAnotherRealm(place.directory.path)
    }

    /// The error for a control page of another realm than the log's.
    static func belongsToAnotherRealm(_ path: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "\(path)/LOCK and the log belong to different realms. \(StoreError.advice) If only "
                + "LOCK is wrong, remove it.", path: path)
    }

    /// Returns the segments from the one that contains `position`, or from the first one (0), to
    /// `last`.
    private static func segments(
        _ directory: any RealmDirectory, from position: LogPosition, to last: LogSegment,
        _ options: StoreOptions
    ) throws(StoreError) -> [LogSegment] {
        var segments = [last]
        var first = last
        while first.header.base > position || position == 0 && first.header.number > 0 {
            guard first.header.number > 0 else {
                throw StoreError(
                    .invalidDatabase,
                    "The log of \(directory.path) must be read from position \(position), but "
                        + "starts after that. \(StoreError.advice)",
                    path: directory.path, position: position)
            }
            let number = first.header.number - 1
            guard let previous = try ifFound(LogSegment.open(directory, number, options)) else {
                throw missing(directory, number, next: number + 1)
            }
            first = previous
            segments.append(first)
        }
        return segments.reversed()
    }

    static func missing(_ directory: any RealmDirectory, _ number: UInt64, next: UInt64)
        -> StoreError
    {
        StoreError(
            .invalidDatabase,
            "\(directory.path) is missing log segment log-0-\(number), although log-0-\(next) "
                + "exists. \(StoreError.advice)",
            path: directory.path + "/log-0-\(number)")
    }

    /// Starts over, ahead of what this process has read: the next segment was trimmed, so there is
    /// a newer checkpoint.
    func reload(_ page: ControlPage, _ load: @escaping Load, _ deliver: Deliver) throws(StoreError)
    {
        var page = page
        for attempt in 0... {
            do throws(StoreError) {
                try checkHasOwnCommits(page)
                let beginning = try Self.findBeginning(
                    Place(
                        fileSystem: fileSystem, directory: directory, lock: lock, options: options),
                    nodes: nodes, lastNumber: page.segmentNumber, limit: page.visibleEnd,
                    page: page, load)
                try checkSuccessor(beginning.segments[0])
                seek(to: beginning)
                control = page
                return try read(through: page, deliver)
            } catch {
                // The log was trimmed again in the meantime, so there is an even newer checkpoint.
                guard !holdsWriter, attempt < 8, let now = readablePage(),
                    now.visibleEnd != page.visibleEnd
                else { throw error }
                page = now
            }
        }
    }

    /// Throws `invalidDatabase` if commits that this process has read were lost in a failed sync,
    /// and replaced in a segment that was trimmed. They are on a timeline that the realm has left.
    private func checkHasOwnCommits(_ page: ControlPage) throws(StoreError) {
        let last = try LogSegment.open(directory, page.segmentNumber, options)
        let timeline = segment.header.timelines.id(at: version)
        guard last.header.realmID == realmID, last.header.timelines.id(at: version) != timeline
        else { return }
        throw lostCommits(at: position, "\(last.name) continues without them")
    }
}
