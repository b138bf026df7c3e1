internal import RegnumEngine

/// An ordered collection property of a model, of values or of objects.
///
///     final class Person: Object {
///         @Persisted var name: String
///         @Persisted var dogs: List<Dog>
///         @Persisted var nicknames: List<String>
///     }
///
/// The list of an unmanaged object is a plain array in a class. Adding the object stores the list,
/// and the very instance goes on as an accessor of what is stored: every use shows the state of the
/// transaction, changes go to storage, and the list is confined to the transaction body like its
/// object. A list may hold an object several times; deleting the object takes all of them out.
///
/// A list of embedded objects owns them: what is removed or replaced is deleted.
///
/// Misuse of positions, and use after the body, of a deleted object's list or (for changes) in a
/// read, ends the process with a sentence; what cannot be stored fails the transaction.
public final class List<Element: RealmCollectionValue> {
    /// What is stored, nil for an unmanaged list.
    var managed: _ManagedList?
    /// The elements of an unmanaged list.
    var elements: [Element] = []

    /// An unmanaged list without elements.
    public init() {}

    /// An unmanaged list.
    public convenience init(_ elements: some Sequence<Element>) {
        self.init()
        self.elements = Array(elements)
    }

    init(_ managed: _ManagedList) {
        self.managed = managed
    }

    var handle: _ManagedList? { managed }

    /// Whether the object that the list belongs to was deleted, or its transaction is over. False for
    /// an unmanaged list.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the list is that of an object in a transaction.
    public var isManaged: Bool { managed != nil }

    // MARK: Changes

    /// Adds an element at the end. An unmanaged object is added to the realm.
    ///
    /// - Complexity: O(log n).
    public func append(_ element: Element) {
        if let managed {
            Element._insert([element], into: managed, at: managed.count)
        } else {
            elements.append(element)
        }
    }

    /// Adds elements at the end, those that the sequence has at the start of the call.
    public func append(objectsIn elements: some Sequence<Element>) {
        insert(contentsOf: elements, at: count)
    }

    /// Adds elements at the end.
    public func append(contentsOf elements: some Sequence<Element>) {
        insert(contentsOf: elements, at: count)
    }

    /// Puts an element before the one at `position`.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func insert(_ element: Element, at position: Int) {
        guard hasPosition(position, "insert(at:)") else { return }
        if let managed {
            Element._insert([element], into: managed, at: position)
        } else {
            elements.insert(element, at: position)
        }
    }

    /// Puts elements before the one at `position`.
    ///
    /// - Precondition: `0 <= position <= count`.
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

    /// Takes the element at a position out; an object stays in the realm, an embedded one does not.
    ///
    /// - Precondition: `0 <= position < count`.
    public func remove(at position: Int) {
        guard hasElement(position, "remove(at:)") else { return }
        removeSubrange(position..<position + 1)
    }

    /// Takes the first elements out.
    ///
    /// - Precondition: `0 <= number <= count`.
    public func removeFirst(_ number: Int = 1) {
        guard hasPosition(number, "removeFirst(_:)") else { return }
        removeSubrange(0..<number)
    }

    /// Takes the last elements out.
    ///
    /// - Precondition: `0 <= number <= count`.
    public func removeLast(_ number: Int = 1) {
        guard hasPosition(number, "removeLast(_:)") else { return }
        let count = count
        removeSubrange(count - number..<count)
    }

    /// Takes all elements out.
    public func removeAll() { removeSubrange(0..<count) }

    /// Takes the elements of a range of positions out.
    public func removeSubrange(_ range: Range<Int>) {
        guard has(range, "removeSubrange(_:)") else { return }
        if let managed { managed.remove(range) } else { elements.removeSubrange(range) }
    }

    /// Takes the elements of a range of positions of another kind out: `2...4`, `3...`.
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        removeSubrange(range.relative(to: 0..<count))
    }

    /// Puts elements in the place of those in a range of positions.
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

    /// Puts an element in the place of the one at a position.
    ///
    /// - Precondition: `0 <= index < count`.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Moves an element: it stands at `destination` afterwards.
    ///
    /// - Precondition: both positions are in `0..<count`.
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

    /// Lets two elements change places.
    public func swapAt(_ first: Int, _ second: Int) {
        guard hasElement(first, "swapAt(_:_:)"), hasElement(second, "swapAt(_:_:)") else { return }
        guard let managed else { return elements.swapAt(first, second) }
        let (low, high) = (Swift.min(first, second), Swift.max(first, second))
        if low == high { return }
        managed.move(from: high, to: low)
        if high > low + 1 { managed.move(from: low + 1, to: high) }
    }

    /// Takes the elements at the positions out.
    ///
    /// - Precondition: the positions are within `0..<count`.
    public func remove(atOffsets offsets: some Sequence<Int>) {
        for position in Set(offsets).sorted(by: >) { remove(at: position) }
    }

    /// Moves the elements at the positions, in their order, before the one that stands at `destination`
    /// at the start of the call.
    ///
    /// - Precondition: the positions are within `0..<count`, `destination` within `0...count`.
    public func move(fromOffsets offsets: some Sequence<Int>, toOffset destination: Int) {
        guard hasPosition(destination, "move(fromOffsets:toOffset:)") else { return }
        let sources = Set(offsets).sorted()
        var target = destination - sources.count(where: { $0 < destination })
        // first the sources come together: those before the destination from the last on
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

    /// Makes the elements those of a sequence.
    func assign(_ new: [Element]) {
        if let managed {
            managed.remove(0..<managed.count)
            Element._insert(new, into: managed, at: 0)
        } else {
            elements = new
        }
    }

    // MARK: Misuse

    // Whether the list has a position. What it does not have ends the process, unless the
    // transaction has failed, of whose lists nothing is known.

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
        trapIndex(index, call)
    }

    func trapIndex(_ index: Int, _ call: StaticString) -> Never {
        let name = managed?.name ?? "List<\(Element.self)>"
        fatalError(
            index < 0
                ? "\(call) of \(name) was given the negative number \(index)."
                : "\(call) of \(name) was given \(index), but the list has \(count) elements.")
    }
}

@available(*, unavailable, message: "a list stays with its object: use a snapshot")
extension List: Sendable {}
