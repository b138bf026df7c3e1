internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

/// A value of any type that was checked and can be stored: lists and dictionaries as they were when it was
/// made.
indirect enum AnyTree {
    case value(Value)
    case object(Object)
    case list([AnyTree])
    /// In ascending order of the keys.
    case dictionary([(key: String, tree: AnyTree)])

    /// Checks a value.
    ///
    /// Throws `.invalidValue` for lists and dictionaries in more levels than are allowed, keys that cannot be
    /// keys, texts and data beyond the limits, and objects that are deleted or of another transaction.
    /// - Parameter level: how many lists and dictionaries of the property the value lies in.
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

    /// Why a value beyond the limits cannot be stored, as the end of a sentence; nil if it can.
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
            "\(schema.name).\(property.name) was given lists or dictionaries in more than "
                + "\(Limits.anyLevelMax) levels.", className: schema.name, property: property.name)
    }

    /// The objects in the value, each as often as it is there.
    var objects: [Object] {
        switch self {
        case .value: []
        case .object(let object): [object]
        case .list(let trees): trees.flatMap(\.objects)
        case .dictionary(let entries): entries.flatMap(\.tree.objects)
        }
    }

    /// What lies in a list or dictionary, with the keys of a dictionary; nil for other values.
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
            "\(schema.name).\(property.name) was given \(what): a set of values of any type cannot "
                + "hold lists and dictionaries.", className: schema.name, property: property.name)
    }
}

extension ListKey {
    /// The list of what lies in an element of any type: the only one of the class of elements.
    static let anyItems = ListKey(rawValue: 0)
}

extension Value {
    /// Whether the value is a list or dictionary of any type.
    var isAnyCollection: Bool {
        switch anyContent {
        case .list, .dictionary: true
        default: false
        }
    }
}

/// Stores values of any type in a write.
struct AnyWriter {
    let core: TransactionCore
    let transaction: EngineTransaction
    /// The row of an object, which is stored.
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

    /// A value as it stands in its column; what lies in a list or dictionary is stored by `fill`.
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

    /// Sets a value in the place of another one, with what lies in it.
    ///
    /// - Parameter list: the list of the row for what lies in the value.
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

    /// Stores what lies in a list or dictionary, whose value is stored.
    func fill(
        _ tree: AnyTree, _ table: TableKey, _ row: ObjectKey, _ list: BindingPlace.StoredList
    ) throws(StoreError) {
        guard let entries = tree.entries, !entries.isEmpty else { return }
        let rows = try insert(entries, list.target)
        try transaction.insertIntoList(table, row, list.key, at: 0, rows)
    }

    /// New rows of elements with what lies in them. If it throws, none is made.
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
            // nothing has them yet, and would take them along
            transaction.delete(target, rows)
            throw error
        }
        return rows
    }
}
