package import RegnumStore

extension EngineTransaction {
    /// Adds a class.
    ///
    /// Throws `invalidInput`, with class and property, for a name that is empty, too long or taken,
    /// too many columns, two primary keys, a type that can't be a primary key or indexed, an
    /// invalid default, or a link to a class that doesn't exist yet.
    package func addTable(
        name: String, kind: TableKind = .object, columns: [ColumnDefinition]
    ) throws(StoreError) -> TableKey {
        willEdit()
        let key = try content.addTable(name, kind, columns, edit)
        changes.append(TableChanges(firstNewKey: 0))
        schemaChanges.append(.table(key, name, kind, columns))
        return key
    }

    /// Adds a column to an existing class. Existing rows read the default.
    ///
    /// Throws `invalidInput` like `addTable`, and for a primary key.
    ///
    /// - Complexity: O(1), or O(n log n) for an indexed column.
    package func addColumn(
        _ table: TableKey, _ definition: ColumnDefinition
    ) throws(StoreError) -> ColumnKey {
        willEdit()
        insertions = []
        let key = try content.addColumn(definition, to: table, edit)
        schemaChanges.append(.column(table, key, definition))
        return key
    }

    /// Sets the version of the schema.
    ///
    /// - Precondition: The version is greater than the current one.
    package func setSchemaVersion(_ version: UInt64) {
        precondition(version > content.schema.version, "The schema version must increase.")
        willEdit()
        insertions = []
        content.schema = content.schema.at(version: version)
        schemaChanges.append(.version(version))
    }

    /// Adds an index to an existing column.
    ///
    /// Throws `invalidInput`, with class and property, if the column is already indexed or its type
    /// can't be.
    ///
    /// - Complexity: O(n log n).
    package func addIndex(_ table: TableKey, _ column: ColumnKey) throws(StoreError) {
        willEdit()
        insertions = []
        try content.addIndex(column, of: table, edit)
        schemaChanges.append(.index(table, column))
    }

    /// Adds a full-text index to an existing string column.
    ///
    /// Throws `invalidInput`, with class and property, if the column already has one or isn't of
    /// strings.
    ///
    /// - Complexity: O(n log n) for n words.
    package func addFullTextIndex(
        _ table: TableKey, _ column: ColumnKey
    ) throws(StoreError) {
        willEdit()
        insertions = []
        try content.addFullTextIndex(column, of: table, edit)
        schemaChanges.append(.fullTextIndex(table, column))
    }

    /// Inserts a row and returns its key.
    ///
    /// - Parameter values: One per column in the order of the column keys. Trailing columns may be
    ///   omitted and take their defaults.
    ///
    /// Throws `invalidValue` (with class and property) for a value of another type, null in a
    /// required column, a date that isn't a number, a string or data beyond the limits, or a link
    /// to a row that doesn't exist or is owned by another row already; `duplicatePrimaryKey` (with
    /// class, property and key) if the primary key is taken.
    ///
    /// - Complexity: O(log n) for the row and for each index.
    package func insert(_ table: TableKey, _ values: [Value]) throws(StoreError) -> ObjectKey {
        let schema = content.schema.tables[table.index]
        precondition(
            values.count <= schema.columns.count,
            "Too many values for a row of the class \(schema.name)."
        )
        var values = values
        if values.count < schema.columns.count {
            for column in schema.columns[values.count...] { values.append(column.defaultValue) }
        }
        for index in values.indices {
            if let problem = schema.rules[index].problem(with: values[index]) {
                throw invalidValue(problem, schema, schema.columns[index])
            }
        }
        if let primaryKey = schema.primaryKey {
            let value = values[primaryKey.index]
            if content.find(table, primaryKey: value) != nil {
                throw duplicatePrimaryKey(value, schema, schema.columns[primaryKey.index])
            }
        }
        if !content.schema.relations[table.index].links.isEmpty {
            let problem = content.problem(
                inserting: content.schema.relations[table.index].links
            ) { values[$0.column.index].linkedRow }
            if let problem {
                throw invalidValue(problem.text, schema, schema.columns[problem.column.index])
            }
        }
        willEdit()
        let key = content.insert(table.index, values, version: version, edit)
        changes[table.index].insertedCount += 1
        return ObjectKey(rawValue: key)
    }

    /// Sets a property. Setting an equal value counts as a modification. A previously linked owned
    /// row is deleted.
    ///
    /// Throws `invalidValue` (with class and property) like `insert`, and for the primary key,
    /// which can't be changed. The row must exist.
    ///
    /// - Complexity: O(log n), plus the deletion of an owned row.
    package func set(
        _ table: TableKey, _ key: ObjectKey, _ column: ColumnKey, _ value: Value
    ) throws(StoreError) {
        let schema = content.schema.tables[table.index]
        let columnSchema = schema.columns[column.index]
        if columnSchema.isPrimaryKey {
            throw invalidValue(
                "is the primary key, which cannot be changed once the object is stored", schema,
                columnSchema)
        }
        if let problem = schema.rules[column.index].problem(with: value) {
            throw invalidValue(problem, schema, columnSchema)
        }
        var replaced: UInt64?
        if schema.rules[column.index].isLink {
            replaced = try checkLink(schema, key, columnSchema, value)
        }
        willEdit()
        let isSet = content.set(
            table.index, key.rawValue, columnSchema, value, version: version, edit)
        if !isSet {
            // The rows of elements are only known from lists.
            if schema.kind == .elements { throw .missingElement(of: schema) }
            preconditionFailure("Can't set a property of an object that doesn't exist.")
        }
        noteSet(table, key.rawValue, column)
        if let replaced, let target = columnSchema.linkTarget {
            delete(target, ObjectKey(rawValue: replaced))
        }
    }

    /// Throws the errors of `set` for a value that isn't a link. Permits the primary key.
    package func check(
        _ table: TableKey, _ column: ColumnKey, _ value: Value
    ) throws(StoreError) {
        let schema = content.schema.tables[table.index]
        if let problem = schema.rules[column.index].problem(with: value) {
            throw invalidValue(problem, schema, schema.columns[column.index])
        }
    }

    /// Throws `invalidValue` if the value isn't valid for a link. Returns the owned row that the
    /// link currently refers to if the new value replaces it.
    private func checkLink(
        _ schema: borrowing TableSchema, _ key: ObjectKey, _ column: ColumnSchema, _ value: Value
    ) throws(StoreError) -> UInt64? {
        guard let target = column.linkTarget else { return nil }
        let old = content.value(schema.key, key, column.key)
        if old == value { return nil }
        if let row = value.linkedRow, let problem = content.problem(linking: row, of: target) {
            throw invalidValue(problem, copy schema, column)
        }
        return content.schema.tables[target.index].kind.isOwned ? old?.linkedRow : nil
    }

    func invalidValue(
        _ problem: String, _ table: TableSchema, _ column: ColumnSchema
    ) -> StoreError {
        StoreError(
            .invalidValue, "\(table.name).\(column.name) \(problem).",
            className: table.name, property: column.name)
    }

    package func duplicatePrimaryKey(
        _ value: Value, _ table: TableSchema, _ column: ColumnSchema
    ) -> StoreError {
        StoreError(
            .duplicatePrimaryKey,
            "The class \(table.name) already has an object whose \(column.name) is "
                + "\(value.keyText).", className: table.name, property: column.name,
            key: value.bareKeyText)
    }
}
