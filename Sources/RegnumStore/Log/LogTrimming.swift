/// The removal of files that neither the two kept checkpoints nor the retention need: segments
/// whose records are all before the older checkpoint, nodes files that neither refers to, and files
/// that were never completed. A nodes file newer than the newest checkpoint's is kept if its
/// checkpoint may be about to be recorded in the log.
///
/// Can run on any thread, concurrently with the log's owner. If interrupted, the next run removes
/// the remaining files. Other processes keep files that they have open or mapped.
package struct LogTrimming: Sendable {
    let directory: any RealmDirectory
    /// Whether nothing is removed, because the record with the checkpoints may not be durable yet
    /// or an older checkpoint is still needed.
    package var keepsAll: Bool
    /// Whether all history is kept, whatever the retention: the realm is a copy to which nothing
    /// has been committed, and its log has what was added from the original.
    let keepsHistory: Bool
    /// The first log position that is needed to open the realm.
    let firstNeeded: LogPosition
    var neededFiles: Set<UInt64>
    /// The nodes file of the newest checkpoint.
    let newestFile: UInt64
    let lastSegmentNumber: UInt64
    /// The end of the log.
    let end: LogPosition
    let wallClockMicroseconds: Int64
    let options: StoreOptions
    let retentionFile: RetentionFile
    /// Nodes files that killed processes left, newer than the newest checkpoint's.
    var orphans: Set<UInt64> = []
    /// Whether no other process has the realm open. Then nodes files newer than the newest
    /// checkpoint's are removed too.
    var isAlone = false
    /// Whether the history ends where files are encrypted with a former key, whatever the
    /// retention: as without that key, such files are only kept if opening the realm needs them.
    package var removesFormerKeys = false

    /// Removes the files. Throws the errors of the file system, which can be ignored. Files of
    /// another user that can't be removed, such as those in a directory with the sticky bit, keep
    /// later segments, but no other files.
    package func run() throws(StoreError) {
        guard !keepsAll else { return }
        let names = try directory.names()
        // The next open would remove the realm if the segment that a stray mark names were gone.
        if names.contains(UnfinishedMark.Kind.removal.rawValue),
            try UnfinishedMark(.removal, in: directory) != nil
        {
            return
        }
        let numbers = SegmentHeader.numbers(names).filter { $0 <= lastSegmentNumber }
        let files = names.compactMap(NodesHeader.parse)
        let retention =
            keepsHistory ? .unlimited : try retentionFile.effective() ?? options.retention
        let past = try retained(numbers, files, retention)
        let firstNeeded = min(firstNeeded, past?.position ?? .max)
        var refusal: StoreError?
        var hasRemoved = false
        /// - Returns: false if it belongs to another user.
        func remove(_ name: String) throws(StoreError) -> Bool {
            do throws(StoreError) {
                try directory.unlink(name)
            } catch {
                guard error.code == .filePermissionDenied else { throw error }
                refusal = refusal ?? error
                return false
            }
            hasRemoved = true
            return true
        }
        for number in try obsoleteSegments(numbers, before: firstNeeded) {
            guard try remove(SegmentHeader.fileName(number: number)) else { break }
            // Removes older segments first, durably, so that the remaining log never has a gap.
            try directory.sync()
        }
        hasRemoved = false
        for number in files where !neededFiles.contains(number) {
            // Numbers increase: the bulk commits since the retained checkpoint aren't in
            // lower-numbered files.
            let isPast = number < min(newestFile, past?.firstFile ?? .max)
            guard isPast || isAlone && number > newestFile else { continue }
            _ = try remove(NodesHeader.fileName(number))
        }
        for number in orphans where files.contains(number) {
            _ = try remove(NodesHeader.fileName(number))
        }
        if removesFormerKeys, let key = options.key, names.contains(MigrationMark.fileName),
            (try? directory.isMarkEncrypted(with: key)) == false
        {
            // A migration isn't resumed after a compaction.
            _ = try remove(MigrationMark.fileName)
        }
        if hasRemoved { try directory.sync() }
        removeAbandoned(names)
        retentionFile.storeDelayed()
        if let refusal { throw refusal }
    }

    /// Removes files that killed processes didn't complete. Without this, they would remain until a
    /// process opens the realm alone, which never happens if processes are replaced one at a time.
    private func removeAbandoned(_ names: [String]) {
        for name in names
        where TemporaryName.isAbandoned(name, nowMicroseconds: wallClockMicroseconds) {
            try? directory.unlink(name)
        }
    }

    /// Returns the segments before the last one whose base is at most `position`. Headers that are
    /// damaged, or that this user may not read, are skipped, so that they don't keep files forever.
    func obsoleteSegments(
        _ numbers: [UInt64], before position: LogPosition
    ) throws(StoreError) -> [UInt64] {
        guard position > 0 else { return [] }
        var count = 0
        for (index, number) in numbers.enumerated().dropFirst() {
            guard let segment = try open(number).segment else { continue }
            guard segment.header.base <= position else { break }
            count = index
        }
        return Array(numbers[..<count])
    }

    /// Returns where replay to the oldest retained version starts, if that is before `firstNeeded`:
    /// at a checkpoint in a segment header, or at the beginning of the log. The history ends at a
    /// damaged header. What this user may not read is kept until later segments show that it has
    /// expired, since others may read it.
    private func retained(
        _ numbers: [UInt64], _ files: [UInt64], _ retention: HistoryRetention
    ) throws(StoreError) -> (position: LogPosition, firstFile: UInt64)? {
        guard !retention.isNone else { return nil }
        if firstNeeded == 0 { return (0, 0) }
        // Later bulk commits may be in any later file.
        let unusable = files.filter { $0 < newestFile && !isUsable($0) }.max()
        let leastFile = max(try leastFile(files, retention), unusable.map { $0 + 1 } ?? 0)
        let files = Set(files.filter { $0 >= leastFile })
        var first: SegmentHeader?
        var isExpired = true
        var past = Past()
        var begin: (position: LogPosition, firstFile: UInt64)?
        var hasHidden = false
        for (index, number) in numbers.enumerated() {
            let found = try open(number)
            guard let header = found.segment?.header else {
                hasHidden = found.isHidden
                // Once it has begun, only another key ends it: others may be readable later.
                let isRetained = !isExpired && begin != nil && !found.hasOtherKey
                if !found.isHidden, !isRetained { (first, begin) = (nil, nil) }
                continue
            }
            if isExpired, index > 0 {
                isExpired = try hasExpired(numbers, before: index, header, retention, &past)
                if isExpired { (begin, hasHidden) = (nil, false) }
            }
            if hasHidden, begin == nil { return (0, 0) }
            // The retained versions start at `begin`, whose checkpoint they build on. They end at a
            // later segment whose key isn't known.
            if header.base >= firstNeeded { break }
            if !isExpired, begin != nil {
                if options.key == nil { break }
                continue
            }
            let oldest = first ?? header
            first = oldest
            begin = begin ?? Self.beginning(header, oldest, files, leastFile)
        }
        return begin
    }

    /// The options with the keys of files that may be kept for the history.
    private var readingOptions: StoreOptions {
        var options = options
        if removesFormerKeys { options.key = options.key?.alone }
        return options
    }

    /// Whether the history may need a nodes file, as far as its key is concerned.
    private func isUsable(_ number: UInt64) -> Bool {
        guard options.key != nil else { return true }
        do throws(StoreError) {
            try directory.checkKey(of: NodesHeader.fileName(number), readingOptions)
        } catch {
            return error.code != .wrongKey
        }
        return true
    }

    /// Opens a segment. Returns `nil` if its header is damaged or can't be read from the disk or
    /// with the keys (`hasOtherKey`), if this user may not read it (`isHidden`), or if the segment
    /// was removed since it was listed, as it may be while its size is measured.
    private func open(
        _ number: UInt64
    ) throws(StoreError) -> (segment: LogSegment?, isHidden: Bool, hasOtherKey: Bool) {
        do throws(StoreError) {
            return (try LogSegment.open(directory, number, readingOptions), false, false)
        } catch {
            let isHidden = error.code == .filePermissionDenied
            guard
                isHidden || error.code == .invalidDatabase || error.code == .fileNotFound
                    || error.code == .wrongKey || error.isMediaFailure
            else { throw error }
            return (nil, isHidden, error.code == .wrongKey)
        }
    }

    /// - Parameter leastFile: lower-numbered nodes files exceed the retention.
    private static func beginning(
        _ header: SegmentHeader, _ first: SegmentHeader, _ files: Set<UInt64>,
        _ leastFile: UInt64
    ) -> (position: LogPosition, firstFile: UInt64)? {
        let usable = header.checkpoints.all.first { reference in
            reference.position >= first.base && files.contains(reference.file)
                && reference.file >= leastFile
        }
        if let usable { return (usable.position, usable.file) }
        return leastFile == 0 && first.number == 0 && first.base == 0 ? (0, 0) : nil
    }

    /// Returns the lowest nodes file from which on all files that only the history needs fit into
    /// the retention; 0 if all fit.
    private func leastFile(
        _ files: [UInt64], _ retention: HistoryRetention
    ) throws(StoreError) -> UInt64 {
        guard let limit = retention.nodesByteCount else { return 0 }
        var byteCount: UInt64 = 0
        for number in files.sorted(by: >)
        where number < newestFile && !neededFiles.contains(number) {
            let (sum, isOver) = byteCount.addingReportingOverflow(try size(ofFile: number))
            if isOver || sum > limit { return number + 1 }
            byteCount = sum
        }
        return 0
    }

    /// Returns the size of a nodes file; 0 if this user may not read it.
    private func size(ofFile number: UInt64) throws(StoreError) -> UInt64 {
        do throws(StoreError) {
            return try directory.open(NodesHeader.fileName(number)).size()
        } catch {
            guard error.code == .filePermissionDenied else { throw error }
            return 0
        }
    }

    /// The times of the commits in the segments that were read completely.
    private struct Past {
        /// The number of these segments, which are the first ones.
        var segmentCount = 0
        /// The time of the youngest commit. Later commits are no older, even if a clock that was
        /// behind dated them back.
        var newestTime = Int64.min
    }

    /// Returns whether everything before a segment has expired.
    private func hasExpired(
        _ numbers: [UInt64], before index: Int, _ header: SegmentHeader,
        _ retention: HistoryRetention, _ past: inout Past
    ) throws(StoreError) -> Bool {
        let (base, now) = (header.base, wallClockMicroseconds)
        // If the size alone decides, no commits are read.
        if retention.hasExpired(before: base, nil, end: end, now: now) { return true }
        let next = numbers[index...]
        guard let time = try firstCommitTime(next, notBefore: past.newestTime),
            retention.hasExpired(before: base, time, end: end, now: now)
        else { return false }
        // The segments before this one are read only if it seems that they can be removed.
        for number in numbers[past.segmentCount..<index] {
            try readTimes(number) { time in
                past.newestTime = max(past.newestTime, time)
                return true
            }
        }
        past.segmentCount = index
        if time >= past.newestTime { return true }
        let youngerTime = try firstCommitTime(next, notBefore: past.newestTime)
        return retention.hasExpired(before: base, youngerTime, end: end, now: now)
    }

    /// The bytes of a segment in which a commit with a right time is searched for. With a clock
    /// that is behind by years, none is right, and the whole log would be read for each checkpoint.
    private static let searchedByteCount: UInt64 = 256 << 10

    /// Returns the time of the first commit in the segments, or `nil` if there is none. Ignores
    /// times before `earliest` or in the future, which come from a wrong clock. A segment that
    /// begins after a checkpoint has no commit if the next batch didn't fit into it.
    private func firstCommitTime(
        _ numbers: ArraySlice<UInt64>, notBefore earliest: Int64
    ) throws(StoreError) -> Int64? {
        for number in numbers {
            var found: Int64?
            try readTimes(number, inFirst: Self.searchedByteCount) { time in
                if time >= earliest { found = time }
                return found == nil
            }
            if let found { return found }
        }
        return nil
    }

    /// Calls a closure with the times of a segment's commits, in order, except for those in the
    /// future, until it returns false. What can't be read, or may not be, is skipped.
    private func readTimes(
        _ number: UInt64, inFirst byteCount: UInt64 = .max, _ isMoreWanted: (Int64) -> Bool
    ) throws(StoreError) {
        do throws(StoreError) {
            guard let segment = try open(number).segment else { return }
            var cursor = RecordCursor(segment, options)
            while cursor.position - segment.header.base < byteCount,
                let (record, body) = try cursor.next()
            {
                guard record.header.type == RecordType.commit.rawValue, body.count >= 16 else {
                    continue
                }
                let time = Bytes.load(Int64.self, from: body, at: 8)
                if time <= wallClockMicroseconds, !isMoreWanted(time) { return }
            }
        } catch {
            guard error.isMediaFailure else { throw error }
        }
    }
}
