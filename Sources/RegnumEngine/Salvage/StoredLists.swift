import RegnumStore

/// The lists of one property in a checkpoint, read leaf by leaf. What damaged leaves contained is
/// taken from the backlinks, if all of these can be read.
///
/// Confined to the thread that salvages.
final class StoredLists {
    /// The elements of one list.
    struct Elements {
        var rows: [UInt64] = []
        /// Why these may not be the elements, or their order; `nil` if they are.
        var problem: SalvageFindings.Cut.Reason?
    }

    private let source: NodeSource?
    private let leaves: [IndexChild]
    private let backlinks: IndexTree
    private var loaded: (index: Int, leaf: [(owner: UInt64, element: UInt64)]?)?
    /// The elements of the owners that damaged leaves may have had, ascending; `nil` if they can't
    /// be read either.
    private lazy var known = readBacklinks()

    init(_ root: DatabaseRoot, _ place: ListPlace) {
        source = root.content.context.source
        let state = root.content[place.table.index]
        var leaves: [IndexChild] = []
        state.elements(place.list.index).tree.forEachLeaf { leaves.append($0) }
        self.leaves = leaves
        backlinks = state.backlinks(place.list.index)
    }

    /// Returns the list of a row.
    ///
    /// - Complexity: O(log n + elements), if rows are passed in ascending order.
    func elements(of owner: UInt64) -> Elements {
        var found = Elements()
        var gap: Int?
        var index = firstLeaf(of: owner)
        var gapCount = 0
        while index < leaves.count, leaves[index].key <= owner {
            if let leaf = leaf(index) {
                for entry in leaf where entry.owner == owner { found.rows.append(entry.element) }
            } else {
                gap = gap ?? found.rows.count
                gapCount += 1
            }
            index += 1
        }
        guard let gap else { return found }
        guard let all = known else {
            found.problem = .missing
            return found
        }
        let missing = Self.missing(from: found.rows, of: all[owner] ?? [])
        found.rows.insert(contentsOf: missing, at: gap)
        // A single element, or equal ones, can only be in one order if they were in one place.
        let isOrdered = missing.isEmpty || gapCount == 1 && Set(missing).count == 1
        if !isOrdered { found.problem = .unordered }
        return found
    }

    /// Returns the position of the first leaf that may have entries of an owner.
    private func firstLeaf(of owner: UInt64) -> Int {
        var (low, high) = (0, leaves.count)
        while low < high {
            let middle = (low + high) / 2
            if leaves[middle].key < owner { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)
    }

    private func leaf(_ index: Int) -> [(owner: UInt64, element: UInt64)]? {
        if let loaded, loaded.index == index { return loaded.leaf }
        let leaf = IndexLeaf.entries(leaves[index], source)
        loaded = (index, leaf.map { $0.map { (owner: $0.key, element: $0.row) } })
        return loaded?.leaf
    }

    /// Returns the elements of `all`, which ascend, that aren't in `found`, as often as they are
    /// missing.
    private static func missing(from found: [UInt64], of all: [UInt64]) -> [UInt64] {
        var counts: [UInt64: Int] = [:]
        for element in found { counts[element, default: 0] += 1 }
        return all.filter { element in
            guard let count = counts[element], count > 0 else { return true }
            counts[element] = count - 1
            return false
        }
    }

    private func readBacklinks() -> [UInt64: [UInt64]]? {
        var ranges: [ClosedRange<UInt64>] = []
        for index in leaves.indices where leaf(index) == nil {
            let end = index + 1 < leaves.count ? leaves[index + 1].key : .max
            ranges.append(leaves[index].key...max(leaves[index].key, end))
        }
        var known: [UInt64: [UInt64]] = [:]
        var isReadable = true
        backlinks.forEachLeaf { child in
            guard isReadable, let entries = IndexLeaf.entries(child, source) else {
                isReadable = false
                return
            }
            for entry in entries where Self.isIn(ranges, entry.row) {
                known[entry.row, default: []].append(entry.key)
            }
        }
        return isReadable ? known : nil
    }

    /// Returns whether one of the ranges, which ascend, contains an owner.
    private static func isIn(_ ranges: [ClosedRange<UInt64>], _ owner: UInt64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < owner { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(owner)
    }
}

extension IndexLeaf {
    /// Returns the entries of a leaf; `nil` if it can't be read.
    static func entries(
        _ child: IndexChild, _ source: NodeSource?
    ) -> [(key: UInt64, row: UInt64)]? {
        let (leaf, damage) = DamageWatch.run { () -> IndexLeaf? in
            if child.extent != 0, let source { return IndexLeaf(read(source, child)) }
            return Node(word: UInt(child.word)).map { IndexLeaf($0) }
        }
        guard let leaf, damage == nil else { return nil }
        return (0..<leaf.count).map { (leaf.keys[$0], leaf.rows[$0]) }
    }
}
