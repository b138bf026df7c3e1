internal import RegnumEngine

extension ClassSchema {
    /// Creates the schema of a stored class that the program doesn't declare, for queries by name.
    /// The properties have their stored names. Their classes are given by `storedTarget`, since
    /// there are no Swift types, and their values can't be read through `field`.
    convenience init(stored table: TableSchema, in database: DatabaseSchema) {
        let columns = table.columns.filter { !$0.isDropped }.map { column in
            PropertySchema(stored: column, in: database)
        }
        // items of values of any type are part of those values
        let lists = table.lists.filter { !$0.isDropped && $0.name.itemsProperty == nil }
        self.init(
            name: table.name, type: table.kind.baseClass,
            properties: columns + lists.map { PropertySchema(stored: $0, in: database) },
            problems: [], hasOnlyStoredProperties: true)
    }
}

extension PropertySchema {
    fileprivate convenience init(stored column: ColumnSchema, in database: DatabaseSchema) {
        let target = column.linkTarget.map { database.tables[Int($0.rawValue)] }
        let storage = _StorageType(column.scalarType, isOptional: column.isOptional)
        self.init(
            stored: column.name, target.map { .link($0.kind.baseClass) } ?? .scalar(storage),
            target: target, default: column.defaultValue, isPrimaryKey: column.isPrimaryKey,
            isIndexed: column.hasIndex, isFullTextIndexed: column.isFullTextIndexed)
    }

    fileprivate convenience init(stored list: ListSchema, in database: DatabaseSchema) {
        var target: TableSchema? = database.tables[Int(list.target.rawValue)]
        var shape = ElementShape.object(target?.kind.baseClass ?? Object.self)
        if let elements = target, elements.kind == .elements, let value = elements.columns.first {
            target = value.linkTarget.map { database.tables[Int($0.rawValue)] }
            shape =
                target.map { .object($0.kind.baseClass) }
                ?? .scalar(_StorageType(value.scalarType, isOptional: value.isOptional))
        }
        let property: PropertyShape =
            switch list.kind {
            case .list: .list(shape)
            case .set: .set(shape)
            case .map: .map(shape)
            }
        self.init(
            stored: list.name, property, target: target, isGeoIndexed: list.isGeoIndexed)
    }

    private convenience init(
        stored name: String, _ shape: PropertyShape, target: TableSchema?,
        default defaultValue: Value = .null, isPrimaryKey: Bool = false, isIndexed: Bool = false,
        isFullTextIndexed: Bool = false, isGeoIndexed: Bool = false
    ) {
        self.init(
            name: name, columnName: name, offset: 0, field: Persisted<AnyRealmValue>.self,
            kind: .other, shape: shape, defaultValue: defaultValue,
            declaration: PropertyDeclaration(
                isPrimaryKey: isPrimaryKey, isIndexed: isIndexed,
                isFullTextIndexed: isFullTextIndexed, isGeoIndexed: isGeoIndexed,
                initialValue: nil, originProperty: nil, deleteRule: .nullify),
            storedTarget: target?.name)
    }
}

extension TableKind {
    /// The base class of models of this kind.
    fileprivate var baseClass: ObjectBase.Type {
        switch self {
        case .object: Object.self
        case .embedded: EmbeddedObject.self
        case .asymmetric: AsymmetricObject.self
        case .elements: ObjectBase.self
        }
    }
}
