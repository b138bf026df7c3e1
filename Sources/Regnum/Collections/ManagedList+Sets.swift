internal import RegnumEngine
internal import RegnumStore

// Stored lists of properties that are sets.

extension _ManagedList {
    /// Returns the list of a managed object's property, or `nil` for values of a recorder (see
    /// `ReadTracer`), including those that are stored as embedded objects.
    ///
    /// - Parameter column: The number held by the property's wrapper.
    static func of(_ object: ObjectBase, _ column: Int32) -> _ManagedList? {
        guard let binding = object._binding else { return nil }
        if binding.isTracing {
            guard binding.isRecorder else {
                binding.noteRead(binding.propertyIndex(ofList: column))
                return _ManagedList(binding, row: object._row, number: column)
            }
            let number = column < 0 ? ~column : column
            let property = binding.schema.properties[Int(number)]
            binding.noteRead(Int(number))
            guard property.shape.objectType != nil, !property.isProjected else { return nil }
            return _ManagedList(binding, row: 0, number: ~number)
        }
        return _ManagedList(binding, row: object._row, number: column)
    }

    /// Returns whether the set contains an element. It never contains an object that is unmanaged,
    /// deleted or from a different transaction.
    ///
    /// - Complexity: O(log² n).
    func contains(_ content: _PropertyContent.Content) -> Bool {
        // This also traps if the transaction body has returned.
        guard let (core, _, list) = place else { return false }
        let count = count
        switch content {
        case .value(let value):
            func compare(_ position: Int) -> Int {
                let found = key(at: position).flatMap { element in
                    element == .nowhere ? nil : self.value(of: element, core, list, ColumnKey(0))
                }
                return Value.compare(found ?? .null, value)
            }
            let position = ascendingPosition(0..<count, compare)
            return position < count && compare(position) == 0
        case .any(let value):
            return link(to: value).map { contains(.value($0)) } ?? false
        case .link(let object?):
            guard let wanted = row(of: object) else { return false }
            let position = ascendingPosition(0..<count) { position in
                key(at: position).map { $0 < wanted } ?? false ? -1 : 0
            }
            return key(at: position) == wanted
        default:
            return false
        }
    }

    /// Returns the row of an object that can be an element, or `nil` for any other object.
    func row(of object: ObjectBase) -> ObjectKey? {
        guard let other = object._binding, other.core === binding.core,
            binding.schema.properties[property].shape.targetType == other.schema.type,
            !object.isInvalidated
        else { return nil }
        return ObjectKey(rawValue: object._row)
    }

    /// Returns the stored form of an object of any class; `nil` for other values, and for an object
    /// that is unmanaged, deleted or from a different transaction.
    func link(to value: AnyRealmValue) -> Value? {
        guard case .object(let object) = value, object._binding?.core === binding.core,
            !object.isInvalidated
        else { return nil }
        return value.queryOperand
    }

    /// Inserts elements, adding unmanaged objects. An element that cannot be stored
    /// fails the transaction.
    func insertMembers(_ contents: [_PropertyContent.Content]) {
        guard let members = storedMembers(contents) else { return }
        editSet { set throws(StoreError) in try set.add(members) }
    }

    /// Replaces all elements, like `insertMembers`.
    func replaceMembers(with contents: [_PropertyContent.Content]) {
        guard let members = storedMembers(contents) else { return }
        editSet { set throws(StoreError) in try set.replaceAll(with: members) }
    }

    /// Removes elements.
    func removeMembers(_ contents: [_PropertyContent.Content]) {
        let members = members(contents)
        editSet { set throws(StoreError) in try set.remove(members) }
    }

    /// Removes all elements except the given ones.
    func keepMembers(_ contents: [_PropertyContent.Content]) {
        let members = members(contents)
        editSet { set throws(StoreError) in try set.keep(members) }
    }

    private func editSet(_ body: (StoredSet) throws(StoreError) -> Void) {
        edit { transaction, table, list throws(StoreError) in
            try body(StoredSet(transaction: transaction, table: table, row: row, list: list))
        }
    }

    /// Returns the members that the set may contain.
    private func members(_ contents: [_PropertyContent.Content]) -> SetMembers {
        let linked = contents.compactMap { content -> Value? in
            if case .any(let value) = content { link(to: value) } else { nil }
        }
        return SetMembers(
            values: contents.values + linked, keys: contents.objects.compactMap { row(of: $0) })
    }

    /// Returns the members after adding unmanaged objects, or `nil` if one cannot be
    /// an element of the set.
    private func storedMembers(_ contents: [_PropertyContent.Content]) -> SetMembers? {
        if hasAnyValues {
            let values = contents.compactMap {
                AnyRealmValue._make(_PropertyContent(content: $0))
            }
            guard let core = binding.core, let transaction = core.writing,
                let trees = prepared(values, level: 0)
            else { return nil }
            let writer = AnyWriter(core: core, transaction: transaction)
            return SetMembers(values: trees.map { writer.cell($0) }, keys: [])
        }
        let objects = contents.objects
        guard !objects.isEmpty else { return SetMembers(values: contents.values, keys: []) }
        return store(objects).map { SetMembers(values: [], keys: $0) }
    }
}

extension [_PropertyContent.Content] {
    /// The values among the contents.
    var values: [Value] {
        compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The objects among the contents.
    var objects: [ObjectBase] {
        compactMap { if case .link(let object?) = $0 { object } else { nil } }
    }
}
