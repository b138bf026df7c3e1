internal import Regnum
internal import RegnumEngine
internal import RegnumStore

// Resolving links to objects, and to placeholders for objects whose lines haven't been read.

extension Importer {
    /// The identification of an object in a text.
    enum Reference: Hashable, Sendable {
        case primaryKey(Value)
        /// The key in the text of an object without a primary key.
        case key(UInt64)
    }

    /// An object that was linked to before its line has been read.
    struct Placeholder: Sendable {
        let row: ObjectKey
        /// The version that created the row.
        let version: UInt64
        /// The line and property of the link.
        let line: Int
        let className: String
        let property: String
    }

    typealias Placeholders = [TableKey: [Reference: Placeholder]]

    /// Returns the row of a linked object, creating a placeholder if the object doesn't exist yet.
    ///
    /// Throws if the node isn't a key of the class.
    mutating func target(
        _ node: JSONNode, _ table: ImportTable, of property: ImportTable.Property
    ) throws(StoreError) -> ObjectKey {
        guard let column = table.schema.primaryKey.map({ table.schema.columns[Int($0.rawValue)] })
        else {
            guard case .number(let text) = node, let key = UInt64(text) else {
                throw property.problem(
                    "cannot link to \(node.shown): expected a number, the key of an object of "
                        + "\(table.name)")
            }
            if let row = state.keys[table.key, default: ImportedKeys()][key],
                transaction.contains(table.key, row)
            {
                return row
            }
            let row = try transaction.insert(table.key, table.defaults)
            note(key, row, table.key)
            note(row, .key(key), table, property)
            return row
        }
        var value: Value?
        if case .object(let members) = node, members.count == 1, members[0].key == "key" {
            if case .null = members[0].value, column.isOptional { value = .null }
        } else {
            value = node.value(of: column.scalarType)
        }
        guard let value else {
            throw property.problem(
                "cannot link to \(node.shown): expected the primary key of an object of "
                    + "\(table.name), of type \(column.scalarType.rawValue)")
        }
        if let row = transaction.find(table.key, primaryKey: value) { return row }
        var values = table.defaults
        values[Int(column.key.rawValue)] = value
        let row = try transaction.insert(table.key, values)
        note(row, .primaryKey(value), table, property)
        return row
    }

    private mutating func note(
        _ row: ObjectKey, _ reference: Reference, _ table: ImportTable,
        _ property: ImportTable.Property
    ) {
        state.placeholders[table.key, default: [:]][reference] = Placeholder(
            row: row, version: transaction.version, line: line, className: property.className,
            property: property.name)
    }

    mutating func note(_ key: UInt64, _ row: ObjectKey, _ table: TableKey) {
        state.keys[table, default: ImportedKeys()].add(key, row)
    }

    /// Removes and returns the placeholder of an object whose line has been read.
    mutating func takePlaceholder(_ reference: Reference, _ table: TableKey) -> Placeholder? {
        guard let taken = state.placeholders[table]?.removeValue(forKey: reference) else {
            return nil
        }
        if taken.version != transaction.version { state.filled.append((table, reference, taken)) }
        return taken
    }

    /// Returns the error for the first link whose object is missing at the end of the text, if any.
    func missingObject() -> (error: Realm.Error, line: Int)? {
        var missing: [(table: TableKey, reference: Reference, placeholder: Placeholder)] = []
        for (table, objects) in state.placeholders {
            for (reference, placeholder) in objects
            where !exists(reference, placeholder, table) {
                missing.append((table, reference, placeholder))
            }
        }
        guard let first = missing.min(by: { $0.placeholder.line < $1.placeholder.line }) else {
            return nil
        }
        let name = transaction.schema.tables[Int(first.table.rawValue)].name
        let placeholder = first.placeholder
        let (text, key) =
            switch first.reference {
            case .primaryKey(let value): (value.keyText, value.bareKeyText)
            case .key(let key): ("with the key \(key)", "\(key)")
            }
        let others = missing.count == 1 ? "" : " Other missing objects: \(missing.count - 1)."
        let error = Realm.Error(
            .invalidInput,
            "\(placeholder.className).\(placeholder.property) links to the \(name) \(text), which "
                + "is neither in the rest of the input nor in the realm.\(others)",
            className: placeholder.className, property: placeholder.property, key: key)
        return (error, placeholder.line)
    }

    /// Returns whether another transaction has stored the object of a placeholder. Always false for
    /// objects without a primary key, which are identified only within the text.
    private func exists(
        _ reference: Reference, _ placeholder: Placeholder, _ table: TableKey
    ) -> Bool {
        guard case .primaryKey(let key) = reference,
            let row = transaction.find(table, primaryKey: key)
        else { return false }
        return row != placeholder.row || !placeholder.isUnchanged(table, transaction)
    }

    /// Deletes placeholders that committed batches have left, unless another transaction has
    /// changed them.
    static func remove(_ placeholders: Placeholders, in transaction: EngineTransaction) {
        for (table, objects) in placeholders {
            let unchanged = objects.values.filter { $0.isUnchanged(table, transaction) }
            if !unchanged.isEmpty { transaction.delete(table, unchanged.map(\.row)) }
        }
    }
}

extension Importer.Placeholder {
    /// Returns whether the row still exists unchanged: no other transaction has set one of its
    /// properties, or added elements to its lists, sets and maps.
    ///
    /// - Complexity: O(log n) for the row and each of its lists.
    func isUnchanged(_ table: TableKey, _ transaction: EngineTransaction) -> Bool {
        // only the running transaction can change the rows that it created
        if version == transaction.version { return true }
        let base = transaction.base
        return base.contentVersion(table, row) == version
            && transaction.schema.tables[Int(table.rawValue)].lists.allSatisfy {
                base.listCount(table, row, $0.key) == 0
            }
    }
}
