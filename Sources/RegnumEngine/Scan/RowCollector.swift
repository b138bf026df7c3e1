/// Rows that paths lead to, found in any order. There can be many more ways to them than rows, so
/// repeated rows are dropped now and then.
struct RowCollector: EndVisitor {
    private var rows: [UInt64] = []
    private var maximumKeptCount = 1 << 16
    /// The number of rows that were added, including repeated ones.
    private(set) var count = 0

    /// The number of rows that are kept, of which some may be repeated.
    var keptCount: Int { rows.count }

    /// The rows, ascending, without duplicates.
    var ascending: [UInt64] { rows.sortedUniquely() }

    mutating func add(_ row: UInt64) {
        rows.append(row)
        count += 1
        guard rows.count >= maximumKeptCount else { return }
        rows = rows.sortedUniquely()
        maximumKeptCount = max(maximumKeptCount, 2 * rows.count)
    }

    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        add(cluster.firstKey + UInt64(row))
        return true
    }
}
