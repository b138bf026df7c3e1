internal import RegnumEngine

/// A set of values or objects, used as a property of a model.
///
///     final class Dog: Object {
///         @Persisted var name: String
///         @Persisted var citiesVisited: MutableSet<String>
///         @Persisted var friends: MutableSet<Dog>
///     }
///
/// A stored set is kept in ascending order: values in sort order (`nil` first, then NaN; strings by
/// their UTF-8 bytes), objects in order of creation. Two values are the same element if they are
/// equal, where -0.0 equals 0.0, NaN equals NaN and `nil` equals `nil`; two objects, if they are
/// the same row. The set of an unmanaged object keeps its elements in insertion order.
///
/// When the object is added to a realm, the set is stored, and the same instance becomes an
/// accessor of the stored set, confined to the transaction body like its object. Inserting an
/// existing element changes nothing, and streams don't report a modification. Deleting an object
/// removes it from all sets. A set cannot hold embedded objects.
///
/// Using an invalid index, using a managed set after the transaction body has returned, or changing
/// it in a read transaction traps. Using the set of a deleted object, or inserting an element that
/// cannot be stored, fails the transaction.
public final class MutableSet<Element: RealmCollectionValue> {
    /// The stored set; `nil` for an unmanaged set.
    var managed: _ManagedList?
    /// The elements of an unmanaged set.
    var elements = UnmanagedSetElements<Element>()

    /// Creates an empty unmanaged set.
    public init() {}

    /// Creates an unmanaged set with the given elements.
    public convenience init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { self.elements.insert(element) }
    }

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    /// Whether the set's owner was deleted or its transaction has ended. `false`
    /// for an unmanaged set.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the set belongs to a managed object.
    public var isManaged: Bool { managed != nil }

    // MARK: Elements

    /// Returns whether the set contains an element. A managed set never contains unmanaged objects
    /// or objects from a different transaction.
    ///
    /// - Complexity: O(log² n); O(1) for an unmanaged set, except that the first lookup of a stored
    ///   object after a change to its realm is linear in the number of unmanaged objects in the
    ///   set.
    public func contains(_ element: Element) -> Bool {
        managed?.contains(element._elementContent().content) ?? elements.contains(element)
    }

    /// Inserts an element, unless the set already contains it. An unmanaged object
    /// is added to the realm.
    ///
    /// - Complexity: O(log² n).
    public func insert(_ element: Element) {
        if let managed {
            managed.insertMembers([element._elementContent().content])
        } else {
            elements.insert(element)
        }
    }

    /// Inserts the elements that a sequence contains when the call starts.
    ///
    /// - Complexity: O(m log² n) for m elements.
    public func insert(objectsIn elements: some Sequence<Element>) { formUnion(elements) }

    /// Removes an element, if the set contains it. An object remains in the realm.
    ///
    /// - Complexity: O(log² n); O(n) for an unmanaged set.
    public func remove(_ element: Element) { subtract(CollectionOfOne(element)) }

    /// Removes all elements. Objects remain in the realm.
    ///
    /// - Complexity: O(n log n).
    public func removeAll() {
        if let managed { managed.keepMembers([]) } else { elements = UnmanagedSetElements() }
    }

    // MARK: Other sets

    /// Returns whether all elements of the set are in `others`.
    public func isSubset(of others: some Sequence<Element>) -> Bool {
        let others = Self.set(others)
        return count <= others.count && allSatisfy { others.contains($0) }
    }

    /// Returns whether all elements of `others` are in the set.
    ///
    /// - Complexity: O(m log² n) for m elements of `others`.
    public func isSuperset(of others: some Sequence<Element>) -> Bool {
        others.allSatisfy { contains($0) }
    }

    /// Returns whether any element of `others` is in the set.
    ///
    /// - Complexity: O(m log² n) for m elements of `others`.
    public func intersects(_ others: some Sequence<Element>) -> Bool {
        others.contains { contains($0) }
    }

    /// Inserts all elements of `others`. If the set is managed, unmanaged objects are added to its
    /// realm.
    ///
    /// - Complexity: O(m log² n) for m elements of `others`.
    public func formUnion(_ others: some Sequence<Element>) {
        let new = Array(others)
        if let managed {
            managed.insertMembers(new.map { $0._elementContent().content })
        } else {
            for element in new { elements.insert(element) }
        }
    }

    /// Removes all elements that are not in `others`.
    ///
    /// - Complexity: O(n + m log² n) for m elements of `others`.
    public func formIntersection(_ others: some Sequence<Element>) {
        if let managed {
            managed.keepMembers(others.map { $0._elementContent().content })
        } else {
            let others = Self.set(others)
            elements = UnmanagedSetElements(elements.array.filter { others.contains($0) })
        }
    }

    /// Removes all elements of `others`.
    ///
    /// - Complexity: O(m log² n) for m elements of `others`.
    public func subtract(_ others: some Sequence<Element>) {
        if let managed {
            managed.removeMembers(others.map { $0._elementContent().content })
        } else {
            elements.remove(Array(others))
        }
    }

    /// Returns an unmanaged set of the elements in this set or in `others`.
    public func union(_ others: some Sequence<Element>) -> MutableSet {
        let result = MutableSet(self)
        result.formUnion(others)
        return result
    }

    /// Returns an unmanaged set of the elements in both this set and `others`.
    public func intersection(_ others: some Sequence<Element>) -> MutableSet {
        let others = Self.set(others)
        return MutableSet(filter { others.contains($0) })
    }

    /// Returns an unmanaged set of the elements that are not in `others`.
    public func subtracting(_ others: some Sequence<Element>) -> MutableSet {
        let others = Self.set(others)
        return MutableSet(filter { !others.contains($0) })
    }

    /// Returns the elements of a sequence as a set, for repeated lookups.
    private static func set(_ elements: some Sequence<Element>) -> MutableSet {
        elements as? MutableSet ?? MutableSet(elements)
    }

    /// Replaces all elements. Existing elements that are also in the array are kept.
    func assign(_ new: [Element]) {
        if let managed {
            managed.replaceMembers(with: new.map { $0._elementContent().content })
        } else {
            elements = UnmanagedSetElements(new)
        }
    }
}

@available(*, unavailable, message: "a set is confined to a transaction: use a snapshot")
extension MutableSet: Sendable {}
