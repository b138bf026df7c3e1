internal import RegnumEngine

extension Schema {
    /// Creates the schema of the classes that a realm stores, whether the program has them or not.
    init(stored schema: DatabaseSchema) {
        self.init(
            schema.tables.filter { $0.kind != .elements && !$0.isDropped }
                .map { ObjectSchema($0, in: schema) }, version: schema.version)
    }

    /// Creates the schema during a migration to the classes of a program. Keys and kinds, which are
    /// set at its end, are as declared by the program.
    init(stored schema: DatabaseSchema, as program: [ClassSchema], version: UInt64) {
        let classes = Schema(stored: schema).objectSchema.map { stored in
            guard let declared = program.first(where: { equalUTF8($0.name, stored.className) })
            else {
                return stored
            }
            let properties = stored.properties.map { property in
                var property = property
                if let known = declared.property(storedAs: property.name) {
                    property.isIndexed = known.isIndexed || known.isPrimaryKey
                    property.isFullTextIndexed = known.isFullTextIndexed
                    property.isGeoIndexed = known.isGeoIndexed
                    property.isPrimaryKey = known.isPrimaryKey
                }
                return property
            }
            return ObjectSchema(stored.className, stored: properties, declared.tableKind)
        }
        self.init(classes, version: version)
    }
}

extension ObjectSchema {
    fileprivate init(_ table: TableSchema, in schema: DatabaseSchema) {
        let columns = table.columns.filter { !$0.isDropped }.map { column in
            Property(stored: column.name, column, in: schema, indexed: true)
        }
        // items of values of any type are part of those values
        let lists = table.lists.filter { !$0.isDropped && $0.name.itemsProperty == nil }.map {
            list in
            Property(stored: list, in: schema)
        }
        self.init(table.name, stored: columns + lists, table.kind)
    }
}

extension Property {
    /// Creates a stored property that is a value or a link, or one with such elements.
    fileprivate init(
        stored name: String, _ column: ColumnSchema, in schema: DatabaseSchema,
        collection: ListKind? = nil, indexed: Bool = false, isGeoIndexed: Bool = false
    ) {
        let target = column.linkTarget.map { schema.tables[Int($0.rawValue)].name }
        self.init(
            stored: name, type: target == nil ? column.scalarType.propertyType : .object,
            isOptional: target != nil || column.isOptional && column.type != .any,
            objectClassName: target, collection,
            // links and values of any type always have an index
            isIndexed: indexed && column.hasIndex && target == nil && column.type != .any,
            isFullTextIndexed: indexed && column.isFullTextIndexed, isGeoIndexed: isGeoIndexed,
            isPrimaryKey: indexed && column.isPrimaryKey)
    }

    fileprivate init(stored list: ListSchema, in schema: DatabaseSchema) {
        let target = schema.tables[Int(list.target.rawValue)]
        if target.kind == .elements, let values = target.columns.first {
            self.init(
                stored: list.name, values, in: schema, collection: list.kind,
                isGeoIndexed: list.isGeoIndexed)
        } else {
            self.init(
                stored: list.name, type: .object, isOptional: false, objectClassName: target.name,
                list.kind, isIndexed: false, isPrimaryKey: false)
        }
    }

    private init(
        stored name: String, type: PropertyType, isOptional: Bool, objectClassName: String?,
        _ collection: ListKind?, isIndexed: Bool, isFullTextIndexed: Bool = false,
        isGeoIndexed: Bool = false, isPrimaryKey: Bool
    ) {
        self.init(
            name: name, columnName: name, type: type, isArray: collection == .list,
            isSet: collection == .set, isMap: collection == .map, isIndexed: isIndexed,
            isFullTextIndexed: isFullTextIndexed, isGeoIndexed: isGeoIndexed,
            isPrimaryKey: isPrimaryKey,
            isOptional: isOptional, objectClassName: objectClassName,
            originPropertyName: nil)
    }
}
