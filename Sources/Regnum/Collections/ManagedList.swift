internal import RegnumEngine
internal import RegnumStore

/// A stored list of one object in a transaction, without its element type. Part of the contract of
/// ``RealmCollectionValue``. Confined to the transaction body.
public final class _ManagedList {
    let binding: ClassBinding
    let row: ObjectKey
    /// The position of the property in its class.
    let property: Int
    /// The elements' rows at the time that a loop started, nil where the state of the transaction
    /// counts.
    private let snapshot: [ObjectKey]?

    /// - Parameter number: what the wrapper of the property holds: the number of the list, or the
    ///   complement of the property's position where it was not stored when the accessor was made.
    init(_ binding: ClassBinding, row: UInt64, number: Int32) {
        self.binding = binding
        self.row = ObjectKey(rawValue: row)
        property = binding.propertyIndex(ofList: number)
        snapshot = nil
    }

    private init(_ other: _ManagedList, _ snapshot: [ObjectKey]) {
        binding = other.binding
        row = other.row
        property = other.property
        self.snapshot = snapshot
    }

    /// The list as it is now, for loops.
    var frozen: _ManagedList { _ManagedList(self, keys) }

    var name: String { "\(binding.tableName).\(binding.schema.properties[property].name)" }

    var isInvalidated: Bool { !binding.isReadable(row: row.rawValue) }

    func isSame(as other: _ManagedList) -> Bool {
        binding === other.binding && row == other.row && property == other.property
    }

    // MARK: Reading

    /// Where the list is stored, nil while nothing of it ever was. Traps when the body is over or the
    /// object deleted.
    private var place: (core: TransactionCore, table: TableKey, list: ListSchema)? {
        guard let core = binding.core else { return nil }
        binding.refresh()
        if !binding.isReadable(row: row.rawValue) { binding.trapUnreadable(property) }
        guard let table = binding.mapping?.table, let number = binding.mapping?.columns[property],
            number >= 0
        else { return nil }
        return (core, table.key, table.lists[Int(number)])
    }

    var count: Int {
        if let snapshot { return snapshot.count }
        guard let (core, table, list) = place else { return 0 }
        switch core.state {
        case .writing(let transaction): return transaction.listCount(table, row, list.key)
        case .reading(let root): return root.listCount(table, row, list.key)
        case .ended: return 0
        }
    }

    /// The rows of the elements.
    var keys: [ObjectKey] {
        if let snapshot { return snapshot }
        guard let (core, table, list) = place else { return [] }
        switch core.state {
        case .writing(let transaction): return transaction.list(table, row, list.key)
        case .reading(let root): return root.list(table, row, list.key)
        case .ended: return []
        }
    }

    func key(at position: Int) -> ObjectKey? {
        if let snapshot { return snapshot[position] }
        guard let (core, table, list) = place else { return nil }
        switch core.state {
        case .writing(let transaction):
            return transaction.listElement(table, row, list.key, at: position)
        case .reading(let root): return root.listElement(table, row, list.key, at: position)
        case .ended: return nil
        }
    }

    /// The value of an element; null where it cannot be read or, in a loop, was removed meanwhile.
    func value(at position: Int) -> Value {
        guard let key = key(at: position), let (core, _, list) = place else { return .null }
        return core.value(list.target, key, ColumnKey(0)) ?? .null
    }

    func object<T: ObjectBase>(_ type: T.Type, at position: Int) -> T {
        guard let key = key(at: position), let core = binding.core else {
            binding.trapUnreadable(property)
        }
        let target = core.binding(for: type)
        target.refresh()
        return target.accessor(type, row: key)
    }

    // MARK: Changes

    /// Runs a change of the list, which is stored then; an error fails the transaction.
    private func edit(
        _ body: (EngineTransaction, TableKey, ListSchema) throws(StoreError) -> Void
    ) {
        guard let core = binding.core else { binding.trapUnreadable(property) }
        guard case .writing(let transaction) = core.state else {
            binding.trapNotWriting(property)
        }
        if !binding.isReadable(row: row.rawValue) { binding.trapUnreadable(property) }
        do {
            try binding.ensureStored(in: transaction)
            guard let (_, table, list) = place else { return }
            try body(transaction, table, list)
            binding.didEditOthers()
        } catch let error as StoreError {
            core.fail(Realm.Error(error).naming(binding.schema, property))
        } catch {
            core.fail(Realm.Error(below: error))
        }
    }

    func insert(_ values: [Value], at position: Int) {
        edit { transaction, table, list throws(StoreError) in
            var keys: [ObjectKey] = []
            keys.reserveCapacity(values.count)
            for value in values { keys.append(try transaction.insert(list.target, [value])) }
            try transaction.insertIntoList(table, row, list.key, at: position, keys)
        }
    }

    func set(_ value: Value, at position: Int) {
        edit { transaction, table, list throws(StoreError) in
            guard
                let key = transaction.listElement(table, row, list.key, at: position)
            else { return }
            try transaction.set(list.target, key, ColumnKey(0), value)
        }
    }

    func insert(objects: [ObjectBase], at position: Int) {
        guard let keys = store(objects) else { return }
        edit { transaction, table, list throws(StoreError) in
            try transaction.insertIntoList(table, row, list.key, at: position, keys)
        }
    }

    func set(object: ObjectBase, at position: Int) {
        guard let keys = store([object]) else { return }
        edit { transaction, table, list throws(StoreError) in
            try transaction.setListElement(table, row, list.key, at: position, keys[0])
        }
    }

    func remove(_ range: Range<Int>) {
        if range.isEmpty { return }
        edit { transaction, table, list throws(StoreError) in
            transaction.removeFromList(table, row, list.key, range)
        }
    }

    func move(from source: Int, to destination: Int) {
        edit { transaction, table, list throws(StoreError) in
            transaction.moveInList(table, row, list.key, from: source, to: destination)
        }
    }

    /// The rows of objects, which are added where they are unmanaged; nil if one cannot stand in the
    /// list, which fails the transaction.
    private func store(_ objects: [ObjectBase]) -> [ObjectKey]? {
        guard let core = binding.core else { return nil }
        guard core.writing != nil else { binding.trapNotWriting(property) }
        do throws(Realm.Error) {
            var keys: [ObjectKey] = []
            for object in objects {
                keys.append(
                    try core.store(object, for: binding.schema.properties[property], binding.schema))
            }
            return keys
        } catch {
            core.fail(error)
            return nil
        }
    }

    func reportUndecodable(_ value: Value) {
        binding.reportUndecodable(value, property: property)
    }
}
