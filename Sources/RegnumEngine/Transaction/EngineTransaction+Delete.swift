// Deleting rows: links to a deleted row are nulled, lists drop it, and the rows it owns are
// deleted.

extension EngineTransaction {
    /// Deletes a row and its lists, and removes it from all lists. Link columns that refer to it
    /// become null, which modifies their rows. Owned rows that it links to or has in its lists are
    /// deleted recursively. No effect if the row doesn't exist.
    ///
    /// - Complexity: O(log n) for each row deleted or nulled, for each of its indexes and for each
    ///   element of its lists; O(length) of each list that contains a deleted row.
    package func delete(_ table: TableKey, _ key: ObjectKey) {
        willEdit()
        if content.schema.relations[table.index].isAlone {
            _ = remove(table.index, key.rawValue)
        } else {
            delete([table.index: [key.rawValue]])
        }
    }

    /// Returns whether deleting a row of the class changes only that row and its own indexes: it
    /// has no lists, owns no rows and can't be linked to.
    package func isAlone(_ table: TableKey) -> Bool {
        content.schema.relations[table.index].isAlone
    }

    /// Deletes rows, each like `delete`. A list that contains several of them is scanned only once.
    package func delete(_ table: TableKey, _ keys: [ObjectKey]) {
        willEdit()
        delete([table.index: keys.map(\.rawValue)])
    }

    /// Deletes rows class by class. Not recursive, because chains of owned rows may be long.
    func delete(_ rows: [Int: [UInt64]]) {
        var pending = rows
        while let next = pending.keys.min(), let rows = pending.removeValue(forKey: next) {
            let relations = content.schema.relations[next]
            if relations.isAlone {
                for row in rows { _ = remove(next, row) }
                continue
            }
            var removed: [UInt64] = []
            removed.reserveCapacity(rows.count)
            for row in rows {
                // A damaged file may refer to a row twice; collect its owned rows only once.
                if relations.ownsRows, content[next].contains(row) {
                    collectOwned(by: row, next, relations, &pending)
                }
                if remove(next, row) { removed.append(row) }
            }
            removeLists(of: removed, next)
            removeFromLists(removed, next)
            for place in relations.incomingLinks { nullLinks(to: removed, place) }
            for place in relations.incomingAny {
                let members = nullAnyLinks(to: removed, of: next, place)
                if !members.isEmpty { pending[place.table.index, default: []] += members }
            }
        }
    }

    /// Removes a row from its table. Returns false if it doesn't exist.
    private func remove(_ index: Int, _ row: UInt64) -> Bool {
        guard content.remove(index, row, edit) else { return false }
        if row >= changes[index].firstNewKey {
            changes[index].insertedCount -= 1
        } else {
            changes[index].modified.remove(row)
            changes[index].deleted.append(ObjectKey(rawValue: row))
        }
        return true
    }

    private func collectOwned(
        by row: UInt64, _ index: Int, _ relations: TableRelations,
        _ owned: inout [Int: [UInt64]]
    ) {
        let schema = content.schema.tables[index]
        if let (cluster, place) = content[index].place(row) {
            for link in relations.links where link.isOwner {
                let value = cluster.value(place, schema.columns[link.column.index])
                if let target = value.linkedRow {
                    owned[link.target.index, default: []].append(target)
                }
            }
        }
        for (list, target) in relations.ownedLists {
            let elements = content.elements(schema.key, list).elements(row)
            if !elements.isEmpty {
                owned[target.index, default: []].append(contentsOf: elements)
            }
        }
    }

    private func removeLists(of rows: [UInt64], _ index: Int) {
        let lists = content.schema.tables[index].lists
        if lists.isEmpty { return }
        for row in rows {
            content.removeLists(index, row, edit.nodes)
            if changes[index].lists.isEmpty { continue }
            for list in lists {
                changes[index].lists[RowList(list: list.key, row: ObjectKey(rawValue: row))] = nil
            }
        }
    }

    private func removeFromLists(_ rows: [UInt64], _ index: Int) {
        content.removeOccurrences(of: rows, in: index, edit.nodes) { place, owner, positions in
            let owner = ObjectKey(rawValue: owner)
            for position in positions.reversed() {
                note(place, owner, at: position, removing: 1, inserting: [])
            }
        }
    }

    /// Sets values of any type that link to deleted rows to null.
    ///
    /// - Returns: Set elements that link to them. Nulling those would break the set's order, so
    ///   they must be deleted.
    private func nullAnyLinks(to rows: [UInt64], of target: Int, _ place: LinkPlace) -> [UInt64] {
        let relations = content.schema.relations[place.table.index]
        let isSet = relations.incomingLists.contains { list in
            content.schema.tables[list.table.index].lists[list.list.index].kind == .set
        }
        var members: [UInt64] = []
        let column = content.schema.tables[place.table.index].columns[place.column.index]
        let target = TableKey(rawValue: UInt32(target))
        for row in rows {
            for origin in content.anyOrigins(target, row, place) {
                if isSet {
                    members.append(origin)
                    continue
                }
                _ = content.set(place.table.index, origin, column, .null, version: version, edit)
                noteSet(place.table, origin, column.key)
                touchContainers(place.table, origin)
            }
        }
        return members
    }

    private func nullLinks(to rows: [UInt64], _ place: LinkPlace) {
        let index = place.table.index
        let column = content.schema.tables[index].columns[place.column.index]
        for row in rows {
            for origin in content.origins(row, place) {
                // The record couldn't be applied if the index kept the entry.
                let link = content.value(place.table, ObjectKey(rawValue: origin), column.key)
                guard link?.linkedRow == row else {
                    content.reportIndex(of: place)
                    continue
                }
                _ = content.set(index, origin, column, .null, version: version, edit)
                noteSet(place.table, origin, column.key)
            }
        }
    }
}
