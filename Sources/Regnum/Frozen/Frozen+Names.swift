internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Frozen {
    /// The value of a property by its Swift name, for code that works with any class.
    ///
    ///     let name = try dog["name"].stringValue
    ///
    /// An enum is returned as its raw value, a property of a projected type as its persisted value,
    /// and `nil` as ``FrozenAnyValue/none``. Links are returned as objects; lists, sets and
    /// inverses as lists; and maps as dictionaries.
    ///
    /// - Throws: `.invalidInput` if the class doesn't have the property; the errors of
    ///   ``Snapshot/read(_:)``.
    /// - Complexity: O(log n); O(n) for a collection of n elements.
    public subscript(_ name: String) -> FrozenAnyValue {
        get throws(Realm.Error) { try table.readValue(of: name, row) }
    }
}

extension FrozenAnyObject {
    /// The value of a property by its Swift name, like ``Frozen/subscript(_:)``.
    ///
    /// - Throws: The errors of ``Frozen/subscript(_:)``.
    public subscript(_ name: String) -> FrozenAnyValue {
        get throws(Realm.Error) { try table.readValue(of: name, row) }
    }

    /// The Swift names of the properties, including inverses, in declaration order.
    public var propertyNames: [String] { table.schema.properties.map(\.name) }
}

extension FrozenTable {
    fileprivate func readValue(
        of name: String, _ row: ObjectKey
    ) throws(Realm.Error) -> FrozenAnyValue {
        try ReadScope.runThrowing { () throws(Realm.Error) in try value(of: name, row) }
    }

    private func value(of name: String, _ row: ObjectKey) throws(Realm.Error) -> FrozenAnyValue {
        let index = try schema.requireProperty(named: name)
        if let mismatch { throw mismatch }
        let shape = schema.properties[index].shape
        switch shape {
        case .scalar where shape.isAny: return anyValue(row, index)
        case .scalar(let storage): return FrozenAnyValue(value(row, index), storage)
        case .link(let type):
            return link(row, index).map { .object(other(type), $0) } ?? .none
        case .list(.scalar) where shape.hasAnyValues, .set(.scalar) where shape.hasAnyValues:
            return .list(anyElements(row, index))
        case .list(.scalar(let storage)), .set(.scalar(let storage)):
            guard let elements = elements(index) else { return .list([]) }
            return .list(
                list(row, index).map { element in
                    FrozenAnyValue(elementValue(element, elements, ColumnKey(0)), storage)
                })
        case .list(.object(let type)), .set(.object(let type)):
            let targets = other(type)
            return .list(list(row, index).map { .object(targets, $0) })
        case .map where shape.hasAnyValues:
            return .dictionary(dictionary(anyEntries(row, index), row, index))
        case .map(.scalar(let storage)):
            let entries = map(row, index).map { ($0.key, FrozenAnyValue($0.value, storage)) }
            return .dictionary(dictionary(entries, row, index))
        case .map(.object(let type)):
            let targets = other(type)
            let entries: [(String, FrozenAnyValue)] = map(row, index).map { key, value in
                (key, value.linkedObject.map { .object(targets, $0) } ?? .none)
            }
            return .dictionary(dictionary(entries, row, index))
        case .linkingObjects(let type):
            let targets = other(type)
            return .list(try origins(row, index, targets).map { .object(targets, $0) })
        }
    }

    /// Returns the rows of `origins` whose link or collection contains the row.
    private func origins(
        _ row: ObjectKey, _ property: Int, _ origins: FrozenTable
    ) throws(Realm.Error) -> ResultTree {
        if let mismatch = origins.mismatch { throw mismatch }
        return try snapshot.checked { () throws(StoreError) in
            try plan(row, property).evaluate(
                QueryState(snapshot.root, snapshot.realm.queryCounters))
        }
    }
}

extension FrozenAnyValue {
    fileprivate static func object(_ table: FrozenTable, _ row: ObjectKey) -> FrozenAnyValue {
        .object(FrozenAnyObject(table: table, row: row))
    }

    /// Creates the value of a stored property that isn't an `AnyRealmValue`.
    fileprivate init(_ value: Value, _ storage: _StorageType) {
        let content = AnyContent(value, of: storage.scalar)
        self = content.map { FrozenAnyValue.fromEngine($0.value) } ?? .none
    }
}
