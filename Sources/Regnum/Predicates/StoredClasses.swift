internal import RegnumEngine
internal import RegnumStore

/// The classes of a stored schema, for predicate strings on classes that the program doesn't
/// declare. Confined to the call that makes the query.
final class StoredClasses {
    let database: DatabaseSchema
    private var known: [TableKey: ClassSchema] = [:]

    init(_ database: DatabaseSchema) { self.database = database }

    /// Returns a class of objects, embedded or not; `nil` for hidden and dropped ones.
    func schema(named name: String) -> ClassSchema? {
        guard let table = database.table(named: name), table.kind != .elements, !table.isDropped
        else { return nil }
        if let found = known[table.key] { return found }
        let schema = ClassSchema(stored: table, in: database)
        known[table.key] = schema
        return schema
    }
}

extension PredicateBinder {
    /// Returns the class of the objects in a property.
    func target(of property: PropertySchema, _ type: ObjectBase.Type) -> ClassSchema {
        property.storedTarget.flatMap { stored?.schema(named: $0) } ?? ClassSchema.of(type)
    }

    /// Whether a stored property contains objects of a class.
    func leads(_ property: PropertySchema, to schema: ClassSchema) -> Bool {
        guard let type = property.shape.targetType else { return false }
        return target(of: property, type) === schema
    }
}
