internal import RegnumEngine
internal import RegnumStore

// The steps after the block of a migration.

extension MigrationSteps {
    /// Drops what was set aside, gives embedded objects their owners, and checks the keys.
    func finish() throws(Realm.Error) {
        if let (className, name) = intermediate.first {
            throw Realm.Error(
                .invalidInput,
                "A property was renamed to \(className).\(name), but the program "
                    + "declares no such property.",
                className: className, property: name)
        }
        for (table, name) in aside { drop(name, of: table) }
        for table in droppedTables { dropWithLists(table) }
        let owned = classes.filter { schema in
            schema.isEmbedded && table(schema).map { $0.kind != .embedded } ?? false
        }
        for schema in owned { try prepareToOwn(schema) }
        try checkOwners(of: owned)
        try EmbeddedConversion(transaction: transaction).run(owned.map(\.name))
        for schema in classes where schema.isAsymmetric { try makeAsymmetric(schema) }
        for schema in classes { try setKeys(of: schema) }
    }

    /// Drops properties that the program's classes no longer have and that lead to a class that
    /// becomes embedded, since they own nothing. Throws if a value of any type links to an object
    /// of the class.
    private func prepareToOwn(_ schema: ClassSchema) throws(Realm.Error) {
        guard let target = table(schema)?.key else { return }
        for owner in classes {
            guard let table = table(owner) else { continue }
            let columns = table.columns.filter { $0.linkTarget == target }.map(\.name)
            let lists = table.lists.filter { transaction.schema.leads($0, to: target) }.map(\.name)
            for name in columns + lists
            where !DroppedName.isDropped(name) && owner.property(storedAs: name) == nil {
                drop(name, of: table.key)
            }
        }
        try checkAnyLinks(to: target, "embedded")
    }

    /// Throws if a property that the program doesn't declare can't own the objects that become
    /// embedded: if it is a set, or if objects would contain themselves through it.
    private func checkOwners(of schemas: [ClassSchema]) throws(Realm.Error) {
        let becoming = schemas.compactMap { table($0)?.key }
        let targets = becoming.filter { transaction.count($0) > 0 }
        if targets.isEmpty { return }
        let ownerships = ownerships(of: Set(becoming))
        let contents = targets.map { (target: $0, contained: contained(in: $0, ownerships)) }
        for ownership in ownerships {
            let (owner, property) = (ownership.owner, ownership.property)
            let declared = classes.first { equalUTF8($0.name, owner.name) }
            if declared?.property(storedAs: property) != nil { continue }
            if ownership.isSet, targets.contains(ownership.target) {
                throw undeclared(
                    property, of: owner, ownership.target, "embedded",
                    "is a set, which cannot own objects")
            }
            let inner = contained(in: ownership.target, ownerships)
            for (target, outer) in contents
            where outer.contains(owner.key) && inner.contains(target) {
                throw undeclared(
                    property, of: owner, target, "embedded",
                    "would make its objects contain themselves")
            }
        }
    }

    /// A stored property whose objects are embedded or become embedded.
    private struct Ownership {
        let owner: TableSchema
        let property: String
        let target: TableKey
        let isSet: Bool
    }

    /// Returns the properties that will own objects, given the classes that become embedded.
    private func ownerships(of targets: Set<TableKey>) -> [Ownership] {
        var found: [Ownership] = []
        for owner in transaction.schema.tables where owner.kind != .elements && !owner.isDropped {
            func note(_ name: String, _ target: TableKey?, isSet: Bool = false) {
                guard let target, targets.contains(target) || stored(target).kind == .embedded
                else { return }
                found.append(
                    Ownership(owner: owner, property: name, target: target, isSet: isSet))
            }
            for column in owner.columns { note(column.name, column.linkTarget) }
            for list in owner.lists where !list.isDropped {
                note(
                    list.name, transaction.schema.objects(of: list), isSet: list.kind == .set)
            }
        }
        return found
    }

    /// Returns the class and those whose objects its objects own, directly or indirectly.
    private func contained(in table: TableKey, _ ownerships: [Ownership]) -> Set<TableKey> {
        var known: Set<TableKey> = [table]
        var pending = [table]
        while let owner = pending.popLast() {
            for ownership in ownerships
            where ownership.owner.key == owner && known.insert(ownership.target).inserted {
                pending.append(ownership.target)
            }
        }
        return known
    }

    /// Returns the error for a property that the program doesn't declare and that keeps a class
    /// from becoming embedded or asymmetric.
    private func undeclared(
        _ property: String, of owner: TableSchema, _ target: TableKey, _ kind: String,
        _ problem: String
    ) -> Realm.Error {
        let type = owner.swiftName(ofProperty: property, in: transaction.schema) ?? ""
        return Realm.Error(
            .migrationFailed,
            "\(stored(target).name) cannot become \(kind): the stored property "
                + "\(owner.name).\(property) of type \(type), which the program doesn't declare, "
                + "\(problem). The migration must delete the property.",
            className: owner.name, property: property)
    }

    /// Throws if values of any type link to objects of the class, since such values own nothing.
    private func checkAnyLinks(to target: TableKey, _ kind: String) throws(Realm.Error) {
        guard let place = transaction.anyLink(to: target) else { return }
        let name = stored(target).name
        let owner = transaction.schema.owner(of: place.table)
        let holder = stored(owner?.table ?? place.table).name
        let property =
            owner?.property ?? stored(place.table).columns[Int(place.column.rawValue)].name
        throw Realm.Error(
            .migrationFailed,
            "\(name) cannot become \(kind): \(holder).\(property), an AnyRealmValue, links to "
                + "one of its objects. The migration must replace the value.", className: holder,
            property: property)
    }

    /// Makes a class asymmetric, so that its objects wait to be drained. Nothing may link to them.
    private func makeAsymmetric(_ schema: ClassSchema) throws(Realm.Error) {
        guard let table = table(schema), table.kind != .asymmetric else { return }
        if let (owner, property) = referrer(to: table.key) {
            throw undeclared(property, of: owner, table.key, "asymmetric", "links to it")
        }
        try checkAnyLinks(to: table.key, "asymmetric")
        transaction.setKind(table.key, .asymmetric)
    }

    /// Returns a stored property that leads to objects of a class.
    private func referrer(to table: TableKey) -> (owner: TableSchema, property: String)? {
        let tables = transaction.schema.tables
        for owner in tables where owner.kind != .elements && !owner.isDropped {
            for column in owner.columns where column.linkTarget == table && !column.isDropped {
                return (owner, column.name)
            }
            for list in owner.lists
            where !list.isDropped && transaction.schema.leads(list, to: table) {
                return (owner, list.name)
            }
        }
        return nil
    }

    private func dropWithLists(_ table: TableKey) {
        guard !stored(table).isDropped else { return }
        transaction.deleteAllRows(table)
        // only properties that the program doesn't have either can lead to it
        let tables = transaction.schema.tables
        for other in tables where other.key != table && !other.isDropped {
            for column in other.columns where column.linkTarget == table {
                guard other.kind == .elements else {
                    transaction.drop(other.key, column.key)
                    continue
                }
                for owner in tables {
                    for map in owner.lists where map.target == other.key && !map.isDropped {
                        transaction.drop(owner.key, map.key)
                    }
                }
            }
            for list in other.lists where list.target == table && !list.isDropped {
                transaction.drop(other.key, list.key)
            }
        }
        for list in stored(table).lists where !list.isDropped { transaction.drop(table, list.key) }
        transaction.dropTable(table)
    }

    /// Drops the indexes of the program's properties that it doesn't declare.
    func dropUndeclaredIndexes() throws(Realm.Error) {
        for schema in classes {
            guard let table = table(schema) else { continue }
            try engine { () throws(StoreError) in
                for index in schema.undeclaredIndexes(in: table) { try transaction.drop(index) }
            }
        }
    }

    private func setKeys(of schema: ClassSchema) throws(Realm.Error) {
        guard let table = table(schema) else { return }
        var indexed: Set<ColumnKey> = []
        var fullTextIndexed: Set<ColumnKey> = []
        var primaryKey: ColumnKey?
        for column in table.columns
        where column.linkTarget == nil && column.type != .any && !column.isDropped {
            guard let property = schema.property(storedAs: column.name) else {
                // belongs to other programs
                if column.hasIndex { indexed.insert(column.key) }
                if column.isFullTextIndexed { fullTextIndexed.insert(column.key) }
                continue
            }
            if property.isFullTextIndexed { fullTextIndexed.insert(column.key) }
            if property.isIndexed { indexed.insert(column.key) }
            if property.isPrimaryKey { primaryKey = column.key }
        }
        let geoIndexed = table.lists.filter { list in
            // lists that the class doesn't have belong to other programs
            schema.property(storedAs: list.name)?.isGeoIndexed ?? list.isGeoIndexed
        }.map(\.key)
        if let primaryKey {
            try engine { () throws(StoreError) in
                try transaction.setKeys(
                    table.key, primaryKey: nil, indexed: indexed.union([primaryKey]))
            }
            if let (value, _, _) = transaction.duplicate(table.key, primaryKey) {
                let name = table.columns[Int(primaryKey.rawValue)].name
                throw Realm.Error(
                    .duplicatePrimaryKey,
                    "After the migration, several objects of \(schema.name) have the same primary "
                        + "key: \(name) is \(value.keyText). The migration must make the keys "
                        + "unique.",
                    className: schema.name, property: name, key: value.bareKeyText)
            }
        }
        try engine { () throws(StoreError) in
            try transaction.setKeys(table.key, primaryKey: primaryKey, indexed: indexed)
            try transaction.setFullTextIndexes(table.key, fullTextIndexed)
            try transaction.setGeoIndexes(table.key, Set(geoIndexed))
        }
    }
}
