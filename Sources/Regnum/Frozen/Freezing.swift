internal import RegnumEngine

extension RealmCollectionValue where Self: ObjectBase {
    /// Returns the object as it was at the start of the transaction, as a `Sendable` value.
    ///
    ///     let before = try await realm.write { tx in
    ///         let dog = …
    ///         dog.name = "Rex"
    ///         return try dog.freeze()      // with the name that it had before
    ///     }
    ///
    /// Changes made by the transaction itself aren't visible. To see them, take the object from a
    /// snapshot after `write` has returned.
    ///
    /// - Throws: `.invalidInput` for an object that was added or deleted in this transaction, and
    ///   for an unmanaged object.
    /// - Precondition: The body is running. If the object is a projection, its static type is its
    ///   class, not a superclass.
    /// - Complexity: O(log n).
    public func freeze() throws(Realm.Error) -> Frozen<Self> {
        let name = "\(type(of: self))"
        let object = _storedObject
        guard let binding = object._binding else {
            throw Realm.Error(
                .invalidInput,
                "Can't freeze an unmanaged \(name). Add it to a realm first.", className: name)
        }
        guard object === self || type(of: self) == Self.self else {
            fatalError(
                "Can't freeze \(name.withArticle) as \(withArticle(Self.self)). Cast it to its own "
                    + "class first."
            )
        }
        let table = try binding.startTable(row: object._row, property: 0, what: name.withArticle)
        return Frozen(table, row: ObjectKey(rawValue: object._row))
    }
}

extension ClassBinding {
    /// Returns the class as it was at the start of the transaction.
    ///
    /// - Throws: `.invalidInput` for a row that didn't exist then, or no longer exists, and for a
    ///   recorder.
    func startTable(
        row: UInt64, property: Int, what: String
    ) throws(Realm.Error) -> FrozenTable {
        guard let core else {
            throw Realm.Error(
                .invalidInput, "Can't freeze \(what) while a key path is being resolved.",
                className: tableName)
        }
        guard let start = core.start else { trapEnded(~Int32(property)) }
        guard isReadable(row: row) else {
            throw .deletedObject(tableName, schema.properties[property].name, core.place)
        }
        let table = FrozenTable(start, start.realm.entry(for: schema.type))
        guard table.contains(ObjectKey(rawValue: row)) else {
            throw Realm.Error(
                .invalidInput,
                "Can't freeze \(what) that was added in this transaction: freeze() returns the "
                    + "state at the start of the transaction. Take it from a snapshot after the "
                    + "write.",
                className: schema.name)
        }
        return table
    }
}

extension Results {
    /// Returns the results of the query at the start of the transaction, as a `Sendable` value.
    /// Changes made by the transaction itself aren't visible.
    ///
    /// - Precondition: The body is running.
    /// - Complexity: O(1). The query is evaluated when the result is first used.
    public func freeze() -> FrozenResults<Model> {
        if binding.isRecorder {
            fatalError(
                "Results<\(binding.tableName)> were frozen by a computed property while its "
                    + "dependencies were being found, on an object that isn't stored.")
        }
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
    /// Returns the list; throws for an unmanaged collection of the given type.
    func required(_ type: String) throws(Realm.Error) -> _ManagedList {
        if let self, !self.binding.isRecorder { return self }
        throw Realm.Error(
            .invalidInput, "Can't freeze an unmanaged \(type). Add its object to a realm first.")
    }

    /// Returns the location of the list at the start of the transaction.
    ///
    /// - Parameters:
    ///   - type: The type of the collection, for messages.
    ///   - kind: The word for the kind of collection, for messages.
    func frozenPlace(_ type: String, _ kind: String) throws(Realm.Error) -> FrozenPlace {
        let list = try required(type)
        let (table, place) = try list.startTable(kind)
        guard let place else {
            return FrozenPlace(table: table, plan: table.plan(list.row, list.property))
        }
        let plan = QueryPlan(
            tableName: list.binding.schema.elementsName(
                of: list.binding.schema.properties[list.property]),
            source: .list(
                tableName: StoredText(place.tableName), row: place.row, name: place.list.$name))
        return FrozenPlace(table: table, plan: plan)
    }
}

extension _ManagedList {
    /// Returns the class as it was at the start of the transaction and, for a collection in an
    /// `AnyRealmValue`, the location of its elements.
    ///
    /// - Throws: `.invalidInput` if the collection didn't exist then.
    func startTable(
        _ kind: String
    ) throws(Realm.Error) -> (table: FrozenTable, nested: OwnedList?) {
        let table = try binding.startTable(
            row: owner.rawValue, property: property, what: "the \(kind) \(name) of an object")
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
                "Can't freeze the content of \(name), which was assigned in this transaction: "
                    + "freeze() returns the state at the start of the transaction. Take it from a "
                    + "snapshot after the write.", className: binding.tableName,
                property: binding.schema.properties[property].name)
        }
        return (table, OwnedList(table: schema.key, tableName: schema.name, row: row, list: list))
    }
}

/// A collection at the start of a transaction.
struct FrozenPlace {
    let table: FrozenTable
    /// The query of the collection's content.
    let plan: QueryPlan
}
