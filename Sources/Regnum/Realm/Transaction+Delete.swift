internal import RegnumEngine

extension Transaction {
    /// Deletes an object. Its accessors are invalid from here on.
    ///
    /// What linked to it becomes nil, every list loses it, and the embedded objects that belong to it
    /// are deleted too. Other objects that it linked to stay. An embedded object is taken from its
    /// owner. Links may be declared with another rule (``Realm/DeleteRule``): with `cascade` what they
    /// lead to is deleted too; where one with `deny` leads to an object that would go, nothing is
    /// deleted and the transaction fails with `.deletionDenied`, or the savepoint in which that is
    /// tried.
    ///
    /// An object that was deleted already, through another accessor or by a rule, stays deleted.
    ///
    /// - Precondition: the object belongs to this transaction.
    /// - Complexity: O(log n) for the row, for each index, and for each link to it; O(length) of
    ///   each list that has it.
    public func delete(_ object: ObjectBase) {
        let transaction = requireWriting("delete")
        let object = object._storedObject
        guard let binding = deletable(object) else { return }
        let key = ObjectKey(rawValue: object._row)
        if followsRules([(binding, [key])], in: transaction) { return }
        transaction.delete(binding.place.tableKey, key)
        binding.didDelete(in: transaction)
    }

    /// Deletes all objects of a sequence: an array, a ``List`` (which is empty afterwards), the inverse of
    /// a link.
    ///
    /// An object that is there several times is deleted once.
    ///
    /// - Precondition: as for ``delete(_:)-(ObjectBase)``, for each, at the time of the call.
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
        if followsRules(rows, in: transaction) { return }
        for (binding, keys) in rows {
            transaction.delete(binding.place.tableKey, keys)
            binding.didDelete(in: transaction)
        }
    }

    /// Deletes the objects that are values of a map, whose keys stay, with nil.
    ///
    /// - Precondition: as for ``delete(_:)-(ObjectBase)``, for each, at the time of the call.
    public func delete<Key, T: ObjectBase>(_ map: Map<Key, T?>) {
        var known: Set<UInt64> = []
        delete(map.values.compactMap(\.self).filter { known.insert($0._row).inserted })
    }

    /// Deletes all objects that the results hold now.
    ///
    /// - Complexity: O(m log n) for m objects; no accessors are made.
    public func delete<T: ObjectBase>(_ results: Results<T>) {
        let transaction = requireWriting("delete")
        guard results.binding.core === core else {
            fatalError(
                "Results<\(results.binding.tableName)> of another transaction were passed to "
                    + "Transaction.delete.")
        }
        guard results.binding.place.table >= 0 else { return }
        let keys = results.keys().map { $0 }
        if followsRules([(results.binding, keys)], in: transaction) { return }
        transaction.delete(results.binding.place.tableKey, keys)
        results.binding.didDelete(in: transaction)
    }

    /// Deletes all objects of the realm's classes; the classes stay.
    ///
    /// The classes are those of `Configuration.objectTypes`, or all that the realm has if there is no
    /// list. Delete rules have no say, since no object of them stays; asymmetric objects do stay.
    ///
    /// - Complexity: O(n log n).
    public func deleteAll() {
        let transaction = requireWriting("deleteAll")
        let listed = core.realm.configuration.objectTypes.map {
            Set($0.map { ClassSchema.of($0).name })
        }
        for table in transaction.schema.tables where table.kind == .object {
            if let listed, !listed.contains(table.name) { continue }
            transaction.delete(table.key, transaction.keys(table.key))
        }
        core.didEditAll()
    }

    /// Deletes rows as delete rules have it, if there are any for their classes; false, and nothing
    /// done, if there are not.
    private func followsRules(
        _ rows: [(binding: ClassBinding, keys: [ObjectKey])], in transaction: EngineTransaction
    ) -> Bool {
        guard let rules = core.realm.deleteRules(in: transaction.schema),
            rows.contains(where: { rules.concern($0.binding.place.tableKey) })
        else { return false }
        let deletion = transaction.deletion(
            of: rows.map { ($0.binding.place.tableKey, $0.keys) }, by: rules)
        if let denial = deletion.denial {
            core.fail(Realm.Error(denial, in: transaction))
        } else {
            transaction.delete(deletion)
            core.didEditAll()
        }
        return true
    }

    /// The binding of an object that can be deleted, nil if it is deleted already. Traps for
    /// others.
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
    /// Notes that rows of the class were deleted, and with them perhaps others changed.
    fileprivate func didDelete(in transaction: EngineTransaction) {
        if transaction.isAlone(place.tableKey) { didEdit() } else { didEditOthers() }
    }
}
