internal import Regnum
internal import RegnumEngine
internal import RegnumStore

/// Creates the classes of a schema line that aren't stored, and compares the others.
struct ImportSchema {
    let tx: Transaction
    let transaction: EngineTransaction

    /// Throws `.schemaMismatch`, naming class and property, if a stored or declared class lacks a
    /// property or has a different one; `.invalidInput` for an invalid schema, and for a class that
    /// would have to be created but isn't among the realm's `objectTypes`.
    func apply(_ line: SchemaLine) throws(Realm.Error) {
        for given in line.classes { try tx.addDeclared(given.name) }
        let draft = SchemaDraft(transaction.schema)
        var fresh: [JSONClass] = []
        for given in line.classes {
            guard let table = draft.table(named: given.name) else {
                try tx.checkMayAdd(given.name)
                fresh.append(given)
                continue
            }
            try compare(given, transaction.schema.storedClass(table))
        }
        do throws(StoreError) {
            for given in fresh { try addTable(given, draft) }
            for given in fresh { try addReferences(given, draft) }
            transaction.add(draft)
        } catch {
            throw Realm.Error(error)
        }
    }

    private func compare(_ given: JSONClass, _ stored: JSONClass) throws(Realm.Error) {
        guard given.kindText == stored.kindText else {
            throw Realm.Error(
                .schemaMismatch,
                "The class \(given.name) has \(given.kindText) in the input, but "
                    + "\(stored.kindText) in the realm.", className: given.name)
        }
        let others = Dictionary(
            stored.properties.map { ($0.$name, $0) }, uniquingKeysWith: { first, _ in first })
        for property in given.properties {
            guard let other = others[property.$name] else {
                throw Realm.Error(
                    .schemaMismatch,
                    "The class \(given.name) of the realm has no property \(property.name).",
                    className: given.name, property: property.name)
            }
            // optionality isn't compared: a null value where it isn't allowed is an error of its
            // own
            guard property.collection == other.collection, property.content == other.content,
                property.isPrimaryKey == other.isPrimaryKey
            else {
                throw Realm.Error(
                    .schemaMismatch,
                    "\(given.name).\(property.name) is \(property.kindText) in the input, but "
                        + "\(other.kindText) in the realm.",
                    className: given.name, property: property.name)
            }
        }
    }

    /// Adds the table with the columns that don't depend on other classes.
    private func addTable(_ given: JSONClass, _ draft: SchemaDraft) throws(StoreError) {
        let columns = given.properties.compactMap { property -> ColumnDefinition? in
            property.collection == nil ? property.definition : nil
        }
        _ = try draft.addTable(
            name: given.name,
            kind: given.isEmbedded ? .embedded : given.isAsymmetric ? .asymmetric : .object,
            columns: columns)
    }

    /// Checks the length of the name, since the list with the contents of a value of any type has a
    /// longer one.
    private func checkAnyName(
        _ property: JSONProperty, of given: JSONClass
    ) throws(StoreError) {
        let count = property.name.utf8.count
        guard count > Limits.maximumAnyNameByteCount else { return }
        throw StoreError(
            .invalidInput,
            "The property name \(given.name).\(property.name) has \(count) bytes; the limit "
                + "for properties of type \"any\" is \(Limits.maximumAnyNameByteCount).",
            className: given.name, property: property.name)
    }

    private func addReferences(
        _ given: JSONClass, _ draft: SchemaDraft
    ) throws(StoreError) {
        guard let table = draft.table(named: given.name) else { return }
        for property in given.properties {
            switch (property.collection, property.content) {
            case (nil, .value(.any)):
                try checkAnyName(property, of: given)
                try draft.addAnyItems(property.name, to: table)
            case (nil, .value): continue
            case (nil, .object(let name)):
                let target = try target(name.wrappedValue, given, property, draft)
                try draft.addColumn(table.key, .link(name: property.name, to: target))
            case (let kind?, let content):
                let element: ElementDefinition =
                    switch content {
                    case .object(let name):
                        .object(try target(name.wrappedValue, given, property, draft))
                    case .value(let type): .value(type, isOptional: property.isOptional)
                    }
                let list = try draft.addCollection(kind, property.name, of: element, to: table)
                if property.isGeoIndexed { try draft.addGeoIndex(table.key, list) }
            }
        }
    }

    private func target(
        _ name: String, _ given: JSONClass, _ property: JSONProperty, _ draft: SchemaDraft
    ) throws(StoreError) -> TableKey {
        func refusal(_ what: String) -> StoreError {
            StoreError(
                .invalidInput, "\(given.name).\(property.name) \(what).",
                className: given.name, property: property.name)
        }
        guard let table = draft.table(named: name), table.isExported else {
            throw refusal("is of the class \(name), which doesn't exist")
        }
        // The opposite is accepted: a class that became asymmetric keeps the links that the program
        // no longer declares, and its export has them.
        if table.kind == .asymmetric {
            throw refusal("links to \(name), which is asymmetric: nothing can link to its objects")
        }
        if table.kind == .embedded, property.collection == .set {
            throw refusal(
                "is a set of embedded objects: only links, lists and maps can hold those")
        }
        return table.key
    }
}

extension JSONProperty {
    /// The column of a value; `nil` for links.
    fileprivate var definition: ColumnDefinition? {
        guard case .value(let type) = content else { return nil }
        return ColumnDefinition(
            name: name, scalar: type, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed || type == .any, isFullTextIndexed: isFullTextIndexed,
            defaultValue: defaultValue)
    }

    /// A description of the property for messages.
    fileprivate var kindText: String {
        swiftType + (isPrimaryKey ? ", the primary key," : "")
    }
}
