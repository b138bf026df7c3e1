internal import RegnumEngine

extension Transaction {
    /// Deletes an object. Its accessors are invalid from here on.
    ///
    /// What linked to it becomes nil, every list loses it, and the embedded objects that belong to it
    /// are deleted too. Other objects that it linked to stay. An embedded object is taken from its
    /// owner.
    ///
    /// - Precondition: the object belongs to this transaction and was not deleted.
    /// - Complexity: O(log n) for the row, for each index, and for each link to it; O(length) of
    ///   each list that has it.
    public func delete(_ object: ObjectBase) {
        let transaction = requireWriting("delete")
        let object = object._storedObject
        let binding = requireDeletable(object)
        transaction.delete(binding.place.tableKey, ObjectKey(rawValue: object._row))
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
            let binding = requireDeletable(object)
            let key = ObjectKey(rawValue: object._row)
            if let last = rows.indices.last, rows[last].binding === binding {
                rows[last].keys.append(key)
            } else {
                rows.append((binding, [key]))
            }
        }
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
        transaction.delete(results.binding.place.tableKey, keys)
        results.binding.didDelete(in: transaction)
    }

    /// Deletes all objects of the realm's classes; the classes stay.
    ///
    /// The classes are those of `Configuration.objectTypes`, or all that the realm has if there is no
    /// list.
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

    /// The binding of an object that can be deleted. Traps for others.
    private func requireDeletable(_ object: ObjectBase) -> ClassBinding {
        guard let binding = object._binding else {
            fatalError(
                "An unmanaged \(type(of: object)) was passed to Transaction.delete: only "
                    + "stored objects can be deleted.")
        }
        guard binding.core === core else { trapForeign(object, "delete") }
        guard !object.isInvalidated else { trapDeleted(object, "delete") }
        return binding
    }
}

extension ClassBinding {
    /// Notes that rows of the class were deleted, and with them perhaps others changed.
    fileprivate func didDelete(in transaction: EngineTransaction) {
        if transaction.isAlone(place.tableKey) { didEdit() } else { didEditOthers() }
    }
}
