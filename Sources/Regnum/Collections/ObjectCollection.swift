/// What lists, sets and inverses of objects, and what wraps them, have beside what all collections have.
///
/// The library conforms ``List``, ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``; do not conform types of your own.
public protocol ObjectCollection: RealmCollection where Element: ObjectBase {
    /// The objects as results; nil for an unmanaged collection.
    var _results: Results<Element>? { get }
    /// The type and, of a managed one, the property, for sentences.
    var _name: String { get }
}
