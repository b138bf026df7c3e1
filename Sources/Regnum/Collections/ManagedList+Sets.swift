internal import RegnumEngine
internal import RegnumStore

// A stored list whose property is a set.

extension _ManagedList {
    /// The list of a property of a managed object; nil where the object is made up to find out what a
    /// key path reads, and lists are not followed.
    ///
    /// - Parameter column: what the wrapper of the property holds.
    static func of(_ object: ObjectBase, _ column: Int32) -> _ManagedList? {
        guard let binding = object._binding else { return nil }
        if binding.isTracing {
            guard binding.isRecorder else {
                binding.noteRead(binding.propertyIndex(ofList: column))
                return _ManagedList(binding, row: object._row, number: column)
            }
            let property = column < 0 ? ~column : column
            binding.noteRead(Int(property))
            guard binding.tracer?.followsCollections ?? false else { return nil }
            return _ManagedList(binding, row: 0, number: ~property)
        }
        return _ManagedList(binding, row: object._row, number: column)
    }

    /// Whether the set has an element. An object that is unmanaged, deleted or of another transaction
    /// is none.
    ///
    /// - Complexity: O(log² n).
    func contains(_ content: _PropertyContent.Content) -> Bool {
        // also traps where the list cannot be read
        guard let (core, _, list) = place else { return false }
        let count = count
        switch content {
        case .value(let value):
            func compare(_ position: Int) -> Int {
                let found = key(at: position).flatMap { core.value(list.target, $0, ColumnKey(0)) }
                return Value.compare(found ?? .null, value)
            }
            let position = ascendingPosition(0..<count, compare)
            return position < count && compare(position) == 0
        case .any(let value):
            guard case .object = value else { return false }
            return contains(.value(value.questioned))
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

    /// The row of an object that can be an element, nil for any other object.
    private func row(of object: ObjectBase) -> ObjectKey? {
        guard let other = object._binding, other.core === binding.core,
            binding.schema.properties[property].shape.targetType == other.schema.type,
            !object.isInvalidated
        else { return nil }
        return ObjectKey(rawValue: object._row)
    }

    /// Puts elements into the set; unmanaged objects are added. What cannot be stored fails the
    /// transaction.
    func insertMembers(_ contents: [_PropertyContent.Content]) {
        guard let members = storedMembers(contents) else { return }
        editSet { set throws(StoreError) in try set.add(members) }
    }

    /// Makes the elements these, as `insertMembers`.
    func replaceMembers(with contents: [_PropertyContent.Content]) {
        guard let members = storedMembers(contents) else { return }
        editSet { set throws(StoreError) in try set.replaceAll(with: members) }
    }

    /// Takes elements out of the set.
    func removeMembers(_ contents: [_PropertyContent.Content]) {
        let members = members(contents)
        editSet { set throws(StoreError) in set.remove(members) }
    }

    /// Takes all elements out of the set but these.
    func keepMembers(_ contents: [_PropertyContent.Content]) {
        let members = members(contents)
        editSet { set throws(StoreError) in set.keep(members) }
    }

    private func editSet(_ body: (StoredSet) throws(StoreError) -> Void) {
        edit { transaction, table, list throws(StoreError) in
            try body(StoredSet(transaction, table, row, list))
        }
    }

    /// The elements that may be in the set.
    private func members(_ contents: [_PropertyContent.Content]) -> SetMembers {
        let linked = contents.compactMap { content -> Value? in
            guard case .any(let value) = content, case .object = value else { return nil }
            return value.questioned
        }
        return SetMembers(
            values: contents.values + linked, keys: contents.objects.compactMap { row(of: $0) })
    }

    /// The elements, of which unmanaged objects are added; nil if one cannot stand in the set.
    private func storedMembers(_ contents: [_PropertyContent.Content]) -> SetMembers? {
        if holdsAny {
            let values = contents.compactMap {
                AnyRealmValue._make(_PropertyContent(content: $0))
            }
            guard let core = binding.core, let transaction = core.writing,
                let trees = prepared(values, level: 0)
            else { return nil }
            let writer = AnyWriter(core, transaction)
            return SetMembers(values: trees.map { writer.cell($0) }, keys: [])
        }
        let objects = contents.objects
        guard !objects.isEmpty else { return SetMembers(values: contents.values, keys: []) }
        return store(objects).map { SetMembers(values: [], keys: $0) }
    }
}

extension [_PropertyContent.Content] {
    /// The values among the elements.
    var values: [Value] {
        compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The objects among the elements.
    var objects: [ObjectBase] {
        compactMap { if case .link(let object?) = $0 { object } else { nil } }
    }
}
