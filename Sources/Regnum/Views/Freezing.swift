internal import RegnumEngine

extension RealmCollectionValue where Self: ObjectBase {
    /// The object as it was when the transaction started: a value that can be sent and kept.
    ///
    ///     let before = try await realm.write { tx in
    ///         let dog = …
    ///         dog.name = "Rex"
    ///         return try dog.freeze()      // with the name that it had before
    ///     }
    ///
    /// What the transaction itself changed does not show: take that from a snapshot when `write` has
    /// returned.
    ///
    /// - Throws: `.invalidInput` for an object that was added or deleted in this transaction, and
    ///   for an unmanaged one.
    /// - Precondition: the body is running, and `Self` is the object's own class, not a superclass.
    /// - Complexity: O(log n).
    public func freeze() throws(Realm.Error) -> Frozen<Self> {
        let name = "\(type(of: self))"
        let object = _storedObject
        guard let binding = object._binding else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged \(name) was to be frozen: only objects of a realm can be, add it to one.",
                className: name)
        }
        guard type(of: self) == Self.self else {
            fatalError(
                "A \(name) was to be frozen as a \(Self.self): cast it to its own class first.")
        }
        let table = try binding.startTable(row: object._row, property: 0, what: name)
        return Frozen(table, row: ObjectKey(rawValue: object._row))
    }
}

extension ClassBinding {
    /// The class as it was when the transaction started.
    ///
    /// - Throws: `.invalidInput` for a row that was not there, and for one that is not there any
    ///   more.
    func startTable(
        row: UInt64, property: Int, what: String
    ) throws(Realm.Error) -> FrozenTable {
        guard let core, let start = core.start else { trapEnded(~Int32(property)) }
        guard isReadable(row: row) else {
            throw .deletedObject(tableName, schema.properties[property].name, core.place)
        }
        let table = FrozenTable(start, start.realm.entry(for: schema.type))
        guard table.contains(ObjectKey(rawValue: row)) else {
            throw Realm.Error(
                .invalidInput,
                "A \(what) that was added in this transaction was to be frozen: freeze() gives the "
                    + "state at the start of the transaction. Take it from a snapshot after the write.",
                className: schema.name)
        }
        return table
    }
}

extension Results {
    /// What the query finds in the state at the start of the transaction: a value that can be sent
    /// and kept. What the transaction itself changed does not show.
    ///
    /// - Precondition: the body is running.
    /// - Complexity: O(1): the query is evaluated at first use.
    public func freeze() -> FrozenResults<Model> {
        guard let start = binding.core?.start else {
            fatalError(
                "Results<\(binding.tableName)> were frozen after the body of their transaction had "
                    + "returned.")
        }
        return FrozenResults(
            FrozenTable(start, start.realm.entry(for: binding.schema.type)), plan: _plan)
    }
}

extension _ManagedList? {
    /// The list as it was when the transaction started.
    ///
    /// - Parameters:
    ///   - type: the type of the collection, and
    ///   - kind: what one is called, for sentences.
    func frozenPlace(_ type: String, _ kind: String) throws(Realm.Error) -> _FrozenPlace {
        guard let list = self else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged \(type) was to be frozen: only \(kind)s of a realm can be.")
        }
        let (table, place) = try list.startTable(kind)
        guard let place else {
            return _FrozenPlace(table: table, plan: table.plan(list.row, list.property))
        }
        let plan = QueryPlan(
            tableName: list.binding.schema.elementsName(
                of: list.binding.schema.properties[list.property]),
            source: .list(tableName: place.tableName, row: place.row, name: place.list.name))
        return _FrozenPlace(table: table, plan: plan)
    }
}

extension _ManagedList {
    /// The class as it was when the transaction started; for what lies in a value of any type, the place
    /// of its elements too.
    ///
    /// - Throws: `.invalidInput` where it was not there then.
    func startTable(
        _ kind: String
    ) throws(Realm.Error) -> (table: FrozenTable, nested: OwnedList?) {
        let table = try binding.startTable(
            row: owner.rawValue, property: property, what: "\(kind) \(name) of an object")
        guard let slot else { return (table, nil) }
        if isInvalidated { throw replacedError }
        let root = table.snapshot.root
        let value =
            slot.elements.map { root.value($0, row, ColumnKey(0)) } ?? table.value(row, property)
        let schema =
            slot.elements.map { root.schema.tables[Int($0.rawValue)] }
            ?? root.schema.table(named: binding.tableName)
        let listName =
            slot.elements == nil
            ? binding.schema.properties[property].anyItemsName : PropertySchema.anyItemsName
        guard value == slot.value, let schema, let list = schema.list(named: listName) else {
            throw Realm.Error(
                .invalidInput,
                "What lies in \(name), which was assigned in this transaction, was to be frozen: "
                    + "freeze() gives the state at the start of the transaction. Take it from a "
                    + "snapshot after the write.", className: binding.tableName,
                property: binding.schema.properties[property].name)
        }
        return (table, OwnedList(table: schema.key, tableName: schema.name, row: row, list: list))
    }
}
