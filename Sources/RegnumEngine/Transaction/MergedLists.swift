/// The merged list changes of one class over several commits, collected for a `MergedDelta`.
struct MergedLists {
    private var lists: [ListKey: [ObjectKey: ListChange]] = [:]

    /// The maximum number of splices of one list to merge. Beyond it, the list trees are compared.
    private static let maximumSpliceCount = 4_096

    mutating func add(_ change: ListChange, _ list: ListKey) {
        guard let before = lists[list]?[change.row] else {
            lists[list, default: [:]][change.row] = change
            return
        }
        var merged = ListChange(row: change.row, splices: nil)
        if let first = before.splices, let second = change.splices,
            first.count + second.count <= MergedLists.maximumSpliceCount
        {
            merged.splices = ListSplices(first).followed(by: ListSplices(second)).splices
        }
        lists[list]?[change.row] = merged.splices == [] ? nil : merged
    }

    /// Removes the changes of a row that was deleted.
    mutating func remove(_ row: ObjectKey) {
        for list in lists.keys { lists[list]?[row] = nil }
    }

    /// The changes by list, ascending by row; lists without changes are left out.
    var changes: [ListKey: [ListChange]] {
        lists.filter { !$0.value.isEmpty }
            .mapValues { $0.values.sorted { $0.row < $1.row } }
    }
}
