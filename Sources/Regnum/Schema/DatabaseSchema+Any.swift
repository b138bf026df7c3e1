internal import RegnumEngine

// The classes of the contents of values of any type (see *Content* in `Docs/FORMAT.md`). All that
// programs store have this form, but the engine doesn't check it.

extension DatabaseSchema {
    /// Returns whether the rows of a class can be elements of any type: they have a value, a key,
    /// and a list for the contents of the value.
    func hasAnyValueElements(_ key: TableKey) -> Bool {
        let table = tables[Int(key.rawValue)]
        guard table.kind == .elements, table.columns.count > 1, let items = table.lists.first
        else { return false }
        return table.columns[0].type == .any && table.columns[1].type == .string
            && equalUTF8(items.name, PropertySchema.anyItemsName) && items.target == key
    }
}

extension ClassSchema {
    /// Returns an error if the elements of a property with values of any type don't have the
    /// required form, which happens only in a forged file; otherwise `nil`.
    func damage(in table: TableSchema, of database: DatabaseSchema) -> Realm.Error? {
        for property in properties where property.shape.hasAnyValues {
            let listName = property.shape.isAny ? property.anyItemsName : property.columnName
            guard let list = table.list(named: listName), !database.hasAnyValueElements(list.target)
            else { continue }
            return .missingItems(name, property.name)
        }
        return nil
    }
}
