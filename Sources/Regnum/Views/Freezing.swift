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
    /// - Throws: `.invalidInput` for an object that was added in this transaction, and for an
    ///   unmanaged one.
    /// - Precondition: the object was not deleted, the body is running, and `Self` is the object's
    ///   own class, not a superclass.
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
    /// The class as it was when the transaction started. Throws for a row that was not there, and
    /// traps for one that is not there any more.
    func startTable(
        row: UInt64, property: Int, what: String
    ) throws(Realm.Error) -> FrozenTable {
        guard isReadable(row: row), let start = core?.start else { trapUnreadable(property) }
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

extension List where Element: ObjectBase {
    /// The list as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the list of an object that was added in this transaction, and
    ///   for an unmanaged one.
    /// - Precondition: the object of the list was not deleted, and the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenResults<Element> {
        let (table, list) = try startTable()
        return table.results(Element.self, list.row, list.property)
    }
}

extension List where Element: ScalarValue & Sendable {
    /// The list as it was when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for the list of an object that was added in this transaction, and
    ///   for an unmanaged one.
    /// - Precondition: the object of the list was not deleted, and the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenValues<Element> {
        let (table, list) = try startTable()
        return table.values(list.row, list.property)
    }
}

extension List {
    fileprivate func startTable() throws(Realm.Error) -> (FrozenTable, _ManagedList) {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "An unmanaged List<\(Element.self)> was to be frozen: only lists of a realm can be."
            )
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property,
            what: "list \(handle.name) of an object")
        return (table, handle)
    }
}

extension LinkingObjects {
    /// The origins as they were when the transaction started: a value that can be sent and kept.
    ///
    /// - Throws: `.invalidInput` for an object that was added in this transaction, and for an
    ///   unmanaged one.
    /// - Precondition: the object was not deleted, and the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenResults<Element> {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "The LinkingObjects<\(Element.self)> of an unmanaged object were to be frozen: only "
                    + "those of a realm can be.")
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property, what: handle.binding.tableName)
        return table.results(Element.self, handle.row, handle.property)
    }
}
