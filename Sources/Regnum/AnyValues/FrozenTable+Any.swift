internal import RegnumEngine
internal import RegnumStore

// `AnyRealmValue`s in a snapshot.

extension FrozenTable {
    /// Returns the value of a property.
    func anyValue(_ row: ObjectKey, _ property: Int) -> FrozenAnyValue {
        let value = value(row, property)
        guard value.isAnyCollection,
            let table = snapshot.root.schema.table(named: schema.name),
            let list = table.list(named: schema.properties[property].anyItemsName)
        else { return anyValue(value, []) { "" } }
        let rows = checked(row, property) { snapshot.root.list(table.key, row, list.key) }
        return anyValue(value, rows) {
            mapKey($0, list.target)
        } element: {
            anyElement($0, list.target, level: 1)
        }
    }

    /// Returns the value of an element.
    ///
    /// - Parameter level: The number of lists and dictionaries of any type around it.
    func anyElement(
        _ element: ObjectKey, _ elements: TableKey, level: Int = 0
    ) -> FrozenAnyValue {
        let value = elementValue(element, elements, ColumnKey(0))
        guard value.isAnyCollection else { return anyValue(value, []) { "" } }
        let (rows, problem) = checked {
            let problem = snapshot.root.ownershipProblem(
                of: element, in: elements, level: level + 1)
            let rows = problem == nil ? snapshot.root.list(elements, element, .anyItems) : []
            return (rows, problem)
        }
        if let problem {
            fail(Realm.Error.naming(problem, in: snapshot.root.schema), nil, nil)
            return .none
        }
        return anyValue(value, rows) {
            mapKey($0, elements)
        } element: {
            anyElement($0, elements, level: level + 1)
        }
    }

    /// Returns the elements of a list or set.
    func anyElements(_ row: ObjectKey, _ property: Int) -> [FrozenAnyValue] {
        guard let elements = elements(property) else { return [] }
        return list(row, property).map { anyElement($0, elements) }
    }

    /// Returns the entries of a map in key order.
    func anyEntries(
        _ row: ObjectKey, _ property: Int
    ) -> [(key: String, value: FrozenAnyValue)] {
        guard let elements = elements(property) else { return [] }
        return list(row, property).map {
            (mapKey($0, elements), anyElement($0, elements))
        }
    }

    private func anyValue(_ value: Value, _ rows: [ObjectKey], key: () -> String) -> FrozenAnyValue
    {
        anyValue(value, rows) { _ in
            key()
        } element: { _ in
            .none
        }
    }

    private func anyValue(
        _ value: Value, _ rows: [ObjectKey], key: (ObjectKey) -> String,
        element: (ObjectKey) -> FrozenAnyValue
    ) -> FrozenAnyValue {
        switch value.anyContent {
        case .list: return .list(rows.map(element))
        case .dictionary:
            return .dictionary(
                Dictionary(rows.map { (key($0), element($0)) }) { first, _ in first })
        case .link(let table, let row):
            return anyLink(table, row)
        default: return self.element(value, schema.name)
        }
    }

    /// Returns the target of a link in an `AnyRealmValue`. A target that cannot
    /// be read is an error.
    private func anyLink(_ table: TableKey, _ row: ObjectKey) -> FrozenAnyValue {
        let tables = snapshot.root.schema.tables
        guard Int(table.rawValue) < tables.count else {
            fail(.missingRow("class"), nil, nil)
            return .none
        }
        let name = tables[Int(table.rawValue)].name
        guard let type = snapshot.realm.objectType(named: name) else {
            fail(.unlistedClass(name), nil, nil)
            return .none
        }
        let targets = other(type)
        guard targets.target(row) != nil else { return .none }
        guard targets.contains(row) else {
            targets.fail(.missingRow(name), nil, nil)
            return .none
        }
        return .object(FrozenAnyObject(table: targets, row: row))
    }
}

extension Frozen {
    /// Returns the value of an `AnyRealmValue` property.
    ///
    /// - Complexity: O(1); O(n) for a list or dictionary that contains n values.
    public subscript(dynamicMember keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenAnyValue {
        switch table.meaning(of: keyPath, row) {
        case .property(let index): return table.anyValue(row, index)
        case .computed:
            return table.compute(Model.self, row) { model in
                frozen(model[keyPath: keyPath])
            }
        }
    }

    /// Freezes the result of a computed property in this snapshot.
    private func frozen(_ value: AnyRealmValue) -> FrozenAnyValue {
        switch value {
        case .list(let list): .list(list.map { frozen($0) })
        case .dictionary(let map):
            .dictionary(
                Dictionary(map.map { ($0.key, frozen($0.value)) }) { first, _ in first })
        case .object(let object) where object.isManaged:
            .object(
                FrozenAnyObject(
                    table: table.other(type(of: object)),
                    row: ObjectKey(rawValue: object._row)))
        default: FrozenAnyValue(value) ?? .none
        }
    }

    /// Returns the values of a list in list order.
    ///
    /// - Complexity: O(1). The values are looked up when the result is used.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> FrozenValues<FrozenAnyValue> {
        table.values(row, property(keyPath))
    }

    /// Returns the values of a set in ascending order.
    ///
    /// - Complexity: O(1). The values are looked up when the result is used.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> FrozenValues<FrozenAnyValue> {
        table.values(row, property(keyPath))
    }

    private func property<V>(_ keyPath: KeyPath<Model, V>) -> Int {
        if case .property(let index) = table.meaning(of: keyPath, row) { return index }
        fatalError(
            "\(keyPath.text) of a Frozen<\(Model.self)> is computed: a computed property of a "
                + "frozen object can return an AnyRealmValue, but not a collection of them.")
    }
}
