extension List: RandomAccessCollection, MutableCollection {
    public typealias SubSequence = ConfinedSlice<List>

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
            guard hasElement(position, "subscript") else { return }
            if let managed {
                Element._set(newValue, in: managed, at: position)
            } else {
                elements[position] = newValue
            }
        }
    }

    /// The elements at a range of positions. Setting them replaces as many.
    ///
    /// - Precondition: `0 <= bounds.lowerBound` and `bounds.upperBound <= count`.
    public subscript(bounds: Range<Int>) -> ConfinedSlice<List> {
        get { slice(bounds) }
        set {
            // what was changed in place, as by `list[0..<3].sort()`, is in the list already
            if newValue.base === self, newValue.bounds == bounds { return }
            var list = self
            list.assign(newValue, at: bounds)
        }
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        if let managed { return managed.taken(Element.self, at: positions) }
        let taken = Array(elements[positions.clamped(to: 0..<elements.count)])
        return _TakenElements(count: taken.count) { taken[$0] }
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
