internal import RegnumEngine

extension Transaction {
    /// Deletes an object and invalidates its accessors.
    ///
    /// Links to the object become `nil`, it is removed from every list and set, and its embedded
    /// objects are deleted too. Other objects that it links to remain. An embedded object is
    /// removed from its owner. Links can be declared with a different rule (``Realm/DeleteRule``):
    /// with `cascade` their targets are deleted too; with `deny`, if such a link refers to an
    /// object that would be deleted, nothing is deleted and the transaction, or the enclosing
    /// savepoint, fails with `.deletionDenied`.
    ///
    /// Deleting an object that was already deleted, through another accessor or by a rule, has no
    /// effect.
    ///
    /// - Precondition: The object belongs to this transaction.
    /// - Complexity: O(log n) for the row, each index and each link to it; O(length) for each list
    ///   that contains it.
    public func delete(_ object: ObjectBase) {
        let transaction = requireWriting("delete")
        let object = object._storedObject
        guard let binding = deletable(object) else { return }
        let key = ObjectKey(rawValue: object._row)
        if followsRules([(binding.place.tableKey, [key])], in: transaction) { return }
        transaction.delete(binding.place.tableKey, key)
        binding.didDelete(in: transaction)
    }

    /// Deletes all objects in a sequence, such as an array, a ``List`` (which is empty afterwards)
    /// or the inverse of a link. Objects that occur more than once are deleted once.
    ///
    /// - Precondition: As for ``delete(_:)-(ObjectBase)``, for each object, at the time of the
    ///   call.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
        let transaction = requireWriting("delete")
        var rows: [(binding: ClassBinding, keys: [ObjectKey])] = []
        for object in objects.lazy.map(\._storedObject) {
            guard let binding = deletable(object) else { continue }
            let key = ObjectKey(rawValue: object._row)
            if let last = rows.indices.last, rows[last].binding === binding {
                rows[last].keys.append(key)
            } else {
                rows.append((binding, [key]))
            }
        }
        let keys = rows.map { ($0.binding.place.tableKey, $0.keys) }
        if followsRules(keys, in: transaction) { return }
        for (binding, keys) in rows {
            transaction.delete(binding.place.tableKey, keys)
            binding.didDelete(in: transaction)
        }
    }

    /// Deletes the objects in a map. Their keys remain, with the value `nil`.
    ///
    /// - Precondition: As for ``delete(_:)-(ObjectBase)``, for each object, at the time of the
    ///   call.
    public func delete<Key, T: ObjectBase>(_ map: Map<Key, T?>) {
        var known: Set<UInt64> = []
        delete(map.values.compactMap(\.self).filter { known.insert($0._row).inserted })
    }

    /// Deletes all objects that the results currently contain.
    ///
    /// - Complexity: O(m log n) for m objects. No accessors are created.
    public func delete<T: ObjectBase>(_ results: Results<T>) {
        let transaction = requireWriting("delete")
        guard results.binding.core === core else {
            fatalError(
                "The Results<\(results.binding.tableName)> passed to Transaction.delete belong to "
                    + "another transaction.")
        }
        guard results.binding.place.table >= 0 else { return }
        let keys = results.keys().map { $0 }
        if followsRules([(results.binding.place.tableKey, keys)], in: transaction) { return }
        transaction.delete(results.binding.place.tableKey, keys)
        results.binding.didDelete(in: transaction)
    }

    /// Deletes all objects of the realm's classes, but not the classes themselves.
    ///
    /// The classes are those of `Configuration.objectTypes` or, if that isn't set, all classes of
    /// the realm. Delete rules don't apply, since none of the objects remain. Asymmetric objects
    /// aren't deleted.
    ///
    /// - Complexity: O(n log n).
    public func deleteAll() {
        let transaction = requireWriting("deleteAll")
        let listed = core.realm.configuration.objectTypes.map {
            Set($0.map { StoredText(ClassSchema.of($0).name) })
        }
        for table in transaction.schema.tables where table.kind == .object {
            if let listed, !listed.contains(StoredText(table.name)) { continue }
            transaction.delete(table.key, transaction.keys(table.key))
        }
        core.didEditAll()
    }

    /// Deletes rows according to the delete rules that apply to their classes. Returns false,
    /// without doing anything, if there are none. A rule of a class that doesn't match the stored
    /// schema fails the transaction.
    func followsRules(
        _ rows: [(table: TableKey, keys: [ObjectKey])], in transaction: EngineTransaction
    ) -> Bool {
        let known = core.realm.deleteRules(in: transaction.schema)
        let tables = rows.lazy.filter { !$0.keys.isEmpty }.map(\.table)
        if let mismatch = known.mismatch(of: tables) {
            core.fail(mismatch)
            return true
        }
        guard let rules = known.rules, rows.contains(where: { rules.concern($0.table) })
        else { return false }
        let deletion = transaction.deletion(of: rows, by: rules)
        if let mismatch = known.mismatch(of: deletion.tables) {
            core.fail(mismatch)
        } else if let denial = deletion.denial {
            core.fail(Realm.Error(denial, in: transaction))
        } else {
            transaction.delete(deletion)
            core.didEditAll()
        }
        return true
    }

    /// Returns the binding of an object that can be deleted, or `nil` if it is already deleted.
    /// Traps for unmanaged objects and those of other transactions.
    private func deletable(_ object: ObjectBase) -> ClassBinding? {
        guard let binding = object._binding else {
            fatalError(
                "An unmanaged \(type(of: object)) was passed to Transaction.delete: only "
                    + "stored objects can be deleted.")
        }
        guard binding.core === core else { trapForeign(object, "delete") }
        return object.isInvalidated ? nil : binding
    }
}

extension ClassBinding {
    /// Records that rows of the class were deleted, which may have changed other rows.
    fileprivate func didDelete(in transaction: EngineTransaction) {
        if transaction.isAlone(place.tableKey) { didEdit() } else { didEditOthers() }
    }
}
