internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

/// A validated `AnyRealmValue` that can be stored, with a copy of its lists and dictionaries.
indirect enum AnyTree {
    case value(Value)
    case object(Object)
    case list([AnyTree])
    /// The entries in ascending key order.
    case dictionary([(key: String, tree: AnyTree)])

    /// Validates a value.
    ///
    /// Throws `.invalidValue` for lists and dictionaries that are nested too deeply, invalid
    /// keys, text and data beyond the limits, and objects that are deleted or belong to a
    /// different transaction.
    /// - Parameter level: the number of lists and dictionaries in the property
    ///   that enclose the value.
    init(
        _ value: AnyRealmValue, level: Int = 0, _ core: TransactionCore, _ schema: ClassSchema,
        _ property: PropertySchema
    ) throws(Realm.Error) {
        switch value {
        case .object(let object):
            if let binding = object._binding {
                try core.checkLinkable(object, binding, schema, property)
            } else {
                _ = try core.realm.listedEntry(for: type(of: object))
            }
            self = .object(object)
        case .list(let list):
            try AnyTree.check(level: level + 1, schema, property)
            if case .set = property.shape { throw .anyInSet("a list", schema, property) }
            var trees: [AnyTree] = []
            for element in list {
                trees.append(try AnyTree(element, level: level + 1, core, schema, property))
            }
            self = .list(trees)
        case .dictionary(let map):
            try AnyTree.check(level: level + 1, schema, property)
            if case .set = property.shape { throw .anyInSet("a dictionary", schema, property) }
            var entries: [(String, AnyTree)] = []
            for entry in map {
                if let error = Realm.Error.mapKey(entry.key, schema, property) { throw error }
                let tree = try AnyTree(entry.value, level: level + 1, core, schema, property)
                entries.append((entry.key, tree))
            }
            self = .dictionary(entries)
        default:
            try AnyTree.check(value, schema.name, property.name)
            self = .value(value.plain ?? .null)
        }
    }

    /// Returns why a value cannot be stored, as the end of an error message; `nil` if it can.
    private static func problem(with value: AnyRealmValue) -> String? {
        switch value {
        case .string(let text) where text.utf8.count > Limits.stringByteCountMax:
            Limits.longString
        case .data(let data) where data.count > Limits.dataByteCountMax:
            Limits.longData
        case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN:
            "cannot hold a date that is not a number"
        default: nil
        }
    }

    /// Throws `.invalidValue` for a plain value that cannot be stored.
    static func check(
        _ value: AnyRealmValue, _ className: String, _ property: String
    ) throws(Realm.Error) {
        guard let problem = problem(with: value) else { return }
        throw Realm.Error(
            .invalidValue, "'\(className).\(property)' \(problem).", className: className,
            property: property)
    }

    private static func check(
        level: Int, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) {
        guard level > Limits.anyLevelMax else { return }
        throw Realm.Error(
            .invalidValue,
            "\(schema.name).\(property.name) was given lists or dictionaries nested more than "
                + "\(Limits.anyLevelMax) levels deep.", className: schema.name,
            property: property.name)
    }

    /// The objects in the value, once for each occurrence.
    var objects: [Object] {
        switch self {
        case .value: []
        case .object(let object): [object]
        case .list(let trees): trees.flatMap(\.objects)
        case .dictionary(let entries): entries.flatMap(\.tree.objects)
        }
    }

    /// The contents of a list or dictionary, with the keys of a dictionary; `nil` for other values.
    var entries: [(key: String, tree: AnyTree)]? {
        switch self {
        case .value, .object: nil
        case .list(let trees): trees.map { ("", $0) }
        case .dictionary(let entries): entries
        }
    }
}

extension Realm.Error {
    fileprivate static func anyInSet(
        _ what: String, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "\(schema.name).\(property.name) was given \(what): a set of AnyRealmValue cannot hold "
                + "lists or dictionaries.", className: schema.name, property: property.name)
    }
}

extension ListKey {
    /// The list holding the nested values of an element: the only list of an element class.
    static let anyItems = ListKey(rawValue: 0)
}

extension Value {
    /// Whether the value is an `AnyRealmValue` list or dictionary.
    var isAnyCollection: Bool {
        switch anyContent {
        case .list, .dictionary: true
        default: false
        }
    }
}

/// Stores `AnyRealmValue`s in a write transaction.
struct AnyWriter {
    let core: TransactionCore
    let transaction: EngineTransaction
    /// Returns the row of a stored object.
    let row: (Object) -> ObjectKey?

    init(
        _ core: TransactionCore, _ transaction: EngineTransaction,
        row: @escaping (Object) -> ObjectKey? = {
            $0.isManaged ? ObjectKey(rawValue: $0._row) : nil
        }
    ) {
        self.core = core
        self.transaction = transaction
        self.row = row
    }

    /// Returns the column value. The contents of a list or dictionary are stored by `fill`.
    func cell(_ tree: AnyTree) -> Value {
        switch tree {
        case .value(let value): return value
        case .object(let object):
            guard let row = row(object) else { return .null }
            let binding = core.binding(for: type(of: object))
            binding.refresh()
            return AnyContent.link(binding.place.tableKey, row).value
        case .list: return AnyContent.list(core.nextAnyNumber()).value
        case .dictionary: return AnyContent.dictionary(core.nextAnyNumber()).value
        }
    }

    /// Replaces a value and its contents.
    ///
    /// - Parameter list: the list of the row that holds the nested values.
    func set(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ column: ColumnKey,
        _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        if let old = transaction.value(table, row, column), old.isAnyCollection {
            let count = transaction.listCount(table, row, list.key)
            if count > 0 { transaction.removeFromList(table, row, list.key, 0..<count) }
        }
        try transaction.set(table, row, column, cell(tree))
        try fill(tree, table, row, list)
    }

    /// Stores the contents of a list or dictionary whose column value has been stored.
    func fill(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        guard let entries = tree.entries, !entries.isEmpty else { return }
        let rows = try insert(entries, list.target)
        try transaction.insertIntoList(table, row, list.key, at: 0, rows)
    }

    /// Inserts element rows and their contents. Leaves no rows behind if it throws.
    func insert(
        _ entries: [(key: String, tree: AnyTree)], _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        var rows: [ObjectKey] = []
        rows.reserveCapacity(entries.count)
        do throws(StoreError) {
            for (key, tree) in entries {
                let row = try transaction.insert(target, [cell(tree), .string(key)])
                rows.append(row)
                try fill(tree, target, row, BindingPlace.StoredList(key: .anyItems, target: target))
            }
        } catch {
            // No list contains these rows yet, so they must be deleted explicitly.
            transaction.delete(target, rows)
            throw error
        }
        return rows
    }
}
