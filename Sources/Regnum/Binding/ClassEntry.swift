internal import RegnumEngine
internal import RegnumStore

/// The mapping of a class's properties to the columns and lists of its table, for
/// one schema of a realm.
struct ClassMapping: Sendable {
    /// The `DatabaseSchema.id` of the schema that this mapping was built from.
    let schemaID: UInt64
    /// The class's table, or `nil` if no object of the class was ever stored.
    let table: TableSchema?
    /// Column or list numbers, by position in `ClassSchema.properties`. The complement (`~`) of the
    /// position if the table has no such column or list yet; the position itself for an inverse.
    let columns: [Int32]
    /// Columns unknown to the class, with the value that new rows get in them.
    let unknownColumns: [(column: Int, value: Value)]
    /// The same mapping as plain numbers.
    let place: BindingPlace
    /// The reason why the class cannot be used with this schema.
    let mismatch: Realm.Error?

    /// Whether the table has all columns and lists of the class, the lists that its values of any
    /// type need, and all indexes that a write would add.
    let isComplete: Bool
}

/// A model class registered with a realm.
final class ClassEntry: Sendable {
    let schema: ClassSchema
    /// The reason why the class can never be used with the realm: an invalid declaration, or
    /// another class with the same name.
    let problem: Realm.Error?
    /// The schema version in the realm's configuration.
    private let schemaVersion: UInt64
    /// Whether the first write that stores an object adds missing indexes.
    fileprivate let writesAddIndexes: Bool
    private let lastMapping = Guarded<ClassMapping?>(nil)

    init(
        schema: ClassSchema, problem: Realm.Error?, schemaVersion: UInt64, writesAddIndexes: Bool
    ) {
        self.schema = schema
        self.problem = problem
        self.schemaVersion = schemaVersion
        self.writesAddIndexes = writesAddIndexes
    }

    /// Returns an error if a newer version of the program has removed or renamed the table or a
    /// column, otherwise `nil`.
    ///
    /// If the stored schema isn't newer, anything missing from it was never stored and
    /// reads as its default.
    fileprivate func missing(
        _ columns: [Int32], _ table: TableSchema?, in database: DatabaseSchema
    ) -> Realm.Error? {
        guard database.version > schemaVersion else { return nil }
        let versions =
            "the realm has schema version \(database.version), but the configuration has "
            + "\(schemaVersion): a newer version of the program has used the realm. Use that "
            + "version."
        guard table != nil else {
            return Realm.Error(
                .schemaMismatch, "\(schema.name) is not stored, and \(versions)",
                className: schema.name)
        }
        for (property, column) in zip(schema.properties, columns) where column < 0 {
            return Realm.Error(
                .schemaMismatch,
                "\(schema.name).\(property.nameWithColumn) is not stored, and \(versions)",
                className: schema.name, property: property.name)
        }
        return nil
    }

    /// Returns the mapping of the class for a schema. Caches the last mapping.
    ///
    /// - Complexity: O(1) while the schema is unchanged, otherwise O(properties x columns).
    func mapping(in database: DatabaseSchema) -> ClassMapping {
        let known = lastMapping.withLock { $0 }
        if let known, known.schemaID == database.id { return known }
        let made = ClassMapping(of: self, in: database)
        lastMapping.withLock { $0 = made }
        return made
    }

    /// Returns the reason why the class can't be read with a schema, or `nil` if it can.
    ///
    /// - Parameter newest: The current schema, if `database` is a past one. A property that had
    ///   another name then, or whose name another property had, is also a reason, because its
    ///   values would seem to be missing or to be those of the other one.
    func problem(
        in database: DatabaseSchema, before newest: DatabaseSchema?
    ) -> Realm.Error? {
        mapping(in: database).mismatch ?? newest.flatMap { difference(since: database, $0) }
    }

    /// Returns the error for a property whose values migrations have replaced since a past schema,
    /// or `nil`. A property that was renamed, or that became optional, has kept its values. `nil`
    /// also if a newer program has changed the class so that reading it is an error.
    func replacement(since past: DatabaseSchema, _ newest: DatabaseSchema) -> Realm.Error? {
        if mapping(in: newest).mismatch != nil { return nil }
        return difference(since: past, newest, allowsRenaming: true)
    }

    /// Returns the error for a property that isn't the one of that name in a past schema, or `nil`.
    private func difference(
        since past: DatabaseSchema, _ newest: DatabaseSchema, allowsRenaming: Bool = false
    ) -> Realm.Error? {
        guard let before = past.table(named: schema.name),
            let after = newest.table(named: schema.name), before.key == after.key
        else { return nil }
        for property in schema.properties where property.isStored {
            guard
                let problem = after.problem(
                    with: property, since: before, allowsRenaming: allowsRenaming)
            else { continue }
            return Realm.Error(
                .schemaMismatch, "\(schema.name).\(property.nameWithColumn) \(problem).",
                className: schema.name, property: property.name)
        }
        return nil
    }
}

/// The place of a property in a class. Columns and lists keep their keys.
private enum PropertyPlace: Equatable {
    case column(ColumnKey)
    case list(ListKey)
}

extension TableSchema {
    /// Returns how a stored property differs from the one of that name in an older form of the
    /// class, or `nil` if it is the same or wasn't stored.
    fileprivate func problem(
        with property: PropertySchema, since older: TableSchema, allowsRenaming: Bool
    ) -> String? {
        if let name = formerName(of: property, in: older) {
            let isSame = allowsRenaming || equalUTF8(name, property.columnName)
            return isSame ? nil : "was named \(name)"
        }
        return older.place(of: property) == nil
            ? nil : "has replaced a property of the same name"
    }

    /// Returns the name under which an older form of the class has the values of a property, or
    /// `nil` if it doesn't have them.
    private func formerName(of property: PropertySchema, in older: TableSchema) -> String? {
        guard let place = place(of: property) else { return nil }
        if let name = older.name(at: place) { return name }
        guard case .column(let key) = place,
            let source = columns.first(where: { $0.wasMoved(to: key) })
        else { return nil }
        return older.name(at: .column(source.key))
    }

    private func place(of property: PropertySchema) -> PropertyPlace? {
        if let column = column(named: property.columnName) { return .column(column.key) }
        return list(named: property.columnName).map { .list($0.key) }
    }

    private func name(at place: PropertyPlace) -> String? {
        switch place {
        case .column(let key): columns.first { $0.key == key }?.name
        case .list(let key): lists.first { $0.key == key }?.name
        }
    }
}

extension ClassMapping {
    fileprivate init(of entry: ClassEntry, in database: DatabaseSchema) {
        let schema = entry.schema
        schemaID = database.id
        table = database.table(named: schema.name)
        let table = table
        columns = schema.properties.enumerated().map { index, property in
            guard property.isStored else { return Int32(index) }
            let number =
                property.isColumn
                ? table?.column(named: property.columnName).map { Int32($0.key.rawValue) }
                : table?.list(named: property.columnName).map { Int32($0.key.rawValue) }
            return number ?? ~Int32(index)
        }
        isComplete =
            table != nil && columns.allSatisfy { $0 >= 0 }
            && schema.properties.allSatisfy { property in
                !property.shape.isAny || table?.list(named: property.anyItemsName) != nil
            }
            && (!entry.writesAddIndexes
                || table.map { schema.missingIndexes(in: $0).isEmpty } ?? false)
        let known = Set(zip(schema.properties, columns).filter { $0.0.isColumn }.map(\.1))
        unknownColumns = (table?.columns ?? []).compactMap { column in
            known.contains(Int32(column.key.rawValue))
                ? nil : (Int(column.key.rawValue), column.defaultValue)
        }
        mismatch =
            entry.problem
            ?? table.flatMap {
                schema.mismatch(with: $0, in: database) ?? schema.damage(in: $0, of: database)
            }
            ?? entry.missing(columns, table, in: database)
        place = BindingPlace(
            schema, schemaID: schemaID, columns: columns, table, isComplete: isComplete,
            isMismatch: mismatch != nil)
    }
}
