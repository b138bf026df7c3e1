/// The summaries of the newest commits, merged where no subscription needs them apart: a chain of
/// segments, each of which begins where somebody that has not taken stands, and ends where the next
/// one stands or at the newest commit.
///
/// A segment is a few summaries. It is merged into one when it has doubled since it was merged last:
/// so it takes about as much memory as the objects that changed, and each change is merged O(1)
/// times, amortised (O(log n) where takers between others go). Beyond a number of bytes the oldest
/// segments are dropped, and those who stand there do without.
struct SummaryHistory {
    private struct Segment {
        /// How many stand at its beginning.
        var takerCount: Int
        var summaries: [CommitSummary]
        var byteCount: Int
        /// What it had when it was merged last.
        var mergedByteCount: Int
        var previous: UInt64?
        var next: UInt64?
    }

    /// By the version that they begin after.
    private var segments: [UInt64: Segment] = [:]
    private var head: UInt64?
    private var tail: UInt64?
    /// Bytes of all summaries, as they estimate them.
    private(set) var byteCount = 0
    /// Summaries that are kept.
    private(set) var count = 0

    private static let slackByteCount = 4096

    /// Adds the newest commit. So many takers are concerned for the first time by it: they stand
    /// before it.
    ///
    /// - Complexity: O(1) amortised for each change.
    mutating func append(_ summary: CommitSummary, newTakers: Int) {
        let bytes = summary.byteCount
        if newTakers > 0 {
            let start = summary.version - 1
            segments[start] = Segment(
                takerCount: newTakers, summaries: [summary], byteCount: bytes,
                mergedByteCount: bytes, previous: tail, next: nil)
            if let tail { segments[tail]?.next = start }
            if head == nil { head = start }
            tail = start
        } else if let tail {
            segments[tail]?.summaries.append(summary)
            segments[tail]?.byteCount += bytes
        } else {
            return
        }
        byteCount += bytes
        count += 1
        if newTakers == 0, let tail { mergeIfDoubled(tail) }
    }

    /// What came after `since`, of one who stands there and goes; nil if it was dropped.
    ///
    /// - Complexity: O(summaries after it).
    mutating func take(since: UInt64) -> [CommitSummary]? {
        guard segments[since] != nil else { return nil }
        var summaries: [CommitSummary] = []
        var start: UInt64? = since
        while let place = start, let segment = segments[place] {
            summaries += segment.summaries
            start = segment.next
        }
        release(since: since)
        return summaries
    }

    /// One who stands there goes.
    mutating func release(since: UInt64) {
        guard let takerCount = segments[since]?.takerCount else { return }
        segments[since]?.takerCount = takerCount - 1
        if takerCount > 1 { return }
        if since == head {
            dropHead()
        } else {
            join(since)
        }
    }

    /// Drops the oldest segments until there are no more bytes than that.
    mutating func limit(byteCountMax: Int) {
        while byteCount > byteCountMax, let head, let segment = segments[head] {
            if segment.summaries.count > 1, segment.byteCount / 5 >= segment.mergedByteCount / 4 {
                merge(head)
            } else {
                dropHead()
            }
        }
    }

    private mutating func dropHead() {
        guard let start = head, let segment = segments.removeValue(forKey: start) else { return }
        head = segment.next
        if let next = segment.next { segments[next]?.previous = nil } else { tail = nil }
        byteCount -= segment.byteCount
        count -= segment.summaries.count
    }

    /// Appends a segment to the one before it.
    private mutating func join(_ start: UInt64) {
        guard let segment = segments.removeValue(forKey: start), let previous = segment.previous
        else { preconditionFailure("A segment before another one is missing.") }
        segments[previous]?.summaries += segment.summaries
        segments[previous]?.byteCount += segment.byteCount
        let mergedByteCount = segments[previous]?.mergedByteCount ?? 0
        segments[previous]?.mergedByteCount = max(mergedByteCount, segment.mergedByteCount)
        segments[previous]?.next = segment.next
        if let next = segment.next { segments[next]?.previous = previous } else { tail = previous }
        mergeIfDoubled(previous)
    }

    private mutating func mergeIfDoubled(_ start: UInt64) {
        guard let segment = segments[start], segment.summaries.count > 1,
            segment.byteCount > 2 * segment.mergedByteCount + SummaryHistory.slackByteCount
        else { return }
        merge(start)
    }

    private mutating func merge(_ start: UInt64) {
        guard let segment = segments[start] else { return }
        let merged = CommitSummary.merged(segment.summaries)
        let bytes = merged?.byteCount ?? 0
        byteCount += bytes - segment.byteCount
        count += (merged == nil ? 0 : 1) - segment.summaries.count
        segments[start]?.summaries = merged.map { [$0] } ?? []
        segments[start]?.byteCount = bytes
        segments[start]?.mergedByteCount = bytes
    }
}
