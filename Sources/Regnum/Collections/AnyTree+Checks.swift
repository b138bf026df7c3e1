internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension AnyTree {
    /// Validates a value.
    ///
    /// Throws `.invalidValue` for lists and dictionaries that are nested too deeply, invalid
    /// keys, text and data beyond the limits, and objects that are deleted or belong to a
    /// different transaction.
    /// - Parameter level: The number of lists and dictionaries in the property that enclose the
    ///   value.
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
            try AnyTree.checkCollection("a list", level, schema, property)
            var trees: [AnyTree] = []
            for element in list {
                trees.append(try AnyTree(element, level: level + 1, core, schema, property))
            }
            self = .list(trees)
        case .dictionary(let map):
            try AnyTree.checkCollection("a dictionary", level, schema, property)
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

    /// Throws `.invalidValue` for a plain value that cannot be stored.
    static func check(
        _ value: AnyRealmValue, _ className: String, _ property: String
    ) throws(Realm.Error) {
        let problem: String
        switch value {
        case .string(let text) where text.utf8.count > Limits.maximumStringByteCount:
            problem = Limits.longString
        case .data(let data) where data.count > Limits.maximumDataByteCount:
            problem = Limits.longData
        case .date(let date) where date.isNaN: problem = "cannot hold a date that is NaN"
        default: return
        }
        throw .invalidValue(className, property, "\(problem).")
    }

    private static func checkCollection(
        _ what: String, _ level: Int, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) {
        if level >= Limits.maximumAnyLevel { throw .anyTooDeep(schema.name, property.name) }
        guard case .set = property.shape else { return }
        throw .invalidValue(
            schema.name, property.name,
            "was given \(what): a set of AnyRealmValue cannot hold lists or dictionaries.")
    }
}
