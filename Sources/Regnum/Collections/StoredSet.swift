internal import RegnumEngine
internal import RegnumStore

/// The elements of a set, independent of their type: values, or the rows of objects.
struct SetMembers {
    var values: [Value] = []
    var keys: [ObjectKey] = []

    init() {}

    /// Sorts the elements and removes duplicates, keeping the first of equal values.
    init(values: [Value], keys: [ObjectKey]) {
        guard values.count > 1 || keys.count > 1 else {
            (self.values, self.keys) = (values, keys)
            return
        }
        let order = values.indices.sorted {
            let order = Value.compare(values[$0], values[$1])
            return order == 0 ? $0 < $1 : order < 0
        }
        for index in order {
            if let last = self.values.last, Value.compare(last, values[index]) == 0 { continue }
            self.values.append(values[index])
        }
        for key in keys.sorted() where self.keys.last != key { self.keys.append(key) }
    }
}

/// A stored set of a row in a write transaction: a list of distinct elements in ascending order.
///
/// Values are compared with `Value.compare`, so that -0.0 equals 0.0 and NaN equals NaN; objects
/// are compared by their keys. Inserting an existing element is not recorded as a change.
struct StoredSet {
    let transaction: EngineTransaction
    let table: TableKey
    let row: ObjectKey
    let list: BindingPlace.StoredList

    private var count: Int { transaction.listCount(table, row, list.key) }

    private func key(at position: Int) -> ObjectKey? {
        transaction.listElement(table, row, list.key, at: position)
    }

    private func compare(_ position: Int, _ value: Value) throws(StoreError) -> Int {
        guard let key = key(at: position) else { return 1 }  // the list is damaged
        guard let found = transaction.value(list.target, key, ColumnKey(0)) else {
            throw .missingElement(of: transaction.schema.tables[Int(list.target.rawValue)])
        }
        return Value.compare(found, value)
    }

    private func compare(_ position: Int, _ wanted: ObjectKey) throws(StoreError) -> Int {
        guard let key = key(at: position) else { return 1 }
        return key == wanted ? 0 : (key < wanted ? -1 : 1)
    }

    /// Inserts the elements that are not in the set yet.
    ///
    /// Throws for a value or row that cannot be stored, without changing anything.
    /// - Complexity: O(log² n) for each element.
    func add(_ members: SetMembers) throws(StoreError) {
        if members.keys.isEmpty, count == 0 {
            if members.values.isEmpty { return }
            return try transaction.insertIntoList(
                table, row, list.key, at: 0, newRows: members.values)
        }
        for value in members.values { try transaction.check(list.target, ColumnKey(0), value) }
        for (position, values) in try missing(members.values, compare).reversed() {
            try transaction.insertIntoList(table, row, list.key, at: position, newRows: values)
        }
        for (position, keys) in try missing(members.keys, compare).reversed() {
            try transaction.insertIntoList(table, row, list.key, at: position, keys)
        }
    }

    /// Removes the elements that are in the set.
    ///
    /// - Complexity: O(log² n) for each element.
    func remove(_ members: SetMembers) throws(StoreError) {
        remove(try present(members))
    }

    /// Removes all elements except the given ones.
    ///
    /// - Complexity: O(n log n).
    func keep(_ members: SetMembers) throws(StoreError) {
        let kept = Set(try present(members))
        remove((0..<count).filter { !kept.contains($0) })
    }

    /// Replaces all elements. Existing elements that are also in `members` are kept.
    ///
    /// Throws like `add`, without changing anything.
    func replaceAll(with members: SetMembers) throws(StoreError) {
        for value in members.values { try transaction.check(list.target, ColumnKey(0), value) }
        try keep(members)
        try add(members)
    }

    /// Removes the elements at the given ascending positions, starting with the last.
    private func remove(_ positions: [Int]) {
        var end = positions.count
        while end > 0 {
            var start = end - 1
            while start > 0, positions[start - 1] == positions[start] - 1 { start -= 1 }
            transaction.removeFromList(
                table, row, list.key, positions[start]..<positions[end - 1] + 1)
            end = start
        }
    }

    /// Returns the elements that are not in the set, grouped by the position to insert them at.
    private func missing<Element>(
        _ elements: [Element], _ compare: (Int, Element) throws(StoreError) -> Int
    ) throws(StoreError) -> [(position: Int, elements: [Element])] {
        var groups: [(position: Int, elements: [Element])] = []
        for (element, place) in zip(elements, try search(elements, compare)) where !place.isThere {
            if let last = groups.indices.last, groups[last].position == place.position {
                groups[last].elements.append(element)
            } else {
                groups.append((place.position, [element]))
            }
        }
        return groups
    }

    /// Returns the positions of the elements that are in the set.
    private func present(_ members: SetMembers) throws(StoreError) -> [Int] {
        let places = try search(members.values, compare) + search(members.keys, compare)
        return places.filter(\.isThere).map(\.position)
    }

    /// Returns where each element is, or would be inserted.
    private func search<Element>(
        _ elements: [Element], _ compare: (Int, Element) throws(StoreError) -> Int
    ) throws(StoreError) -> [(position: Int, isThere: Bool)] {
        if elements.isEmpty { return [] }
        var places: [(position: Int, isThere: Bool)] = []
        let count = count
        var low = 0
        for element in elements {
            low = try ascendingPosition(low..<count) { (position) throws(StoreError) in
                try compare(position, element)
            }
            let isThere = low < count ? try compare(low, element) == 0 : false
            places.append((low, isThere))
        }
        return places
    }
}

/// Returns the first position in a range of ascending elements whose element does not
/// precede the wanted one.
///
/// - Parameter compare: Returns the sign of comparing the element at a position with the wanted
///   one.
func ascendingPosition<Failure: Error>(
    _ range: Range<Int>, _ compare: (Int) throws(Failure) -> Int
) throws(Failure) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
        let middle = low + (high - low) / 2
        if try compare(middle) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
}
