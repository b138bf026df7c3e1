extension LogCheck {
    /// Reads the records of a segment up to the base of its successor, or else to the end of the
    /// log. After damage, continues with the next record that is intact.
    ///
    /// - Returns: the place after the last record; `nil` if it isn't known because of damage.
    mutating func read(
        _ segment: LogSegment, before base: LogPosition?, isLast: Bool
    ) throws(StoreError) -> LogPoint? {
        let limit = base ?? (isLast && !isQuiet ? publishedEnd : .max)
        let required = base ?? (isLast ? publishedEnd : 0)
        var cursor = RecordCursor(segment, limit: limit, options)
        while !isOver {
            while !isCancelled(), try acceptNext(&cursor, segment) {}
            let position = cursor.position
            if isOver || position >= required && base != nil { return cursor.point }
            if position >= required, try !isTailDamaged(segment, cursor.point, isLast: isLast) {
                if addFailures(segment, from: position) { lackingEnd = .max }
                return cursor.point
            }
            let resumed = try resume(segment, after: position, before: limit, required)
            if !addFailures(segment, from: position, to: resumed?.position) {
                let next = resumed.map { segment.fileOffset(of: $0.position) }
                report(
                    "the record there does not match its checksums or its predecessor; "
                        + (next.map { "the next one is at byte \($0)" } ?? "none follows"),
                    segment, at: position)
            }
            version = nil
            lackingEnd = resumed?.position ?? .max
            guard let resumed else { return nil }
            cursor = RecordCursor(segment, at: resumed, limit: limit, options)
        }
        return nil
    }

    /// Adds the failures of the disk to read a part of the segment, which may extend to its end.
    /// Returns whether it failed.
    private mutating func addFailures(
        _ segment: LogSegment, from start: LogPosition, to end: LogPosition? = nil
    ) -> Bool {
        let offset = segment.fileOffset(of: start)
        let range = offset..<segment.fileOffset(of: end ?? segment.capacityEnd)
        guard let failures = (segment.file as? PatchedFile)?.takeFailures(in: range) else {
            return false
        }
        for failure in failures { add(failure, segment.name, at: failure.position ?? offset) }
        return true
    }

    /// Reads the next record. Returns whether there is one.
    private mutating func acceptNext(
        _ cursor: inout RecordCursor, _ segment: LogSegment
    ) throws(StoreError) -> Bool {
        let start = cursor.position
        guard let (record, body) = try cursor.next() else { return false }
        recordCount += 1
        byteCount += UInt64(record.byteCount)
        didRead(record.byteCount)
        durableEnd = max(durableEnd, record.header.durableEnd)
        let type = RecordType(rawValue: record.header.type)
        let isCommit = type == .commit
        guard isCommit || type == .checkpoint || type == .idle || record.header.isSkippable else {
            throw StoreError(
                .unsupportedFormat,
                "\(directory.path)/\(segment.name) has a record of kind \(record.header.type), "
                    + "which this version of Regnum does not support. Use a newer version.",
                path: directory.path + "/" + segment.name, position: segment.fileOffset(of: start))
        }
        if isCommit {
            let found = body.count < 8 ? nil : Bytes.load(UInt64.self, from: body, at: 0)
            if found == nil || version.map({ $0 &+ 1 != found }) == true {
                report("the commit there has the wrong version", segment, at: start)
            }
            version = found
            lackingEnd = found == nil ? cursor.position : nil
            if let found, !record.header.namesCheckpoints { note(found) }
        }
        guard record.header.namesCheckpoints else {
            if isCommit { try deliver?(body) }
            return true
        }
        guard let kept = KeptCheckpoints(record, body: body, at: start) else {
            report("the record there has invalid checkpoint references", segment, at: start)
            if isCommit { lackingEnd = cursor.position }
            return true
        }
        keep(kept)
        if isCommit { bulkCommits.append(body.dropLast(KeptCheckpoints.byteCount)) }
        return true
    }

    /// Adds the version of an intact commit that isn't a bulk commit.
    private mutating func note(_ version: UInt64) {
        if let last = versions.last, last.upperBound < .max, last.upperBound + 1 == version {
            versions[versions.count - 1] = last.lowerBound...version
        } else {
            versions.append(version...version)
        }
    }

    /// The newest version that was published, if no crash of the machine can have undone it since.
    package var publishedVersion: UInt64? {
        guard let page, isSameBoot, !page.isRepairDue(lock) else { return nil }
        return page.version
    }

    // MARK: The end of the log

    /// Whether no process is writing, so that the end of the log must be in order.
    private var isQuiet: Bool { isCurrent && !lock.isLockedElsewhere(.writer) }

    var isSameBoot: Bool {
        guard let boot = page?.bootID, let now = fileSystem.bootID() else { return false }
        return boot == now
    }

    /// The position up to which the control page confirms that the log was written.
    private var publishedEnd: LogPosition {
        guard var page else { return 0 }
        guard isSameBoot else { return page.durableEnd }
        page.dropUnconfirmedEnd(lock)
        return page.visibleEnd
    }

    /// Returns whether the bytes after the last record are damage, by the rule by which the next
    /// process opens the realm. Not known while a process is writing.
    ///
    /// - Parameter isLast: whether this is the last segment, to which the control page refers.
    private mutating func isTailDamaged(
        _ segment: LogSegment, _ point: LogPoint, isLast: Bool
    ) throws(StoreError) -> Bool {
        guard isQuiet else { return false }
        var options = options
        options.maximumWindowByteCount = max(
            options.maximumWindowByteCount, options.maximumSegmentByteCount)
        var tailByteCount: UInt64 = 0
        let scan = try TailScan(segment, from: point, options) { [didRead] count in
            tailByteCount += UInt64(count)
            didRead(count)
        }
        byteCount += tailByteCount
        let page = isLast ? page : nil
        let published = isLast ? publishedEnd : 0
        let isRepairDue = page?.isRepairDue(lock) ?? false
        let evidence = TailEvidence(
            firstInvalid: point.position,
            vouchedEnd: max(page?.durableEnd ?? 0, published, durableEnd, scan.vouchedEnd),
            tailIsZero: scan.nonZeroByteCount == 0,
            isSameBoot: isLast && isSameBoot && !isRepairDue, tailIsPrefix: scan.isPrefix)
        let isDamaged = scan.isForged || TailVerdict.decide(evidence) == .damaged
        return isDamaged && isQuiet
    }

    /// Returns the place of the next record after a damaged one, intact or not; `nil` if it can't
    /// be found.
    private func resume(
        _ segment: LogSegment, after position: LogPosition, before limit: LogPosition,
        _ required: LogPosition
    ) throws(StoreError) -> LogPoint? {
        let limit = min(limit, segment.capacityEnd)
        if let damaged = try header(segment, at: position) {
            let byteCount = RecordFraming.byteCount(bodyByteCount: damaged.bodyByteCount)
            let next = position + UInt64(byteCount)
            if next < limit, let (header, _) = try header(segment, at: next) {
                return LogPoint(
                    position: next, sequence: header.sequence, chain: header.previousChain)
            }
            if next < min(limit, required) {
                return LogPoint(
                    position: next, sequence: damaged.header.sequence &+ 1, chain: 0)
            }
        }
        return try segment.intactRecord(after: position, before: limit, options)
    }

    /// Returns the header of a record if its checksum is right.
    private func header(
        _ segment: LogSegment, at position: LogPosition
    ) throws(StoreError) -> (header: RecordHeader, bodyByteCount: Int)? {
        let offset = segment.fileOffset(of: position)
        let bytes = try segment.file.read(at: offset, count: RecordHeader.byteCount)
        return bytes.withUnsafeBytes {
            RecordFraming.decodeHeader(
                $0, salt: segment.header.salt, fileOffset: offset,
                maximumBodyByteCount: options.maximumStoredBodyByteCount)
        }
    }
}
