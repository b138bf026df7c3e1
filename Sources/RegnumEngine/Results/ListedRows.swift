internal import RegnumStore

/// Results that are not copied, and those of lists in their own order, which change as the list is
/// spliced.
extension QueryPlan {
    /// The result of a whole list at the new version, and what the splices change.
    func advanceList(
        _ result: ResultTree, _ after: FollowedPlan, _ place: ListPlace, _ row: UInt64,
        _ step: VersionStep, _ listChange: ListChange?
    ) -> (ResultTree, ResultChange) {
        let splices =
            listChange?.splices
            ?? step.new.listSplices(
                place.table, ObjectKey(rawValue: row), place.list, since: step.old)
        var change = ResultChange()
        var shift = 0
        let oldLists = step.old.content.elements(place.table, place.list)
        for splice in splices {
            let removed = splice.position..<splice.position + splice.removedCount
            change.deletions += removed
            change.deletedKeys += oldLists.elements(row, removed).map { ObjectKey(rawValue: $0) }
            let start = splice.position + shift
            change.insertions += start..<start + splice.inserted.count
            change.insertedKeys += splice.inserted
            shift += splice.inserted.count - splice.removedCount
        }
        return (ResultTree(.list(LazyRows(step.new, place, row)), after), change)
    }

    /// The result of all rows of the class at the new version, and which came and went.
    func advanceAll(
        _ before: FollowedPlan, _ after: FollowedPlan, _ step: VersionStep
    ) -> (ResultTree, ResultChange) {
        let delta = step.delta(tableName)
        var change = ResultChange()
        if let table = before.query.table.flatMap({ step.old.table($0) }) {
            change.deletions = delta.deleted.map { table.position(of: $0.rawValue) }
            change.deletedKeys = delta.deleted
        }
        if let table = after.query.table.flatMap({ step.new.table($0) }) {
            change.insertions = delta.inserted.map { table.position(of: $0.rawValue) }
            change.insertedKeys = delta.inserted
        }
        return (ResultTree(.lazy(LazyRows(step.new, after.query.table)), after), change)
    }

    /// By old position in the result the new one, -1 for what was taken out, or does not match any
    /// more: from the splices of the list that it is the matching rows of.
    ///
    /// - Complexity: O(elements of the list).
    func listed(
        _ oldKeys: [UInt64], _ newKeys: [UInt64], _ place: ListPlace, _ row: UInt64,
        _ step: VersionStep, _ listChange: ListChange?
    ) -> [Int] {
        let oldPlaces = QueryPlan.places(step.old.content, place, row, oldKeys)
        let newPlaces = QueryPlan.places(step.new.content, place, row, newKeys)
        var stays = [Int](repeating: -1, count: oldKeys.count)
        let splices =
            listChange?.splices
            ?? step.new.listSplices(
                place.table, ObjectKey(rawValue: row), place.list, since: step.old)
        var next = 0
        var shift = 0
        for (place, position) in oldPlaces.enumerated() where position >= 0 {
            while next < splices.count,
                splices[next].position + splices[next].removedCount <= place
            {
                shift += splices[next].inserted.count - splices[next].removedCount
                next += 1
            }
            if next < splices.count, splices[next].position <= place { continue }
            let newPlace = place + shift
            if newPlace < newPlaces.count { stays[position] = newPlaces[newPlace] }
        }
        return stays
    }

    /// By position in a list the position in the result of its matching elements, -1 for an element
    /// that does not match.
    private static func places(
        _ content: DatabaseContent, _ place: ListPlace, _ row: UInt64, _ keys: [UInt64]
    ) -> [Int] {
        var next = 0
        var positions: [Int] = []
        for element in content.elements(place.table, place.list).elements(row) {
            // matching elements are in the result, in order, whichever occurrence it is
            if next < keys.count, keys[next] == element {
                positions.append(next)
                next += 1
            } else {
                positions.append(-1)
            }
        }
        return positions
    }

    /// How the list that is the source changed; nil for other plans and where it is not known.
    func sourceChange(_ step: VersionStep) -> ListChange? {
        guard case .list(let owner, let row, let name) = source, step.summaries != nil,
            let table = step.new.schema.table(named: owner),
            let list = table.list(named: name),
            step.old.contains(table.key, row), step.new.contains(table.key, row)
        else { return nil }
        let changes = step.delta(owner).listChanges[list.key] ?? []
        return changes.first { $0.row == row } ?? ListChange(row: row, splices: [])
    }

    /// Whether a step may change the rows of a list, or of an inverse over a list, or what is asked of
    /// them.
    func concerns(
        _ hop: CompiledHop, _ table: TableKey, _ row: UInt64, _ after: FollowedPlan,
        _ step: VersionStep, _ listChange: ListChange?
    ) -> Bool {
        let key = ObjectKey(rawValue: row)
        guard step.old.contains(table, key) == step.new.contains(table, key),
            step.new.contains(table, key)
        else { return true }
        let place: ListPlace
        switch hop {
        case .list(let list, _):
            guard let splices = listChange?.splices, splices.isEmpty else { return true }
            place = list
        case .listOrigins(let list): place = list
        case .link, .linkOrigins, .element, .entryTargets, .entryOrigins: return true
        }
        let isList = if case .list = hop { true } else { false }
        func holds(_ root: DatabaseRoot, _ other: UInt64) -> Bool {
            guard root.content.listSchema(place.table, place.list) != nil else { return false }
            let backlinks = root.content[place.table.index].backlinks(place.list.index)
            return isList ? backlinks.contains(other, row) : backlinks.contains(row, other)
        }
        let delta = step.rows(tableName)
        return delta.modified.contains {
            holds(step.new, $0.key.rawValue) || holds(step.old, $0.key.rawValue)
        } || delta.inserted.contains { holds(step.new, $0.rawValue) }
            || delta.deleted.contains { holds(step.old, $0.rawValue) }
            || after.reach.rows(step).contains { holds(step.new, $0) || holds(step.old, $0) }
    }
}
