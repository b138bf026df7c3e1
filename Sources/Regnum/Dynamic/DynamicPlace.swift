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
    /// The stored name of the property.
    let name: String
    /// The stored list and the `DatabaseSchema.id` at that time; `nil` for a declared property that
    /// wasn't stored yet, which is empty and read-only.
    private let known: (list: ListSchema, schemaID: UInt64)?
    /// The containing value of any type; `nil` if the collection is a property.
    let slot: Slot?
    /// The number of lists and dictionaries of any type that contain the elements.
    let level: Int

    init(
        store: DynamicStore, table: TableKey, row: ObjectKey, name: String, stored: ListSchema?,
        slot: Slot? = nil, level: Int = 0
    ) {
        self.store = store
        self.table = table
        self.row = row
        self.name = name
        known = stored.map { (list: $0, schemaID: store.schema.id) }
        self.slot = slot
        self.level = level
    }

    /// The stored list; `nil` for a declared property that isn't stored yet, or no longer because a
    /// savepoint was rolled back.
    var stored: ListSchema? {
        guard let known else { return nil }
        let schema = store.schema
        if schema.id == known.schemaID { return known.list }
        // A list that is stored again has the same key, but its elements may be of another table.
        let (lists, index) = (store.stored(table)?.lists ?? [], Int(known.list.key.rawValue))
        return index < lists.count ? lists[index] : nil
    }

    /// - Precondition: The property is stored, as it is in a write.
    var list: ListSchema {
        guard let stored else { preconditionFailure("\(name) is not stored.") }
        return stored
    }

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

    /// The error if the collection no longer exists, otherwise `nil`.
    private var problem: Realm.Error? {
        let exists = store.contains(table, row)
        if exists, !isReplaced { return nil }
        let (className, property) = fullName
        if !exists, store.stored(table)?.kind != .elements {
            return .deletedObject(className, property, store.core.place)
        }
        return Realm.Error(
            .invalidInput,
            "A list or dictionary of \(className).\(property) was used after it was replaced or "
                + "removed: check isInvalidated first.", className: className, property: property)
    }

    /// The class and the property; for the contents of an element, those of the collection that the
    /// element is in.
    private var fullName: (className: String, property: String) {
        guard store.stored(table)?.kind == .elements, let owner = store.schema.owner(of: table)
        else { return (store.name(of: table), name) }
        return (store.name(of: owner.table), owner.property)
    }

    /// Fails the transaction if the collection no longer exists. Traps after the body has returned.
    private func requireLive(_ call: StaticString) {
        store.requireLive(call)
        if let problem { store.core.fail(problem) }
    }

    var count: Int {
        requireLive("count")
        return stored.flatMap { store.view?.listCount(table, row, $0.key) } ?? 0
    }

    var keys: [ObjectKey] {
        requireLive("list")
        return stored.map { store.list(table, row, $0.key) } ?? []
    }

    /// Returns the elements that are currently at the given positions, for loops. Elements whose
    /// rows are deleted before the loop reaches them are skipped.
    func loopElements<Element>(
        at positions: Range<Int>, _ element: @escaping (ObjectKey) -> Element
    ) -> _TakenElements<Element> {
        let count = count
        let positions = positions.clamped(to: 0..<count)
        guard let stored, !positions.isEmpty else { return _TakenElements(count: 0) { _ in nil } }
        let rows: [ObjectKey]
        if positions.count < count / 16 {  // don't read all of a long list for a page
            rows = positions.compactMap { store.listElement(table, row, stored.key, at: $0) }
        } else {
            let keys = store.list(table, row, stored.key)
            rows = Array(keys[positions.clamped(to: keys.indices)])
        }
        return store.loopElements(rows) { row in
            if store.contains(stored.target, row) { return element(row) }
            if store.old != nil || !store.core.hasDeleted(stored.target, row) { failMissing(row) }
            return nil
        }
    }

    /// Edits the collection. Throws if it no longer exists or is read-only.
    func write(
        _ body: (DynamicWriter) throws(Realm.Error) -> Void
    ) throws(Realm.Error) {
        try change { (writer) throws(Realm.Error) in
            try body(writer)
            return true
        }
    }

    /// Like `write`, for a body that returns whether it has changed anything. If so, the values
    /// that contain a nested collection count as set.
    func change(
        _ body: (DynamicWriter) throws(Realm.Error) -> Bool
    ) throws(Realm.Error) {
        store.requireLive("list")
        if store.isReplaying { return }
        if let problem { throw problem }
        let transaction = try store.writing("\(fullName.className).\(fullName.property)")
        if stored == nil { try store.addDeclared(table, in: transaction) }
        let writer = DynamicWriter(store: store, transaction: transaction)
        try writer.perform { () throws(Realm.Error) in
            if try body(writer), slot != nil { transaction.touch(itemsOf: row, table, list) }
        }
    }

    /// Returns the stored set for the collection.
    func storedSet(_ transaction: EngineTransaction) -> StoredSet {
        StoredSet(
            transaction: transaction, table: table, row: row, list: BindingPlace.StoredList(list))
    }

    /// Fails the transaction because the row of an element doesn't exist, which only happens in a
    /// damaged file.
    func failMissing(_ element: ObjectKey) {
        let name = fullName
        store.core.fail(.missingElement(name.className, name.property))
    }

    /// Returns the key of a map's entry.
    func mapKey(_ entry: ObjectKey) -> String {
        guard let stored else { return "" }  // the transaction has failed
        if case .string(let key)? = store.value(stored.target, entry, .mapKey) { return key }
        failMissing(entry)
        return ""
    }

    /// Returns the row at a position of a collection, whose kind is named in the trap message.
    func key(at position: Int, of kind: StaticString) -> ObjectKey {
        requireLive(kind)
        guard let stored, let key = store.listElement(table, row, stored.key, at: position) else {
            if store.isReplaying { store.core.fail(.otherMigrationCalls) }  // removed since
            if store.core.hasFailed { return .nowhere }
            fatalError(
                "Index \(position) of a \(kind) is out of range: the count is \(count)."
                    + ReadScope.callSiteMessage)
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
        guard let list = stored else { return (0, false) }
        while low < high {
            let middle = (low + high) / 2
            guard let entry = store.listElement(table, row, list.key, at: middle) else { break }
            if StoredText.precedes(mapKey(entry), key) { low = middle + 1 } else { high = middle }
        }
        let entry = store.listElement(table, row, list.key, at: low)
        return (low, entry.map { !StoredText.precedes(key, mapKey($0)) } ?? false)
    }
}

extension DynamicPlace {
    init(
        store: DynamicStore, table: TableKey, row: ObjectKey, list: ListSchema, slot: Slot? = nil,
        level: Int = 0
    ) {
        self.init(
            store: store, table: table, row: row, name: list.name.itemsProperty ?? list.name,
            stored: list, slot: slot, level: level)
    }
}
