internal import RegnumEngine
internal import RegnumStore

/// Where a dynamic collection is.
struct DynamicPlace {
    /// The value of any type that a list or dictionary is.
    struct Slot {
        let column: ColumnKey
        /// What the column holds while the accessor is good.
        let value: Value
    }

    let store: DynamicStore
    let table: TableKey
    let row: ObjectKey
    let list: ListSchema
    /// Nil for the collection that a property is.
    var slot: Slot?
    /// How many lists and dictionaries of any type the elements lie in.
    var level = 0

    /// Whether the transaction is over, the object deleted, or the value replaced that the list was in.
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
                    "A list or dictionary of \(store.name(of: table)) was used that was replaced or "
                        + "removed: ask isInvalidated first.", className: store.name(of: table)))
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

    /// Edits the collection; throws where it is only read.
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

    /// The stored set that the collection is.
    func storedSet(_ transaction: EngineTransaction) -> StoredSet {
        StoredSet(
            transaction, table, row,
            BindingPlace.StoredList(key: list.key, target: list.target))
    }

    /// The key of a map's entry.
    func mapKey(_ entry: ObjectKey) -> String {
        guard case .string(let key)? = store.value(list.target, entry, ColumnKey(rawValue: 1))
        else {
            return ""
        }
        return key
    }

    /// The row that stands at a position of a collection, which is named so in sentences.
    func key(at position: Int, of kind: StaticString) -> ObjectKey {
        requireLive(kind)
        guard let key = store.listElement(table, row, list.key, at: position) else {
            if store.core.hasFailed { return .nowhere }
            fatalError("A \(kind) of \(count) elements has no position \(position).")
        }
        return key
    }

    /// What stands at a position.
    func element(at position: Int, of kind: StaticString) -> Any? {
        store.element(self, key(at: position, of: kind))
    }

    /// The position of a key in a map, or where it would be, and whether it is there.
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
