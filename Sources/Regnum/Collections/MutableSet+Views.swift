internal import RegnumEngine

// Frozen and live sets.

extension Frozen {
    /// The objects of a set, in order of creation.
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<T>>
    ) -> FrozenResults<T> {
        switch table.meaning(of: keyPath, row) {
        case .property(let index): return table.results(T.self, row, index)
        case .computed:
            return table.compute(Model.self, row) { model in
                guard let set = model[keyPath: keyPath].handle else { trapUnmanaged(keyPath) }
                return table.other(set.binding.schema.type).results(T.self, set.row, set.property)
            }
        }
    }

    /// The values of a set, ascending.
    ///
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> FrozenValues<Value> {
        switch table.meaning(of: keyPath, row) {
        case .property(let index): return table.values(row, index)
        case .computed:
            return table.compute(Model.self, row) { model in
                guard let set = model[keyPath: keyPath].handle else { trapUnmanaged(keyPath) }
                return table.other(set.binding.schema.type).values(set.row, set.property)
            }
        }
    }
}

extension Live {
    /// The objects of a set, in order of creation.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .list)
    }

    /// The values of a set, ascending.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> LiveValues<Value> {
        let property = entry.schema.requireProperty(keyPath)
        return LiveValues(
            realm, entry, plan: QueryPlan(tableName: entry.schema.elementsName(of: property)),
            owner: owner(property, .list))
    }
}

extension MutableSet where Element: ObjectBase {
    /// The set as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the set of an object that was added in this transaction, and
    ///   for an unmanaged one.
    /// - Precondition: the object of the set was not deleted, and the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenResults<Element> {
        let (table, set) = try startTable()
        return table.results(Element.self, set.row, set.property)
    }
}

extension MutableSet where Element: ScalarValue & Sendable {
    /// The set as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the set of an object that was added in this transaction, and
    ///   for an unmanaged one.
    /// - Precondition: the object of the set was not deleted, and the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenValues<Element> {
        let (table, set) = try startTable()
        return table.values(set.row, set.property)
    }
}

extension MutableSet {
    private func startTable() throws(Realm.Error) -> (FrozenTable, _ManagedList) {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged MutableSet<\(Element.self)> was to be frozen: only sets of a realm "
                    + "can be.")
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property,
            what: "set \(handle.name) of an object")
        return (table, handle)
    }
}
