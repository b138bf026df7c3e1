extension MutableSet: RandomAccessCollection {
    /// The number of elements.
    ///
    /// - Complexity: O(log n).
    public var count: Int { managed?.count ?? elements.array.count }

    /// The element at a position in the set's order. Positions change when elements are
    /// inserted or removed.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Element {
        guard let managed else {
            guard position >= 0, position < elements.array.count else {
                trapIndex(position, "subscript", count)
            }
            return elements.array[position]
        }
        // The element lookup detects positions that are out of range.
        guard let element = Element._element(of: managed, at: position) else {
            trapIndex(position, "subscript", count)
        }
        return element
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        if let managed { return managed.loopElements(Element.self, at: positions) }
        let taken = Array(elements.array[positions.clamped(to: 0..<elements.array.count)])
        return _TakenElements(count: taken.count) { taken[$0] }
    }

    /// Returns an iterator over the current elements. The loop may modify the set: objects that it
    /// deletes are still returned, as invalidated objects (check `isInvalidated`), but values that
    /// it removes are skipped.
    public func makeIterator() -> ListIterator<Element> {
        guard let managed else { return ListIterator(nil, elements.array) }
        return ListIterator(managed.frozen, [])
    }

    /// Returns the position of an element, or `nil` if the set doesn't contain it.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        guard contains(element) else { return nil }
        let sought = MutableSet([element])
        return enumerated().first { sought.contains($0.element) }?.offset
    }

    /// Returns the position of an element, or `nil` if the set doesn't contain it.
    public func firstIndex(of element: Element) -> Int? { index(of: element) }
}

extension MutableSet: Equatable {
    /// Returns whether both sets belong to the same property of the same object or, for unmanaged
    /// sets, whether they have the same elements in any order.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (.some(let a), .some(let b)): return a.isSame(as: b)
        case (nil, nil): return left.count == right.count && left.isSubset(of: right)
        default: return false
        }
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Creates an unmanaged set from an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { elements.insert(try container.decode(Element.self)) }
    }
}
