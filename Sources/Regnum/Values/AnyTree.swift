package import RegnumEngine

/// A validated `AnyRealmValue` that can be stored, with a copy of its lists and dictionaries.
package indirect enum AnyTree {
    case value(Value)
    case object(Object)
    case list([AnyTree])
    /// The entries in ascending key order.
    case dictionary([(key: String, tree: AnyTree)])

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
