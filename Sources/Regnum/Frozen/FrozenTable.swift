internal import RegnumEngine

/// One class in one snapshot, shared by its frozen objects.
final class FrozenTable: Sendable {
    let snapshot: SnapshotCore
    let entry: ClassEntry
    let mapping: ClassMapping

    init(_ snapshot: SnapshotCore, _ entry: ClassEntry) {
        self.snapshot = snapshot
        self.entry = entry
        mapping = entry.mapping(in: snapshot.root.schema)
    }

    var schema: ClassSchema { entry.schema }

    /// The error that prevents reading the class, if any.
    var mismatch: Realm.Error? { mapping.mismatch }

    /// Returns another class in the same snapshot.
    func other(_ type: ObjectBase.Type) -> FrozenTable {
        type == schema.type ? self : FrozenTable(snapshot, snapshot.realm.entry(for: type))
    }

    /// Returns the type to bind for a static type: the type itself or, for a superclass of the
    /// class (the static type of a metatype in a variable), the class.
    func boundType(_ type: ObjectBase.Type) -> ObjectBase.Type {
        type._storedType == schema.type ? type : schema.type
    }

    /// Returns the row with a primary key.
    func find(_ key: Value) -> ObjectKey? {
        guard let table = readableTable else { return nil }
        return checked(key: key) { snapshot.root.find(table.key, primaryKey: key) }
    }

    /// Returns whether a row exists.
    func contains(_ row: ObjectKey) -> Bool {
        guard let table = readableTable else { return false }
        return checked { snapshot.root.contains(table.key, row) }
    }

    /// The number of rows of the class, even if the class can't be read.
    var rowCount: Int { mapping.table.map { snapshot.root.count($0.key) } ?? 0 }

    /// The newest row of the class.
    var lastRow: ObjectKey? {
        guard let table = readableTable else { return nil }
        let count = snapshot.root.count(table.key)
        return count > 0 ? checked { snapshot.root.key(table.key, at: count - 1) } : nil
    }

    /// The class's table, or `nil` if nothing of the class was ever stored. A class that doesn't
    /// match the stored schema fails the read.
    var readableTable: TableSchema? {
        if mapping.place.isMismatch { failMismatch() }
        return mapping.table
    }

    /// Fails the read of a class that doesn't match the stored schema.
    @inline(never)
    func failMismatch() {
        if let mismatch { snapshot.fail(mismatch) }
    }

    // MARK: Properties

    /// Returns the value of a property by its position, or null if the property has no column.
    func value(_ row: ObjectKey, _ property: Int) -> Value {
        let column = mapping.columns[property]
        guard schema.properties[property].isColumn else { return .null }
        // also checked without a column: a newer program may have renamed the property
        guard let table = readableTable, column >= 0 else {
            return schema.properties[property].defaultValue
        }
        let value = checked(row, property) {
            snapshot.root.value(table.key, row, ColumnKey(column))
        }
        if let value { return value }
        // Nothing is deleted in a snapshot, so the file must be damaged.
        fail(.missingRow(schema.name), nil, property)
        return schema.properties[property].defaultValue
    }

    /// Returns the row that a link refers to, or `nil` if there is none.
    func link(_ row: ObjectKey, _ property: Int) -> ObjectKey? {
        value(row, property).linkedObject
    }

    /// Returns the target row of a link, or `nil` if the class can't be read.
    func target(_ row: ObjectKey) -> ObjectKey? { readableTable == nil ? nil : row }

    /// Returns the rows of a list's elements; for a list of values, rows of its hidden class.
    func list(_ row: ObjectKey, _ property: Int) -> [ObjectKey] {
        guard let (table, list) = listPlace(property) else { return [] }
        return checked(row, property) { snapshot.root.list(table.key, row, list.key) }
    }

    /// Returns the key of the table of a list's elements, or `nil` if nothing was ever stored in
    /// the list.
    func elements(_ property: Int) -> TableKey? { listPlace(property)?.list.target }

    func listPlace(_ property: Int) -> (table: TableSchema, list: ListSchema)? {
        let number = mapping.columns[property]
        guard schema.properties[property].shape.isStoredList, let table = readableTable,
            number >= 0
        else { return nil }
        return (table, table.lists[Int(number)])
    }

    /// Returns the content of a list or inverse as a query.
    func plan(_ row: ObjectKey, _ property: Int) -> QueryPlan {
        let property = schema.properties[property]
        let elementsName: String
        switch property.shape {
        case .list(.object(let type)), .set(.object(let type)):
            elementsName = ClassSchema.of(type).name
        case .list(.scalar), .set(.scalar), .map:
            elementsName = schema.elementsName(of: property)
        case .linkingObjects:
            return schema.plan(ofOrigins: property, row: row)
        case .scalar, .link:
            preconditionFailure("\(schema.name).\(property.name) is not a collection.")
        }
        return QueryPlan(
            tableName: elementsName,
            source: .list(
                tableName: StoredText(schema.name), row: row, name: StoredText(property.columnName))
        )
    }

    /// Returns the objects of a list or inverse.
    func results<T: ObjectBase>(
        _ type: T.Type, _ row: ObjectKey, _ property: Int
    ) -> FrozenResults<T> {
        FrozenResults(other(type), plan: _Plan(plan: plan(row, property)))
    }

    /// Returns the values of a list.
    func values<Element>(_ row: ObjectKey, _ property: Int) -> FrozenValues<Element> {
        FrozenValues(FrozenQuery(self, plan(row, property)))
    }

    // MARK: Versions

    /// Returns the version that last set a property of the row. Changes of lists don't affect it.
    func contentVersion(_ row: ObjectKey) -> UInt64 {
        guard let table = readableTable else { return 0 }
        let version = checked(row) { snapshot.root.contentVersion(table.key, row) }
        if version == nil { fail(.missingRow(schema.name), nil, nil) }
        return version ?? 0
    }

    /// Returns the names of the properties of columns and lists, in order of declaration.
    func propertyNames(_ columns: [ColumnKey], lists: Set<ListKey> = []) -> [String] {
        let numbers = Set(columns.map { Int32($0.rawValue) })
        return schema.properties.indices.filter { index in
            let number = mapping.columns[index]
            switch schema.properties[index].shape {
            case .scalar, .link: return numbers.contains(number)
            case .list, .map, .set:
                return number >= 0 && lists.contains(ListKey(rawValue: UInt16(number)))
            case .linkingObjects: return false
            }
        }.map { schema.properties[$0].name }
    }

    // MARK: Accessors

    /// Runs a computation, such as the getter of a property, on an accessor of a row, which is
    /// invalid afterwards. Errors that occur in it fail the read.
    ///
    /// A key path doesn't reveal whether it refers to a stored or a computed property, so the
    /// accessor is used for both (`Docs/Decisions/011-key-paths.md`).
    ///
    /// - Parameter body: Must have no side effects: it runs a second time after an error.
    func compute<T: ObjectBase, R>(_ type: T.Type, _ row: ObjectKey, _ body: (T) -> R) -> R {
        let reader = snapshot.takeReader()
        let result = body(reader.binding(for: schema.type).accessor(type, row: row))
        let isSound =
            reader.violation == nil && !snapshot.root.hasDamage && !mapping.place.isMismatch
        snapshot.end(reader)
        return isSound ? result : recompute(type, row, body)
    }

    /// Repeats a computation that may have encountered an error. If it reads only one property, the
    /// error names the property and the row.
    @inline(never)
    private func recompute<T: ObjectBase, R>(
        _ type: T.Type, _ row: ObjectKey, _ body: (T) -> R
    ) -> R {
        let tracer = ReadTracer()
        let core = TransactionCore(
            .reading(snapshot.root), realm: snapshot.realm, place: snapshot.place)
        let (result, damage) = DamageWatch.run(on: snapshot.root) {
            body(ClassBinding(entry, core: core, noting: tracer).accessor(type, row: row))
        }
        core.end()
        let property = tracer.reads.count == 1 ? tracer.reads.first?.property : nil
        if let damage { fail(damage, property == nil ? nil : row, property) }
        if var violation = core.violation {
            violation.transaction = nil  // a snapshot isn't a transaction
            let isOwn = property != nil && violation.className == schema.name
            fail(violation, isOwn ? row : nil, isOwn ? property : nil)
        }
        return result
    }

    /// Like `compute`, with accessors of any rows.
    func computeAll<T: ObjectBase, R>(
        _ type: T.Type, _ body: (_ object: @escaping (ObjectKey) -> T) -> R
    ) -> R {
        let core = TransactionCore(
            .reading(snapshot.root), realm: snapshot.realm, place: snapshot.place)
        let (result, damage) = DamageWatch.run(on: snapshot.root) {
            // the static type may be a superclass of the class
            let binding = core.binding(for: boundType(type))
            return body { binding.accessor(type, row: $0) }
        }
        core.end()  // breaks the retain cycle of the core and its bindings
        if let damage { fail(damage, nil, nil) }
        if let violation = core.violation { fail(violation, nil, nil) }
        return result
    }
}
