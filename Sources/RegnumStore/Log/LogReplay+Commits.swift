/// Reading commit by commit.
extension LogReplay {
    /// Returns the body of the next commit, or `nil` after `last` was delivered.
    ///
    /// All versions up to `last` must be published, so that their records no longer change. Throws
    /// `invalidDatabase` if one is damaged, and `historyTrimmed` if the next one has been removed.
    package mutating func nextCommit(through last: UInt64) throws(StoreError) -> [UInt8]? {
        guard version < last else { return nil }
        // A later segment may cut off what an existing cursor would read.
        if cursorVersion != last { cursor = nil }
        cursorVersion = last
        var previousPosition: LogPosition?
        while true {
            var records = if let cursor { cursor } else { try enterSegment() }
            self.cursor = nil
            let start = position
            if let body = try nextCommit(&records) {
                self.cursor = records
                return body
            }
            // The end of a segment, or of what had been written when the cursor was created.
            guard previousPosition != start || position > start else {
                throw damage("commit \(version + 1) is missing, although \(last) was published")
            }
            previousPosition = position
        }
    }

    /// Returns the time at which a commit was made, in microseconds since 1970; `nil` if its body is
    /// damaged.
    package static func time(ofCommit body: [UInt8]) -> Int64? {
        body.count < 16 ? nil : Bytes.load(Int64.self, from: body, at: 8)
    }

    mutating func nextCommit(
        _ records: inout RecordCursor
    ) throws(StoreError) -> [UInt8]? {
        while let (record, body) = try records.next() {
            let start = position
            point = records.point
            guard record.header.type == RecordType.commit.rawValue else { continue }
            guard body.count >= 8, Bytes.load(UInt64.self, from: body, at: 0) == version &+ 1 else {
                point.position = start
                throw damage("the commit after version \(version) has the wrong version")
            }
            version &+= 1
            guard record.header.namesCheckpoints else { return body }
            guard KeptCheckpoints(record, body: body, at: start) != nil else {
                throw damage("a bulk commit has invalid checkpoint references")
            }
            return body.dropLast(KeptCheckpoints.byteCount)
        }
        return nil
    }

    /// Enters the segment that contains `position`, and returns a cursor there. It ends at `limit`,
    /// or at the base of the next segment, which cuts off the end of this one.
    mutating func enterSegment(limit: LogPosition = .max) throws(StoreError) -> RecordCursor {
        var current = if let segment { segment } else { try firstSegment() }
        var limit = limit
        while let next = try successor(current) {
            guard next.header.base <= position else {
                limit = min(limit, next.header.base)
                break
            }
            try enter(next, after: current)
            current = next
        }
        segment = current
        return RecordCursor(current, at: point, limit: limit, options)
    }
}
