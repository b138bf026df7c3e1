package import RegnumStore

/// What a transaction did to one list of one row of its base.
struct ListLog {
    private(set) var splices = ListSplices()
    /// Whether `splices` is the whole; else the trees tell.
    private(set) var isComplete = true

    /// More splices than these are not followed.
    private static let hunkCountMax = 1_024

    var isEmpty: Bool { isComplete && splices.isEmpty }

    mutating func edit(at position: Int, removing count: Int, inserting keys: [ObjectKey]) {
        guard isComplete else { return }
        splices.edit(at: position, removing: count, inserting: keys)
        if splices.hunks.count > ListLog.hunkCountMax {
            isComplete = false
            splices = ListSplices()
        }
    }
}

/// A list of a row.
struct RowList: Hashable {
    var list: ListKey
    var row: ObjectKey
}

extension EngineTransaction {
    /// Adds a list of rows of `target` to a class; it is empty for all rows.
    ///
    /// Throws `invalidInput`, naming class and property, for a name that is empty, too long, or that
    /// a column or list of the class has, a target that does not exist, and too many lists.
    package func addList(
        _ table: TableKey, name: String, target: TableKey, kind: ListKind = .list
    ) throws(StoreError) -> ListKey {
        willEdit()
        insertions = []
        let key = try content.addList(name, target: target, kind, to: table, edit)
        schemaChanges.append(.list(table, key, name, target: target, kind))
        return key
    }

    /// Puts rows into a list, before the element at `position`.
    ///
    /// Throws `invalidValue` (class and property named) for a row that does not exist, and for one
    /// that is owned and has an owner.
    /// - Precondition: the row and the list exist, `position` is in `0...listCount`.
    /// - Complexity: O(log n) for each key.
    package func insertIntoList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        _ keys: [ObjectKey]
    ) throws(StoreError) {
        try check(keys, table, list)
        splice(table, row, list, at: position, removing: 0, inserting: keys)
    }

    /// Adds rows to the class of a list's elements and puts them into the list, before the element
    /// at `position`: those of a list of values.
    ///
    /// - Parameter values: the rows one after the other, each of `width` values, in the order of the
    ///   columns; the others take their defaults.
    ///
    /// Throws as `insert`; nothing is changed then.
    /// - Precondition: as `insertIntoList`; `width` is no more than the class has columns.
    /// - Complexity: O(log n) for each row.
    package func insertIntoList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        newRows values: [Value], width: Int = 1
    ) throws(StoreError) {
        guard let target = content.listSchema(table, list)?.target else {
            preconditionFailure("There is no such list.")
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
            // no list has them yet, which would take them along when its object goes
            delete(target, keys)
            throw error
        }
        splice(table, row, list, at: position, removing: 0, inserting: keys)
    }

    /// Takes elements out of a list. Owned ones are deleted.
    ///
    /// - Precondition: the row and the list exist, `range` is within `0..<listCount`.
    /// - Complexity: O(log n) for each element; for owned ones, that of their deletion.
    package func removeFromList(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, _ range: Range<Int>
    ) {
        let owned = ownedElements(table, row, list, range)
        splice(
            table, row, list, at: range.lowerBound, removing: range.count, inserting: [])
        if let owned { delete(owned.table, owned.rows) }
    }

    /// The elements at some positions with their class, if they belong to the list.
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

    /// Puts a row in the place of an element; also an equal one counts as a change. An owned element
    /// is deleted, unless it is the same one.
    ///
    /// Throws `invalidValue` as `insertIntoList`.
    /// - Precondition: the row and the list exist, `position` is in `0..<listCount`.
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

    /// Moves an element, which stays what it is, owned or not: it stands at `destination` afterwards.
    ///
    /// - Precondition: the row and the list exist, both positions are in `0..<listCount`.
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
            "A list has no such position.")
        splice(table, row, list, at: source, removing: 1, inserting: [])
        splice(table, row, list, at: destination, removing: 0, inserting: [key])
    }

    private func check(
        _ keys: [ObjectKey], _ table: TableKey, _ list: ListKey
    ) throws(StoreError) {
        guard let schema = content.listSchema(table, list) else {
            preconditionFailure("There is no such list.")
        }
        let target = content[schema.target.index]
        for key in keys where !target.contains(key.rawValue) {
            throw invalidElement("an object that does not exist", table, schema)
        }
        guard content.schema.tables[schema.target.index].kind.isOwned else { return }
        for key in keys where content.hasOwner(schema.target, key.rawValue) {
            throw invalidElement("an object that belongs to another one already", table, schema)
        }
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending, Set(keys).count < keys.count {
            throw invalidElement("the same object twice, since it owns it", table, schema)
        }
    }

    private func invalidElement(
        _ what: String, _ table: TableKey, _ list: ListSchema
    ) -> StoreError {
        let name = content.schema.tables[table.index].name
        return StoreError(
            .invalidValue, "The list '\(name).\(list.name)' cannot hold \(what).",
            className: name, property: list.name)
    }

    private func splice(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int,
        removing count: Int, inserting keys: [ObjectKey]
    ) {
        willEdit()
        precondition(content.listSchema(table, list) != nil, "There is no such list.")
        precondition(
            contains(table, row), "A list of an object that does not exist cannot be changed.")
        let place = ListPlace(table: table, list: list)
        let isDone =
            position >= 0
            && content.splice(
                place, row.rawValue, at: position, removing: count,
                inserting: keys.map(\.rawValue)[...], edit.nodes)
        if !isDone || (count == 0 && keys.isEmpty) {
            return failSplice(table, row, list, position, count)
        }
        note(place, row, at: position, removing: count, inserting: keys)
    }

    /// Traps for positions that a list does not have; where the list's leaves are damaged, nothing
    /// was changed, and the source of the leaves has it noted.
    private func failSplice(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, _ position: Int, _ count: Int
    ) {
        let length = listCount(table, row, list)
        precondition(
            position >= 0 && position <= length && count <= length - position,
            "A list has no such position.")
        if count > 0 { _ = content.context.source?.damaged(.indexLeaf, at: 0, byteCount: 0) }
    }

    /// Notes a change of a list for the record and the summary; those of the transaction's own rows
    /// are part of what they are.
    func note(
        _ place: ListPlace, _ row: ObjectKey, at position: Int, removing count: Int,
        inserting keys: [ObjectKey]
    ) {
        guard row.rawValue >= changes[place.table.index].firstNewKey else {
            let index = place.table.index
            let key = RowList(list: place.list, row: row)
            changes[index].lists[key, default: ListLog()]
                .edit(at: position, removing: count, inserting: keys)
            if changes[index].lists[key]?.isEmpty ?? true { changes[index].lists[key] = nil }
            return
        }
    }

    /// The changes of lists of rows that were there before and still are, by list, ascending by row.
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
