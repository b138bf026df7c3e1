package import RegnumEngine
internal import RegnumStore

// Updates that write only what differs from what is stored. They must have been checked.

/// The elements of a list in their stored form: values, values of any type with their contents, or
/// the rows of objects.
package enum ListContents {
    case values([Value])
    case trees([AnyTree])
    case rows([ObjectKey])

    var count: Int {
        switch self {
        case .values(let values): values.count
        case .trees(let trees): trees.count
        case .rows(let rows): rows.count
        }
    }
}

extension AnyWriter {
    /// Sets a column to another value, where it differs. A dictionary gets the given entries and
    /// keeps the others; a list becomes the given one, element by element.
    ///
    /// - Parameter list: As for `set`.
    /// - Returns: Whether anything was changed.
    @discardableResult
    func update(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ column: ColumnKey,
        _ list: BindingPlace.StoredList?
    ) throws(StoreError) -> Bool {
        let stored = transaction.value(table, row, column) ?? .null
        let isChanged: Bool
        switch (tree, stored.anyContent, list) {
        case (.dictionary(let entries), .dictionary, let list?):
            isChanged = try update(entries, table, row, list)
        case (.list(let trees), .list, let list?):
            isChanged = try update(.trees(trees), table, row, list)
        case (.value(let value), _, _) where value == stored: return false
        case (.object, .link, _) where cell(tree) == stored: return false
        default:
            try set(tree, table, row, column, list)
            return true
        }
        if isChanged { try transaction.set(table, row, column, stored) }
        return isChanged
    }

    /// Puts entries, in ascending order of their keys, into a map or dictionary, which keeps its
    /// other entries. Returns whether anything was changed.
    @discardableResult
    func update(
        _ entries: [(key: String, tree: AnyTree)], _ table: TableKey, _ row: ObjectKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) -> Bool {
        let items = BindingPlace.StoredList(key: .anyItems, target: list.target)
        let stored = transaction.list(table, row, list.key)
        var keys: [String] = []
        for element in stored { keys.append(try mapKey(of: element, list.target)) }
        var (position, addedCount, isChanged) = (0, 0, false)
        for entry in entries {
            while position < keys.count, StoredText.precedes(keys[position], entry.key) {
                position += 1
            }
            if position < keys.count, !StoredText.precedes(entry.key, keys[position]) {
                let isSet = try update(
                    entry.tree, list.target, stored[position], .mapValue, items)
                isChanged = isChanged || isSet
                continue
            }
            try transaction.insertIntoList(
                table, row, list.key, at: position + addedCount,
                try insert([entry], list.target))
            addedCount += 1
        }
        return isChanged || addedCount > 0
    }

    /// Returns the key of a map's or dictionary's entry.
    func mapKey(of entry: ObjectKey, _ target: TableKey) throws(StoreError) -> String {
        if case .string(let key)? = transaction.value(target, entry, .mapKey) { return key }
        throw .missingElement(of: transaction.schema.tables[Int(target.rawValue)])
    }

    /// Updates a list, element by element, to have the given contents. Returns whether anything was
    /// changed.
    @discardableResult
    func update(
        _ contents: ListContents, _ table: TableKey, _ row: ObjectKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) -> Bool {
        let items = BindingPlace.StoredList(key: .anyItems, target: list.target)
        let stored = transaction.list(table, row, list.key)
        let old = stored.prefix(contents.count)
        var isChanged = contents.count != stored.count
        if stored.count > old.count {
            transaction.removeFromList(table, row, list.key, old.count..<stored.count)
        }
        switch contents {
        case .values(let values):
            for (element, value) in zip(old, values)
            where transaction.value(list.target, element, .mapValue) != value {
                try update(.value(value), list.target, element, .mapValue, items)
                isChanged = true
            }
        case .trees(let trees):
            for (element, tree) in zip(old, trees) {
                let isSet = try update(tree, list.target, element, .mapValue, items)
                isChanged = isChanged || isSet
            }
        case .rows(let rows):
            for position in old.indices where old[position] != rows[position] {
                try transaction.setListElement(
                    table, row, list.key, at: position, rows[position])
                isChanged = true
            }
        }
        try insert(contents, from: old.count, table, row, list)
        return isChanged
    }

    /// Appends the elements from a position on to a list with that many elements.
    func insert(
        _ contents: ListContents, from start: Int, _ table: TableKey, _ row: ObjectKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        guard start < contents.count else { return }
        switch contents {
        case .values(let values):
            try transaction.insertIntoList(
                table, row, list.key, at: start, newRows: Array(values[start...]))
        case .trees(let trees):
            let rows = try insert(trees[start...].map { ("", $0) }, list.target)
            try transaction.insertIntoList(table, row, list.key, at: start, rows)
        case .rows(let rows):
            try transaction.insertIntoList(
                table, row, list.key, at: start, Array(rows[start...]))
        }
    }
}
