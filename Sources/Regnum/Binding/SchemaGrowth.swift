package import RegnumEngine
package import RegnumStore

/// Adds the missing parts of model classes to the stored schema.
enum SchemaGrowth {
    /// Adds a class and the classes that it links to: all tables first, then the properties that
    /// refer to other tables.
    ///
    /// Throws the mismatch of a class that can't be stored, and `.invalidInput` for a class that
    /// isn't listed.
    static func add(
        _ schema: ClassSchema, to transaction: EngineTransaction, _ realm: RealmCore
    ) throws(Realm.Error) {
        let classes = schema.reachable
        for linked in classes {
            let mapping = try realm.listedEntry(for: linked.type).mapping(in: transaction.schema)
            if let mismatch = mapping.mismatch { throw mismatch }
        }
        try engine { () throws(StoreError) in
            for linked in classes {
                try addTable(linked, transaction, addsIndexes: realm.writesAddIndexes)
            }
            for linked in classes { try addReferences(linked, transaction) }
        }
    }

    /// Adds the table of a class or, if it exists, its missing value columns.
    ///
    /// - Parameter addsIndexes: Whether to add the missing indexes of existing columns and lists
    ///   too.
    static func addTable(
        _ schema: ClassSchema, _ transaction: EngineTransaction, addsIndexes: Bool
    ) throws(StoreError) {
        let values = schema.properties.filter {
            if case .scalar = $0.shape { true } else { false }
        }
        guard let table = transaction.schema.table(named: schema.name) else {
            _ = try transaction.addTable(
                name: schema.name, kind: schema.tableKind,
                columns: values.map(\.definition))
            return
        }
        for property in values where table.column(named: property.columnName) == nil {
            _ = try transaction.addColumn(table.key, property.definition)
        }
        guard addsIndexes else { return }
        for index in schema.missingIndexes(in: table) { try transaction.build(index) }
    }

    /// Adds the links and lists of a class that aren't stored yet.
    static func addReferences(
        _ schema: ClassSchema, _ transaction: EngineTransaction
    ) throws(StoreError) {
        for property in schema.properties {
            guard let table = transaction.schema.table(named: schema.name) else { return }
            switch property.shape {
            case .scalar where property.shape.isAny:
                guard table.list(named: property.anyItemsName) == nil else { continue }
                try transaction.addAnyItems(property.columnName, to: table)
            case .scalar, .linkingObjects:
                continue
            case .link(let type):
                guard table.column(named: property.columnName) == nil,
                    let target = transaction.schema.table(named: ClassSchema.of(type).name)
                else { continue }
                _ = try transaction.addColumn(
                    table.key, .link(name: property.columnName, to: target.key))
            case .map(let element):
                try addCollection(property, of: element, .map, schema, transaction)
            case .list(let element):
                try addCollection(property, of: element, .list, schema, transaction)
            case .set(let element):
                try addCollection(property, of: element, .set, schema, transaction)
            }
        }
    }

    /// Adds a list, set or map that isn't stored yet, with an element class if its elements are
    /// values or it is a map.
    private static func addCollection(
        _ property: PropertySchema, of element: ElementShape, _ kind: ListKind,
        _ schema: ClassSchema, _ transaction: EngineTransaction
    ) throws(StoreError) {
        guard let table = transaction.schema.table(named: schema.name),
            table.list(named: property.columnName) == nil
        else { return }
        let value: ElementDefinition
        switch element {
        case .object(let type):
            guard let stored = transaction.schema.table(named: ClassSchema.of(type).name)
            else { return }
            value = .object(stored.key)
        case .scalar(let storage): value = .value(storage.scalar, isOptional: storage.isOptional)
        }
        let list = try transaction.addCollection(kind, property.columnName, of: value, to: table)
        if property.isGeoIndexed { try transaction.addGeoIndex(table.key, list) }
    }
}

/// The elements of a collection to be stored.
package enum ElementDefinition {
    case object(TableKey)
    case value(ScalarType, isOptional: Bool)
}

extension SchemaEditor {
    /// Adds a list, set or map, with a hidden class of elements if they are values or it is a map.
    package func addCollection(
        _ kind: ListKind, _ name: String, of element: ElementDefinition, to table: TableSchema
    ) throws(StoreError) -> ListKey {
        let elementsName = "\(table.name).\(name)"
        var target: TableKey
        switch element {
        case .object(let objects):
            target = objects
            if kind == .map {
                target = try addElements(
                    elementsName, .link(name: "value", to: objects), hasKeys: true)
            }
        case .value(.any, _): target = try addAnyElements(elementsName)
        case .value(let type, let isOptional):
            let value = ColumnDefinition(name: "value", scalar: type, isOptional: isOptional)
            target = try addElements(elementsName, value, hasKeys: kind == .map)
        }
        return try addList(table.key, name: name, target: target, kind: kind)
    }

    /// Adds the hidden class of a collection's elements, which have keys if it is a map.
    private func addElements(
        _ name: String, _ value: ColumnDefinition, hasKeys: Bool
    ) throws(StoreError) -> TableKey {
        let key = ColumnDefinition(name: "key", type: .string)
        return try addTable(
            name: name, kind: .elements, columns: hasKeys ? [value, key] : [value])
    }

    /// Adds the list with the contents of a property of any type.
    package func addAnyItems(
        _ property: String, to table: TableSchema
    ) throws(StoreError) {
        let elements = try addAnyElements("\(table.name).\(property)")
        _ = try addList(
            table.key, name: PropertySchema.anyItemsName(of: property), target: elements,
            kind: .list)
    }

    /// Adds the hidden class of elements of any type, whose rows can themselves hold lists and
    /// dictionaries.
    private func addAnyElements(_ name: String) throws(StoreError) -> TableKey {
        let elements = try addElements(
            name, ColumnDefinition(name: "value", type: .any, isOptional: true, isIndexed: true),
            hasKeys: true)
        _ = try addList(
            elements, name: PropertySchema.anyItemsName, target: elements, kind: .list)
        return elements
    }
}

extension ClassSchema {
    /// The class and all classes that it links to, directly or indirectly.
    var reachable: [ClassSchema] { ClassSchema.reachable(from: [self]) { $0.targetType } }

    /// Returns the classes and all that their properties lead to, directly or indirectly.
    static func reachable(
        from schemas: [ClassSchema], _ target: (PropertyShape) -> ObjectBase.Type?
    ) -> [ClassSchema] {
        var known: Set<ObjectIdentifier> = []
        var found = schemas.filter { known.insert(ObjectIdentifier($0.type)).inserted }
        var next = 0
        while next < found.count {
            for property in found[next].properties {
                guard let type = target(property.shape),
                    known.insert(ObjectIdentifier(type)).inserted
                else { continue }
                found.append(ClassSchema.of(type))
            }
            next += 1
        }
        return found
    }
}
