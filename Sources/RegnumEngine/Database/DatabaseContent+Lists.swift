import RegnumStore

/// Reads lists, and edits them together with their backlinks.
extension DatabaseContent {
    /// Returns the schema of a list, or `nil` if it doesn't exist at this version.
    func listSchema(_ table: TableKey, _ list: ListKey) -> ListSchema? {
        guard table.index < schema.tables.count,
            list.index < schema.tables[table.index].lists.count
        else { return nil }
        return schema.tables[table.index].lists[list.index]
    }

    /// Returns the elements of a list in all rows. Empty if the list doesn't exist at this version.
    func elements(_ table: TableKey, _ list: ListKey) -> SequenceTree {
        guard listSchema(table, list) != nil else { return SequenceTree() }
        return self[table.index].elements(list.index)
    }

    /// Returns the rows whose list contains an element, ascending and without duplicates.
    func backlinks(_ target: UInt64, _ place: ListPlace) -> [UInt64] {
        guard listSchema(place.table, place.list) != nil else { return [] }
        var owners: [UInt64] = []
        self[place.table.index].backlinks(place.list.index).forEachRepeatedRow(target) { owner in
            if owners.last != owner { owners.append(owner) }
            return true
        }
        return owners
    }

    /// Adds a list to a class. Throws `invalidInput` according to `SchemaRules`, without making
    /// changes.
    mutating func addList(
        _ name: String, target: TableKey, _ kind: ListKind, to key: TableKey, _ edit: ContentEdit
    ) throws(StoreError) -> ListKey {
        try SchemaRules.check(
            newList: name, target: target, kind, of: schema.tables[key.index], in: schema.tables)
        schema = schema.adding(list: name, target: target, kind, to: key)
        let table = ownTable(key.index, edit.nodes).addingLists(1, edit.nodes)
        directory?.store(table.node.word, DatabaseContent.offset(key.index))
        return ListKey(rawValue: UInt16(schema.tables[key.index].lists.count - 1))
    }

    /// Replaces elements of a row's list. Returns false and changes nothing if the positions are
    /// out of range. The row and the elements must exist. If a leaf is damaged, it may return false
    /// after inserting a part of the elements.
    ///
    /// - Complexity: O(log n) for each element.
    mutating func splice(
        _ place: ListPlace, _ owner: UInt64, at position: Int, removing count: Int,
        inserting elements: ArraySlice<UInt64>, _ edit: NodeEdit
    ) -> Bool {
        let point = position < 2 ? point(in: place, owner) : nil
        var isLinked = true
        let isDone = withTrees(of: place, edit) { sequence, backlinks in
            if count == 0 {
                guard sequence.insert(elements, owner, at: position, edit) else { return false }
            } else {
                let removed = sequence.elements(owner, position..<position + count)
                guard removed.count == count else { return false }
                if count == 1, elements.count == 1, let element = elements.first {
                    guard sequence.set(element, owner, at: position, edit) else { return false }
                } else {
                    guard sequence.insert(elements, owner, at: position + count, edit) else {
                        return false
                    }
                    // A forged leaf can have other elements than it had before the insertion.
                    isLinked = sequence.remove(owner, position..<position + count, edit)
                }
                for element in removed where !backlinks.remove(element, owner, edit) {
                    isLinked = false
                }
            }
            for element in elements { backlinks.insertAgain(element, owner, edit) }
            return true
        }
        if let point { movePoint(point, edit) }
        if !isLinked { reportBacklinks(of: place) }
        return isDone
    }

    /// Calls `body` to edit the elements and backlinks of a list, and stores their roots, which
    /// change even if only a part of the elements is inserted.
    @inline(__always)
    private mutating func withTrees<Result>(
        of place: ListPlace, _ edit: NodeEdit,
        _ body: (inout SequenceTree, inout IndexTree) -> Result
    ) -> Result {
        let table = ownTable(place.table.index, edit)
        let slot = table.listSlot(place.list.index)
        var sequence = table.elements(place.list.index)
        var backlinks = table.backlinks(place.list.index)
        let result = body(&sequence, &backlinks)
        table.setIndex(sequence.tree, at: slot)
        table.setIndex(backlinks, at: slot + 1)
        return result
    }

    /// Removes all lists of a row.
    mutating func removeLists(_ index: Int, _ owner: UInt64, _ edit: NodeEdit) {
        for list in schema.tables[index].lists.indices {
            let elements = self[index].elements(list).elements(owner)
            if elements.isEmpty { continue }
            let place = ListPlace(
                table: TableKey(rawValue: UInt32(index)), list: ListKey(rawValue: UInt16(list)))
            let point = point(in: place, owner)
            var isLinked = true
            withTrees(of: place, edit) { sequence, backlinks in
                isLinked = sequence.remove(owner, 0..<elements.count, edit)
                for element in elements where !backlinks.remove(element, owner, edit) {
                    isLinked = false
                }
            }
            if let point { movePoint(point, edit) }
            if !isLinked { reportBacklinks(of: place) }
        }
    }

    /// Removes deleted rows of a class from all lists. Calls `body` with each list and row affected
    /// and the positions removed, ascending.
    ///
    /// - Complexity: O(length) of each list that contains one of them, regardless of how many.
    mutating func removeOccurrences(
        of targets: [UInt64], in index: Int, _ edit: NodeEdit,
        _ body: (ListPlace, UInt64, [Int]) -> Void
    ) {
        let incoming = schema.relations[index].incomingLists
        if incoming.isEmpty { return }
        let wanted = Set(targets)
        for place in incoming {
            var counts: [UInt64: Int] = [:]
            let backlinks = self[place.table.index].backlinks(place.list.index)
            for target in targets {
                backlinks.forEachRepeatedRow(target) { owner in
                    counts[owner, default: 0] += 1
                    return true
                }
            }
            for (owner, count) in counts.sorted(by: { $0.key < $1.key }) {
                // A change of a list of a row that doesn't exist couldn't be applied.
                guard self[place.table.index].contains(owner) else {
                    reportBacklinks(of: place)
                    continue
                }
                let positions = remove(wanted, count, place, owner, edit)
                if positions.count < count { reportBacklinks(of: place) }
                if !positions.isEmpty { body(place, owner, positions) }
            }
        }
    }

    private mutating func remove(
        _ wanted: Set<UInt64>, _ count: Int, _ place: ListPlace, _ owner: UInt64, _ edit: NodeEdit
    ) -> [Int] {
        let point = point(in: place, owner)
        var isLinked = true
        let positions = withTrees(of: place, edit) { sequence, backlinks in
            let positions = sequence.positions(owner, of: wanted, count: count)
            // From the end, so that earlier positions stay valid; adjacent positions are removed
            // together.
            var end = positions.count
            while end > 0 {
                var start = end - 1
                while start > 0, positions[start - 1] == positions[start] - 1 { start -= 1 }
                let range = positions[start]..<positions[end - 1] + 1
                let elements = sequence.elements(owner, range)
                if elements.count < range.count { isLinked = false }
                for element in elements where !backlinks.remove(element, owner, edit) {
                    isLinked = false
                }
                if !sequence.remove(owner, range, edit) { isLinked = false }
                end = start
            }
            return positions
        }
        if let point { movePoint(point, edit) }
        if !isLinked { reportBacklinks(of: place) }
        return positions
    }

    /// Reports that elements that were removed had no backlinks, or backlinks no elements. A
    /// checkpoint with more of the one than of the other couldn't be loaded.
    private func reportBacklinks(of place: ListPlace) {
        let table = schema.tables[place.table.index]
        report(
            StoreError(
                .invalidDatabase,
                "The list \(table.name).\(table.lists[place.list.index].name) is inconsistent "
                    + "with its backlinks.", className: table.name))
    }
}
