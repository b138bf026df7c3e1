import RegnumStore

// A change in a list or dictionary of a value of any type is also a change of all values that
// contain it. These are set to their current values, so that their observers are notified.

extension EngineTransaction {
    /// Sets the value whose list or dictionary was changed, and all values that contain it, to
    /// their current values.
    ///
    /// - Parameter list: The list of items of a column, `property[]`.
    /// - Complexity: O(log n) for each list and dictionary that contains it.
    package func touch(itemsOf row: ObjectKey, _ table: TableKey, _ list: ListSchema) {
        willEdit()
        guard let column = content.schema.tables[table.index].column(ofItems: list) else { return }
        touch(LinkPlace(table: table, column: column.key), row.rawValue)
        touchContainers(table, row.rawValue)
    }

    /// Sets the values that contain an element to their current values.
    func touchContainers(_ elements: TableKey, _ element: UInt64) {
        var (table, row) = (elements, element)
        var level = 0
        while content.schema.tables[table.index].kind == .elements {
            level += 1
            if level > Limits.maximumAnyLevel + 1 {
                return content.report(content.damage(ofOwnersIn: elements))
            }
            var around: (place: LinkPlace, owner: UInt64)?
            for place in content.schema.relations[table.index].incomingLists {
                let owner = content.schema.tables[place.table.index]
                guard let column = owner.column(ofItems: owner.lists[place.list.index]),
                    let row = content.backlinks(row, place).first
                else { continue }
                around = (LinkPlace(table: place.table, column: column.key), row)
            }
            guard let (place, owner) = around, touch(place, owner) else { return }
            (table, row) = (place.table, owner)
        }
    }

    @discardableResult
    private func touch(_ place: LinkPlace, _ row: UInt64) -> Bool {
        guard let value = content.value(place.table, ObjectKey(rawValue: row), place.column) else {
            return false
        }
        let column = content.schema.tables[place.table.index].columns[place.column.index]
        _ = content.set(place.table.index, row, column, value, version: version, edit)
        noteSet(place.table, row, column.key)
        return true
    }
}
