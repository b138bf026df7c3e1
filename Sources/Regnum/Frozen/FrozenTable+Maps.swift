internal import RegnumEngine

// Maps in one snapshot, stored as lists of the rows of their hidden classes.

extension FrozenTable {
    /// Returns the location of a row's map, or `nil` if nothing was ever stored in the property.
    func mapPlace(_ row: ObjectKey, _ property: Int) -> OwnedList? {
        listPlace(property).map { table, list in
            OwnedList(table: table.key, tableName: table.name, row: row, list: list)
        }
    }

    /// Returns the entries of a map, in ascending order of their keys.
    func entries(_ map: OwnedList) -> [(key: String, entry: ObjectKey)] {
        checked { snapshot.root.list(map.table, map.row, map.list.key) }.map { entry in
            (mapKey(entry, map.list.target), entry)
        }
    }

    /// Returns the entries of a row's map with their stored values, in ascending order of their
    /// keys.
    func map(_ row: ObjectKey, _ property: Int) -> [(key: String, value: Value)] {
        guard let map = mapPlace(row, property) else { return [] }
        return entries(map).map { ($0.key, mapValue($0.entry, map.list.target)) }
    }

    /// Returns the key of an entry, a row of a map's hidden class.
    func mapKey(_ entry: ObjectKey, _ entries: TableKey) -> String {
        guard case .string(let key) = elementValue(entry, entries, .mapKey) else { return "" }
        return key
    }

    private func mapValue(_ entry: ObjectKey, _ entries: TableKey) -> Value {
        elementValue(entry, entries, .mapValue)
    }

    /// Returns a value in a row of a hidden class.
    func elementValue(_ row: ObjectKey, _ elements: TableKey, _ column: ColumnKey) -> Value {
        let value = checked { snapshot.root.value(elements, row, column) }
        if let value { return value }
        fail(.missingRow("element of \(schema.name)"), nil, nil)
        return .null
    }

    /// Returns the value of a collection's element as its Swift type.
    func element<Element: ScalarValue>(_ value: Value, _ collection: String) -> Element {
        if let decoded = Element._decode(_StoredValue(value)) { return decoded }
        if !Element.readsUnknownAsNil {
            fail(.undecodableElement(collection, value.keyText), nil, nil)
        }
        return Element.fromEngine(value)
    }

    /// Returns a map of values.
    func frozenMap<Key, Value: ScalarValue & Sendable>(
        _ map: OwnedList?, _ property: Int
    ) -> FrozenMap<Key, Value> {
        guard let type = Value._embeddedClass else {
            let name = "\(schema.name).\(schema.properties[property].name)"
            return FrozenMap(self, map, property) { self.element(self.mapValue($0, $1), name) }
        }
        let objects = other(type)
        return FrozenMap(self, map, property) {
            objects.projected(type, self.mapValue($0, $1).linkedObject)
        }
    }

    /// Returns the value of a projected type whose embedded class is this one.
    private func projected<T: ObjectBase, Value: ScalarValue>(
        _ type: T.Type, _ row: ObjectKey?
    ) -> Value {
        guard let row, target(row) != nil else { return Value.placeholder() }
        return compute(type, row) { object in
            if let made = Value._make(_PropertyContent(content: .link(object))) { return made }
            fail(.undecodableElement(schema.name, "\(object)"), nil, nil)
            return Value.placeholder()
        }
    }

    /// Returns a map of objects.
    func frozenMap<Key, T: ObjectBase>(
        _ map: OwnedList?, _ property: Int
    ) -> FrozenMap<Key, Frozen<T>?> {
        let targets = other(T.self)
        return FrozenMap(self, map, property) { entry, entries in
            self.mapValue(entry, entries).linkedObject.flatMap { targets.target($0) }
                .map { Frozen<T>(targets, row: $0) }
        }
    }

    /// Returns a map of `AnyRealmValue`, or a dictionary in an `AnyRealmValue`.
    func frozenAnyMap<Key>(
        _ map: OwnedList?, _ property: Int
    ) -> FrozenMap<Key, FrozenAnyValue> {
        FrozenMap(self, map, property) { self.anyElement($0, $1) }
    }
}

extension FrozenTable {
    /// Returns a dictionary of the entries of a map. Keys that are equal as Swift strings fail the
    /// read.
    func dictionary<Element>(
        _ entries: [(key: String, value: Element)], _ row: ObjectKey?, _ property: Int?
    ) -> [String: Element] {
        checkKeys(entries.lazy.map(\.key), row, property)
        return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Fails the read if two of the keys are equal as Swift strings.
    func checkKeys(_ keys: some Collection<String>, _ row: ObjectKey?, _ property: Int?) {
        if let key = EqualKeys.first(in: keys) { fail(.equalKeys(key), row, property) }
    }
}
