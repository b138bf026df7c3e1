internal import RegnumEngine
internal import RegnumStore

/// A stored list of an object in a transaction, independent of its element type. Part of the
/// contract of ``RealmCollectionValue``. Confined to the transaction body.
public final class _ManagedList {
    let binding: ClassBinding
    /// The row that the list belongs to: that of the object, or that of an `AnyRealmValue` element.
    let row: ObjectKey
    /// The row of the object.
    let owner: ObjectKey
    /// The location of the `AnyRealmValue` that contains the list; `nil` for
    /// the list of a property.
    let slot: AnySlot?
    /// The index of the property in its class.
    let property: Int
    /// The rows of the elements when a loop started; `nil` if the list shows the current
    /// state of the transaction.
    private let snapshot: [ObjectKey]?
    /// The cached binding of the elements' class.
    @exclusivity(unchecked) private var target: ClassBinding?

    /// - Parameter number: The number held by the property's wrapper: the number of the list, or
    ///   the complement of the property's index if the list wasn't stored yet when the accessor was
    ///   created.
    init(_ binding: ClassBinding, row: UInt64, number: Int32) {
        self.binding = binding
        self.row = ObjectKey(rawValue: row)
        owner = self.row
        slot = nil
        property = binding.propertyIndex(ofList: number)
        snapshot = nil
    }

    /// Creates the list of the contents of an `AnyRealmValue` property.
    ///
    /// - Parameter value: The value of the property; `nil` if it is about to be set.
    init(_ binding: ClassBinding, row: UInt64, any property: Int, _ value: Value?) {
        self.binding = binding
        self.row = ObjectKey(rawValue: row)
        owner = self.row
        slot = value.map { AnySlot(elements: nil, value: $0, parent: nil) }
        self.property = property
        snapshot = nil
    }

    /// Creates the list of the contents of an `AnyRealmValue` element.
    init(_ parent: _ManagedList, element: ObjectKey, _ elements: TableKey, _ value: Value) {
        binding = parent.binding
        row = element
        owner = parent.owner
        slot = AnySlot(elements: elements, value: value, parent: parent)
        property = parent.property
        snapshot = nil
    }

    private init(_ other: _ManagedList, _ snapshot: [ObjectKey]) {
        binding = other.binding
        row = other.row
        owner = other.owner
        slot = other.slot
        property = other.property
        target = other.target
        self.snapshot = snapshot
    }

    /// The list in its current state, for loops.
    var frozen: _ManagedList { _ManagedList(self, keys) }

    /// Returns the elements that are currently at the given positions, for loops over a part of the
    /// list. Elements whose rows are deleted before the loop reaches them are skipped.
    func loopElements<Element: RealmCollectionValue>(
        _ type: Element.Type, at positions: Range<Int>
    ) -> _TakenElements<Element> {
        guard let (core, _, list) = place else {
            let positions = positions.clamped(to: 0..<recordedCount)
            return _TakenElements(count: positions.count) { [self] position in
                Element._element(of: self, at: positions.lowerBound + position)
            }
        }
        let count = count
        let positions = positions.clamped(to: 0..<count)
        let rows: [ObjectKey]
        if positions.count < count / 16 {  // don't read all of a long list for a page
            rows = positions.compactMap { key(at: $0) }
        } else {
            let keys = keys
            rows = Array(keys[positions.clamped(to: keys.indices)])
        }
        let taken = _ManagedList(self, rows)
        let table = Int(list.target.rawValue)
        return _TakenElements(count: rows.count) { position in
            guard core.stillHas(table, rows[position]) else {
                taken.failMissing(element: rows[position], core, list)
                return nil
            }
            return Element._element(of: taken, at: position)
        }
    }

    var name: String { "\(binding.tableName).\(binding.schema.properties[property].name)" }

    var isInvalidated: Bool {
        if binding.isRecorder { return false }
        return !binding.isReadable(row: owner.rawValue) || isReplaced
    }

    /// Whether the `AnyRealmValue` that contained the list has been replaced.
    private var isReplaced: Bool {
        guard let slot else { return false }
        guard let core = binding.core else { return true }
        if let elements = slot.elements {
            return core.value(elements, row, ColumnKey(0)) != slot.value
        }
        guard let number = binding.mapping?.columns[property], number >= 0 else { return true }
        return core.value(binding.place.tableKey, row, ColumnKey(number)) != slot.value
    }

    func isSame(as other: _ManagedList) -> Bool {
        binding === other.binding && row == other.row && property == other.property
            && slot?.elements == other.slot?.elements && slot?.value == other.slot?.value
    }

    // MARK: Reading

    /// The location where the list is stored. `nil` if it was never stored, and for a deleted
    /// object, which fails the transaction. Traps if the transaction body has returned.
    @inline(__always)
    var place: (core: TransactionCore, table: TableKey, list: BindingPlace.StoredList)? {
        guard let core = binding.core else { return nil }
        binding.refresh()
        if !binding.isReadable(row: owner.rawValue) {
            binding.failMissing(property, of: owner.rawValue)
            return nil
        }
        guard property < binding.place.lists.count, let list = binding.place.lists[property] else {
            if binding.place.isMismatch || slot != nil { failUnstored(core) }
            return nil
        }
        if let slot {
            if isReplaced {
                core.fail(replacedError)
                return nil
            }
            if let elements = slot.elements {
                return (
                    core, elements, BindingPlace.StoredList(key: .anyItems, target: list.target)
                )
            }
        }
        return (core, binding.place.tableKey, list)
    }

    /// Fails the transaction if the class doesn't match the stored schema, if a savepoint has rolled
    /// back the containing `AnyRealmValue` together with its property, or if the list of an
    /// existing `AnyRealmValue` isn't stored, which only happens in a damaged file.
    @inline(never)
    private func failUnstored(_ core: TransactionCore) {
        if let mismatch = binding.mapping?.mismatch {
            core.fail(mismatch)
        } else if isReplaced {
            core.fail(replacedError)
        } else {
            let name = binding.schema.properties[property].name
            core.fail(.missingItems(binding.tableName, name))
        }
    }

    /// The error for a list or dictionary that its `AnyRealmValue` no longer contains.
    var replacedError: Realm.Error {
        Realm.Error(
            .invalidInput,
            "A list or dictionary of \(name) was used after it was replaced or removed: check "
                + "isInvalidated first.", className: binding.tableName,
            property: binding.schema.properties[property].name)
    }

    var count: Int {
        if let snapshot { return snapshot.count }
        guard let (core, table, list) = place else { return recordedCount }
        return core.listCount(table, row, list.key)
    }

    /// The number of elements of a recorder's list; 0 for the list of a row.
    private var recordedCount: Int {
        guard binding.isRecorder, let tracer = binding.tracer else { return 0 }
        return tracer.elementCount(of: binding.recorder, property)
    }

    /// The rows of the elements.
    var keys: [ObjectKey] {
        if let snapshot { return snapshot }
        guard let (core, table, list) = place else {
            return Array(repeating: .nowhere, count: recordedCount)
        }
        return core.list(table, row, list.key)
    }

    /// Returns the row of an element, or `nil` if the position is out of range. Returns a
    /// nonexistent row if the transaction has failed.
    func key(at position: Int) -> ObjectKey? {
        if let snapshot {
            return position >= 0 && position < snapshot.count ? snapshot[position] : nil
        }
        if let (core, table, list) = place,
            let key = core.listElement(table, row, list.key, at: position)
        {
            return key
        }
        return binding.core?.hasFailed == true ? .nowhere : nil
    }

    /// Returns the value of an element, or `nil` if the position is out of range or the element was
    /// removed since the loop started.
    func value(at position: Int) -> Value? {
        guard let key = key(at: position) else { return nil }
        if key != .nowhere, let (core, _, list) = place {
            if let value = value(of: key, core, list, ColumnKey(0)) { return value }
            if isLoop { return nil }
        }
        return zero
    }

    /// The value that a missing element reads as; `nil` for a list of objects.
    private var zero: Value? {
        guard case .scalar(let storage)? = binding.schema.properties[property].shape.elements
        else { return nil }
        return storage.zero
    }

    /// Returns a value of an element's row. If the row doesn't exist, returns `nil` and fails the
    /// transaction, unless a loop started before the element was deleted.
    func value(
        of element: ObjectKey, _ core: TransactionCore, _ list: BindingPlace.StoredList,
        _ column: ColumnKey
    ) -> Value? {
        if let value = core.value(list.target, element, column) { return value }
        failMissing(element: element, core, list)
        return nil
    }

    /// Fails the transaction because the row of an element doesn't exist, which only happens in a
    /// damaged file, unless a loop started before the element was deleted.
    private func failMissing(
        element: ObjectKey, _ core: TransactionCore, _ list: BindingPlace.StoredList
    ) {
        if isLoop, core.hasDeleted(list.target, element) { return }
        core.fail(.missingElement(binding.schema.name, binding.schema.properties[property].name))
    }

    /// Whether the list shows the elements that it had when a loop started.
    var isLoop: Bool { snapshot != nil }

    func object<T: ObjectBase>(_ type: T.Type, at position: Int) -> T? {
        if binding.isRecorder {
            return binding.tracer?.element(type, of: binding.recorder, property)
        }
        guard let key = key(at: position) else { return nil }
        if target == nil {
            guard let core = binding.core else { return nil }
            target = core.binding(for: type)
        }
        target.unsafelyUnwrapped.refresh()
        return target.unsafelyUnwrapped.accessor(type, row: key)
    }

    func position(of value: Value) -> Int? {
        guard let (core, _, list) = place else { return nil }
        return keys.firstIndex { self.value(of: $0, core, list, ColumnKey(0)) == value }
    }

    func position(of object: ObjectBase) -> Int? {
        row(of: object).flatMap { keys.firstIndex(of: $0) }
    }

    // MARK: Changes

    /// Stores the list if necessary, and changes it. An error fails the transaction.
    func edit(
        _ body: (EngineTransaction, TableKey, BindingPlace.StoredList) throws(StoreError) -> Void
    ) {
        guard let core = binding.core, case .writing(let transaction) = core.state else {
            binding.trapNotWriting(property)
        }
        if !binding.isReadable(row: owner.rawValue) {
            return binding.failMissing(property, of: owner.rawValue)
        }
        do {
            try binding.prepareToStore(in: transaction)
            guard let (_, table, list) = place else { return }
            try body(transaction, table, list)
            try touch(transaction)
            core.didEditAll()
        } catch let error as StoreError {
            core.fail(Realm.Error(error).naming(binding.schema, property))
        } catch {
            core.fail(Realm.Error(below: error))
        }
    }

    func insert(_ values: [Value], at position: Int) {
        edit { transaction, table, list throws(StoreError) in
            try transaction.insertIntoList(table, row, list.key, at: position, newRows: values)
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
        if binding.schema.properties[property].isOwning, let other = object._binding,
            other.core === binding.core, binding.core?.writing != nil,
            other.schema.type == binding.schema.properties[property].shape.targetType,
            key(at: position)?.rawValue == object._row
        {
            return  // the embedded object is already there
        }
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

    /// Returns the rows of objects, adding unmanaged ones. Returns `nil` and fails the transaction
    /// if one cannot be an element of the list.
    func store(_ objects: [ObjectBase]) -> [ObjectKey]? {
        guard let core = binding.core else { return nil }
        guard core.writing != nil else { binding.trapNotWriting(property) }
        return core.attempt { () throws(Realm.Error) in
            try core.store(objects, for: binding.schema.properties[property], binding.schema)
        }
    }
}

/// The location of an `AnyRealmValue` that contains a stored list or dictionary.
struct AnySlot {
    /// The class of the element that has the value; `nil` if it is a property of the object itself.
    let elements: TableKey?
    /// The column value for which the accessor is valid.
    let value: Value
    /// The collection that contains the element; `nil` for a property.
    let parent: _ManagedList?
}

/// The elements that a collection had at one moment. Part of the contract of
/// ``_ConfinedCollection``.
public struct _TakenElements<Element> {
    let count: Int
    /// Returns the element at a position in `0..<count`, or `nil` if it no longer exists.
    let element: (Int) -> Element?
}
