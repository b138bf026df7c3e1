internal import RegnumEngine

extension ClassSchema {
    /// Returns an error listing the differences between the class and its stored table that require
    /// a migration, one per line, or `nil` if there are none.
    ///
    /// Properties and classes that exist on one side only are not differences: stored ones unknown
    /// to the class are kept, and new ones are added with their defaults.
    func mismatch(with table: TableSchema, in database: DatabaseSchema) -> Realm.Error? {
        var lines: [String] = []
        var firstProperty: String?
        func report(_ property: PropertySchema, _ text: String) {
            lines.append("\(name).\(property.nameWithColumn) \(text)")
            firstProperty = firstProperty ?? property.name
        }
        if table.kind != tableKind {
            lines.append(
                "\(name) is declared as \(tableKind.text), but stored as \(table.kind.text).")
        }
        for property in properties where property.isStored {
            guard let stored = table.swiftName(ofProperty: property.columnName, in: database) else {
                if property.isPrimaryKey {
                    report(property, "is declared as the primary key, but is not stored yet.")
                }
                continue
            }
            if !table.stores(property.shape, as: property.columnName, in: database) {
                let declared = property.shape.swiftName
                let contents = property.shape.targetType == nil ? "objects" : "values"
                report(
                    property,
                    "is declared as \(declared), but stored as \(stored)"
                        + (equalUTF8(stored, declared) ? ", with \(contents)." : "."))
            }
            let isStoredKey = table.column(named: property.columnName)?.isPrimaryKey ?? false
            if isStoredKey != property.isPrimaryKey {
                report(
                    property,
                    isStoredKey
                        ? "is stored as the primary key, but not declared as one."
                        : "is declared as the primary key, but not stored as one.")
            }
        }
        if primaryKey == nil, let key = table.primaryKey,
            let column = table.columns.first(where: { $0.key == key }),
            property(columnNamed: column.name) == nil
        {
            lines.append(
                "\(name) is stored with the primary key \(column.name), but declared without one.")
            firstProperty = firstProperty ?? column.name
        }
        guard !lines.isEmpty else { return nil }
        return Realm.Error(
            .schemaMismatch, lines.joined(separator: "\n") + Realm.Error.migrationHint,
            className: name, property: firstProperty)
    }
}

extension Realm.Error {
    /// The end of a message about a class that differs from the stored one.
    fileprivate static let migrationHint =
        "\nThis needs a migration: raise Configuration.schemaVersion."

    /// Returns the error without the hint to raise the schema version, which has been raised.
    func withoutMigrationHint() -> Realm.Error {
        var error = self
        error.message = message.replacing(Realm.Error.migrationHint, with: "")
        return error
    }
}

extension ClassSchema {
    /// The kind of the class's table.
    var tableKind: TableKind { isEmbedded ? .embedded : isAsymmetric ? .asymmetric : .object }
}

extension TableKind {
    /// A description for error messages.
    fileprivate var text: String {
        switch self {
        case .object: "a class of top-level objects"
        case .embedded: "an embedded class"
        case .elements: "the elements of a collection"
        case .asymmetric: "an asymmetric class"
        }
    }
}

extension TableSchema {
    /// Returns whether a stored property has a declared form.
    func stores(_ shape: PropertyShape, as name: String, in database: DatabaseSchema) -> Bool {
        guard let stored = swiftName(ofProperty: name, in: database),
            equalUTF8(stored, shape.swiftName)
        else { return false }
        // a class can have the name of a type of values, such as `Date`
        return holdsObjects(name, in: database) == (shape.targetType != nil)
    }

    /// Returns whether a stored property is a link or a collection of objects.
    private func holdsObjects(_ name: String, in database: DatabaseSchema) -> Bool {
        if let column = column(named: name) { return column.linkTarget != nil }
        guard let list = list(named: name) else { return false }
        return database.objects(of: list) != nil
    }

    /// Returns the Swift type of a stored property in the notation of `PropertyShape.swiftName`, or
    /// `nil` if there is no such property.
    func swiftName(ofProperty name: String, in database: DatabaseSchema) -> String? {
        if let column = column(named: name) { return database.swiftName(of: column) }
        guard let list = list(named: name) else { return nil }
        let target = database.tables[Int(list.target.rawValue)]
        guard target.kind == .elements, let column = target.columns.first else {
            return list.kind.swiftName(of: target.name)
        }
        return list.kind.swiftName(of: database.swiftName(of: column))
    }
}

extension DatabaseSchema {
    /// Returns the Swift type of a column.
    fileprivate func swiftName(of column: ColumnSchema) -> String {
        column.linkTarget.map { tables[Int($0.rawValue)].name + "?" }
            ?? _StorageType(column.scalarType, isOptional: column.isOptional).swiftName
    }
}
