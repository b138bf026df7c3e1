internal import RegnumEngine
internal import RegnumStore

/// Sets properties of rows through the stored schema alone, and creates rows.
///
/// Values are converted, and rows inserted for them, before anything that already exists is
/// changed.
struct DynamicWriter {
    let store: DynamicStore
    let transaction: EngineTransaction
    /// The program's objects among the values.
    let copies = Copies()
    /// The handling of objects given as values whose primary key exists.
    var policy = Realm.UpdatePolicy.error
    /// The number of dictionaries and arrays of properties that contain the values being stored.
    var level = 0

    /// Runs a call. If it throws, the rows that it inserted are deleted again, so that nothing has
    /// changed but the schema.
    ///
    /// It takes no savepoint, which would copy all nodes that are edited afterwards. Nor does it
    /// delete all rows inserted since it began: evaluating the given values may run the program's
    /// code, which may store objects itself.
    func perform<R>(_ body: () throws(Realm.Error) -> R) throws(Realm.Error) -> R {
        defer { store.core.didEditAll() }
        do throws(Realm.Error) {
            let result = try body()
            copies.insertion?.bind()
            return result
        } catch {
            copies.deleteRows(in: transaction)
            // damage is only found after something was changed
            if error.code == .invalidDatabase || copies.hasUpdated { store.core.fail(error) }
            throw error
        }
    }

    /// The name and type of a property for error messages.
    struct Name {
        let className: String
        let property: String
        var type: String

        /// - Parameter position: The position if the value is an element of a collection.
        func wrong(_ value: Any?, at position: ValuePath.Position? = nil) -> Realm.Error {
            wrong(described: describedWithType(value), at: position)
        }

        func wrong(
            described value: String, at position: ValuePath.Position? = nil
        ) -> Realm.Error {
            var error = Realm.Error.invalidValue(
                className, property, "is of type \(type) and cannot hold \(value).")
            error.valuePath = position.map { ValuePath(nil, property, $0).text }
            return error
        }
    }

    func name(_ property: String, _ table: TableKey) -> Name {
        let schema = transaction.schema
        let stored = schema.tables[Int(table.rawValue)]
        // the contents of a value of any type are reported as that property
        let property = property.itemsProperty ?? property
        if stored.kind == .elements, let owner = schema.owner(of: table) {
            // and elements as the property that contains them
            return name(owner.property, owner.table)
        }
        return Name(
            className: stored.name, property: property,
            type: stored.swiftName(ofProperty: property, in: schema) ?? "nothing")
    }

    // MARK: Properties

    /// The converted value of a property.
    enum Prepared {
        /// A value that is set or, with `.modified`, written where it differs.
        case column(ColumnSchema, AnyTree, Realm.UpdatePolicy)
        /// Elements or entries that replace the existing ones.
        case elements(DynamicPlace, [ObjectKey])
        /// Elements that a list gets, written where they differ.
        case contents(DynamicPlace, ListContents)
        /// Members to add to the existing ones with `.modified`; with `.error` those that aren't
        /// given are removed, and with `.all` all of them first.
        case members(DynamicPlace, SetMembers, Realm.UpdatePolicy)
        /// Entries to put into a map, written where they differ.
        case entries(DynamicPlace, [(key: String, tree: AnyTree)])
    }

    /// Replaces the value of a property.
    func assign(
        _ value: Any?, to property: DynamicProperty, of table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        try store(try prepare(value, for: property, of: table, row), in: table, row)
    }

    /// Converts and checks a value, so that it can be stored without an error.
    ///
    /// - Parameter policy: How to update the property; `.error` to set it.
    func prepare(
        _ value: Any?, for property: DynamicProperty, of table: TableKey, _ row: ObjectKey,
        _ policy: Realm.UpdatePolicy = .error
    ) throws(Realm.Error) -> Prepared {
        switch property {
        case .inverse(let inverse):
            let className = store.name(of: table)
            throw Realm.Error(
                .invalidInput,
                "\(className).\(inverse.name) \(inverse.inverseProblem)", className: className,
                property: inverse.name)
        case .unstored:
            let stored = try store.stored(property, of: table, in: transaction)
            return try prepare(value, for: stored, of: table, row, policy)
        case .column(let column) where column.type == .any:
            return .column(column, try anyTree(value, name(column.name, table)), policy)
        case .column(let column):
            let owned = policy == .modified ? ownedRow(column, of: table, row) : nil
            let stored = try checked(value, column, of: table, owned: owned)
            return .column(column, .value(stored), policy)
        case .list(let list):
            let place = DynamicPlace(store: store, table: table, row: row, list: list)
            guard let value = value.flatMap({ unwrapped($0) }) else { return .elements(place, []) }
            if list.kind == .map {
                return policy == .modified
                    ? .entries(place, try modifiedEntries(value, in: place))
                    : .elements(place, try entries(of: value, in: place))
            }
            guard let elements = ObjectBuilder.elements(of: value) else {
                throw name(list.name, table).wrong(value)
            }
            if list.kind == .set {
                let members = try members(elements, place)
                try check(members.values, list.target, ColumnKey(rawValue: 0))
                return .members(place, members, policy)
            }
            return policy == .modified
                ? .contents(place, try modifiedElements(elements, in: place))
                : .elements(place, try rows(for: elements, in: place))
        }
    }

    /// Returns the value to store in a column, which can hold it.
    func checked(
        _ value: Any?, _ column: ColumnSchema, of table: TableKey,
        at position: ValuePath.Position? = nil, owned: ObjectKey? = nil
    ) throws(Realm.Error) -> Value {
        let stored = try content(of: value, for: column, of: table, at: position, owned: owned)
        if column.linkTarget == nil { try check([stored], table, column.key) }
        return stored
    }

    func check(
        _ values: [Value], _ table: TableKey, _ column: ColumnKey
    ) throws(Realm.Error) {
        try storing { () throws(StoreError) in
            for value in values { try transaction.check(table, column, value) }
        }
    }

    /// Returns the result of `body`, which uses the transaction. Errors name class and property.
    @discardableResult
    func storing<R>(_ body: () throws(StoreError) -> R) throws(Realm.Error) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .naming(error, in: transaction.schema)
        }
    }

    /// Stores a prepared value. One of `.modified` is dropped if the row no longer exists.
    func store(
        _ prepared: Prepared, in table: TableKey, _ row: ObjectKey
    ) throws(Realm.Error) {
        switch prepared {
        case .column(let column, let tree, let policy):
            if policy == .modified, !transaction.contains(table, row) { return }
            let list = column.type == .any ? store.items(of: column, table) : nil
            try storing { () throws(StoreError) in
                if policy == .modified {
                    try writer.update(tree, table, row, column.key, list.map { .init($0) })
                } else {
                    try writer.set(tree, table, row, column.key, list.map { .init($0) })
                }
            }
        case .elements(let place, let rows):
            try replaceAll(place, rows: rows)
        case .contents(let place, let contents):
            try storing { () throws(StoreError) in
                try writer.update(
                    contents, place.table, place.row, BindingPlace.StoredList(place.list))
            }
        case .members(let place, let members, let policy):
            let set = place.storedSet(transaction)
            try storing { () throws(StoreError) in
                switch policy {
                case .error: return try set.replaceAll(with: members)
                case .modified: break
                case .all: try set.keep(SetMembers())
                }
                try set.add(members)
            }
        case .entries(let place, let entries):
            try storing { () throws(StoreError) in
                try writer.update(
                    entries, place.table, place.row, BindingPlace.StoredList(place.list))
            }
        }
    }

    /// Returns the value to store in a column.
    ///
    /// - Parameters:
    ///   - position: The position if the column belongs to a map's entry.
    ///   - owned: The embedded object that is updated.
    func content(
        of value: Any?, for column: ColumnSchema, of table: TableKey,
        at position: ValuePath.Position? = nil, owned: ObjectKey? = nil
    ) throws(Realm.Error) -> Value {
        let name = name(column.name, table)
        guard let value = value.flatMap({ unwrapped($0) }) else {
            guard column.isOptional else { throw name.wrong(nil, at: position) }
            return .null
        }
        if let target = column.linkTarget {
            return try row(for: value, of: target, name, at: position, owned: owned).linkValue
        }
        return try scalar(value, column, name, at: position)
    }

    /// Returns the value to store in a column that isn't a link.
    func scalar(
        _ value: Any, _ column: ColumnSchema, _ name: Name, at position: ValuePath.Position?
    ) throws(Realm.Error) -> Value {
        let storage = _StorageType(column.scalarType, isOptional: column.isOptional)
        guard let stored = storage.engineValue(of: value) else {
            throw name.wrong(value, at: position)
        }
        let declared = store.core.realm.knownEntry(named: name.className)?.schema
            .valueType(ofStored: name.property, column.type)
        if let declared, !declared.hasValue(for: stored) {
            var name = name
            name.type = declared.propertyType
            throw name.wrong(value, at: position)
        }
        return stored
    }
}
