/// The past versions that can be rebuilt from the files of a realm, and their starting points.
///
/// Opens its own files, so it can be used from any thread concurrently with the log's owner. Other
/// processes may remove files at any time; a caller that gets `historyTrimmed` when it uses a
/// result should search again.
package struct LogHistory: Sendable {
    let directory: any RealmDirectory
    /// The nodes files.
    package let nodes: NodesDirectory
    var options: StoreOptions
    let lock: any LockFile
    let bootID: Identity128?

    /// The starting point from which a version can be rebuilt.
    package struct Beginning: Sendable {
        /// The checkpoint to load; `nil` for an empty realm.
        package let reference: CheckpointReference?
        /// A reader of the commits since then.
        package let replay: LogReplay
    }

    /// The result of a search.
    package struct Findings: Sendable {
        /// The starting points, nearest first. The others are alternatives if a checkpoint is
        /// damaged. Empty if the log doesn't reach back far enough.
        package var beginnings: [Beginning] = []
        /// The oldest version that can be rebuilt, or `nil` if there is none. Meaningful only if
        /// there is no starting point.
        package var oldestVersion: UInt64?
        /// The names in the directory. If they are unchanged, so is the result.
        package var names: Set<String> = []
        /// The format of the last segment.
        package var format = (
            major: SegmentHeader.majorVersion, minor: SegmentHeader.minorVersion
        )
    }

    /// Returns the names in the directory. If they are unchanged, so is the result of a search.
    package func names() throws(StoreError) -> Set<String> { Set(try directory.names()) }

    /// The maximum number of starting points returned.
    private static let maximumBeginningCount = 3

    /// Finds the newest checkpoints that aren't newer than `version` and from which the log is
    /// complete. Segments before one with a damaged or unreadable header aren't used.
    ///
    /// Throws the reason for which such a header, or a part of the last segment that may name such
    /// a checkpoint, can't be read if there is no other starting point.
    ///
    /// - Complexity: reads the last segment, and the headers of earlier ones back to the one from
    ///   which the log since such a checkpoint can be read.
    package func find(_ version: UInt64) throws(StoreError) -> Findings {
        let (findings, damage) = try search(version, limit: Self.maximumBeginningCount)
        if findings.beginnings.isEmpty, let damage { throw damage }
        return findings
    }

    /// Finds all starting points, nearest to the end of the log first. Also returns why the header
    /// of an earlier segment, or a part of the last one, can't be read, if there is one.
    ///
    /// - Complexity: reads the last segment, and the headers of all others.
    package func findAll() throws(StoreError) -> (beginnings: [Beginning], damage: StoreError?) {
        let (findings, damage) = try search(.max, limit: .max)
        return (findings.beginnings, damage)
    }

    private func search(
        _ version: UInt64, limit: Int
    ) throws(StoreError) -> (Findings, damage: StoreError?) {
        for attempt in 0... {
            do {
                let found = try findBeginnings(for: version, limit: limit, isPublished: true)
                if !found.0.beginnings.isEmpty || found.damage != nil { return found }
                // `LOCK` may be older than the log.
                return try findBeginnings(for: version, limit: limit, isPublished: false)
            } catch {
                // The file was removed between listing and opening.
                guard error.code == .fileNotFound, attempt < 16 else { throw error }
            }
        }
        preconditionFailure("the last attempt neither returned nor threw")
    }

    /// - Parameter isPublished: whether the last segment is read only as far as it was published,
    ///   if `LOCK` tells. What follows can be a batch that is being written, or its remains, which
    ///   a search for records after damage would read in full.
    private func findBeginnings(
        for version: UInt64, limit: Int, isPublished: Bool
    ) throws(StoreError) -> (Findings, damage: StoreError?) {
        let names = try directory.names()
        let page = page
        let end = isPublished ? publishedEnd(page) : .max
        let numbers = Self.run(names)
        guard let firstNumber = numbers.first, let lastNumber = numbers.last else {
            throw StoreError(
                .invalidDatabase, "The log of \(directory.path) is missing.", path: directory.path)
        }
        let files = Set(names.compactMap(NodesHeader.parse))
        var findings = Findings()
        findings.names = Set(names)
        var headers: [SegmentHeader] = []
        var usable: [CheckpointReference] = []
        var damage: StoreError?
        var unreadable: StoreError?
        for number in numbers.reversed() {
            let segment: LogSegment
            do {
                segment = try open(number)
            } catch {
                guard
                    number != lastNumber,
                    error.code == .invalidDatabase || error.code == .filePermissionDenied
                        || error.code == .wrongKey || error.isMediaFailure
                else { throw error }
                damage = error
                break
            }
            headers.append(segment.header)
            var named = segment.header.checkpoints.all
            if number == lastNumber {
                let search = try CheckpointSearch(
                    segment, limit: end, vouchedEnd: page?.durableEnd ?? 0, options: options)
                named += search.named
                // Checkpoints that only records name are newer than the header's.
                let newest = segment.header.checkpoints.newest?.version ?? 0
                if newest <= version { unreadable = search.failure }
            }
            for reference in named {
                guard files.contains(reference.file),
                    !usable.contains(where: { $0.namesSameImage(as: reference) })
                else { continue }
                usable.append(reference)
            }
            let base = segment.header.base
            let count = usable.count { $0.version <= version && $0.position >= base }
            if limit < .max, count >= 2 { break }
        }
        findings.format.minor = headers[0].formatMinor
        usable.removeAll { $0.position < headers[headers.count - 1].base }
        usable.sort { $0.version > $1.version }
        let reachesBack = firstNumber == 0 && damage == nil
        findings.oldestVersion = reachesBack ? 0 : usable.last?.version
        for reference in usable where reference.version <= version {
            guard findings.beginnings.count < limit else { break }
            let first = headers.first { $0.base <= reference.position }
            findings.beginnings.append(beginning(reference, first?.number ?? firstNumber))
        }
        if reachesBack, findings.beginnings.count < limit {
            findings.beginnings.append(beginning(nil, 0))
        }
        return (findings, damage ?? unreadable)
    }

    /// The control page, if there is one of this realm.
    private var page: ControlPage? {
        guard (try? lock.isCurrent()) == true, let page = lock.loadControl(),
            page.realmID == nodes.realmID
        else { return nil }
        return page
    }

    /// Returns the published end of the log; `.max` if the control page doesn't tell.
    private func publishedEnd(_ page: ControlPage?) -> LogPosition {
        guard let page, let bootID, page.bootID == bootID else { return .max }
        return page.visibleEnd
    }

    private func beginning(_ reference: CheckpointReference?, _ number: UInt64) -> Beginning {
        Beginning(
            reference: reference,
            replay: LogReplay(
                directory: directory, options: options, realmID: nodes.realmID,
                reference: reference, lastNumber: number))
    }

    /// Returns the number of the last segment and those of its contiguous predecessors.
    static func run(_ names: [String]) -> [UInt64] {
        let numbers = SegmentHeader.numbers(names)
        var start = numbers.count
        while start > 0, start == numbers.count || numbers[start - 1] &+ 1 == numbers[start] {
            start -= 1
        }
        return Array(numbers[start...])
    }

    func open(_ number: UInt64) throws(StoreError) -> LogSegment {
        let segment = try LogSegment.open(directory, number, options)
        guard segment.header.realmID == nodes.realmID else {
            throw StoreError(
                .invalidDatabase, "\(directory.path)/\(segment.name) belongs to another realm.",
                path: directory.path)
        }
        return segment
    }
}
