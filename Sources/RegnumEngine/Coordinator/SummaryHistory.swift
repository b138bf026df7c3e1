/// The summaries of the newest commits, ascending by version without a gap, as long as a subscription
/// may need them.
///
/// A subscription to a class needs only the summaries that touch it, so one to a class that nobody
/// writes keeps none. What was dropped is remembered by class: asking for a stretch of versions of
/// which the dropped ones did not touch the class gives what is left, and that is all there is.
struct SummaryHistory {
    private var summaries: [CommitSummary] = []
    private var first = 0
    private var byteCount = 0
    private var trimCount = 64
    /// All commits since `knownFrom` up to `lastVersion` are here or among the dropped ones.
    private var knownFrom: UInt64 = .max
    private var lastVersion: UInt64 = 0
    /// The newest version that touches each class.
    private var lastTouch: [String: UInt64] = [:]
    /// The newest dropped version that touches each class; under nil the newest dropped at all.
    private var lastDropped: [String?: UInt64] = [:]

    var count: Int { summaries.count - first }

    mutating func append(_ summary: CommitSummary) {
        if knownFrom == .max || lastVersion + 1 != summary.version {
            self = SummaryHistory()  // nothing is known of those in between
            knownFrom = summary.version
        }
        lastVersion = summary.version
        summaries.append(summary)
        byteCount += summary.byteCount
        for table in summary.tables.values { lastTouch[table.tableName] = summary.version }
    }

    /// Looking for the subscription that lags most costs a pass over all of them, so it is done
    /// when the history has doubled, or grown by as many commits as there are subscriptions.
    mutating func isDueForTrim(subscriptions: Int) -> Bool {
        guard count >= trimCount else { return false }
        trimCount = max(64, subscriptions)
        return true
    }

    /// Whether a subscription to the classes that has taken `version` needs older summaries than the
    /// next one.
    func isNeeded(tableNames: [String?], taken version: UInt64) -> Bool {
        tableNames.contains { name in
            guard let name else { return true }
            return lastTouch[name, default: 0] > version
        }
    }

    mutating func dropFirst(through version: UInt64) {
        while count > 0, summaries[first].version <= version { dropFirst() }
        trimCount = max(trimCount, 2 * count)
        compact()
    }

    mutating func limit(byteCountMax: Int) {
        while byteCount > byteCountMax, count > 0 { dropFirst() }
        compact()
    }

    /// The summaries of the versions in `(after, through]`, without such as touch none of the classes;
    /// nil if one that does, or the newest, is gone.
    func summaries(
        tableNames: [String?], after: UInt64, through: UInt64
    ) -> [CommitSummary]? {
        guard through > after else { return [] }
        guard knownFrom <= after + 1, through <= lastVersion,
            tableNames.allSatisfy({ lastDropped[$0, default: 0] <= after })
        else { return nil }
        let oldest = lastVersion + 1 - UInt64(count)
        let start = first + Int(max(after + 1, oldest) - oldest)
        let end = first + Int(max(through + 1, oldest) - oldest)
        return Array(summaries[start..<end])
    }

    private mutating func dropFirst() {
        let summary = summaries[first]
        byteCount -= summary.byteCount
        lastDropped[nil] = summary.version
        for table in summary.tables.values { lastDropped[table.tableName] = summary.version }
        first += 1
    }

    private mutating func compact() {
        guard first > 256, first * 2 > summaries.count else { return }
        summaries.removeFirst(first)
        first = 0
    }
}
