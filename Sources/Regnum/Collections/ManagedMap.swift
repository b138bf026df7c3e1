internal import RegnumEngine
internal import RegnumStore

// Stored maps: lists of the rows of the map's element class, in ascending key order.

extension ColumnKey {
    /// The column with the value of a map entry.
    static var mapValue: ColumnKey { ColumnKey(0) }
    /// The column with the key of a map entry.
    static var mapKey: ColumnKey { ColumnKey(1) }
}

extension _ManagedList {
    /// Returns the key of an entry, or `nil` if the entry was removed since a loop started.
    func mapKey(_ entry: ObjectKey) -> String? {
        if binding.isRecorder { return "" }
        guard let (core, _, list) = place, let value = value(of: entry, core, list, .mapKey) else {
            return nil
        }
        if case .string(let key) = value { return key }
        core.fail(.missingElement(binding.schema.name, binding.schema.properties[property].name))
        return nil
    }

    /// Returns the value of an entry, or `nil` if the entry was removed since a loop started.
    func mapValue<V: MapValue>(_ entry: ObjectKey) -> V? {
        if V.self == AnyRealmValue.self { return anyValue(entry) as? V }
        if binding.isRecorder { return recordedValue() }
        guard let (core, _, list) = place,
            let stored = value(of: entry, core, list, .mapValue)
        else { return nil }
        guard case .map(.object(let type)) = binding.schema.properties[property].shape else {
            if let value = V._make(_PropertyContent(content: .value(stored))) { return value }
            guard let type = V.self as? any ScalarValue.Type else { return V._makeDefault() }
            if !type.readsUnknownAsNil { binding.reportUndecodable(stored, property: property) }
            return type.placeholder() as? V
        }
        let object = stored.linkedObject.flatMap { core.linked(type, $0) }
        return V._make(_PropertyContent(content: .link(object)))
    }

    /// Returns the object that a recorder's map has for every key.
    private func recordedValue<V: MapValue>() -> V? {
        guard let type = binding.schema.properties[property].shape.objectType,
            let object = binding.tracer?.element(type, of: binding.recorder, property)
        else { return nil }
        return V._make(_PropertyContent(content: .link(object)))
    }

    /// Returns the position and row of the entry for a key; if there is none, the position where
    /// it would be inserted.
    ///
    /// - Complexity: O(log² n).
    func search(_ key: String) -> (position: Int, row: ObjectKey?) {
        if binding.isRecorder { return (0, keys.first) }
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            guard let row = self.key(at: middle), let found = mapKey(row) else { return (low, nil) }
            if StoredText.precedes(found, key) {
                low = middle + 1
            } else if StoredText.precedes(key, found) {
                high = middle
            } else {
                return (middle, row)
            }
        }
        return (low, nil)
    }

    // MARK: Changes

    /// Stores a value or object under a key, adding an unmanaged object. A value that cannot be
    /// stored fails the transaction.
    func setEntry(_ key: String, _ content: _PropertyContent.Content) {
        if let value = content.anyValue(of: self) { return setEntry(key, any: value) }
        guard isStorable(key), let value = storedValue(content, key) else { return }
        edit { transaction, table, list throws(StoreError) in
            let (position, row) = search(key)
            if let row { return try transaction.set(list.target, row, .mapValue, value) }
            try transaction.insertIntoList(
                table, self.row, list.key, at: position, newRows: [value, .string(key)], width: 2)
        }
    }

    /// Removes the entry of a key, if there is one.
    func removeEntry(_ key: String) {
        guard isStorable(key) else { return }
        // without an edit, which counts as a change of the values that contain a nested map
        let (position, found) = search(key)
        if found != nil { remove(position..<position + 1) }
    }

    /// Replaces all entries. Each key must occur only once.
    func assign(_ entries: [MapEntry]) {
        if hasAnyValues {
            let values = entries.compactMap { entry in
                entry.content.anyValue(of: self).map { (entry.key, $0) }
            }
            return assign(any: values)
        }
        for entry in entries where !isStorable(entry.key) { return }
        remove(0..<count)
        let sorted = entries.sorted { StoredText.precedes($0.key, $1.key) }
        var values: [Value] = []
        for entry in sorted {
            guard let value = storedValue(entry.content, nil) else { return }
            values += [value, .string(entry.key)]
        }
        edit { transaction, table, list throws(StoreError) in
            if values.isEmpty { return }
            try transaction.insertIntoList(
                table, row, list.key, at: 0, newRows: values, width: 2)
        }
    }

    /// Returns whether a key is valid; fails the transaction otherwise.
    func isStorable(_ key: String) -> Bool {
        guard let core = binding.core, core.writing != nil else { binding.trapNotWriting(property) }
        guard
            let error = Realm.Error.mapKey(key, binding.schema, binding.schema.properties[property])
        else { return true }
        core.fail(error)
        return false
    }

    /// Returns the stored form of an entry's value. Returns `nil` if the value cannot be
    /// stored, which fails the transaction, or if it is the embedded object that is already
    /// stored under the key.
    private func storedValue(_ content: _PropertyContent.Content, _ key: String?) -> Value? {
        switch content {
        case .value(let value): return value
        case .link(nil): return .null
        case .link(let object?):
            if let key, object.isManaged, binding.schema.properties[property].isOwning,
                object._binding?.core === binding.core, let entry = search(key).row,
                let (core, _, list) = place,
                core.value(list.target, entry, .mapValue)?.linkedObject?.rawValue == object._row
            {
                return nil
            }
            guard let row = store([object])?.first else { return nil }
            return .int(Int64(bitPattern: row.rawValue))
        default: return nil
        }
    }
}

extension _ManagedList {
    /// Whether the elements are `AnyRealmValue`s.
    var hasAnyValues: Bool { binding.schema.properties[property].shape.hasAnyValues }
}

extension _PropertyContent.Content {
    /// Converts to an element of a collection of `AnyRealmValue`s; returns `nil`
    /// for other collections.
    fileprivate func anyValue(of list: _ManagedList) -> AnyRealmValue? {
        list.hasAnyValues ? AnyRealmValue._make(_PropertyContent(content: self)) : nil
    }
}

extension Value {
    /// The row that a link refers to; `nil` for null.
    var linkedObject: ObjectKey? {
        guard case .int(let row) = self else { return nil }
        return ObjectKey(rawValue: UInt64(bitPattern: row))
    }
}

extension Realm.Error {
    /// The error for an invalid map key, or nil. A key can't contain a dot, start with a dollar
    /// sign, or be longer than a string.
    static func mapKey(
        _ key: String, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error? {
        mapKey(key, schema.name, property.name)
    }

    package static func mapKey(
        _ key: String, _ className: String, _ property: String
    ) -> Realm.Error? {
        if key.utf8.count > Limits.maximumStringByteCount {
            return .invalidValue(
                className, property,
                "was given a key of \(key.utf8.count) bytes: the key of a map can have at most "
                    + "\(Limits.maximumStringByteCount) bytes.")
        }
        guard key.utf8.first == UInt8(ascii: "$") || key.utf8.contains(UInt8(ascii: ".")) else {
            return nil
        }
        var encoded = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case ".": encoded += "%2E"
            case "$" where encoded.isEmpty: encoded += "%24"
            default: encoded.unicodeScalars.append(scalar)
            }
        }
        return .invalidValue(
            className, property,
            "was given the key \(key.shown): the key of a map cannot contain \".\" or start with "
                + "\"$\". Percent-encode it, as \(encoded.shown).")
    }
}
