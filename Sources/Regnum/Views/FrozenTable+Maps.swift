internal import RegnumEngine

// Maps in one snapshot: lists of the rows of their hidden classes.

extension FrozenTable {
    /// The entries of a map, in ascending order of their keys.
    func map(_ row: ObjectKey, _ property: Int) -> [(key: String, value: Value)] {
        guard let (_, list) = listPlace(property) else { return [] }
        return self.list(row, property).map { entry in
            (mapKey(entry, list.target), mapValue(entry, list.target))
        }
    }

    func mapCount(_ row: ObjectKey, _ property: Int) -> Int {
        guard let (table, list) = listPlace(property) else { return 0 }
        return snapshot.root.listCount(table.key, row, list.key)
    }

    /// The value of a key, nil if there is no such entry.
    ///
    /// - Complexity: O(log² n).
    func mapValue(_ row: ObjectKey, _ property: Int, _ key: String) -> Value? {
        guard let (table, list) = listPlace(property) else { return nil }
        let root = snapshot.root
        var low = 0
        var high = root.listCount(table.key, row, list.key)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = root.listElement(table.key, row, list.key, at: middle) else {
                return nil
            }
            let found = mapKey(entry, list.target)
            if MapKeyText.precedes(found, key) {
                low = middle + 1
            } else if MapKeyText.precedes(key, found) {
                high = middle
            } else {
                return mapValue(entry, list.target)
            }
        }
        return nil
    }

    /// The key of an entry of a map's hidden class.
    func mapKey(_ entry: ObjectKey, _ entries: TableKey) -> String {
        guard case .string(let key)? = snapshot.root.value(entries, entry, .mapKey) else {
            return ""
        }
        return key
    }

    private func mapValue(_ entry: ObjectKey, _ entries: TableKey) -> Value {
        snapshot.root.value(entries, entry, .mapValue) ?? .null
    }

    /// The values of a map.
    func frozenMap<Key, Value: ScalarValue & Sendable>(
        _ row: ObjectKey?, _ property: Int
    ) -> FrozenMap<Key, Value> {
        guard let type = Value._embeddedClass else {
            return FrozenMap(self, row: row, property) { Value.fromEngine($0) }
        }
        let objects = other(type)
        return FrozenMap(self, row: row, property) { objects.projected(type, $0.linkedObject) }
    }

    /// A value of a projected type of which this is the embedded class.
    private func projected<T: ObjectBase, Value: ScalarValue>(
        _ type: T.Type, _ row: ObjectKey?
    ) -> Value {
        guard let row, mismatch == nil else { return Value._makeDefault() }
        return compute(type, row) { object in
            Value._make(_PropertyContent(content: .link(object))) ?? Value._makeDefault()
        }
    }

    /// The objects of a map.
    func frozenMap<Key, T: ObjectBase>(
        _ row: ObjectKey?, _ property: Int
    ) -> FrozenMap<Key, Frozen<T>?> {
        let targets = other(T.self)
        return FrozenMap(self, row: row, property) { value in
            guard targets.mismatch == nil else { return nil }
            return value.linkedObject.map { Frozen<T>(targets, row: $0) }
        }
    }
}
