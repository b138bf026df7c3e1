internal import RegnumEngine

extension ClassSchema {
    /// The differences between the class and its stored table that need a migration, as one error
    /// with one line for each; nil if there are none.
    ///
    /// A property or class that only one side has is no difference: the file keeps what this
    /// program does not know, and new properties are added with their defaults.
    func mismatch(with table: TableSchema) -> Realm.Error? {
        var lines: [String] = []
        var firstProperty: String?
        func report(_ property: PropertySchema, _ text: String) {
            lines.append("\(name).\(property.name) \(text)")
            firstProperty = firstProperty ?? property.name
        }
        for property in properties {
            guard let column = table.column(named: property.name) else {
                if property.isPrimaryKey {
                    report(property, "is declared as primary key, but is not stored yet.")
                }
                continue
            }
            if column.type != property.type || column.isOptional != property.isOptional {
                report(
                    property,
                    "is declared as \(text(property.type, property.isOptional)), but stored as "
                        + "\(text(column.type, column.isOptional)).")
            }
            if column.isPrimaryKey != property.isPrimaryKey {
                report(
                    property,
                    column.isPrimaryKey
                        ? "is stored as primary key, but not declared as one."
                        : "is declared as primary key, but not stored as one.")
            }
        }
        if primaryKey == nil, let key = table.primaryKey,
            let column = table.columns.first(where: { $0.key == key }),
            property(named: column.name) == nil
        {
            lines.append(
                "\(name) is stored with the primary key \(column.name), but declared without one.")
            firstProperty = firstProperty ?? column.name
        }
        guard !lines.isEmpty else { return nil }
        return Realm.Error(
            .schemaMismatch, lines.joined(separator: "\n") + "\nThis needs a migration.",
            className: name, property: firstProperty)
    }

    private func text(_ type: ValueType, _ isOptional: Bool) -> String {
        type.swiftName + (isOptional ? "?" : "")
    }
}

extension ValueType {
    /// The name of the Swift type that is stored so.
    var swiftName: String {
        switch self {
        case .bool: "Bool"
        case .int: "Int"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .objectId: "ObjectId"
        }
    }
}
