/// The order of the rows that a distinct chooses from: by the values that define a group,
/// ascending, and within a group in the order of the stage before, so that the first row of each
/// group stays.
///
/// A key with fewer values than the entries sorts before all entries that start with its values.
struct GroupOrder: TreeOrder {
    /// If bit i is set, the i-th value is in descending order.
    let descending: UInt64

    func compare(_ a: ResultEntry, _ b: ResultEntry) -> Int {
        let order = Value.compare(a.first, b.first)
        if order != 0 { return order }
        for index in 0..<min(a.rest.count, b.rest.count) {
            let order = Value.compare(a.rest[index], b.rest[index])
            if order == 0 { continue }
            return descending >> UInt64(index + 1) & 1 == 0 ? order : -order
        }
        if a.rest.count != b.rest.count { return a.rest.count - b.rest.count }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }
}

/// A distinct of a plan: the columns that define a group, and the order in which rows reach it.
struct GroupStage: Sendable {
    let columns: [PathColumn]
    let terms: [PathColumn]
    let order: GroupOrder

    /// The terms in descending order, as a bit set.
    var termsDescending: UInt64 { order.descending >> UInt64(columns.count) }

    /// Returns the values of a row. Returns `nil` if a link on the path to a grouping value is
    /// null: such a row isn't in any group.
    func entry(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> ResultEntry? {
        guard let first = columns[0].read(cluster, row, content) else { return nil }
        var entry = ResultEntry(key: cluster.firstKey + UInt64(row))
        entry.first = first
        let count = columns.count + terms.count - 1
        if count == 0 { return entry }
        entry.rest.reserveCapacity(count)
        for column in columns.dropFirst() {
            guard let value = column.read(cluster, row, content) else { return nil }
            entry.rest.append(value)
        }
        for term in terms { entry.rest.append(term.value(cluster, row, content)) }
        return entry
    }

    /// Returns the first row of the group that an entry belongs to, or `nil` if the group is empty.
    ///
    /// - Complexity: O(log n).
    func first(_ tree: SortedTree<GroupOrder>, like entry: ResultEntry) -> ResultEntry? {
        var least = entry
        least.key = 0
        if !terms.isEmpty { least.rest.removeLast(terms.count) }
        guard let found = tree.firstElement(from: least), areAlike(found, entry) else { return nil }
        return found
    }

    /// Whether two rows are in the same group.
    func areAlike(_ a: ResultEntry, _ b: ResultEntry) -> Bool {
        if Value.compare(a.first, b.first) != 0 { return false }
        for index in 0..<columns.count - 1 where Value.compare(a.rest[index], b.rest[index]) != 0 {
            return false
        }
        return true
    }
}
