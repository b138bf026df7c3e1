/// The newest commits, each apart, as long as a subscription that wants them so has not taken them;
/// with the roots of those commits that such a subscription is to get.
///
/// Beyond a number of bytes the oldest are dropped, and those who stand before them do without.
struct CommitHistory {
    private struct Item {
        var summary: CommitSummary
        var byteCount: Int
        var root: DatabaseRoot?
        /// Subscriptions that are to get the root.
        var rootUserCount: Int
    }

    /// Ascending by version, without a gap; the newest commit is the last.
    private var items: [Item] = []
    private var first = 0
    /// The versions that takers stand at, ascending, some of which have none any more.
    private var places: [UInt64] = []
    private var firstPlace = 0
    private var takerCounts: [UInt64: Int] = [:]
    private(set) var byteCount = 0
    private(set) var rootCount = 0
    /// Roots that are to be let go of outside the lock.
    private(set) var droppedRoots: [DatabaseRoot] = []

    /// What a root counts of the bytes: what it alone shows is not known beforehand.
    static let rootByteCount = 16_384

    var count: Int { items.count - first }

    /// Adds the newest commit, if somebody stands before it.
    ///
    /// - Parameters:
    ///   - newTakers: so many are concerned for the first time by it.
    ///   - rootUserCount: so many are to get its root.
    mutating func append(
        _ summary: CommitSummary, _ root: DatabaseRoot, newTakers: Int, rootUserCount: Int
    ) {
        if newTakers > 0 {
            places.append(summary.version - 1)
            takerCounts[summary.version - 1] = newTakers
        }
        if takerCounts.isEmpty { return }
        var item = Item(
            summary: summary, byteCount: summary.byteCount, root: nil, rootUserCount: rootUserCount)
        if rootUserCount > 0 {
            item.root = root
            item.byteCount += CommitHistory.rootByteCount
            rootCount += 1
        }
        byteCount += item.byteCount
        items.append(item)
    }

    /// Whether what came after `since` is there, for one who stands there.
    func has(since: UInt64) -> Bool { takerCounts[since] != nil }

    /// What came after `since`, of one who stands there and goes; nil if it was dropped.
    ///
    /// - Parameters:
    ///   - concerning: the versions of those that concerned it, ascending.
    ///   - hasRoots: whether it is among those that get the roots of these.
    /// - Complexity: O(commits after it).
    mutating func take(
        since: UInt64, concerning: [UInt64], hasRoots: Bool
    ) -> [KeptCommit]? {
        guard has(since: since), let start = index(after: since) else {
            if hasRoots { releaseRoots(concerning) }
            return nil
        }
        var commits: [KeptCommit] = []
        commits.reserveCapacity(items.count - start)
        var next = 0
        for item in items[start...] {
            let isConcerning =
                next < concerning.count && concerning[next] == item.summary.version
            if isConcerning { next += 1 }
            commits.append(
                KeptCommit(
                    summary: item.summary, isConcerning: isConcerning,
                    root: hasRoots && isConcerning ? item.root : nil))
        }
        release(since: since, roots: hasRoots ? concerning : [])
        return commits
    }

    /// One who stands there goes, and needs the roots of these versions no longer.
    mutating func release(since: UInt64, roots: [UInt64]) {
        releaseRoots(roots)
        guard let takerCount = takerCounts[since] else { return }
        takerCounts[since] = takerCount > 1 ? takerCount - 1 : nil
        trim()
    }

    /// Drops the oldest until there are no more bytes than that.
    mutating func limit(byteCountMax: Int) {
        guard byteCount > byteCountMax else { return }
        while byteCount > byteCountMax, count > 0 {
            let version = items[first].summary.version
            dropFirst()
            while firstPlace < places.count, places[firstPlace] < version {
                takerCounts[places[firstPlace]] = nil
                firstPlace += 1
            }
        }
        trim()
    }

    /// The roots to let go of.
    mutating func takeDroppedRoots() -> [DatabaseRoot] {
        defer { droppedRoots = [] }
        return droppedRoots
    }

    /// One who was to get the roots of these versions goes.
    mutating func releaseRoots(_ versions: [UInt64]) {
        for version in versions { releaseRoot(version) }
    }

    private func index(after version: UInt64) -> Int? {
        guard count > 0, items[first].summary.version <= version + 1 else { return nil }
        return first + Int(version + 1 - items[first].summary.version)
    }

    private mutating func releaseRoot(_ version: UInt64) {
        guard let index = index(after: version - 1), index < items.count,
            let root = items[index].root
        else { return }
        items[index].rootUserCount -= 1
        guard items[index].rootUserCount == 0 else { return }
        droppedRoots.append(root)
        items[index].root = nil
        items[index].byteCount -= CommitHistory.rootByteCount
        byteCount -= CommitHistory.rootByteCount
        rootCount -= 1
    }

    /// Drops what nobody stands before.
    private mutating func trim() {
        while firstPlace < places.count, takerCounts[places[firstPlace]] == nil { firstPlace += 1 }
        let oldest = firstPlace < places.count ? places[firstPlace] : .max
        while count > 0, items[first].summary.version <= oldest { dropFirst() }
        if first > 64, first * 2 > items.count {
            items.removeFirst(first)
            first = 0
        }
        if firstPlace > 64, firstPlace * 2 > places.count {
            places.removeFirst(firstPlace)
            firstPlace = 0
        }
    }

    private mutating func dropFirst() {
        byteCount -= items[first].byteCount
        if let root = items[first].root {
            droppedRoots.append(root)
            rootCount -= 1
        }
        items[first] = Item(
            summary: CommitSummary(version: 0, origin: nil, tables: [:]), byteCount: 0, root: nil,
            rootUserCount: 0)
        first += 1
    }
}
