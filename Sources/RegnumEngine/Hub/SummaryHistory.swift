/// The summaries of the newest commits, merged where no subscription needs them separately. They
/// form a chain of segments. Each begins at the position of a subscriber and ends at the position
/// of the next one or at the newest commit.
///
/// A segment consists of a few summaries. It is merged into one when it has doubled in size since
/// its last merge, so it takes about as much memory as the objects that changed, and each change is
/// merged O(1) times, amortized (O(log n) if subscribers between others leave). Beyond a byte limit
/// the oldest segments are dropped, and their subscribers get none.
struct SummaryHistory {
    private struct Segment {
        /// The number of subscribers positioned at its beginning.
        var subscriberCount: Int
        var summaries: [CommitSummary]
        var byteCount: Int
        /// The size after its last merge.
        var mergedByteCount: Int
        var previous: UInt64?
        var next: UInt64?
    }

    /// The segments by the version after which they begin.
    private var segments: [UInt64: Segment] = [:]
    private var head: UInt64?
    private var tail: UInt64?
    /// The estimated size of all summaries.
    private(set) var byteCount = 0
    /// The number of kept summaries.
    private(set) var count = 0

    private static let slackByteCount = 4096

    /// Adds the newest commit. `newSubscriberCount` is the number of subscribers for which it is
    /// the first relevant commit; they are positioned before it.
    ///
    /// - Complexity: O(1) amortized for each change.
    mutating func append(_ summary: CommitSummary, newSubscriberCount: Int) {
        let bytes = summary.byteCount
        if newSubscriberCount > 0 {
            let start = summary.version - 1
            segments[start] = Segment(
                subscriberCount: newSubscriberCount, summaries: [summary], byteCount: bytes,
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
        if newSubscriberCount == 0, let tail { mergeIfDoubled(tail) }
    }

    /// Returns the summaries after `since` to a subscriber positioned there, and removes the
    /// subscriber; `nil` if they were dropped.
    ///
    /// - Complexity: O(summaries after `since`).
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

    /// Removes a subscriber at `since`.
    mutating func release(since: UInt64) {
        guard let subscriberCount = segments[since]?.subscriberCount else { return }
        segments[since]?.subscriberCount = subscriberCount - 1
        if subscriberCount > 1 { return }
        if since == head {
            dropHead()
        } else {
            join(since)
        }
    }

    /// Drops the oldest segments until the byte limit is met, merging them first if that is likely
    /// to help.
    mutating func limit(maximumByteCount: Int) {
        while byteCount > maximumByteCount, let head, let segment = segments[head] {
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

    /// Appends a segment to its predecessor.
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
