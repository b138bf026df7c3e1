/// A slice of a realm's collection, such as `tx.objects(Dog.self)[2..<5]` or
/// `person.dogs.prefix(3)`.
///
/// The slice shows the elements that are at its positions in the current state, or fewer if the
/// collection has become shorter. A loop visits the elements that the slice had when the loop
/// started, except for objects deleted and values removed since then. Confined to the transaction
/// body, like the collection.
public struct ConfinedSlice<Base: _ConfinedCollection>: _ConfinedCollection {
    public typealias Element = Base.Element
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias SubSequence = ConfinedSlice
    public typealias Iterator = ConfinedIterator<Base.Element>

    private(set) var base: Base
    let bounds: Range<Int>

    public var startIndex: Int { bounds.lowerBound }

    public var endIndex: Int {
        let end = Swift.min(bounds.upperBound, base._end(upTo: bounds.upperBound))
        return Swift.max(bounds.lowerBound, end)
    }

    /// The element at a position of the collection.
    ///
    /// - Precondition: `startIndex <= position < endIndex`.
    public subscript(position: Int) -> Base.Element {
        check(position..<position + 1)
        return base[position]
    }

    /// The elements at a range of positions of the collection.
    ///
    /// - Precondition: `startIndex <= range.lowerBound` and `range.upperBound <= endIndex`.
    public subscript(range: Range<Int>) -> ConfinedSlice {
        check(range)
        return ConfinedSlice(base: base, bounds: range)
    }

    /// The elements at a range of positions of the collection, such as `2...4` or `3...`.
    public subscript(range: some RangeExpression<Int>) -> ConfinedSlice {
        self[range.positions(from: startIndex, to: endIndex)]
    }

    /// Returns the elements from a position of the collection to the end of the slice.
    ///
    /// - Precondition: `startIndex <= position <= endIndex`.
    public func suffix(from position: Int) -> ConfinedSlice { self[position...] }

    /// Returns the elements before a position of the collection.
    ///
    /// - Precondition: `startIndex <= position <= endIndex`.
    public func prefix(upTo position: Int) -> ConfinedSlice { self[..<position] }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Base.Element> {
        base._elements(at: positions.clamped(to: bounds))
    }

    public var _hasFailed: Bool { base._hasFailed }

    private func check(_ range: Range<Int>) {
        guard range.lowerBound < bounds.lowerBound || range.upperBound > bounds.upperBound else {
            return
        }
        if _hasFailed { return }
        fatalError(
            "The range \(range) is out of range: a slice of \(Base.self) has the positions "
                + "\(bounds).\(ReadScope.callSiteMessage)")
    }
}

extension ConfinedSlice: MutableCollection where Base: MutableCollection {
    /// The element at a position of the collection. Setting it changes the collection.
    public subscript(position: Int) -> Base.Element {
        get {
            check(position..<position + 1)
            return base[position]
        }
        set {
            check(position..<position + 1)
            base[position] = newValue
        }
    }

    /// The elements at a range of positions of the collection. Setting them changes the collection.
    public subscript(range: Range<Int>) -> ConfinedSlice {
        get {
            check(range)
            return ConfinedSlice(base: base, bounds: range)
        }
        set {
            check(range)
            base.assign(newValue, at: range)
        }
    }

    /// The elements at a range of positions of the collection, such as `2...4` or `3...`. Setting
    /// them changes the collection.
    public subscript(range: some RangeExpression<Int>) -> ConfinedSlice {
        get { self[range.positions(from: startIndex, to: endIndex)] }
        set { self[range.positions(from: startIndex, to: endIndex)] = newValue }
    }

    /// Swaps two elements of the collection.
    ///
    /// - Precondition: Both positions are in `startIndex..<endIndex`.
    public mutating func swapAt(_ first: Int, _ second: Int) {
        check(first..<first + 1)
        check(second..<second + 1)
        base.swapAt(first, second)
    }
}

extension _ConfinedCollection where Self: MutableCollection {
    /// Replaces the elements at a range of positions by the same number of elements.
    mutating func assign(_ elements: some Sequence<Element>, at range: Range<Int>) {
        let elements = Array(elements)  // may be a view of this collection
        guard elements.count == range.count || _hasFailed else {
            fatalError(
                "The range \(range) of \(Self.self) was assigned \(elements.count) elements: a "
                    + "slice can't change its length.")
        }
        for (position, element) in zip(range, elements) { self[position] = element }
    }
}

@available(*, unavailable, message: "a slice is confined to a transaction: use a snapshot")
extension ConfinedSlice: Sendable {}
