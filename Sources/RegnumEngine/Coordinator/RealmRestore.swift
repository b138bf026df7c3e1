internal import Glibc
package import RegnumStore

/// A new realm with an earlier state of another one, or of a backup, as far as its history reaches
/// back. The other realm is only read, and may be in use.
package struct RealmRestore: Sendable {
    /// The state to restore.
    package enum Point: Sendable {
        case newest
        case version(UInt64)
        /// The newest commit that was made at this time or earlier, in microseconds since 1970.
        case time(Int64)
    }

    private let source: String
    private let point: Point
    private let target: String
    /// The options for reading the other realm and for creating this one.
    package var options: CoordinatorOptions
    /// Called repeatedly; returning false cancels it.
    private let shouldContinue: @Sendable () -> Bool

    /// How often it starts over because another process removes history.
    private static let maximumAttemptCount = 8

    /// - Parameters:
    ///   - target: the directory to create; a path without a trailing slash.
    ///   - key: the key of both realms.
    package init(
        of source: String, at point: Point, to target: String,
        key: EncryptionKey? = nil, fileSystem: any FileSystem = PosixFileSystem.shared,
        shouldContinue: @escaping @Sendable () -> Bool
    ) {
        self.source = source
        self.point = point
        self.target = target
        options = RealmContent.reading(source, key, fileSystem)
        self.shouldContinue = shouldContinue
    }

    /// Creates the realm on a thread of `IOPool`. Returns its version.
    ///
    /// Throws `historyTrimmed` if the state is older than the history, `invalidInput` if it is
    /// newer than the realm; otherwise the errors of `RealmLog.openForReading` and `RealmCopy`.
    ///
    /// - Complexity: O(n), and O(changes) for those since the checkpoint before the version; for a
    ///   time, the log since then is read.
    package func make() async throws(StoreError) -> UInt64 {
        try await Coordinator.onPool { () throws(StoreError) in
            try UnfinishedRealm.checkTarget(target, "copy", options.fileSystem)
            let (root, timelines) = try find()
            try RealmCopy(
                of: root, timelines, to: target, options, shouldContinue: shouldContinue
            ).makeHere()
            return root.version
        }
    }

    private func find() throws(StoreError) -> (root: DatabaseRoot, timelines: Timelines) {
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let (log, _) = try incoming.preferringIntact { () throws(StoreError) in
            try RealmLog.openForReading(
                options.fileSystem, path: source, options: options.store, load: incoming.begin,
                incoming.apply)
        }
        defer { log.releaseLocks() }
        let newest = incoming.root
        let timelines = log.timelines.withLock { $0 }
        let version: UInt64
        switch point {
        case .newest: return (newest, timelines)
        case .version(let number): version = number
        case .time(let time):
            version = try retrying(log.history) { (history) throws(StoreError) in
                try self.version(at: time, history, newest.version)
            }
        }
        if version == newest.version { return (newest, timelines) }
        let root = try retrying(log.history) { (history) throws(StoreError) in
            try rebuild(version, history, newest)
        }
        return (root, timelines)
    }

    /// Repeats `body` while the files of the realm change.
    private func retrying<Result>(
        _ history: LogHistory, _ body: (LogHistory) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        var names: Set<String>?
        for attempt in 1... {
            do throws(StoreError) {
                return try body(history)
            } catch {
                guard error.code == .historyTrimmed, attempt < Self.maximumAttemptCount else {
                    throw error
                }
                let now = try history.names()
                if now == names { throw error }
                names = now
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    // MARK: A version

    private func rebuild(
        _ version: UInt64, _ history: LogHistory, _ newest: DatabaseRoot
    ) throws(StoreError) -> DatabaseRoot {
        guard version <= newest.version else {
            let range = try range(history, newest.version)
            throw StoreError(
                .invalidInput,
                "The realm at \(source) has no version \(version) yet: \(range).", path: source)
        }
        let findings = try history.find(version)
        var failure: StoreError?
        for beginning in findings.beginnings {
            do throws(StoreError) {
                let past = try PastRoot(beginning, history.nodes, knownSchema: newest.schema)
                while try !past.advance(to: version) { try checkCancellation() }
                return past.root
            } catch {
                guard error.code == .historyTrimmed || error.isPermanentDamage else {
                    throw error
                }
                if failure == nil || error.isPermanentDamage { failure = error }
            }
        }
        if let failure { throw failure }
        let range = try range(history, newest.version)
        throw StoreError(
            .historyTrimmed,
            "Version \(version) of the realm at \(source) is no longer in its history: \(range).",
            path: source)
    }

    /// Returns which versions are available.
    private func range(_ history: LogHistory, _ newest: UInt64) throws(StoreError) -> String {
        guard let oldest = try history.findAll().beginnings.last?.replay.version, oldest < newest
        else { return "only version \(newest) is available" }
        return "versions \(oldest) to \(newest) are available"
    }

    // MARK: A time

    /// Returns the version of the newest commit that was made at a time or earlier. Searches from
    /// one checkpoint to the next, the newest commits first, so that earlier ones may be damaged.
    private func version(
        at time: Int64, _ history: LogHistory, _ newest: UInt64
    ) throws(StoreError) -> UInt64 {
        let (beginnings, damage) = try history.findAll()
        var end = newest
        var first: (version: UInt64, time: Int64)?
        var last: (version: UInt64, time: Int64)?
        for beginning in beginnings where beginning.replay.version < end {
            var replay = beginning.replay
            var found: UInt64?
            var times: [(version: UInt64, time: Int64)] = []
            while let body = try replay.nextCommit(through: end) {
                try checkCancellation()
                guard let commitTime = LogReplay.time(ofCommit: body) else { continue }
                if commitTime <= time { found = replay.version }
                if times.count == 2 { times.removeLast() }
                times.append((replay.version, commitTime))
            }
            if let found { return found }
            first = times.first ?? first
            last = last ?? times.last
            end = beginning.replay.version
        }
        if let damage { throw damage }
        let known =
            if let first, let last {
                "the times of versions \(first.version) (\(Self.text(first.time))) to "
                    + "\(last.version) (\(Self.text(last.time))) are known"
            } else {
                "it has no log, so only version \(newest) is available, and its time isn't known"
            }
        throw StoreError(
            .historyTrimmed,
            "The history of the realm at \(source) has no commit made at \(Self.text(time)) or "
                + "before: \(known).", path: source)
    }

    /// Returns a time in ISO 8601.
    private static func text(_ microseconds: Int64) -> String {
        var seconds = Int(microseconds / 1_000_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(microseconds) µs since 1970" }
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(parts.tm_year) + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))T"
            + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))Z"
    }

    private func checkCancellation() throws(StoreError) {
        if !shouldContinue() {
            throw StoreError(.closed, "Restoring \(target) was cancelled.", path: target)
        }
    }
}
