internal import RegnumEngine

/// A collection of objects other than results: a list, set or inverse, or a
/// wrapper of any collection.
///
/// Implemented by ``List``, ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``; do not
/// conform your own types.
public protocol ObjectCollection: RealmCollection where Element: ObjectBase {
    /// The objects as results; `nil` for an unmanaged collection.
    var _results: Results<Element>? { get }
    /// The name for error messages: the property of a managed collection, or the collection's type.
    var _name: String { get }
}

extension List: ObjectCollection where Element: ObjectBase {
    public var _results: Results<Element>? { handle?.results(Element.self) }

    public var _name: String { handle?.name ?? "List<\(Element.self)>" }
}

extension MutableSet: ObjectCollection where Element: ObjectBase {
    public var _results: Results<Element>? { handle?.results(Element.self) }

    public var _name: String { handle?.name ?? "MutableSet<\(Element.self)>" }
}

extension LinkingObjects: ObjectCollection {
    public var _results: Results<Element>? {
        guard let handle, let origins = handle.origins(Element.self) else { return nil }
        if isInvalidated {
            handle.binding.failMissing(handle.property, of: handle.row.rawValue)
        }
        return Results(origins, plan: _Plan(plan: handle.plan()))
    }

    public var _name: String { "LinkingObjects<\(Element.self)>" }
}
