internal import RegnumStore

/// Advancing results that aren't copied, and those of lists in their own order, which change as the
/// list is spliced.
extension QueryPlan {
    /// Returns the result of a whole list at the new version, and the changes made by the splices.
    func advanceList(
        _ after: FollowedPlan, _ place: ListPlace, _ row: UInt64, _ step: VersionStep,
        _ listChange: ListChange?
    ) -> (ResultTree, ResultChange) {
        let splices = step.splices(listChange, place, ObjectKey(rawValue: row))
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

    /// Returns all rows of the class at the new version, and those that were inserted and deleted.
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

    /// Returns the new position in the result by the old one, -1 for elements that were removed or
    /// no longer match. Derived from the splices of the list whose matching rows are the result.
    ///
    /// - Complexity: O(elements of the list).
    func listed(
        _ oldKeys: [UInt64], _ newKeys: [UInt64], _ place: ListPlace, _ row: UInt64,
        _ step: VersionStep, _ listChange: ListChange?
    ) -> [Int] {
        let oldPlaces = QueryPlan.places(step.old.content, place, row, oldKeys)
        let newPlaces = QueryPlan.places(step.new.content, place, row, newKeys)
        var stays = [Int](repeating: -1, count: oldKeys.count)
        let splices = step.splices(listChange, place, ObjectKey(rawValue: row))
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

    /// Returns the position in the result by the position in the list, -1 for elements that don't
    /// match.
    private static func places(
        _ content: DatabaseContent, _ place: ListPlace, _ row: UInt64, _ keys: [UInt64]
    ) -> [Int] {
        var next = 0
        var positions: [Int] = []
        for element in content.elements(place.table, place.list).elements(row) {
            // the result has the matching elements in the list's order, so equal ones needn't be
            // told apart
            if next < keys.count, keys[next] == element {
                positions.append(next)
                next += 1
            } else {
                positions.append(-1)
            }
        }
        return positions
    }

    /// Returns the change of the list that is the plan's source; `nil` if it is unknown, and for
    /// other plans.
    func sourceChange(_ step: VersionStep) -> ListChange? {
        guard case .list(let owner, let row, let name) = source, step.summaries != nil,
            let table = step.new.schema.table(named: owner.wrappedValue),
            let list = table.list(named: name.wrappedValue),
            step.old.contains(table.key, row), step.new.contains(table.key, row)
        else { return nil }
        let changes = step.delta(table.name).listChanges[list.key] ?? []
        return changes.first { $0.row == row } ?? ListChange(row: row, splices: [])
    }

    /// Whether a step may change the rows of a list or of an inverse over a list, or affect whether
    /// and where they occur in the result.
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
