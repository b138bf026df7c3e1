internal import RegnumEngine

extension Transaction {
    /// Returns this transaction's object for a frozen object, or `nil` if it was deleted or, in a
    /// `read`, if it doesn't exist yet in the version being read.
    ///
    ///     try await realm.write { tx in
    ///         guard let dog = tx.resolve(frozen) else { return }
    ///         dog.age += 1
    ///     }
    ///
    /// Objects are identified by row, not by primary key: an object that was deleted and created
    /// again with the same key is a different object. Passing a frozen object from another realm
    /// fails the transaction and returns `nil`.
    ///
    /// - Complexity: O(log n).
    public func resolve<T: ObjectBase>(_ frozen: Frozen<T>) -> T? {
        guard isOwn(frozen.table, "Frozen<\(T.self)>") else { return nil }
        let binding = binding(for: frozen.table.boundType(T.self), "resolve")
        // A newer program may have dropped the class, and declared another one of its name.
        guard frozen.table.mapping.table?.key == binding.place.tableKey,
            binding.isReadable(row: frozen.row.rawValue)
        else { return nil }
        return binding.accessor(T.self, row: frozen.row)
    }

    /// Returns results for the same query in this transaction, or `nil` if it is a query of a list
    /// or inverse whose object was deleted.
    ///
    /// Passing results from another realm fails the transaction and returns `nil`.
    ///
    /// - Complexity: O(log n). The query is evaluated when the results are used.
    public func resolve<T: ObjectBase>(_ frozen: FrozenResults<T>) -> Results<T>? {
        guard isOwn(frozen.table, "FrozenResults<\(T.self)>") else { return nil }
        let binding = binding(for: frozen.table.boundType(T.self), "resolve")
        let owner: (tableName: StoredText, row: ObjectKey)?
        switch frozen._plan.plan.source {
        case .table: owner = nil
        case .list(let tableName, let row, _): owner = (tableName, row)
        case .backlinks(_, let target, let row): owner = (target, row)
        }
        if let owner {
            let name = owner.tableName.wrappedValue
            guard let table = core.schema?.table(named: name),
                frozen.table.snapshot.root.schema.table(named: name)?.key == table.key,
                core.cluster(Int(table.key.rawValue), owner.row.rawValue, columnCount: 0) != nil
            else { return nil }
        }
        return Results(binding, plan: frozen._plan)
    }

    /// Returns a snapshot of the version from which the transaction started.
    ///
    /// - Precondition: The body is running.
    public func freeze() -> Snapshot {
        guard let start = core.start else { trapEnded("freeze()") }
        return Snapshot(core: start)
    }

    /// Returns whether a frozen value belongs to the realm, whose classes may be others than those
    /// of the value's. If not, fails the transaction. Traps after the body has returned.
    private func isOwn(_ table: FrozenTable, _ what: String) -> Bool {
        if case .ended = core.state { trapEnded("resolve") }
        if table.snapshot.realm.coordinator === core.realm.coordinator { return true }
        core.fail(
            Realm.Error(
                .invalidInput,
                "Can't resolve a \(what) of the realm "
                    + "\"\(table.snapshot.realm.configuration.name)\" in a transaction of "
                    + "the realm \"\(core.realm.configuration.name)\".",
                className: table.schema.name))
        return false
    }
}
