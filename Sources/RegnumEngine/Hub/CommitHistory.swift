/// The newest commits, kept individually until every subscription that wants individual commits has
/// taken them, including the roots that such subscriptions are entitled to.
///
/// Beyond a byte limit the oldest commits are dropped, and subscribers positioned before them get
/// none.
struct CommitHistory {
    private struct Item {
        var summary: CommitSummary
        var byteCount: Int
        var root: DatabaseRoot?
        /// The number of subscriptions that keep the commit's root.
        var rootUserCount: Int
    }

    /// Ascending by version, without gaps; the newest commit is last.
    private var items: [Item] = []
    private var first = 0
    /// The ascending versions at which subscribers are positioned. Some may have no subscribers
    /// left.
    private var places: [UInt64] = []
    private var firstPlace = 0
    private var subscriberCounts: [UInt64: Int] = [:]
    private(set) var byteCount = 0
    private(set) var rootCount = 0
    /// Roots to release outside the lock.
    private(set) var droppedRoots: [DatabaseRoot] = []

    /// The bytes counted for a root. The memory that it alone keeps alive isn't known in advance.
    static let rootByteCount = 16_384

    var count: Int { items.count - first }

    /// Adds the newest commit if any subscriber is positioned before it.
    ///
    /// - Parameters:
    ///   - newSubscriberCount: the number of subscribers for which it is the first relevant commit.
    ///   - rootUserCount: the number of subscribers that are entitled to its root.
    mutating func append(
        _ summary: CommitSummary, _ root: DatabaseRoot, newSubscriberCount: Int, rootUserCount: Int
    ) {
        if newSubscriberCount > 0 {
            places.append(summary.version - 1)
            subscriberCounts[summary.version - 1] = newSubscriberCount
        }
        if subscriberCounts.isEmpty { return }
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

    /// Returns whether the commits after `since` are available to a subscriber positioned there.
    func has(since: UInt64) -> Bool { subscriberCounts[since] != nil }

    /// Adds a subscriber at `version`, if the commits are available to one at `since`, an earlier
    /// version. Returns whether they are.
    ///
    /// - Complexity: O(places).
    mutating func addSubscriber(at version: UInt64, after since: UInt64) -> Bool {
        guard has(since: since) else { return false }
        let count = places.count - firstPlace
        let index = firstPlace + firstIndex(below: count) { places[firstPlace + $0] >= version }
        if index == places.count || places[index] != version { places.insert(version, at: index) }
        subscriberCounts[version, default: 0] += 1
        return true
    }

    /// Returns the commits after `since` to a subscriber positioned there, and removes the
    /// subscriber; `nil` if they were dropped.
    ///
    /// - Parameters:
    ///   - last: the version of the last commit to return.
    ///   - concerning: the ascending versions of the commits up to that one that concerned it.
    ///   - hasRoots: whether it is entitled to the roots of these commits.
    /// - Complexity: O(commits returned).
    mutating func take(
        since: UInt64, through last: UInt64 = .max, concerning: [UInt64], hasRoots: Bool
    ) -> [KeptCommit]? {
        guard has(since: since), let start = index(after: since) else {
            if hasRoots { releaseRoots(concerning) }
            return nil
        }
        var commits: [KeptCommit] = []
        if last == .max { commits.reserveCapacity(items.count - start) }
        var next = 0
        for item in items[start...] {
            if item.summary.version > last { break }
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

    /// Removes a subscriber at `since`, which no longer needs the roots of these versions.
    mutating func release(since: UInt64, roots: [UInt64]) {
        releaseRoots(roots)
        guard let subscriberCount = subscriberCounts[since] else { return }
        subscriberCounts[since] = subscriberCount > 1 ? subscriberCount - 1 : nil
        trim()
    }

    /// Drops the oldest commits until the byte limit is met.
    mutating func limit(maximumByteCount: Int) {
        guard byteCount > maximumByteCount else { return }
        while byteCount > maximumByteCount, count > 0 {
            let version = items[first].summary.version
            dropFirst()
            while firstPlace < places.count, places[firstPlace] < version {
                subscriberCounts[places[firstPlace]] = nil
                firstPlace += 1
            }
        }
        trim()
    }

    /// Returns the roots to release outside the lock.
    mutating func takeDroppedRoots() -> [DatabaseRoot] {
        defer { droppedRoots = [] }
        return droppedRoots
    }

    /// Releases one subscriber's claim to the roots of these versions.
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

    /// Drops the commits that no subscriber is positioned before.
    private mutating func trim() {
        while firstPlace < places.count, subscriberCounts[places[firstPlace]] == nil {
            firstPlace += 1
        }
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
