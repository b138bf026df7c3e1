internal import RegnumEngine

/// Any collection of a realm, where its type is not to be known: to keep one in a property.
///
///     final class Table {
///         let dogs: AnyRealmCollection<Dog>
///
///         init(_ dogs: some RealmCollection<Dog>) { self.dogs = AnyRealmCollection(dogs) }
///     }
///
/// It is as live as what it wraps, and confined to the transaction body like it.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    private let base: any RealmCollection<Element>
    private let iterate: () -> AnyIterator<Element>

    /// Wraps a collection. What a wrapped one wraps is taken out of it.
    public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
        if let other = base as? AnyRealmCollection {
            self = other
            return
        }
        self.base = base
        iterate = { AnyIterator(base.makeIterator()) }
    }
}

@available(*, unavailable, message: "a collection stays in its transaction: use a snapshot")
extension AnyRealmCollection: Sendable {}

extension AnyRealmCollection: RealmCollection {
    public typealias SubSequence = ConfinedSlice<AnyRealmCollection>

    public var realm: Realm? { base.realm }

    public var isInvalidated: Bool { base.isInvalidated }

    public var _erasedResults: Any? { base._erasedResults }

    public var _storedValues: _ManagedList? { base._storedValues }

    public func _frozenPlace() throws(Realm.Error) -> _FrozenPlace? { try base._frozenPlace() }

    public var startIndex: Int { 0 }

    public var endIndex: Int { base.count }

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

    /// The first element, nil if there is none. Results find no more than that.
    public var first: Element? { base.first }

    /// The last element, nil if there is none.
    public var last: Element? { base.last }

    /// The position of an element, the first one where it is there several times; nil if it is not there.
    public func index(of element: Element) -> Int? { base.index(of: element) }

    /// Walks the elements that there are now, whatever the loop does to the collection.
    public func makeIterator() -> AnyIterator<Element> { iterate() }
}

extension AnyRealmCollection: ObjectCollection where Element: ObjectBase {
    public var _results: Results<Element>? { base._erasedResults as? Results<Element> }

    public var _name: String { "AnyRealmCollection<\(Element.self)>" }
}

extension AnyRealmCollection: CustomStringConvertible {
    /// What the wrapped collection says of itself.
    public var description: String { "\(base)" }
}

extension AnyRealmCollection: Equatable {
    /// Whether both wrap the same: lists and sets that are equal, results of the same query in the same
    /// transaction, the inverse of the same object.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        switch (left.base, right.base) {
        case (let a as List<Element>, let b as List<Element>): a == b
        case (let a as MutableSet<Element>, let b as MutableSet<Element>): a == b
        case (let a as any ComparableOrigin, let b as any ComparableOrigin): a.isSame(as: b)
        default: false
        }
    }
}

// MARK: Values

extension AnyRealmCollection where Element: ScalarValue {
    /// The elements from small to large, or the other way round: nil first, then NaN, strings by their
    /// bytes, false before true. Equal ones keep their order.
    ///
    /// - Complexity: O(n log n)
    public func sorted(ascending: Bool = true) -> [Element] { ordered(ascending: ascending) }
}

/// Results or linking objects, without the type of their objects.
private protocol ComparableOrigin {
    /// What they are asked of.
    var question: (binding: ClassBinding, plan: QueryPlan)? { get }
}

extension ComparableOrigin {
    fileprivate func isSame(as other: any ComparableOrigin) -> Bool {
        guard type(of: self) == type(of: other), let mine = question, let theirs = other.question
        else {
            return false
        }
        return mine.binding === theirs.binding && mine.plan == theirs.plan
    }
}

extension Results: ComparableOrigin {
    fileprivate var question: (binding: ClassBinding, plan: QueryPlan)? { (binding, _plan.plan) }
}

extension LinkingObjects: ComparableOrigin {
    fileprivate var question: (binding: ClassBinding, plan: QueryPlan)? {
        handle.map { ($0.binding, $0.plan()) }
    }
}
