internal import RegnumEngine
internal import RegnumStore

// `AnyRealmValue`s in a snapshot.

extension FrozenTable {
    /// Returns the value of a property.
    func anyValue(_ row: ObjectKey, _ property: Int) -> FrozenAnyValue {
        let value = value(row, property)
        guard value.isAnyCollection else { return anyValue(value) }
        guard let table = snapshot.root.schema.table(named: schema.name),
            let list = table.list(named: schema.properties[property].anyItemsName)
        else {
            fail(.missingItems(schema.name, schema.properties[property].name), row, property)
            return .none
        }
        let rows = checked(row, property) { snapshot.root.list(table.key, row, list.key) }
        return anyValue(value, rows, of: (row, property)) {
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
        guard value.isAnyCollection else { return anyValue(value) }
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

    private func anyValue(
        _ value: Value, _ rows: [ObjectKey] = [], of owner: (row: ObjectKey, property: Int)? = nil,
        key: (ObjectKey) -> String = { _ in "" },
        element: (ObjectKey) -> FrozenAnyValue = { _ in .none }
    ) -> FrozenAnyValue {
        switch value.anyContent {
        case .list: return .list(rows.map(element))
        case .dictionary:
            return .dictionary(
                dictionary(rows.map { (key($0), element($0)) }, owner?.row, owner?.property))
        case .link(let table, let row):
            return anyLink(table, row)
        default: return self.element(value, schema.name)
        }
    }

    /// Returns the target of a link in an `AnyRealmValue`. A target that cannot
    /// be read is an error.
    private func anyLink(_ table: TableKey, _ row: ObjectKey) -> FrozenAnyValue {
        let name: String
        do throws(Realm.Error) {
            name = try snapshot.root.schema.anyTarget(table).name
        } catch {
            fail(error, nil, nil)
            return .none
        }
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

    /// Returns a value that a property of a row returned, which may be computed.
    ///
    /// Throws `.invalidValue` for too many levels of lists and dictionaries, `.invalidInput` for an
    /// unmanaged object.
    func frozen(
        _ value: AnyRealmValue, of row: ObjectKey, level: Int = 0
    ) throws(Realm.Error) -> FrozenAnyValue {
        if level > Limits.maximumAnyLevel {
            throw refusal(
                .invalidValue,
                "lists or dictionaries nested more than \(Limits.maximumAnyLevel) levels deep")
        }
        switch value {
        case .list(let list):
            if let stored = list.managed { return frozen(stored) }
            var elements: [FrozenAnyValue] = []
            for element in list {
                elements.append(try frozen(element, of: row, level: level + 1))
            }
            return .list(elements)
        case .dictionary(let map):
            if let stored = map.managed { return frozen(stored) }
            var entries: [(key: String, value: FrozenAnyValue)] = []
            for entry in map {
                let value = try frozen(entry.value, of: row, level: level + 1)
                entries.append((entry.key, value))
            }
            return .dictionary(dictionary(entries, row, nil))
        case .object(let object):
            guard object.isManaged else {
                throw unstored("an AnyRealmValue with a \(type(of: object))")
            }
            let targets = other(type(of: object))
            _ = targets.readableTable  // fails the read of a class that doesn't match
            return .object(FrozenAnyObject(table: targets, row: ObjectKey(rawValue: object._row)))
        default:
            return FrozenAnyValue(value) ?? .none
        }
    }

    private func refusal(_ code: Realm.Error.Code, _ result: String) -> Realm.Error {
        Realm.Error(
            code, "A computed property of a frozen \(schema.name) returned \(result).",
            className: schema.name)
    }

    private func unstored(_ result: String) -> Realm.Error {
        refusal(
            .invalidInput,
            "\(result) that isn't stored: it can return values, and objects of its realm")
    }

    /// Fails the read of a computed property that returned an unmanaged object.
    func failUnstored(_ result: String, _ row: ObjectKey) { fail(unstored(result), row, nil) }

    /// Returns a value that a property of a row returned. An invalid one fails the read.
    func result(_ value: AnyRealmValue, of row: ObjectKey) -> FrozenAnyValue {
        do throws(Realm.Error) {
            return try frozen(value, of: row)
        } catch {
            fail(error, row, nil)
            return .none
        }
    }

    /// Returns the contents of a stored list or dictionary.
    func frozen(_ list: _ManagedList) -> FrozenAnyValue {
        let owners = other(list.binding.schema.type)
        if let slot = list.slot {
            return slot.elements.map { owners.anyElement(list.row, $0) }
                ?? owners.anyValue(list.row, list.property)
        }
        if case .map = owners.schema.properties[list.property].shape {
            let entries = owners.anyEntries(list.row, list.property)
            return .dictionary(owners.dictionary(entries, list.row, list.property))
        }
        return .list(owners.anyElements(list.row, list.property))
    }
}

extension Frozen {
    /// The value of an `AnyRealmValue` property.
    ///
    /// - Complexity: O(1); O(n) for a list or dictionary that contains n values.
    public subscript(dynamicMember keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenAnyValue {
        table.compute(Model.self, row) { table.result($0[keyPath: keyPath], of: row) }
    }

    /// The values of a list, in list order.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> FrozenValues<FrozenAnyValue> {
        let place = collectionPlace(keyPath)
        return place.table.values(place.row, place.property)
    }

    /// The values of a set, in ascending order.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> FrozenValues<FrozenAnyValue> {
        let place = collectionPlace(keyPath)
        return place.table.values(place.row, place.property)
    }
}
