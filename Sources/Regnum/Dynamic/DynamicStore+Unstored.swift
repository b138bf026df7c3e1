internal import RegnumEngine

// Properties that the program declares and that no object was stored with yet: they have their
// defaults, and are added to the stored schema by the first change. In a migration the block works on
// what is stored.

extension DynamicStore {
    /// Returns the declared property with that stored name, of which nothing is stored yet, or `nil`
    /// if there is none. Throws the mismatch of a class that doesn't match the stored schema: a newer
    /// program may have renamed the property.
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

    /// All of these properties; none of a class that doesn't fit.
    func unstored(of table: TableKey) -> [PropertySchema] {
        let className = name(of: table)
        guard old == nil, declared == nil, let entry = core.realm.knownEntry(named: className),
            entry.mapping(in: schema).mismatch == nil
        else { return [] }
        let stored = properties(of: table)
        return entry.schema.properties.filter { $0.isStored && stored[$0.columnName] == nil }
    }

    /// What a row has: the declared default, or an empty collection.
    func unstoredValue(_ property: PropertySchema, _ table: TableKey, _ row: ObjectKey) -> Any? {
        let place = DynamicPlace(store: self, table: table, row: row, unstored: property)
        switch property.shape {
        case .scalar(let storage): return property.defaultValue.anyValue(isFloat: storage.isFloat)
        case .list: return DynamicList(place)
        case .set: return DynamicMutableSet(place)
        case .map: return DynamicMap(place)
        case .link, .linkingObjects: return nil
        }
    }

    /// The property as it is stored, for a change. One that isn't stored yet is added to the schema.
    func stored(
        _ property: DynamicProperty, of table: TableKey, in transaction: EngineTransaction
    ) throws(Realm.Error) -> DynamicProperty {
        guard case .unstored(let declared) = property,
            let entry = core.realm.knownEntry(named: name(of: table))
        else { return property }
        try core.binding(for: entry.schema.type).prepareToStore(in: transaction)
        return try self.property(declared.columnName, of: table)
    }

    /// Whether the program declares a property, not stored yet, that leads to objects of a class.
    func declaresLink(
        _ className: String, _ property: String, to target: String
    ) throws(Realm.Error) -> Bool {
        let declared = try unstored(property, of: className)
        return declared?.shape.targetType.map { ClassSchema.of($0).name } == target
    }
}
