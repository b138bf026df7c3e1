extension MutableSet: RandomAccessCollection {
    public typealias SubSequence = ConfinedSlice<MutableSet>

    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of elements.
    ///
    /// - Complexity: O(log n).
    public var count: Int { managed?.count ?? elements.array.count }

    /// The element at a position of the set's order, which changes as elements come and go.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Element {
        guard let managed else {
            guard position >= 0, position < elements.array.count else {
                trapIndex(position, "subscript")
            }
            return elements.array[position]
        }
        // a position that the set does not have shows when the element is looked for
        guard let element = Element._element(of: managed, at: position) else {
            trapIndex(position, "subscript")
        }
        return element
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        if let managed { return managed.taken(Element.self, at: positions) }
        let taken = Array(elements.array[positions.clamped(to: 0..<elements.array.count)])
        return _TakenElements(count: taken.count) { taken[$0] }
    }

    /// The first element of the set's order, nil if there is none.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Walks the elements that the set has now, whatever the loop does to it. An object that was
    /// deleted meanwhile comes as an invalid object: ask `isInvalidated`. A value that was taken out
    /// meanwhile is not walked.
    public func makeIterator() -> ListIterator<Element> {
        guard let managed else { return ListIterator(nil, elements.array) }
        return ListIterator(managed.frozen, [])
    }

    /// The position of an element, nil if it is not there.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        guard contains(element) else { return nil }
        let sought = MutableSet([element])
        return enumerated().first { sought.contains($0.element) }?.offset
    }

    /// The position of an element, nil if it is not there.
    public func firstIndex(of element: Element) -> Int? { index(of: element) }
}

extension MutableSet: Equatable {
    /// Whether both are the set of the same property of the same object; for unmanaged sets,
    /// whether they have the same elements, in whatever order.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (.some(let a), .some(let b)): return a.isSame(as: b)
        case (nil, nil): return left.count == right.count && left.isSubset(of: right)
        default: return false
        }
    }
}

extension MutableSet: CustomStringConvertible {
    /// The elements with their positions, line by line; at most 100.
    public var description: String {
        var printer = ObjectPrinter()
        printer.print(self, "MutableSet<\(Element.self)>")
        return printer.text
    }
}

extension MutableSet: PrintableList {
    func print(to printer: inout ObjectPrinter, _ name: String) { printer.print(self, name) }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements as an array, in the set's order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// An unmanaged set of the elements of an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { elements.insert(try container.decode(Element.self)) }
    }
}
