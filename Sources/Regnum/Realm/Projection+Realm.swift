internal import RegnumEngine

extension Transaction {
    /// Returns projections of all objects of a class. The results always reflect the current
    /// state of the transaction.
    ///
    ///     for person in tx.objects(PersonProjection.self) { person.firstName = "Ann" }
    ///
    /// Conditions and sort orders can use the properties of the model, and those that only the
    /// projection declares. An invalid projection fails the transaction with `.invalidInput`.
    ///
    /// - Complexity: O(1). The query is evaluated when the results are used.
    public func objects<P: ClassProjection>(_ type: P.Type) -> Results<P> where P.Root: Object {
        Results(binding(for: type, "objects"), plan: .all(of: P.self))
    }

    /// Returns the projection of the object with the given primary key, or `nil` if there is none.
    ///
    /// - Precondition: The model has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key
    ) -> P? where P.Root: Object, Key._Basis: PrimaryKeyValue {
        _ = binding(for: type, "object(_:forPrimaryKey:)")
        return object(P.Root.self, forPrimaryKey: key).map { P(projecting: $0) }
    }
}

extension Snapshot {
    /// Returns projections of all objects of a class: see ``Frozen/init(projecting:)``.
    ///
    /// If the projection is invalid, using the results fails with `.invalidInput`; see
    /// ``read(_:)``.
    ///
    /// - Complexity: O(1). The query is evaluated when the results are first used.
    public func objects<P: ClassProjection>(_ type: P.Type) -> FrozenResults<P>
    where P.Root: Object {
        FrozenResults(FrozenTable(core, core.realm.entry(for: type)), plan: .all(of: type))
    }

    /// Returns the projection of the object with the given primary key, or `nil` if there is none.
    ///
    /// - Precondition: The model has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key
    ) -> Frozen<P>? where P.Root: Object, Key._Basis: PrimaryKeyValue {
        let table = FrozenTable(core, core.realm.entry(for: type))
        return table.find(table.schema.requirePrimaryKey(key)).map { Frozen(table, row: $0) }
    }
}

extension Realm {
    /// Returns a live handle to the projections of all objects of a class, with their `current`
    /// value and a stream of `changes`. Streams report a modified object only if a property exposed
    /// by the projection changes, and use the projection's property names.
    public nonisolated func objects<P: ClassProjection>(
        _ type: P.Type, file: StaticString = #fileID, line: UInt = #line
    ) -> LiveResults<P> where P.Root: Object {
        LiveResults(
            realm: core, entry: core.entry(for: type), place: CallPlace(file: file, line: line),
            _plan: .all(of: type))
    }

    /// Returns a live handle to the projection of the object with the given primary key, with its
    /// `current` value and a stream of `changes`. The object need not exist.
    ///
    /// - Precondition: The model has a primary key of the type of `key`.
    public nonisolated func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Live<P> where P.Root: Object, Key._Basis: PrimaryKeyValue {
        let entry = core.entry(for: type)
        return Live(
            realm: core, entry: entry, place: CallPlace(file: file, line: line),
            identity: .key(entry.schema.requirePrimaryKey(key)))
    }
}

extension Frozen where Model: ClassProjection {
    /// Creates a projection of a frozen object: a `Sendable` value that can also be encoded.
    ///
    ///     let card = Frozen<PersonProjection>(projecting: person)
    ///     print(card.firstName, card.homeCity ?? "-", card.firstFriendsName.count)
    ///
    /// Its properties are those of the projection: values are returned as they are, links and lists
    /// as frozen ones, and a ``ProjectedCollection`` as an array. The projection is encoded as a
    /// dictionary of these properties. Two projections are equal if their frozen objects are.
    public init(projecting object: Frozen<Model.Root>) {
        let snapshot = object.table.snapshot
        let table = FrozenTable(snapshot, snapshot.realm.entry(for: Model.self))
        self.init(table, row: object.row)
    }

    /// A property of the objects in a list, in list order.
    ///
    /// - Complexity: O(n). All values are read.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Model, ProjectedCollection<Value>>
    ) -> [Value] {
        table.compute(Model.self, row) { Array($0[keyPath: keyPath]) }
    }

    /// A property of the objects in a linked object's list; `nil` if there
    /// is no linked object.
    ///
    /// - Complexity: O(n). All values are read.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Model, ProjectedCollection<Value>?>
    ) -> [Value]? {
        table.compute(Model.self, row) { $0[keyPath: keyPath].map { Array($0) } }
    }
}
