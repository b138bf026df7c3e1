/// The storage of a result's entries, as compact as its order permits.
///
/// A result without a sort stores keys (8 bytes a row); one sorted by a single boolean, integer,
/// double or date stores ranks and keys (16 bytes); all others store their sort values. The shape
/// depends only on the plan, so that all versions of a result share it.
protocol ResultShape: TreeOrder where Key == Element, Element: Equatable {
    /// Creates the order of this shape for results in an order.
    init(_ order: ResultOrder)
    static func objectKey(_ element: Element) -> UInt64
    /// Returns the entry of a row below the cluster's `rowCount`.
    static func element(_ query: CompiledQuery, _ cluster: Cluster, _ row: Int) -> Element
    /// Whether values determine the order, not just keys.
    static var isSorted: Bool { get }
    /// Returns the entry of a row below the cluster's `rowCount` in a result that follows commits.
    static func entry(
        _ plan: FollowedPlan, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> Element
    /// Conversions between a tree of this shape and the storage of a result.
    static func storage(_ tree: SortedTree<Self>) -> ResultTree.Storage
    static func tree(_ storage: ResultTree.Storage) -> SortedTree<Self>?
}

/// The order by object key.
struct KeyOrder: ResultShape {
    static var maximumLeafSlotCount: Int { 112 }
    static var isElementTrivial: Bool { true }
    static var isKeyTrivial: Bool { true }

    init(_ order: ResultOrder = ResultOrder(descending: 0)) {}

    @inline(__always)
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }

    static func objectKey(_ element: UInt64) -> UInt64 { element }

    static func element(_ query: CompiledQuery, _ cluster: Cluster, _ row: Int) -> UInt64 {
        cluster.firstKey + UInt64(row)
    }

    static var isSorted: Bool { false }

    @inline(__always)
    static func entry(
        _ plan: FollowedPlan, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> UInt64 {
        cluster.firstKey + UInt64(row)
    }

    static func storage(_ tree: SortedTree<KeyOrder>) -> ResultTree.Storage { .keys(tree) }

    static func tree(_ storage: ResultTree.Storage) -> SortedTree<KeyOrder>? {
        if case .keys(let tree) = storage { tree } else { nil }
    }
}

/// The order by rank and object key. Ranks of a descending sort are inverted.
struct RankOrder: ResultShape {
    static var maximumLeafSlotCount: Int { 56 }
    static var isElementTrivial: Bool { true }
    static var isKeyTrivial: Bool { true }

    init(_ order: ResultOrder = ResultOrder(descending: 0)) {}

    @inline(__always)
    func compare(_ a: RankedKey, _ b: RankedKey) -> Int {
        if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
        return a.flaggedKey < b.flaggedKey ? -1 : (a.flaggedKey == b.flaggedKey ? 0 : 1)
    }

    static func objectKey(_ element: RankedKey) -> UInt64 { element.key }

    static func element(_ query: CompiledQuery, _ cluster: Cluster, _ row: Int) -> RankedKey {
        let value = query.sort[0].value(cluster, row)
        let (rank, flag) = SortRank.rank(value, isDescending: query.order.descending & 1 != 0)
        return RankedKey(rank: rank, flaggedKey: (cluster.firstKey + UInt64(row)) | flag)
    }

    static var isSorted: Bool { true }

    @inline(__always)
    static func entry(
        _ plan: FollowedPlan, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> RankedKey {
        let value = plan.terms[0].value(cluster, row, content)
        let (rank, flag) = SortRank.rank(value, isDescending: plan.order.descending & 1 != 0)
        return RankedKey(rank: rank, flaggedKey: (cluster.firstKey + UInt64(row)) | flag)
    }

    static func storage(_ tree: SortedTree<RankOrder>) -> ResultTree.Storage { .ranks(tree) }

    static func tree(_ storage: ResultTree.Storage) -> SortedTree<RankOrder>? {
        if case .ranks(let tree) = storage { tree } else { nil }
    }
}

extension ResultOrder: ResultShape {
    init(_ order: ResultOrder) { self = order }

    static func objectKey(_ element: ResultEntry) -> UInt64 { element.key }

    static var isSorted: Bool { true }

    static func entry(
        _ plan: FollowedPlan, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> ResultEntry {
        var entry = ResultEntry(key: cluster.firstKey + UInt64(row))
        entry.first = plan.terms[0].value(cluster, row, content)
        if plan.terms.count > 1 {
            entry.rest = plan.terms[1...].map { $0.value(cluster, row, content) }
        }
        return entry
    }

    static func storage(_ tree: SortedTree<ResultOrder>) -> ResultTree.Storage { .values(tree) }

    static func tree(_ storage: ResultTree.Storage) -> SortedTree<ResultOrder>? {
        if case .values(let tree) = storage { tree } else { nil }
    }
}
