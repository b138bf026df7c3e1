internal import RegnumEngine

extension Transaction {
    /// The object behind a frozen one, as this transaction sees it: nil if it was deleted, or is not
    /// there yet in the version that a `read` shows.
    ///
    ///     try await realm.write { tx in
    ///         guard let dog = tx.resolve(frozen) else { return }
    ///         dog.age += 1
    ///     }
    ///
    /// The row counts, not the primary key: an object that was made again with the same key is
    /// another one. A frozen object of another realm fails the transaction, and gives nil.
    ///
    /// - Complexity: O(log n).
    public func resolve<T: ObjectBase>(_ frozen: Frozen<T>) -> T? {
        let binding = binding(for: T.self, "resolve")
        guard isOwn(frozen.table, "Frozen<\(T.self)>"),
            binding.isReadable(row: frozen.row.rawValue)
        else { return nil }
        return binding.accessor(T.self, row: frozen.row)
    }

    /// The same query in this transaction: the objects that it finds now. Nil if it is about the list
    /// or the origins of an object that was deleted.
    ///
    /// Results of another realm fail the transaction, and give nil.
    ///
    /// - Complexity: O(log n): nothing is evaluated before the results are used.
    public func resolve<T: ObjectBase>(_ frozen: FrozenResults<T>) -> Results<T>? {
        let binding = binding(for: T.self, "resolve")
        guard isOwn(frozen.table, "FrozenResults<\(T.self)>") else { return nil }
        let owner: (tableName: String, row: ObjectKey)?
        switch frozen._plan.plan.source {
        case .table: owner = nil
        case .list(let tableName, let row, _): owner = (tableName, row)
        case .backlinks(_, let target, let row): owner = (target, row)
        }
        if let owner {
            guard let table = core.schema?.table(named: owner.tableName),
                core.cluster(Int(table.key.rawValue), owner.row.rawValue, columnCount: 0) != nil
            else { return nil }
        }
        return Results(binding, plan: frozen._plan)
    }

    /// The state at the start of the transaction, as a snapshot: what ``Realm/snapshot(file:line:)``
    /// gives, of exactly the version that the body builds on.
    ///
    /// - Precondition: the body is running.
    public func freeze() -> Snapshot {
        guard let start = core.start else { trapEnded("freeze()") }
        return Snapshot(core: start)
    }

    private func isOwn(_ table: FrozenTable, _ what: String) -> Bool {
        if table.snapshot.realm.coordinator === core.realm.coordinator { return true }
        core.fail(
            Realm.Error(
                .invalidInput,
                "A \(what) of the realm \"\(table.snapshot.realm.configuration.name)\" was to be "
                    + "resolved in a transaction of the realm \"\(core.realm.configuration.name)\".",
                className: table.schema.name))
        return false
    }
}
