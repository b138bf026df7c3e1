internal import RegnumEngine

/// What the collections of a realm have in common, for code that takes any of them: ``Results``, ``List``,
/// ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``.
///
///     func operateOn<C: RealmCollection>(collection: C) {
///         print("operating on collection containing \(collection.count) objects")
///     }
///
///     func adults(_ people: some RealmCollection<Person>) -> Results<Person> {
///         people.where { $0.age >= 18 }
///     }
///
/// All are random-access collections with positions from 0, confined to the transaction body like their
/// elements. Collections of objects have queries, sorting and the aggregates of properties, collections of
/// values their own aggregates; both have `freeze()`.
///
/// The library conforms its collections; do not conform types of your own.
public protocol RealmCollection<Element>: _ConfinedCollection where Element: RealmCollectionValue {
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
    /// What the collection was when the transaction started; nil for results, which know it themselves.
    ///
    /// - Throws: as `freeze()`.
    func _frozenPlace() throws(Realm.Error) -> _FrozenPlace?
}

/// A collection in the state at the start of a transaction. Part of the contract of ``RealmCollection``.
public struct _FrozenPlace {
    let table: FrozenTable
    /// What the collection holds, as a query.
    let plan: QueryPlan
}

extension RealmCollection {
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

extension Results: RealmCollection {
    public var _erasedResults: Any? { self }

    public func _frozenPlace() throws(Realm.Error) -> _FrozenPlace? { nil }
}

extension List: RealmCollection {
    public var _erasedResults: Any? { handle.flatMap { Element._results(of: $0) } }

    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }

    public func _frozenPlace() throws(Realm.Error) -> _FrozenPlace? {
        try handle.frozenPlace("List<\(Element.self)>", "list")
    }
}

extension MutableSet: RealmCollection {
    public var _erasedResults: Any? { handle.flatMap { Element._results(of: $0) } }

    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }

    public func _frozenPlace() throws(Realm.Error) -> _FrozenPlace? {
        try handle.frozenPlace("MutableSet<\(Element.self)>", "set")
    }
}

extension LinkingObjects: RealmCollection {
    public var _erasedResults: Any? { _results }

    public func _frozenPlace() throws(Realm.Error) -> _FrozenPlace? {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "The LinkingObjects<\(Element.self)> of an unmanaged object were to be frozen: only "
                    + "those of a realm can be.")
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property, what: handle.binding.tableName)
        return _FrozenPlace(table: table, plan: table.plan(handle.row, handle.property))
    }
}
