internal import RegnumStore

/// The changed rows of a class in a step, in the form that results need.
extension VersionStep {
    /// Cached values that all results with this step share.
    struct Found: Sendable {
        fileprivate var rows: [StoredText: MergedDelta] = [:]
        fileprivate var routes: [RoutedColumn: [Value: MergedDelta]] = [:]
    }

    fileprivate struct RoutedColumn: Hashable, Sendable {
        @StoredText var tableName: String
        @StoredText var column: String
    }

    /// Returns the net changes to a class, with all rows that changed themselves as modified. Rows
    /// of which only a list changed, or an element of a list of values was set, are included
    /// without columns.
    ///
    /// - Complexity: O(changes x log n) the first time, then O(1).
    package func rows(_ tableName: String) -> MergedDelta {
        let name = StoredText(tableName)
        if let known = found.withLock({ $0.rows[name] }) { return known }
        var delta = delta(tableName)
        var owners: Set<ObjectKey> = []
        for change in delta.listChanges.values.joined() { owners.insert(change.row) }
        if let table = new.schema.table(named: tableName) {
            forEachOwnerOfSetElements(table) { _, owner in
                if old.contains(table.key, owner) { owners.insert(owner) }
            }
        }
        delta.addModified(owners)
        found.withLock { $0.rows[name] = delta }
        return delta
    }

    /// Calls `body` with the list and the owner of each element that was set in a list of values of
    /// a class.
    func forEachOwnerOfSetElements(_ table: TableSchema, _ body: (ListKey, ObjectKey) -> Void) {
        for list in table.lists where list.target.index < new.schema.tables.count {
            let elements = new.schema.tables[list.target.index]
            guard elements.kind == .elements else { continue }
            let backlinks = new.content[table.key.index].backlinks(list.key.index)
            for element in delta(elements.name).modified {
                backlinks.forEachRepeatedRow(element.key.rawValue) { owner in
                    body(list.key, ObjectKey(rawValue: owner))
                    return true
                }
            }
        }
    }

    /// Returns the part of `rows` that has a value in a property before or after: the rows that can
    /// change a query for that value. Returns all of `rows` if the property isn't stored in both
    /// versions.
    ///
    /// - Complexity: O(changes x log n) for the first value of a property, then O(1).
    package func delta(_ route: Route) -> MergedDelta {
        let column = RoutedColumn(tableName: route.tableName, column: route.column)
        let value = route.value.canonical
        let known = found.withLock { found in
            found.routes[column].map { $0[value] ?? MergedDelta() }
        }
        if let known { return known }
        guard let groups = group(rows(route.tableName), column) else {
            return rows(route.tableName)
        }
        found.withLock { $0.routes[column] = groups }
        return groups[value] ?? MergedDelta()
    }

    private func group(_ delta: MergedDelta, _ place: RoutedColumn) -> [Value: MergedDelta]? {
        guard let table = new.schema.table(named: place.tableName),
            let column = table.column(named: place.column),
            old.schema === new.schema
                || old.schema.table(named: place.tableName)?.column(named: place.column) != nil
        else { return nil }
        func value(_ root: DatabaseRoot, _ key: ObjectKey) -> Value {
            (root.value(table.key, key, column.key) ?? .null).canonical
        }
        var groups: [Value: MergedDelta] = [:]
        for key in delta.inserted { groups[value(new, key), default: .init()].inserted.append(key) }
        for key in delta.deleted { groups[value(old, key), default: .init()].deleted.append(key) }
        var values: [ObjectKey: (Value, Value)] = [:]
        for row in delta.modified {
            let after = value(new, row.key)
            let before =
                row.columns.contains(column.key) || summaries == nil
                ? value(old, row.key) : after
            groups[after, default: .init()].modified.append(row)
            if before != after { groups[before, default: .init()].modified.append(row) }
            if !delta.listChanges.isEmpty { values[row.key] = (before, after) }
        }
        for (list, changes) in delta.listChanges {
            for change in changes {
                guard let (before, after) = values[change.row] else { continue }
                groups[after, default: .init()].listChanges[list, default: []].append(change)
                if before != after {
                    groups[before, default: .init()].listChanges[list, default: []].append(change)
                }
            }
        }
        return groups
    }
}
