internal import RegnumEngine
internal import RegnumStore

/// The location of a dynamic collection.
struct DynamicPlace {
    /// The value of any type that contains a list or dictionary.
    struct Slot {
        let column: ColumnKey
        /// The value that the column holds while the accessor is valid.
        let value: Value
    }

    let store: DynamicStore
    let table: TableKey
    let row: ObjectKey
    let list: ListSchema
    /// The containing value of any type; `nil` if the collection is a property.
    var slot: Slot?
    /// The number of lists and dictionaries of any type that contain the elements.
    var level = 0

    /// Whether the transaction has ended, the object was deleted, or the value that contained the
    /// list was replaced.
    var isInvalidated: Bool {
        if case .ended = store.core.state { return true }
        return !store.contains(table, row) || isReplaced
    }

    private var isReplaced: Bool {
        guard let slot else { return false }
        return store.value(table, row, slot.column) != slot.value
    }

    private func requireLive(_ call: StaticString) {
        store.requireLive(call)
        if isReplaced {
            store.core.fail(
                Realm.Error(
                    .invalidInput,
                    "A list or dictionary of \(store.name(of: table)) was used after it was "
                        + "replaced or removed: check isInvalidated first.",
                    className: store.name(of: table)))
        }
    }

    var count: Int {
        requireLive("count")
        return store.listCount(table, row, list.key)
    }

    var keys: [ObjectKey] {
        requireLive("list")
        return store.list(table, row, list.key)
    }

    /// Edits the collection. Throws if it is read-only.
    func write(
        _ body: (DynamicWriter) throws(Realm.Error) -> Void
    ) throws(Realm.Error) {
        requireLive("list")
        let name = "\(store.name(of: table)).\(list.name)"
        let transaction = try store.writing(name)
        defer { store.core.didEditAll() }
        try body(DynamicWriter(store, transaction))
        if slot != nil { transaction.touch(itemsOf: row, table, list) }
    }

    /// Returns the stored set for the collection.
    func storedSet(_ transaction: EngineTransaction) -> StoredSet {
        StoredSet(
            transaction, table, row,
            BindingPlace.StoredList(key: list.key, target: list.target))
    }

    /// Returns the key of a map's entry.
    func mapKey(_ entry: ObjectKey) -> String {
        guard case .string(let key)? = store.value(list.target, entry, ColumnKey(rawValue: 1))
        else {
            return ""
        }
        return key
    }

    /// Returns the row at a position of a collection, whose kind is named in the trap message.
    func key(at position: Int, of kind: StaticString) -> ObjectKey {
        requireLive(kind)
        guard let key = store.listElement(table, row, list.key, at: position) else {
            if store.core.hasFailed { return .nowhere }
            fatalError("Index \(position) of a \(kind) is out of range: it has \(count) elements.")
        }
        return key
    }

    /// Returns the element at a position.
    func element(at position: Int, of kind: StaticString) -> Any? {
        store.element(self, key(at: position, of: kind))
    }

    /// Returns the position of a key in a map, or where it would be inserted, and whether it
    /// exists.
    func position(ofKey key: String) -> (position: Int, isThere: Bool) {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            guard let entry = store.listElement(table, row, list.key, at: middle) else { break }
            if MapKeyText.precedes(mapKey(entry), key) { low = middle + 1 } else { high = middle }
        }
        let entry = store.listElement(table, row, list.key, at: low)
        return (low, entry.map { !MapKeyText.precedes(key, mapKey($0)) } ?? false)
    }
}
