package import RegnumStore

/// A transaction's changes to a list of a row that its base has.
struct ListLog {
    private(set) var splices = ListSplices()
    /// Whether `splices` is complete. If not, the trees must be compared.
    private(set) var isComplete = true

    /// The maximum number of splices to track.
    private static let maximumHunkCount = 1_024

    var isEmpty: Bool { isComplete && splices.isEmpty }

    mutating func edit(at position: Int, removing count: Int, inserting keys: [ObjectKey]) {
        guard isComplete else { return }
        splices.edit(at: position, removing: count, inserting: keys)
        if splices.hunks.count > ListLog.maximumHunkCount {
            isComplete = false
            splices = ListSplices()
        }
    }
}

/// A list of a particular row.
struct RowList: Hashable {
    var list: ListKey
    var row: ObjectKey
}

extension EngineTransaction {
    /// Adds a list of rows of `target` to a class. It is empty in all rows.
    ///
    /// Throws `invalidInput`, with class and property, for a name that is empty, too long or taken
    /// by a column or list of the class, a target that doesn't exist, and too many lists.
    package func addList(
        _ table: TableKey, name: String, target: TableKey, kind: ListKind = .list
    ) throws(StoreError) -> ListKey {
        willEdit()
        insertions = []
        let key = try content.addList(name, target: target, kind, to: table, edit)
        schemaChanges.append(.list(table, key, name, target: target, kind))
        return key
    }

    /// Adds a geospatial index to an existing list of doubles.
    ///
    /// Throws `invalidInput`, with class and property, if the list already has one or isn't a list
    /// of doubles.
    ///
    /// - Complexity: O(n log n).
    package func addGeoIndex(_ table: TableKey, _ list: ListKey) throws(StoreError) {
        willEdit()
        insertions = []
        try content.addGeoIndex(list, of: table, edit)
        schemaChanges.append(.geoIndex(table, list))
    }

    /// Inserts rows into a list before the element at `position`.
    ///
    /// Throws `invalidValue` (with class and property) for a row that doesn't exist, or is owned by
    /// another row already.
    ///
    /// - Precondition: The row and the list exist, and `position` is in `0...listCount`.
    /// - Complexity: O(log n) for each key.
    package func insertIntoList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        _ keys: [ObjectKey]
    ) throws(StoreError) {
        try check(keys, table, list)
        splice(table, row, list, at: position, removing: 0, inserting: keys)
    }

    /// Inserts rows into the class of a list's elements and then into the list before the element
    /// at `position`. For lists of values.
    ///
    /// - Parameter values: The rows one after the other, each of `width` values in column order.
    ///   The remaining columns take their defaults.
    ///
    /// Throws like `insert`, without making changes.
    ///
    /// - Precondition: As for `insertIntoList`, and `width` doesn't exceed the number of columns.
    /// - Complexity: O(log n) for each row.
    package func insertIntoList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        newRows values: [Value], width: Int = 1
    ) throws(StoreError) {
        guard let target = content.listSchema(table, list)?.target else {
            preconditionFailure("The list doesn't exist.")
        }
        let columnCount = content.schema.tables[target.index].columns.count
        let others =
            width == columnCount
            ? [] : content.schema.tables[target.index].columns[width...].map(\.defaultValue)
        let insertion = insertion(target)
        var keys: [ObjectKey] = []
        keys.reserveCapacity(values.count / width)
        do throws(StoreError) {
            for start in stride(from: 0, to: values.count, by: width) {
                insertion.begin()
                for column in 0..<width { insertion.put(values[start + column], column) }
                for (index, value) in others.enumerated() { insertion.put(value, width + index) }
                keys.append(try insertion.end())
            }
        } catch {
            // No list has these rows yet, so deleting their owner wouldn't delete them.
            delete(target, keys)
            throw error
        }
        splice(table, row, list, at: position, removing: 0, inserting: keys)
    }

    /// Removes elements from a list. Owned elements are deleted.
    ///
    /// - Precondition: The row and the list exist, and `range` is within `0..<listCount`.
    /// - Complexity: O(log n) for each element, plus the deletion of owned ones.
    package func removeFromList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, _ range: Range<Int>
    ) {
        let owned = ownedElements(table, row, list, range)
        splice(
            table, row, list, at: range.lowerBound, removing: range.count, inserting: [])
        if let owned { delete(owned.table, owned.rows) }
    }

    /// Returns the elements in a range with their class if the list owns them, otherwise `nil`.
    private func ownedElements(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, _ range: Range<Int>
    ) -> (table: TableKey, rows: [ObjectKey])? {
        guard content.schema.relations[table.index].ownsRows,
            let target = content.listSchema(table, list)?.target,
            content.schema.tables[target.index].kind.isOwned
        else { return nil }
        let rows = content.elements(table, list).elements(row.rawValue, range)
        return (target, rows.map { ObjectKey(rawValue: $0) })
    }

    /// Replaces a list element. An equal row counts as a change. A previous owned element is
    /// deleted unless it is the same row.
    ///
    /// Throws `invalidValue` like `insertIntoList`.
    ///
    /// - Precondition: The row and the list exist, and `position` is in `0..<listCount`.
    /// - Complexity: O(log n).
    package func setListElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int, _ key: ObjectKey
    ) throws(StoreError) {
        let owned = ownedElements(table, row, list, position..<position + 1)
        let isSame = owned?.rows.first == key
        if !isSame { try check([key], table, list) }
        splice(table, row, list, at: position, removing: 1, inserting: [key])
        if let owned, !isSame { delete(owned.table, owned.rows) }
    }

    /// Moves an element to `destination`, its position after the move. An owned element isn't
    /// deleted.
    ///
    /// - Precondition: The row and the list exist, and both positions are in `0..<listCount`.
    /// - Complexity: O(log n).
    package func moveInList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, from source: Int,
        to destination: Int
    ) {
        guard let key = listElement(table, row, list, at: source) else {
            return failSplice(table, row, list, source, 1)
        }
        if source == destination { return }
        precondition(
            destination >= 0 && destination < listCount(table, row, list),
            "The list position is out of bounds.")
        splice(table, row, list, at: source, removing: 1, inserting: [])
        splice(table, row, list, at: destination, removing: 0, inserting: [key])
    }

    private func check(
        _ keys: [ObjectKey], _ table: TableKey, _ list: ListKey
    ) throws(StoreError) {
        guard let schema = content.listSchema(table, list) else {
            preconditionFailure("The list doesn't exist.")
        }
        let target = content[schema.target.index]
        for key in keys where !target.contains(key.rawValue) {
            throw invalidElement("an object that does not exist", table, schema)
        }
        guard content.schema.tables[schema.target.index].kind.isOwned else { return }
        for key in keys where content.owner(schema.target, key.rawValue) != nil {
            throw invalidElement("an object that already has an owner", table, schema)
        }
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending, Set(keys).count < keys.count {
            throw invalidElement("the same owned object twice", table, schema)
        }
    }

    private func invalidElement(
        _ what: String, _ table: TableKey, _ list: ListSchema
    ) -> StoreError {
        let name = content.schema.tables[table.index].name
        return StoreError(
            .invalidValue, "\(name).\(list.name) cannot hold \(what).",
            className: name, property: list.name)
    }

    private func splice(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        removing count: Int, inserting keys: [ObjectKey]
    ) {
        willEdit()
        precondition(content.listSchema(table, list) != nil, "The list doesn't exist.")
        precondition(
            contains(table, row), "Can't change a list of an object that doesn't exist.")
        let place = ListPlace(table: table, list: list)
        let isDone =
            position >= 0
            && content.splice(
                place, row.rawValue, at: position, removing: count,
                inserting: keys.map(\.rawValue)[...], edit.nodes)
        if !isDone || (count == 0 && keys.isEmpty) {
            return failSplice(table, row, list, position, count, isDone: isDone)
        }
        note(place, row, at: position, removing: count, inserting: keys)
    }

    /// Traps if the positions are out of bounds. Otherwise the list's leaves are damaged; records
    /// that, which fails the transaction.
    private func failSplice(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, _ position: Int, _ count: Int,
        isDone: Bool = false
    ) {
        let length = listCount(table, row, list)
        precondition(
            position >= 0 && position <= length && count <= length - position,
            "The list position is out of bounds.")
        if isDone { return }
        let schema = content.schema.tables[table.index]
        let name = content.listSchema(table, list)?.name ?? ""
        content.report(
            StoreError(
                .invalidDatabase,
                "The list \(schema.name).\(name) of the row \(row.rawValue) has \(length) "
                    + "elements, but it can't be changed at position \(position).",
                className: schema.name, property: name))
    }

    /// Records a change of a list for the commit record and the summary. Lists of the transaction's
    /// own rows are recorded as part of those rows.
    func note(
        _ place: ListPlace, _ row: ObjectKey, at position: Int, removing count: Int,
        inserting keys: [ObjectKey]
    ) {
        let index = place.table.index
        if row.rawValue >= changes[index].firstNewKey { return }
        let key = RowList(list: place.list, row: row)
        changes[index].lists[key, default: ListLog()]
            .edit(at: position, removing: count, inserting: keys)
        if changes[index].lists[key]?.isEmpty ?? true { changes[index].lists[key] = nil }
    }

    /// Returns the changes of lists of rows that exist in both versions, by list and ascending by
    /// row.
    func listChanges(_ index: Int) -> [ListKey: [ListChange]] {
        var result: [ListKey: [ListChange]] = [:]
        for (key, log) in changes[index].lists {
            let table = TableKey(rawValue: UInt32(index))
            let splices =
                log.isComplete
                ? log.splices.splices
                : SequenceTree.difference(
                    base.content.elements(table, key.list), content.elements(table, key.list),
                    key.row.rawValue)
            if splices.isEmpty { continue }
            result[key.list, default: []].append(ListChange(row: key.row, splices: splices))
        }
        for list in result.keys { result[list]?.sort { $0.row < $1.row } }
        return result
    }
}
