internal import Regnum
internal import RegnumEngine
internal import RegnumStore

/// A stored class that lines are imported into.
struct ImportTable: Sendable {
    /// A column or list.
    struct Property: Sendable {
        enum Place: Sendable {
            case column(ColumnSchema)
            /// A list and the class of its elements.
            case list(ListSchema, TableSchema)
        }

        let className: String
        let name: String
        let place: Place
        /// The type of the declared property, or of its elements, if they are values.
        let declared: DeclaredValueType?

        /// Returns an error about the property.
        func problem(_ what: String, _ code: StoreError.Code = .invalidValue) -> StoreError {
            StoreError(
                code, "\(className).\(name) \(what).", className: className,
                property: name)
        }
    }

    let schema: TableSchema
    /// The default values, by column.
    let defaults: [Value]
    private let properties: [StoredText: Property]

    var key: TableKey { schema.key }
    var name: String { schema.name }

    init(_ schema: TableSchema, in database: DatabaseSchema, _ tx: Transaction) {
        self.schema = schema
        defaults = schema.columns.map(\.defaultValue)
        var properties: [StoredText: Property] = [:]
        for column in schema.columns where !column.isDropped {
            properties[StoredText(column.name)] = Property(
                className: schema.name, name: column.name, place: .column(column),
                declared: tx.declaredType(schema.name, column.name, column.type))
        }
        for list in schema.lists where !list.isDropped && list.name.itemsProperty == nil {
            let target = database.tables[Int(list.target.rawValue)]
            properties[StoredText(list.name)] = Property(
                className: schema.name, name: list.name, place: .list(list, target),
                declared: target.columns.first.flatMap {
                    tx.declaredType(schema.name, list.name, $0.type)
                })
        }
        self.properties = properties
    }

    /// Returns the property with a name. Throws `.schemaMismatch` if the class doesn't have it.
    func property(_ name: String) throws(StoreError) -> Property {
        if let found = properties[StoredText(name)] { return found }
        throw StoreError(
            .schemaMismatch, "The class \(schema.name) has no property \"\(name.shortened)\".",
            className: schema.name, property: name)
    }
}

extension ImportTable.Property {
    /// The start of a message about the type of the values.
    private var holds: String {
        switch place {
        case .column: "is of type"
        case .list: "has elements of type"
        }
    }

    /// Returns the stored value for a column that isn't a link.
    func value(_ node: JSONNode, _ column: ColumnSchema) throws(StoreError) -> Value {
        if case .null = node {
            guard column.isOptional else { throw problem("is required and cannot be null") }
            return .null
        }
        guard let value = node.value(of: column.scalarType) else {
            throw problem(
                "\(holds) \(column.scalarType.rawValue) and cannot hold \(node.shown)")
        }
        if let declared, !declared.hasValue(for: value) {
            throw problem("\(holds) \(declared.name) and cannot hold \(value.keyText)")
        }
        return value
    }
}
