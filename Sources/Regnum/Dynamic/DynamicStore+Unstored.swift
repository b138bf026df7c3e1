internal import RegnumEngine

// Properties that the program declares but that aren't stored yet. They read as their defaults, and
// the first change adds them to the stored schema. The block of a migration only sees stored ones.

extension DynamicStore {
    /// Returns the declaration of a property that isn't stored yet, by its stored name, or `nil` if
    /// the program doesn't declare it. Throws the mismatch of a class that doesn't match the stored
    /// schema: a newer program may have renamed the property.
    func unstored(
        _ name: String, of className: String
    ) throws(Realm.Error) -> PropertySchema? {
        guard old == nil, declared == nil,
            let entry = core.realm.knownEntry(named: className),
            let index = entry.schema.property(columnNamed: name),
            entry.schema.properties[index].isStored
        else { return nil }
        if let mismatch = entry.mapping(in: schema).mismatch { throw mismatch }
        return entry.schema.properties[index]
    }

    /// Returns all declared properties that aren't stored yet; none for a class that doesn't match
    /// the stored schema.
    func unstored(of table: TableKey) -> [PropertySchema] {
        let className = name(of: table)
        guard old == nil, declared == nil, let entry = core.realm.knownEntry(named: className),
            entry.mapping(in: schema).mismatch == nil
        else { return [] }
        let stored = properties(of: table)
        return entry.schema.properties.filter {
            $0.isStored && stored[StoredText($0.columnName)] == nil
        }
    }

    /// Returns the value of an unstored property: the declared default, or an empty collection.
    func unstoredValue(_ property: PropertySchema, _ table: TableKey, _ row: ObjectKey) -> Any? {
        let place = DynamicPlace(
            store: self, table: table, row: row, name: property.columnName, stored: nil)
        switch property.shape {
        case .scalar(let storage): return property.defaultValue.anyValue(as: storage.scalar)
        case .list: return DynamicList(place)
        case .set: return DynamicMutableSet(place)
        case .map: return DynamicMap(place)
        case .link, .linkingObjects: return nil
        }
    }

    /// Returns the stored form of a property, adding the property to the schema if necessary.
    func stored(
        _ property: DynamicProperty, of table: TableKey, in transaction: EngineTransaction
    ) throws(Realm.Error) -> DynamicProperty {
        guard case .unstored(let declared) = property else { return property }
        try addDeclared(table, in: transaction)
        return try self.property(declared.columnName, of: table)
    }

    /// Adds what the program declares of a class to the schema.
    func addDeclared(
        _ table: TableKey, in transaction: EngineTransaction
    ) throws(Realm.Error) {
        guard let entry = core.realm.knownEntry(named: name(of: table)) else { return }
        try core.binding(for: entry.schema.type).prepareToStore(in: transaction)
    }
}
