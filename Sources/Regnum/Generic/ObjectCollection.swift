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
