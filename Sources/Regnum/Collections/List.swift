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
    private var managed: _ManagedList?
    /// The elements of an unmanaged list.
    private var elements: [Element] = []

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
        check(position..<position, "insert(at:)")
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
        check(position..<position, "insert(at:)")
        if let managed {
            Element._insert(new, into: managed, at: position)
        } else {
            self.elements.insert(contentsOf: new, at: position)
        }
    }

    /// Takes the element at a position out; an object stays in the realm, an embedded one does not.
    ///
    /// - Precondition: `0 <= position < count`.
    public func remove(at position: Int) {
        guard position >= 0, position < count else { trapIndex(position, "remove(at:)") }
        removeSubrange(position..<position + 1)
    }

    /// Takes the first elements out.
    ///
    /// - Precondition: `0 <= number <= count`.
    public func removeFirst(_ number: Int = 1) {
        guard number >= 0, number <= count else { trapIndex(number, "removeFirst(_:)") }
        removeSubrange(0..<number)
    }

    /// Takes the last elements out.
    ///
    /// - Precondition: `0 <= number <= count`.
    public func removeLast(_ number: Int = 1) {
        let count = count
        guard number >= 0, number <= count else { trapIndex(number, "removeLast(_:)") }
        removeSubrange(count - number..<count)
    }

    /// Takes all elements out.
    public func removeAll() { removeSubrange(0..<count) }

    /// Takes the elements of a range of positions out.
    public func removeSubrange(_ range: Range<Int>) {
        check(range, "removeSubrange(_:)")
        if let managed { managed.remove(range) } else { elements.removeSubrange(range) }
    }

    /// Takes the elements of a range of positions of another kind out: `2...4`, `3...`.
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        removeSubrange(range.relative(to: 0..<count))
    }

    /// Puts elements in the place of those in a range of positions.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let new = Array(elements)
        check(range, "replaceSubrange(_:with:)")
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
        let count = count
        for position in [source, destination] where position < 0 || position >= count {
            trapIndex(position, "move(from:to:)")
        }
        if let managed {
            managed.move(from: source, to: destination)
        } else {
            elements.insert(elements.remove(at: source), at: destination)
        }
    }

    /// Lets two elements change places.
    public func swapAt(_ first: Int, _ second: Int) {
        let count = count
        for position in [first, second] where position < 0 || position >= count {
            trapIndex(position, "swapAt(_:_:)")
        }
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
        check(destination..<destination, "move(fromOffsets:toOffset:)")
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

    private func check(_ range: Range<Int>, _ call: StaticString) {
        let count = count
        if range.lowerBound < 0 { trapIndex(range.lowerBound, call) }
        if range.upperBound > count { trapIndex(range.upperBound, call) }
    }

    fileprivate func trapIndex(_ index: Int, _ call: StaticString) -> Never {
        let name = managed?.name ?? "List<\(Element.self)>"
        fatalError(
            index < 0
                ? "\(call) of \(name) was given the negative number \(index)."
                : "\(call) of \(name) was given \(index), but the list has \(count) elements.")
    }
}

@available(*, unavailable, message: "a list stays with its object: use a snapshot")
extension List: Sendable {}

extension List: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of elements.
    ///
    /// - Complexity: O(log n).
    public var count: Int {
        if let managed { return managed.count }
        return elements.count
    }

    /// The element at a position. Setting one replaces it; also an equal one counts as a change.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Element {
        get {
            if let managed {
                // a position that the list does not have shows when the element is looked for
                guard let element = Element._element(of: managed, at: position) else {
                    trapIndex(position, "subscript")
                }
                return element
            }
            guard position >= 0, position < elements.count else {
                trapIndex(position, "subscript")
            }
            return elements[position]
        }
        set {
            guard position >= 0, position < count else { trapIndex(position, "subscript") }
            if let managed {
                Element._set(newValue, in: managed, at: position)
            } else {
                elements[position] = newValue
            }
        }
    }

    /// The first element, nil if there is none.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Walks the elements that the list has now, whatever the loop does to it. An object that was
    /// deleted meanwhile comes as an invalid object: ask `isInvalidated`. A value that was taken out
    /// meanwhile is not walked.
    public func makeIterator() -> ListIterator<Element> {
        guard let managed else { return ListIterator(nil, elements) }
        return ListIterator(managed.frozen, [])
    }

    /// The position of the first element that is the same: a value equal by its stored bits, an
    /// object of the same row. Nil if there is none.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        if let managed { return Element._position(of: element, in: managed) }
        return elements.firstIndex { Element._areSame($0, element) }
    }
}

/// Steps through the elements that a ``List`` had when the loop started.
public struct ListIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let managed: _ManagedList?
    private let elements: [Element]
    private let count: Int
    private var position = 0

    init(_ managed: _ManagedList?, _ elements: [Element]) {
        self.managed = managed
        self.elements = elements
        count = managed?.count ?? elements.count
    }

    public mutating func next() -> Element? {
        while position < count {
            defer { position += 1 }
            guard let managed else { return elements[position] }
            if let element = Element._element(of: managed, at: position) { return element }
        }
        return nil
    }
}

extension List: Equatable {
    /// Whether both are the list of the same property of the same object; for unmanaged lists,
    /// whether they have the same elements.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (.some(let a), .some(let b)): return a.isSame(as: b)
        case (nil, nil): return left.elements.elementsEqual(right.elements, by: Element._areSame)
        default: return false
        }
    }
}

extension List: Persistable {
    public static var _property: _PropertyType {
        _PropertyType(shape: .list(Element._elementType.shape))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static func _makeDefault() -> List { List() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> List {
        guard let binding = object._binding else { return List() }
        if binding.isTracing {
            let isRecorder = binding.isRecorder
            binding.noteRead(
                isRecorder
                    ? Int(column < 0 ? ~column : column) : binding.propertyIndex(ofList: column))
            if isRecorder { return List() }
        }
        return List(_ManagedList(binding, row: object._row, number: column))
    }

    /// Makes the elements those of this list; the list of the object itself changes nothing.
    public func _write(to object: ObjectBase, _ column: Int32) {
        let target = List._managedValue(object, column)
        if let managed, let other = target.managed, managed.isSame(as: other) { return }
        target.assign(Array(self))
    }

    public static func _assign(_ new: List, to current: inout List?) {
        guard let list = current else {
            current = List(Array(new))
            return
        }
        if list !== new { list.assign(Array(new)) }
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .list(self)) }

    public static func _make(_ content: _PropertyContent) -> List? {
        if case .list(let list) = content.content { list as? List } else { nil }
    }
}

/// A list without its element type.
protocol UnmanagedList: AnyObject {
    /// What the list holds.
    var contents: [_PropertyContent.Content] { get }
    /// Makes the list an accessor of what was stored from it.
    func bind(to managed: _ManagedList)
    /// Makes the elements those of the contents. If one is none of the list's type, its position, and
    /// nothing is changed.
    func replaceAll(with contents: [_PropertyContent.Content]) -> Int?
}

extension List: UnmanagedList {
    var contents: [_PropertyContent.Content] { map { $0._elementContent().content } }

    func replaceAll(with contents: [_PropertyContent.Content]) -> Int? {
        var new: [Element] = []
        new.reserveCapacity(contents.count)
        for (position, content) in contents.enumerated() {
            guard let element = Element._makeElement(_PropertyContent(content: content)) else {
                return position
            }
            new.append(element)
        }
        assign(new)
        return nil
    }

    func bind(to managed: _ManagedList) {
        guard self.managed == nil else { return }
        self.managed = managed
        elements = []
    }
}
