internal import RegnumEngine

/// A type-erased realm collection, for storing a collection in a property without naming its type.
///
///     final class Table {
///         let dogs: AnyRealmCollection<Dog>
///
///         init(_ dogs: some RealmCollection<Dog>) { self.dogs = AnyRealmCollection(dogs) }
///     }
///
/// Like the wrapped collection, it reflects changes and is confined to the transaction body.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    private let base: any RealmCollection<Element>
    private let iterate: () -> AnyIterator<Element>

    /// Wraps a collection. Wrapping an `AnyRealmCollection` adds no further layer.
    public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
        if let other = base as? AnyRealmCollection {
            self = other
            return
        }
        self.base = base
        iterate = { AnyIterator(base.makeIterator()) }
    }
}

@available(*, unavailable, message: "a collection is confined to a transaction: use a snapshot")
extension AnyRealmCollection: Sendable {}

extension AnyRealmCollection: RealmCollection, ErasedCollection {
    /// The realm of the wrapped collection; see ``RealmCollection/realm``.
    public var realm: Realm? { base.realm }

    /// Whether the wrapped collection can no longer be used; see ``RealmCollection/isInvalidated``.
    public var isInvalidated: Bool { base.isInvalidated }

    var erasedResults: Any? { base.erased.erasedResults }

    var storedValues: _ManagedList? { base.erased.storedValues }

    func frozenPlace() throws(Realm.Error) -> FrozenPlace? { try base.erased.frozenPlace() }

    /// The number of elements.
    public var count: Int { base.count }

    /// The element at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> Element { base[position] }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        base._elements(at: positions)
    }

    public func _end(upTo limit: Int) -> Int { base._end(upTo: limit) }

    public var _hasFailed: Bool { base._hasFailed }

    /// Returns the position of the first occurrence of an element, or `nil` if there is none.
    public func index(of element: Element) -> Int? { base.index(of: element) }

    /// Returns an iterator over the current elements. The loop may modify the collection.
    public func makeIterator() -> AnyIterator<Element> { iterate() }
}

extension AnyRealmCollection: CustomStringConvertible {
    /// The description of the wrapped collection.
    public var description: String { "\(base)" }
}

extension AnyRealmCollection: Equatable {
    /// Returns whether both values wrap the same collection: equal lists or sets, results of the
    /// same query in the same transaction, or the inverse of the same object.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        switch (left.base, right.base) {
        case (let a as List<Element>, let b as List<Element>): a == b
        case (let a as MutableSet<Element>, let b as MutableSet<Element>): a == b
        default: left.base.erased.isSameQuery(as: right.base.erased)
        }
    }
}

// MARK: Values

extension AnyRealmCollection where Element: ScalarValue {
    /// Returns the elements sorted by value: `nil` first, then NaN; strings by their UTF-8 bytes;
    /// `false` before `true`. Equal elements keep their order.
    ///
    /// - Complexity: O(n log n).
    public func sorted(ascending: Bool = true) -> [Element] { ordered(ascending: ascending) }
}
