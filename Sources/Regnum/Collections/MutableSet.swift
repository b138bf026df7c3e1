internal import RegnumEngine

/// A set property of a model, of values or of objects: each element once.
///
///     final class Dog: Object {
///         @Persisted var name: String
///         @Persisted var citiesVisited: MutableSet<String>
///         @Persisted var friends: MutableSet<Dog>
///     }
///
/// A stored set is in ascending order: values as they are sorted (nil first, then NaN; strings by their
/// bytes), objects in order of creation. Values are the same if they are equal, where -0.0 is 0.0, NaN
/// is NaN and nil is nil; objects if they are the same row. The set of an unmanaged object is in the
/// order in which the elements came.
///
/// Adding the object stores the set, and the very instance goes on as an accessor of what is stored,
/// confined to the transaction body like its object. Inserting what is there changes nothing, and
/// streams tell no modification. Deleting an object takes it out of all sets. A set cannot hold embedded
/// objects.
///
/// Misuse of positions, and use after the body, of a deleted object's set or (for changes) in a read,
/// ends the process with a sentence; what cannot be stored fails the transaction.
public final class MutableSet<Element: RealmCollectionValue> {
    /// What is stored, nil for an unmanaged set.
    var managed: _ManagedList?
    /// The elements of an unmanaged set.
    var elements = UnmanagedSetElements<Element>()

    /// An unmanaged set without elements.
    public init() {}

    /// An unmanaged set.
    public convenience init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { self.elements.insert(element) }
    }

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    var handle: _ManagedList? { managed }

    /// Whether the object that the set belongs to was deleted, or its transaction is over. False for
    /// an unmanaged set.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the set is that of an object in a transaction.
    public var isManaged: Bool { managed != nil }

    // MARK: Elements

    /// Whether the element is in the set. A managed set has no unmanaged objects, and none of another
    /// transaction.
    ///
    /// - Complexity: O(log² n); O(1) of an unmanaged set of values.
    public func contains(_ element: Element) -> Bool {
        managed?.contains(element._elementContent().content) ?? elements.contains(element)
    }

    /// Puts an element into the set, unless it is there. An unmanaged object is added to the realm.
    ///
    /// - Complexity: O(log² n).
    public func insert(_ element: Element) {
        if let managed {
            managed.insertMembers([element._elementContent().content])
        } else {
            elements.insert(element)
        }
    }

    /// Puts elements into the set, those that the sequence has at the start of the call.
    ///
    /// - Complexity: O(m log² n) for m elements.
    public func insert(objectsIn elements: some Sequence<Element>) { formUnion(elements) }

    /// Takes an element out of the set, if it is there; an object stays in the realm.
    ///
    /// - Complexity: O(log² n); O(n) of an unmanaged set.
    public func remove(_ element: Element) {
        if let managed {
            managed.removeMembers([element._elementContent().content])
        } else {
            elements.remove([element])
        }
    }

    /// Takes all elements out of the set.
    public func removeAll() {
        if let managed { managed.keepMembers([]) } else { elements = UnmanagedSetElements() }
    }

    // MARK: Other sets

    /// Whether all elements of the set are among the others.
    public func isSubset(of others: some Sequence<Element>) -> Bool {
        let others = Self.set(others)
        return count <= others.count && allSatisfy { others.contains($0) }
    }

    /// Whether all of the others are in the set.
    public func isSuperset(of others: some Sequence<Element>) -> Bool {
        others.allSatisfy { contains($0) }
    }

    /// Whether one of the others is in the set.
    public func intersects(_ others: some Sequence<Element>) -> Bool {
        others.contains { contains($0) }
    }

    /// Puts the others into the set. Unmanaged objects are added to the realm of a managed set.
    ///
    /// - Complexity: O(m log² n) for m others.
    public func formUnion(_ others: some Sequence<Element>) {
        let new = Array(others)
        if let managed {
            managed.insertMembers(new.map { $0._elementContent().content })
        } else {
            for element in new { elements.insert(element) }
        }
    }

    /// Takes all elements out of the set that are not among the others.
    ///
    /// - Complexity: O(n + m log² n) for m others.
    public func formIntersection(_ others: some Sequence<Element>) {
        if let managed {
            managed.keepMembers(others.map { $0._elementContent().content })
        } else {
            let others = Self.set(others)
            elements = UnmanagedSetElements(elements.array.filter { others.contains($0) })
        }
    }

    /// Takes the others out of the set.
    ///
    /// - Complexity: O(m log² n) for m others.
    public func subtract(_ others: some Sequence<Element>) {
        if let managed {
            managed.removeMembers(others.map { $0._elementContent().content })
        } else {
            elements.remove(Array(others))
        }
    }

    /// An unmanaged set of the elements and the others.
    public func union(_ others: some Sequence<Element>) -> MutableSet {
        let result = MutableSet(self)
        result.formUnion(others)
        return result
    }

    /// An unmanaged set of the elements that are among the others.
    public func intersection(_ others: some Sequence<Element>) -> MutableSet {
        let others = Self.set(others)
        return MutableSet(filter { others.contains($0) })
    }

    /// An unmanaged set of the elements that are not among the others.
    public func subtracting(_ others: some Sequence<Element>) -> MutableSet {
        let others = Self.set(others)
        return MutableSet(filter { !others.contains($0) })
    }

    /// The elements of a sequence for many questions.
    private static func set(_ elements: some Sequence<Element>) -> MutableSet {
        elements as? MutableSet ?? MutableSet(elements)
    }

    /// Makes the elements those of an array; those that are there already stay.
    func assign(_ new: [Element]) {
        if let managed {
            managed.replaceMembers(with: new.map { $0._elementContent().content })
        } else {
            elements = UnmanagedSetElements(new)
        }
    }

    func trapIndex(_ index: Int, _ call: StaticString) -> Never {
        let name = managed?.name ?? "MutableSet<\(Element.self)>"
        fatalError(
            index < 0
                ? "\(call) of \(name) was given the negative number \(index)."
                : "\(call) of \(name) was given \(index), but the set has \(count) elements.")
    }
}

@available(*, unavailable, message: "a set stays with its object: use a snapshot")
extension MutableSet: Sendable {}

/// The elements of an unmanaged set, in the order in which they came.
struct UnmanagedSetElements<Element: RealmCollectionValue> {
    private(set) var array: [Element] = []
    /// What the array has, at the same positions.
    private var members = Numbering<SetMember>()

    init() {}

    init(_ elements: [Element]) {
        for element in elements { insert(element) }
    }

    func contains(_ element: Element) -> Bool {
        guard let member = member(element) else { return false }
        if members[member] != nil { return true }
        // two accessors may be those of one row
        switch element._elementContent().content {
        case .link(let object?) where object.isManaged: break
        case .any(.object(let object)) where object.isManaged: break
        default: return false
        }
        return array.contains { Element._areSame($0, element) }
    }

    mutating func insert(_ element: Element) {
        guard let member = member(element), members[member] == nil else { return }
        if case .instance = member, contains(element) { return }
        members.append(member)
        array.append(element)
    }

    mutating func remove(_ elements: [Element]) {
        let removed = UnmanagedSetElements(elements.filter { contains($0) })
        if removed.array.isEmpty { return }
        self = UnmanagedSetElements(array.filter { !removed.contains($0) })
    }

    private func member(_ element: Element) -> SetMember? {
        switch element._elementContent().content {
        case .value(let value): .value(value.canonical)
        case .link(let object?): .instance(ObjectIdentifier(object))
        case .any(.object(let object)): .instance(ObjectIdentifier(object))
        case .any(.list(let list)): .instance(ObjectIdentifier(list))
        case .any(.dictionary(let map)): .instance(ObjectIdentifier(map))
        default: nil
        }
    }
}

/// An element of an unmanaged set without its type: a value, or the instance of an object.
private enum SetMember: Hashable {
    case value(Value)
    case instance(ObjectIdentifier)
}
