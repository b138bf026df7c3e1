internal import RegnumEngine

/// A realm collection, for code that accepts any of ``Results``, ``List``, ``MutableSet``,
/// ``LinkingObjects`` and ``AnyRealmCollection``.
///
///     func adults(_ people: some RealmCollection<Person>) -> Results<Person> {
///         people.where { $0.age >= 18 }
///     }
///
/// They are all random-access collections with indices starting at 0, confined to the transaction
/// body like their elements. Collections of objects support queries, sorting and aggregates of
/// properties; collections of values support aggregates of their elements; all support `freeze()`.
///
/// Implemented by the library's collections; do not conform your own types.
public protocol RealmCollection<Element>: _ConfinedCollection where Element: RealmCollectionValue {
    /// The type of the elements, under the name that Realm uses for it, for source compatibility.
    typealias ElementType = Element

    /// The realm of the collection; `nil` for an unmanaged collection, or if the
    /// realm has been released.
    var realm: Realm? { get }
    /// Whether the collection's owner was deleted or its transaction has ended. Results are only
    /// invalidated by the end of the transaction, since deleted rows are removed from them. `false`
    /// for an unmanaged collection.
    var isInvalidated: Bool { get }
    /// Returns the position of the first occurrence of an element, or `nil` if there is none.
    func index(of element: Element) -> Int?
}

/// The content of a ``RealmCollection`` in type-erased form.
protocol ErasedCollection {
    /// The objects as type-erased results; `nil` for values and for an unmanaged collection.
    var erasedResults: Any? { get }
    /// The stored values; `nil` for objects and for an unmanaged collection.
    var storedValues: _ManagedList? { get }
    /// Returns the collection at the start of the transaction, or `nil` for results, which
    /// handle this themselves.
    ///
    /// - Throws: See `freeze()`.
    func frozenPlace() throws(Realm.Error) -> FrozenPlace?
    /// The class and the query of results and linking objects; `nil` for other collections.
    var question: (binding: ClassBinding, plan: QueryPlan)? { get }
}

extension ErasedCollection {
    var storedValues: _ManagedList? { nil }

    var question: (binding: ClassBinding, plan: QueryPlan)? { nil }

    /// Returns whether both are results, or linking objects, of the same query.
    func isSameQuery(as other: any ErasedCollection) -> Bool {
        guard type(of: self) == type(of: other), let mine = question, let theirs = other.question
        else { return false }
        return mine.binding === theirs.binding && mine.plan == theirs.plan
    }
}

extension RealmCollection {
    /// The same collection. All of the library's conform.
    var erased: any ErasedCollection {
        guard let erased = self as? any ErasedCollection else {
            fatalError("\(Self.self) is not a collection of a realm.")
        }
        return erased
    }

    @inlinable
    public var endIndex: Int { count }

    public func index(of element: Element) -> Int? {
        firstIndex { Element._areSame($0, element) }
    }

    /// Returns the elements at the given positions, in the order of the positions.
    ///
    /// - Precondition: All positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Element] {
        positions.map { self[$0] }
    }
}

extension Results: RealmCollection, ErasedCollection {
    var erasedResults: Any? { self }

    func frozenPlace() throws(Realm.Error) -> FrozenPlace? { nil }

    var question: (binding: ClassBinding, plan: QueryPlan)? { (binding, _plan.plan) }
}

extension ErasedCollection where Self: UnmanagedList {
    var erasedResults: Any? { managed.flatMap { Element._results(of: $0) } }

    var storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : managed }

    func frozenPlace() throws(Realm.Error) -> FrozenPlace? {
        try managed.frozenPlace("\(Self.self)", self is any MemberCollection ? "set" : "list")
    }
}

extension List: RealmCollection, ErasedCollection {}

extension MutableSet: RealmCollection, ErasedCollection {}

extension LinkingObjects: RealmCollection, ErasedCollection {
    var erasedResults: Any? {
        guard let handle else { return nil }
        guard let origins = handle.origins(Element.self) else {
            return handle.binding.recordedResults(Element.self, handle.property)
        }
        if isInvalidated {
            handle.binding.failMissing(handle.property, of: handle.row.rawValue)
        }
        return Results<Element>(origins, plan: _Plan(plan: handle.plan()))
    }

    var question: (binding: ClassBinding, plan: QueryPlan)? {
        handle.map { ($0.binding, $0.plan()) }
    }

    func frozenPlace() throws(Realm.Error) -> FrozenPlace? {
        guard let handle else {
            throw Realm.Error(
                .invalidInput,
                "Can't freeze the LinkingObjects<\(Element.self)> of an unmanaged object. Add the "
                    + "object to a realm first.")
        }
        let table = try handle.binding.startTable(
            row: handle.row.rawValue, property: handle.property, what: handle.binding.tableName)
        return FrozenPlace(table: table, plan: table.plan(handle.row, handle.property))
    }
}
