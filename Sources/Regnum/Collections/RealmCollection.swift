internal import RegnumEngine

/// What the collections of a realm have in common, for code that takes any of them: ``Results``, ``List``,
/// ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``.
///
///     func operateOn<C: RealmCollection>(collection: C) {
///         print("operating on collection containing \(collection.count) objects")
///     }
///
/// All are random-access collections with positions from 0, confined to the transaction body like their
/// elements. What depends on the elements, as queries, sorting and aggregates, each of them has as methods of
/// its own; generic code finds it in ``AnyRealmCollection``:
///
///     func adults(_ people: some RealmCollection<Person>) -> Results<Person> {
///         AnyRealmCollection(people).where { $0.age >= 18 }
///     }
///
/// The library conforms its collections; do not conform types of your own.
public protocol RealmCollection<Element>: RandomAccessCollection
where Element: RealmCollectionValue, Index == Int {
    /// The elements' type, as older code names it.
    typealias ElementType = Element

    /// The realm of the collection: nil for an unmanaged one, and where nobody holds the realm any more.
    var realm: Realm? { get }
    /// Whether the object that the collection belongs to was deleted, or its transaction is over. Of results
    /// only the latter: rows that are deleted leave them. False for an unmanaged collection.
    var isInvalidated: Bool { get }
    /// The position of an element, the first one where it is there several times; nil if it is not there.
    func index(of element: Element) -> Int?
    /// The objects as results, without their type; nil for values and for what is unmanaged.
    var _erasedResults: Any? { get }
    /// The stored values; nil for objects and for what is unmanaged.
    var _storedValues: _ManagedList? { get }
}

extension RealmCollection {
    public var _erasedResults: Any? { (self as? any ObjectCollection)?._anyResults }

    public var _storedValues: _ManagedList? { nil }

    public func index(of element: Element) -> Int? {
        firstIndex { Element._areSame($0, element) }
    }

    /// The elements at positions, in the order of the positions.
    ///
    /// - Precondition: all positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Element] {
        positions.map { self[$0] }
    }
}

extension ObjectCollection {
    fileprivate var _anyResults: Any? { _results }
}

extension Results: RealmCollection {
    public var _erasedResults: Any? { self }
}

extension List: RealmCollection {
    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }
}

extension MutableSet: RealmCollection {
    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }
}

extension LinkingObjects: RealmCollection {}
