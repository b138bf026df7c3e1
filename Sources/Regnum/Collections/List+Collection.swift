extension List: RandomAccessCollection, MutableCollection {
    /// The number of elements.
    ///
    /// - Complexity: O(log n).
    public var count: Int {
        if let managed { return managed.count }
        return elements.count
    }

    /// The element at a position. The setter replaces it, which counts as a change even if the new
    /// element is equal.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Element {
        get {
            if let managed {
                // The element lookup detects positions that are out of range.
                guard let element = Element._element(of: managed, at: position) else {
                    trapIndex(position, "subscript", count)
                }
                return element
            }
            guard position >= 0, position < elements.count else {
                trapIndex(position, "subscript", count)
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

    /// The elements in a range of positions. The setter requires the same number of elements.
    ///
    /// - Precondition: `0 <= bounds.lowerBound` and `bounds.upperBound <= count`.
    public subscript(bounds: Range<Int>) -> ConfinedSlice<List> {
        get { slice(bounds) }
        set {
            // In-place changes such as `list[0..<3].sort()` have already modified the list.
            if newValue.base === self, newValue.bounds == bounds { return }
            var list = self
            list.assign(newValue, at: bounds)
        }
    }

    /// The elements in a range of positions such as `2...4` or `3...`. The setter requires the same
    /// number of elements.
    public subscript(range: some RangeExpression<Int>) -> ConfinedSlice<List> {
        get { slice(range.positions(from: 0, to: count)) }
        set { self[range.positions(from: 0, to: count)] = newValue }
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        if let managed { return managed.loopElements(Element.self, at: positions) }
        let taken = Array(elements[positions.clamped(to: 0..<elements.count)])
        return _TakenElements(count: taken.count) { taken[$0] }
    }

    /// Returns an iterator over the current elements. The loop may modify the list: objects that it
    /// deletes are still returned, as invalidated objects (check `isInvalidated`), but values that
    /// it removes are skipped.
    public func makeIterator() -> ListIterator<Element> {
        guard let managed else { return ListIterator(nil, elements) }
        return ListIterator(managed.frozen, [])
    }

    /// Returns the position of the first element that is the same as the given one, or `nil` if
    /// there is none. Values are compared by their stored bits, objects by their rows.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        if let managed { return Element._position(of: element, in: managed) }
        return elements.firstIndex { Element._areSame($0, element) }
    }
}

/// An iterator over the elements that a ``List`` had when the loop started.
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
    /// Returns whether both lists belong to the same property of the same object or, for unmanaged
    /// lists, whether they have the same elements.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (.some(let a), .some(let b)): return a.isSame(as: b)
        case (nil, nil): return left.elements.elementsEqual(right.elements, by: Element._areSame)
        default: return false
        }
    }
}
