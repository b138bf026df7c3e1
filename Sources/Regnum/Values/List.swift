internal import RegnumEngine

/// An ordered collection of values or objects, used as a property of a model.
///
///     final class Person: Object {
///         @Persisted var name: String
///         @Persisted var dogs: List<Dog>
///         @Persisted var nicknames: List<String>
///     }
///
/// The list of an unmanaged object wraps an array. When the object is added to a realm, the list is
/// stored, and the same instance becomes an accessor of the stored list: it reflects the current
/// state of the transaction, its changes are stored, and it is confined to the transaction body
/// like its object. A list may contain an object more than once; deleting the object removes all
/// its occurrences.
///
/// A list of embedded objects owns them: objects that are removed or replaced are deleted.
///
/// Using an invalid index, using a managed list after the transaction body has returned, or
/// changing it in a read transaction traps. Using the list of a deleted object, or adding an
/// element that cannot be stored, fails the transaction.
public final class List<Element: RealmCollectionValue> {
    /// The stored list; `nil` for an unmanaged list.
    var managed: _ManagedList?
    /// The elements of an unmanaged list.
    var elements: [Element] = []

    /// Creates an empty unmanaged list.
    public init() {}

    /// Creates an unmanaged list with the given elements.
    public convenience init(_ elements: some Sequence<Element>) {
        self.init()
        self.elements = Array(elements)
    }

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    /// Whether the list's owner was deleted, its transaction has ended, or the ``AnyRealmValue``
    /// that contained it was replaced. `false` for an unmanaged list.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the list belongs to a managed object.
    public var isManaged: Bool { managed != nil }

    // MARK: Changes

    /// Appends an element. An unmanaged object is added to the realm.
    ///
    /// - Complexity: O(log n).
    public func append(_ element: Element) {
        if let managed {
            Element._insert([element], into: managed, at: managed.count)
        } else {
            elements.append(element)
        }
    }

    /// Appends the elements that a sequence contains when the call starts.
    ///
    /// - Complexity: O(m log n) for m elements; O(m) for an unmanaged list.
    public func append(objectsIn elements: some Sequence<Element>) {
        insert(contentsOf: elements, at: count)
    }

    /// Appends the elements of a sequence, like ``append(objectsIn:)``.
    ///
    /// - Complexity: O(m log n) for m elements; O(m) for an unmanaged list.
    public func append(contentsOf elements: some Sequence<Element>) {
        insert(contentsOf: elements, at: count)
    }

    /// Inserts an element before the one at `position`.
    ///
    /// - Precondition: `0 <= position <= count`.
    /// - Complexity: O(log n); O(n) for an unmanaged list.
    public func insert(_ element: Element, at position: Int) {
        guard hasPosition(position, "insert(at:)") else { return }
        if let managed {
            Element._insert([element], into: managed, at: position)
        } else {
            elements.insert(element, at: position)
        }
    }

    /// Inserts the elements of a sequence before the one at `position`.
    ///
    /// - Precondition: `0 <= position <= count`.
    /// - Complexity: O(m log n) for m elements; O(n + m) for an unmanaged list.
    public func insert(contentsOf elements: some Sequence<Element>, at position: Int) {
        let new = Array(elements)
        guard hasPosition(position, "insert(contentsOf:at:)") else { return }
        if let managed {
            Element._insert(new, into: managed, at: position)
        } else if self.elements.isEmpty {
            self.elements = new
        } else {
            self.elements.insert(contentsOf: new, at: position)
        }
    }

    /// Removes the element at a position. An object remains in the realm; an embedded object is
    /// deleted.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n); O(n) for an unmanaged list.
    public func remove(at position: Int) {
        guard hasElement(position, "remove(at:)") else { return }
        removeSubrange(position..<position + 1)
    }

    /// Removes the given number of elements from the start of the list.
    ///
    /// - Precondition: `0 <= number <= count`.
    /// - Complexity: That of ``removeSubrange(_:)-(Range<Int>)``.
    public func removeFirst(_ number: Int = 1) {
        guard hasPosition(number, "removeFirst(_:)") else { return }
        removeSubrange(0..<number)
    }

    /// Removes the given number of elements from the end of the list.
    ///
    /// - Precondition: `0 <= number <= count`.
    /// - Complexity: That of ``removeSubrange(_:)-(Range<Int>)``.
    public func removeLast(_ number: Int = 1) {
        guard hasPosition(number, "removeLast(_:)") else { return }
        let count = count
        removeSubrange(count - number..<count)
    }

    /// Removes all elements.
    ///
    /// - Complexity: O(n log n); O(n) for an unmanaged list.
    public func removeAll() { removeSubrange(0..<count) }

    /// Removes the elements in a range of positions.
    ///
    /// - Precondition: The range is within `0..<count`.
    /// - Complexity: O(m log n) for m removed elements; O(n) for an unmanaged list.
    public func removeSubrange(_ range: Range<Int>) {
        guard has(range, "removeSubrange(_:)") else { return }
        if let managed { managed.remove(range) } else { elements.removeSubrange(range) }
    }

    /// Removes the elements in a range of positions such as `2...4` or `3...`.
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        removeSubrange(range.positions(from: 0, to: count))
    }

    /// Replaces the elements in a range of positions with those of a sequence.
    ///
    /// - Precondition: The range is within `0..<count`.
    /// - Complexity: O(m log n) for m removed or inserted elements; O(n + m) for an unmanaged
    ///   list.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let new = Array(elements)
        guard has(range, "replaceSubrange(_:with:)") else { return }
        if let managed {
            managed.remove(range)
            Element._insert(new, into: managed, at: range.lowerBound)
        } else {
            self.elements.replaceSubrange(range, with: new)
        }
    }

    /// Replaces the element at a position.
    ///
    /// - Precondition: `0 <= index < count`.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Moves an element to the position `destination`.
    ///
    /// - Precondition: Both positions are in `0..<count`.
    /// - Complexity: O(log n); O(n) for an unmanaged list.
    public func move(from source: Int, to destination: Int) {
        guard hasElement(source, "move(from:to:)"), hasElement(destination, "move(from:to:)") else {
            return
        }
        if let managed {
            managed.move(from: source, to: destination)
        } else {
            elements.insert(elements.remove(at: source), at: destination)
        }
    }

    /// Swaps two elements.
    ///
    /// - Precondition: Both positions are in `0..<count`.
    /// - Complexity: O(log n); O(1) for an unmanaged list.
    public func swapAt(_ first: Int, _ second: Int) {
        guard hasElement(first, "swapAt(_:_:)"), hasElement(second, "swapAt(_:_:)") else { return }
        guard let managed else { return elements.swapAt(first, second) }
        let (low, high) = (Swift.min(first, second), Swift.max(first, second))
        if low == high { return }
        managed.move(from: high, to: low)
        if high > low + 1 { managed.move(from: low + 1, to: high) }
    }

    /// Removes the elements at the given positions.
    ///
    /// - Precondition: The positions are in `0..<count`.
    /// - Complexity: O(m log n) for m positions; O(m n) for an unmanaged list.
    public func remove(atOffsets offsets: some Sequence<Int>) {
        for position in Set(offsets).sorted(by: >) { remove(at: position) }
    }

    /// Moves the elements at the given positions, keeping their order, before the element that is
    /// at `destination` when the call starts.
    ///
    /// - Precondition: The positions are in `0..<count`, and `destination` is in `0...count`.
    /// - Complexity: O(m log n) for m positions; O(m n) for an unmanaged list.
    public func move(fromOffsets offsets: some Sequence<Int>, toOffset destination: Int) {
        guard hasPosition(destination, "move(fromOffsets:toOffset:)") else { return }
        let sources = Set(offsets).sorted()
        var target = destination - sources.count(where: { $0 < destination })
        // Gather the sources around the destination; first those before it, starting with the last.
        var before = sources.filter { $0 < destination }
        var position = destination
        while let source = before.popLast() {
            position -= 1
            move(from: source, to: position)
        }
        target += sources.count(where: { $0 < destination })
        for source in sources where source >= destination {
            move(from: source, to: target)
            target += 1
        }
    }

    /// Replaces all elements.
    func assign(_ new: [Element]) {
        if let managed {
            managed.remove(0..<managed.count)
            Element._insert(new, into: managed, at: 0)
        } else {
            elements = new
        }
    }

    // MARK: Misuse

    // These functions check positions. An invalid position traps, unless the transaction has
    // failed, which leaves the content of its lists undefined.

    func hasElement(_ position: Int, _ call: StaticString) -> Bool {
        position >= 0 && position < count || failIndex(position, call)
    }

    private func hasPosition(_ position: Int, _ call: StaticString) -> Bool {
        position >= 0 && position <= count || failIndex(position, call)
    }

    private func has(_ range: Range<Int>, _ call: StaticString) -> Bool {
        hasPosition(range.lowerBound, call) && hasPosition(range.upperBound, call)
    }

    private func failIndex(_ index: Int, _ call: StaticString) -> Bool {
        if managed?.binding.core?.hasFailed == true { return false }
        trapIndex(index, call, count)
    }
}

@available(*, unavailable, message: "a list is confined to a transaction: use a snapshot")
extension List: Sendable {}
