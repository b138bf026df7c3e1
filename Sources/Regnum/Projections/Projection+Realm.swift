internal import RegnumEngine

extension Transaction {
    /// Projections of all objects of a class, as the body sees them at each use.
    ///
    ///     for person in tx.objects(PersonProjection.self) { person.firstName = "Ann" }
    ///
    /// Conditions and sorts are about the properties of the model; those that only the projection has
    /// can be named too. A projection that is declared wrongly fails the transaction with
    /// `.invalidInput`.
    ///
    /// - Complexity: O(1): nothing is evaluated until the results are used.
    public func objects<P: ClassProjection>(_ type: P.Type) -> Results<P> where P.Root: Object {
        Results(binding(for: type, "objects"), plan: .all(of: P.self))
    }

    /// The projection of the object with a primary key, nil if there is none.
    ///
    /// - Precondition: the model has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key
    ) -> P? where P.Root: Object, Key._Basis: PrimaryKeyValue {
        _ = binding(for: type, "object(_:forPrimaryKey:)")
        return object(P.Root.self, forPrimaryKey: key).map { P(projecting: $0) }
    }
}

extension Snapshot {
    /// Projections of all objects of a class: see ``Frozen/init(projecting:)``.
    ///
    /// A projection that is declared wrongly has no objects here: `write`, `read` and change streams
    /// throw the `.invalidInput`.
    ///
    /// - Complexity: O(1): the query is evaluated at first use.
    public func objects<P: ClassProjection>(_ type: P.Type) -> FrozenResults<P>
    where P.Root: Object {
        FrozenResults(FrozenTable(core, core.realm.entry(for: type)), plan: .all(of: type))
    }

    /// The projection of the object with a primary key, nil if there is none.
    ///
    /// - Precondition: the model has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key
    ) -> Frozen<P>? where P.Root: Object, Key._Basis: PrimaryKeyValue {
        let table = FrozenTable(core, core.realm.entry(for: type))
        return table.find(table.schema.requirePrimaryKey(key)).map { Frozen(table, row: $0) }
    }
}

extension Realm {
    /// Projections of all objects of a class, as a handle whose `current` value and `changes` follow the
    /// realm. Streams tell of an object that stays only if something changes that the projection names,
    /// and by the projection's names.
    public nonisolated func objects<P: ClassProjection>(
        _ type: P.Type, file: StaticString = #fileID, line: UInt = #line
    ) -> LiveResults<P> where P.Root: Object {
        LiveResults(
            core, core.entry(for: type), CallPlace(file: file, line: line), plan: .all(of: type))
    }

    /// The projection of the object with a primary key, as a handle whose `current` value and `changes`
    /// follow the realm. There need not be such an object.
    ///
    /// - Precondition: the model has a primary key of the type of `key`.
    public nonisolated func object<P: ClassProjection, Key: ScalarValue>(
        _ type: P.Type, forPrimaryKey key: Key, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Live<P> where P.Root: Object, Key._Basis: PrimaryKeyValue {
        let entry = core.entry(for: type)
        return Live(
            core, entry, CallPlace(file: file, line: line),
            key: entry.schema.requirePrimaryKey(key))
    }
}

extension Frozen where Model: ClassProjection {
    /// What a projection shows of a frozen object: a value that can be sent, kept and encoded.
    ///
    ///     let card = Frozen<PersonProjection>(projecting: person)
    ///     print(card.firstName, card.homeCity ?? "-", card.firstFriendsName.count)
    ///
    /// Its properties are those of the projection: values as they are, links and lists frozen, a
    /// ``ProjectedCollection`` as an array. It is encoded as a dictionary of them. Two are equal if the
    /// frozen objects are.
    public init(projecting object: Frozen<Model.Root>) {
        let snapshot = object.table.snapshot
        let table = FrozenTable(snapshot, snapshot.realm.entry(for: Model.self))
        self.init(table, row: object.row)
    }

    /// One property of the objects of a list, in the list's order.
    ///
    /// - Complexity: O(n): all are read.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Model, ProjectedCollection<Value>>
    ) -> [Value] {
        table.compute(Model.self, row) { Array($0[keyPath: keyPath]) }
    }

    /// One property of the objects of a linked object's list, nil where there is none.
    ///
    /// - Complexity: O(n): all are read.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Model, ProjectedCollection<Value>?>
    ) -> [Value]? {
        table.compute(Model.self, row) { $0[keyPath: keyPath].map { Array($0) } }
    }
}
