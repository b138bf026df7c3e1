/// The commits after a version that is known from elsewhere.
extension LogHistory {
    /// Returns a reader of the commits after a version, which must not be the newest one; `nil` if
    /// the log no longer has all of them. Earlier commits aren't needed, so they may be damaged.
    ///
    /// Throws `invalidDatabase` if the header of a segment since then is damaged.
    ///
    /// - Complexity: reads the segment that has the next commit, up to that commit, and the first
    ///   commit of each later one.
    package func replay(after version: UInt64) throws(StoreError) -> LogReplay? {
        var end = LogPosition.max
        for number in Self.run(try directory.names()).reversed() {
            // otherwise it was removed in the meantime
            guard let segment = try ifFound(open(number)) else { return nil }
            if let found = try lastCommit(in: segment, before: end, through: version) {
                var replay = LogReplay(
                    directory: directory, options: options, realmID: nodes.realmID, reference: nil,
                    lastNumber: number)
                (replay.point, replay.version) = found
                return replay
            }
            end = segment.header.base
        }
        return nil
    }

    /// Returns the place after the last intact commit of a segment that isn't newer than `version`,
    /// and its version; or the place before the next commit, if that is intact. `nil` if the
    /// segment has neither.
    ///
    /// - Parameter end: the position at which the next segment begins.
    private func lastCommit(
        in segment: LogSegment, before end: LogPosition, through version: UInt64
    ) throws(StoreError) -> (point: LogPoint, version: UInt64)? {
        var segment = segment
        segment.file = PatchedFile(segment.file)
        var found: (point: LogPoint, version: UInt64)?
        var cursor = RecordCursor(segment, limit: end, options)
        while true {
            let point = cursor.point
            guard let (record, body) = try cursor.next() else {
                let next = try segment.intactRecord(after: point.position, before: end, options)
                guard let next else { return found }
                cursor = RecordCursor(segment, at: next, limit: end, options)
                continue
            }
            guard record.header.type == RecordType.commit.rawValue, body.count >= 8 else {
                continue
            }
            let number = Bytes.load(UInt64.self, from: body, at: 0)
            if number == version + 1 { return (point, version) }
            if number > version { return found }
            found = (cursor.point, number)
        }
    }
}
