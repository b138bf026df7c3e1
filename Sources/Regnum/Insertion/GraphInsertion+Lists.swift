internal import RegnumEngine
internal import RegnumStore

extension GraphInsertion {
    /// Stores the elements of a new row's lists, sets and maps.
    func insertLists(of node: Node) throws(Realm.Error) {
        for (property, _, contents) in node.lists where !contents.isEmpty {
            guard let row = node.row, let list = node.binding.place.lists[property] else {
                continue
            }
            do throws(StoreError) {
                let table = node.binding.place.tableKey
                if case .set = node.binding.schema.properties[property].shape {
                    let stored = StoredSet(
                        transaction: transaction, table: table, row: row, list: list)
                    try stored.add(members(of: contents))
                    continue
                }
                try insert(contents, table, row, list)
            } catch {
                throw Realm.Error(error).naming(node.binding.schema, property)
            }
        }
    }

    /// Returns the elements of a set, all of whose objects have rows.
    func members(of contents: [_PropertyContent.Content]) -> SetMembers {
        var values: [Value] = []
        var keys: [ObjectKey] = []
        for content in contents {
            switch content {
            case .value(let value): values.append(value)
            case .tree(let tree): values.append(anyWriter.cell(tree))
            case .link(let object?):
                if let row = row(of: object) { keys.append(row) }
            default: break
            }
        }
        return SetMembers(values: values, keys: keys)
    }

    /// Inserts elements into an empty list.
    private func insert(
        _ contents: [_PropertyContent.Content], _ table: TableKey, _ row: ObjectKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        let values = contents.values
        if values.count == contents.count {
            return try transaction.insertIntoList(table, row, list.key, at: 0, newRows: values)
        }
        let keys = try keys(of: contents, list.target)
        try transaction.insertIntoList(table, row, list.key, at: 0, keys)
    }

    /// Returns the rows of elements, inserting new rows for values. If it throws, no new rows
    /// remain.
    func keys(
        of contents: some Sequence<_PropertyContent.Content>, _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var iterator = contents.makeIterator()
        while let content = iterator.next() {
            switch content {
            case .value(let value):
                do throws(StoreError) {
                    keys.append(try transaction.insert(target, [value]))
                } catch {
                    // no list holds the rows yet, so they wouldn't be deleted along with its owner
                    transaction.delete(target, keys)
                    throw error
                }
            case .link(let object?): if let key = row(of: object) { keys.append(key) }
            case .tree(let tree):
                do throws(StoreError) {
                    keys += try anyWriter.insert([("", tree)], target)
                } catch {
                    transaction.delete(target, keys)
                    throw error
                }
            default: break
            }
        }
        return keys
    }
}
