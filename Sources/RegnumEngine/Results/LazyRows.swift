import RegnumStore

/// Rows of a root that are read on access: all rows of a class, those with one key of an index, or
/// the elements of a list. Holds the root.
struct LazyRows: Sendable {
    enum Origin: Sendable {
        case table(Table)
        /// Entries with the key of the first one, starting at a position.
        case entries(IndexTree, start: Int)
        /// Elements of a row's list, in its order.
        case elements(SequenceTree, row: UInt64)
    }

    let root: DatabaseRoot
    let origin: Origin
    let count: Int

    init(_ root: DatabaseRoot, _ origin: Origin, count: Int) {
        self.root = root
        self.origin = origin
        self.count = count
    }

    /// All rows of a class; empty if it doesn't exist.
    init(_ root: DatabaseRoot, _ key: TableKey?) {
        let table = key.flatMap { root.table($0) }
        let origin = table.map { Origin.table($0) } ?? .elements(SequenceTree(), row: 0)
        self.init(root, origin, count: table?.count ?? 0)
    }

    /// The elements of a list.
    init(_ root: DatabaseRoot, _ place: ListPlace, _ row: UInt64) {
        let lists = root.content.elements(place.table, place.list)
        self.init(root, .elements(lists, row: row), count: lists.count(row))
    }

    /// Fewer rows than this are copied, which is cheaper than holding the root and searching it.
    static let minimumCount = 1_024
    /// A key that no row has.
    private static let noRow = UInt64.max >> 1

    /// The key of the row at a position in `0..<count`; a key that no row has if a leaf is damaged.
    ///
    /// - Complexity: O(log n)
    subscript(position: Int) -> UInt64 {
        precondition(position >= 0 && position < count, "The position is out of range.")
        switch origin {
        case .table(let table): return table.key(at: position)
        case .entries(let tree, let start):
            return tree.entry(at: start + position)?.row ?? LazyRows.noRow
        case .elements(let tree, let row):
            return tree.element(row, at: position) ?? LazyRows.noRow
        }
    }

    /// Fills an empty array with the keys of up to `limit` rows from a position on, last one first.
    /// If a leaf is damaged, keys that no row has are used instead.
    ///
    /// - Returns: the damage encountered, or `nil`.
    /// - Complexity: O(log n + limit)
    func fill(_ keys: inout [UInt64], from position: Int, _ limit: Int) -> StoreError? {
        let end = min(limit, count - position)
        if end <= 0 { return nil }
        read(&keys, from: position, end)
        guard root.hasDamage else { return nil }
        keys.removeAll(keepingCapacity: true)
        let (_, damage) = DamageWatch.run(on: root) { read(&keys, from: position, end) }
        // the enclosing watch hasn't recorded it
        if let damage { DamageWatch.note(damage) }
        return damage
    }

    private func read(_ keys: inout [UInt64], from position: Int, _ end: Int) {
        let first = self[position]
        switch origin {
        case .table(let table):
            table.forEachCluster(from: first) { cluster in
                cluster.liveMask.visit { row in
                    let key = cluster.firstKey + UInt64(row)
                    if key >= first { keys.append(key) }
                    return keys.count < end
                }
            }
        case .entries(let tree, let start):
            if let entry = tree.entry(at: start + position) {
                tree.visit(from: entry.key, entry.row) { key, row in
                    if key != entry.key { return false }
                    keys.append(row)
                    return keys.count < end
                }
            }
        case .elements(let tree, let row):
            tree.visit(row, from: position) { element in
                keys.append(element)
                return keys.count < end
            }
        }
        // always return as many keys as `count` promises
        while keys.count < end { keys.append(LazyRows.noRow) }
        keys.reverse()
    }

    /// All keys, in order.
    var keys: [UInt64] {
        var keys: [UInt64] = []
        keys.reserveCapacity(count)
        switch origin {
        case .table(let table):
            table.forEachCluster { cluster in
                cluster.liveMask.visit { row in
                    keys.append(cluster.firstKey + UInt64(row))
                    return true
                }
            }
        case .entries(let tree, let start):
            guard let entry = tree.entry(at: start) else { return keys }
            tree.rows(
                from: entry, through: IndexTree.Entry(key: entry.key, row: .max), into: &keys)
        case .elements(let tree, let row):
            keys = tree.elements(row)
        }
        return keys
    }
}
