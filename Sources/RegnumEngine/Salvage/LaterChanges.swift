/// Applies the changes of later commits to a list.
extension StoredLists.Elements {
    /// Applies changes to the list, and removes rows that were deleted.
    ///
    /// Positions are only known if all elements are, in their order. Otherwise, inserted elements
    /// come last. Elements of an owned class were removed from the list if they were deleted. Which
    /// others were removed isn't known, so the list then stays as it was: outdated.
    ///
    /// - Parameters:
    ///   - changes: The changes, ascending by version.
    ///   - deleted: The deleted rows of the elements' class, with the versions of the commits.
    ///   - isOwned: Whether the elements' class is owned: each row is in one place.
    /// - Complexity: O(n log n) for n elements, including the inserted ones; and as when a realm is
    ///   opened, O(length) for each commit that deletes elements.
    mutating func apply(
        _ changes: ArraySlice<LoggedChanges.ListChange>, deleted: [UInt64: UInt64], isOwned: Bool
    ) {
        var deletions = ListDeletions(of: rows, changes, deleted)
        for change in changes {
            deletions.remove(through: change.version, from: &rows)
            if problem != .outdated { apply(change.splices, isOwned) }
        }
        deletions.remove(through: .max, from: &rows)
        if problem != nil, isOwned {
            var seen: Set<UInt64> = []
            rows.removeAll { !seen.insert($0).inserted }  // moved elements
        }
    }

    private mutating func apply(_ splices: [ListSplice], _ isOwned: Bool) {
        let end = splices.last.map { $0.position + $0.removedCount } ?? 0
        if problem == nil, end <= rows.count {
            // From the end, so that earlier positions stay valid.
            for splice in splices.reversed() {
                rows.replaceSubrange(
                    splice.position..<splice.position + splice.removedCount,
                    with: splice.inserted.map(\.rawValue))
            }
            return
        }
        let removedCount = splices.reduce(0) { $0 + $1.removedCount }
        let inserted = splices.flatMap { $0.inserted.map(\.rawValue) }
        if problem == .unordered, removedCount == rows.count {
            self = Self(rows: inserted)  // all were removed
        } else if removedCount > 0, !isOwned {
            problem = .outdated
        } else {
            rows += inserted
            if problem != .unordered { problem = .missing }
        }
    }
}

/// The deletions of a list's elements.
private struct ListDeletions {
    private var deletions: [(version: UInt64, row: UInt64)] = []
    private var next = 0

    init(
        of rows: [UInt64], _ changes: ArraySlice<LoggedChanges.ListChange>,
        _ deleted: [UInt64: UInt64]
    ) {
        if deleted.isEmpty { return }
        for row in rows { add(row, deleted) }
        for change in changes {
            for splice in change.splices {
                for key in splice.inserted { add(key.rawValue, deleted) }
            }
        }
        deletions.sort { $0.version < $1.version }
    }

    private mutating func add(_ row: UInt64, _ deleted: [UInt64: UInt64]) {
        if let version = deleted[row] { deletions.append((version, row)) }
    }

    /// Removes the elements that were deleted by commits up to a version.
    mutating func remove(through version: UInt64, from rows: inout [UInt64]) {
        var wanted: Set<UInt64> = []
        while next < deletions.count, deletions[next].version <= version {
            wanted.insert(deletions[next].row)
            next += 1
        }
        if wanted.isEmpty { return }
        rows.removeAll { wanted.contains($0) }
    }
}
