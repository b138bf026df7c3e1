/// A row that a step of a result examines.
struct Candidate: Sendable {
    let key: UInt64
    /// Whether the row itself changed, so that it may move.
    let isOwn: Bool
    /// Whether the row is in the input of the next stage at the old version; `isNew`: at the new
    /// one.
    var isOld = false
    var isNew = false
}

/// The two versions of a result's step, with the plan resolved for each.
struct ResultVersions {
    let before: FollowedPlan
    let after: FollowedPlan
    let old: DatabaseContent
    let new: DatabaseContent
    let oldRows: Table?
    let newRows: Table?

    init(_ before: FollowedPlan, _ after: FollowedPlan, _ step: VersionStep) {
        self.before = before
        self.after = after
        old = step.old.content
        new = step.new.content
        oldRows = before.query.table.flatMap { step.old.table($0) }
        newRows = after.query.table.flatMap { step.new.table($0) }
    }

    /// Reports that the old result lacks a row which matched, so that the step is discarded: the
    /// row was read from a damaged leaf that the result hadn't needed, or the bounds or indexes of
    /// a forged file exclude the row. Traps if nothing was loaded from a file.
    func noteMissing() {
        if old.mayBeMisread || new.mayBeMisread { return }
        guard let source = new.context.source ?? old.context.source else {
            preconditionFailure("The result is not that of the version to advance from.")
        }
        source.contradict("A row matches a query, but bounds or an index exclude it.")
    }

    /// Returns the rows that may enter, leave or move in a step, and the number of rows examined.
    func candidates(_ step: VersionStep) -> (candidates: [Candidate], count: Int) {
        var delta = step.rows(after.plan.tableName)
        if let route = after.route, before.route == route,
            delta.modified.count + delta.inserted.count + delta.deleted.count
                > ResultVersions.minimumRouteCount
        {
            delta = step.delta(route)
        }
        let reached = after.reach.rows(step)
        var (wasWanted, isWanted) = (before.query.predicate, after.query.predicate)
        var statistics = QueryStatistics()
        if isWanted.pathLevelCount > 1 {
            let keys = delta.modified.map(\.key.rawValue) + delta.deleted.map(\.rawValue)
            let rows = (keys + delta.inserted.map(\.rawValue) + reached).sortedUniquely()
            if let table = before.query.table {
                wasWanted = wasWanted.prepared(for: rows, table, old, &statistics)
            }
            if let table = after.query.table {
                isWanted = isWanted.prepared(for: rows, table, new, &statistics)
            }
        }
        func matches(
            _ predicate: CompiledPredicate, _ place: (cluster: Cluster, row: Int)?,
            _ content: DatabaseContent
        ) -> Bool {
            place.map { predicate.matches($0.cluster, $0.row, content) } ?? false
        }
        var candidates: [Candidate] = []
        var count = delta.modified.count + delta.inserted.count + delta.deleted.count
        count += statistics.rowsEvaluated
        /// Adds the row if it matches at either version.
        func addIfMatching(
            _ key: UInt64, isOwn: Bool = true, wasThere: Bool = true, isThere: Bool = true
        ) {
            let isOld = wasThere && matches(wasWanted, oldRows?.place(key), old)
            let isNew = isThere && matches(isWanted, newRows?.place(key), new)
            if isOld || isNew {
                candidates.append(Candidate(key: key, isOwn: isOwn, isOld: isOld, isNew: isNew))
            }
        }
        for row in delta.modified { addIfMatching(row.key.rawValue) }
        for key in delta.deleted { addIfMatching(key.rawValue, isThere: false) }
        for key in delta.inserted { addIfMatching(key.rawValue, wasThere: false) }
        if reached.isEmpty { return (candidates, count) }
        let own = step.rows(after.plan.tableName).keySet
        for key in reached where !own.contains(key) {
            count += 1
            addIfMatching(key, isOwn: false)
        }
        return (candidates, count)
    }

    /// Up to this many changed rows, each query examines all of them instead of only those with its
    /// value.
    private static let minimumRouteCount = 16

    // MARK: Distinct

    /// Applies a distinct. Replaces the candidates by those that are the first row of a group at
    /// either version, and adds rows that become or cease to be the first. Returns the stage's rows
    /// at the new version.
    func distinct(
        _ number: Int, _ oldTree: SortedTree<GroupOrder>, known: SortedTree<GroupOrder>?,
        _ candidates: inout [Candidate]
    ) -> SortedTree<GroupOrder> {
        let (stage, oldStage) = (after.groups[number], before.groups[number])
        var newTree = known ?? oldTree
        var entries: [(old: ResultEntry?, new: ResultEntry?)] = []
        entries.reserveCapacity(candidates.count)
        for candidate in candidates {
            var entry: (old: ResultEntry?, new: ResultEntry?)
            if candidate.isOld, let place = oldRows?.place(candidate.key) {
                entry.old = oldStage.entry(place.cluster, place.row, old)
            }
            if candidate.isNew, let place = newRows?.place(candidate.key) {
                entry.new = stage.entry(place.cluster, place.row, new)
            }
            entries.append(entry)
            if known != nil { continue }
            if let old = entry.old, let new = entry.new, old == new { continue }
            if let old = entry.old {
                if newTree.remove(old) == nil { noteMissing() }
            }
            if let new = entry.new { newTree.insertNew(new, new) }
        }
        let own = Set(candidates.map(\.key))
        var others: [UInt64: ResultEntry] = [:]
        var found: [Candidate] = []
        for (candidate, entry) in zip(candidates, entries) {
            var candidate = candidate
            candidate.isOld = false
            candidate.isNew = false
            for probe in [entry.old, entry.new] {
                guard let probe else { continue }
                if let first = stage.first(oldTree, like: probe) {
                    if first.key == candidate.key { candidate.isOld = true }
                    if !own.contains(first.key) { others[first.key] = first }
                }
                if let first = stage.first(newTree, like: probe) {
                    if first.key == candidate.key { candidate.isNew = true }
                    if !own.contains(first.key) { others[first.key] = first }
                }
            }
            if candidate.isOld || candidate.isNew { found.append(candidate) }
        }
        for (key, entry) in others {
            let isOld = stage.first(oldTree, like: entry)?.key == key
            let isNew = stage.first(newTree, like: entry)?.key == key
            if isOld == isNew { continue }
            found.append(Candidate(key: key, isOwn: false, isOld: isOld, isNew: isNew))
        }
        candidates = found
        return newTree
    }
}

extension MergedDelta {
    /// The keys of all rows in the delta.
    fileprivate var keySet: Set<UInt64> {
        var keys: Set<UInt64> = []
        keys.reserveCapacity(inserted.count + deleted.count + modified.count)
        for key in inserted { keys.insert(key.rawValue) }
        for key in deleted { keys.insert(key.rawValue) }
        for row in modified { keys.insert(row.key.rawValue) }
        return keys
    }
}
