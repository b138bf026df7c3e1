internal import RegnumEngine

/// A collection that shows the current state of a transaction, such as ``Results``, ``List`` or
/// ``DynamicList``.
///
/// Positions refer to the current state, so a change in the body can shift them. For that reason
/// loops and `map`, including those over slices and `reversed()`, capture the elements when they
/// start.
///
/// Implemented by the library's collections; do not conform your own types.
public protocol _ConfinedCollection: RandomAccessCollection
where Index == Int, SubSequence: _ConfinedCollection {
    associatedtype SubSequence = ConfinedSlice<Self>
    /// Returns the elements that are currently at the given positions, ignoring positions that are
    /// out of range.
    func _elements(at positions: Range<Int>) -> _TakenElements<Element>
    /// Returns `endIndex` if it is less than `limit`, otherwise any number from `limit` to
    /// `endIndex`. Results find at most `limit` objects to determine it.
    func _end(upTo limit: Int) -> Int
    /// Whether the transaction has failed, which leaves the elements undefined.
    var _hasFailed: Bool { get }
}

/// An iterator over the elements that a collection had when the loop started. Objects that were
/// deleted and values that were removed since then are skipped.
public struct ConfinedIterator<Element>: IteratorProtocol {
    private let elements: _TakenElements<Element>
    private var position = 0

    init(_ elements: _TakenElements<Element>) {
        self.elements = elements
    }

    public mutating func next() -> Element? {
        while position < elements.count {
            defer { position += 1 }
            if let element = elements.element(position) { return element }
        }
        return nil
    }
}

extension _ConfinedCollection {
    @inlinable
    public var startIndex: Int { 0 }

    public func _end(upTo limit: Int) -> Int { endIndex }

    public var _hasFailed: Bool { ReadScope.hasFailed }

    /// Returns an iterator over the elements that the collection has when the loop starts. Objects
    /// that the loop deletes and values that it removes are skipped.
    public func makeIterator() -> ConfinedIterator<Element> {
        ConfinedIterator(_elements(at: startIndex..<endIndex))
    }

    /// Returns the results of `transform` for the elements that a `for` loop would visit. Rethrows
    /// its error.
    @inlinable
    public func map<T, Failure: Error>(
        _ transform: (Element) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        // the standard library's uses positions, which shift if `transform` changes the collection
        var results: [T] = []
        var iterator = makeIterator()
        results.reserveCapacity(count)
        while let element = iterator.next() { results.append(try transform(element)) }
        return results
    }

    /// Returns a view of the elements in reverse order.
    ///
    /// - Complexity: O(1).
    public func reversed() -> ConfinedReversed<Self> { ConfinedReversed(base: self) }

    // The standard library traps if an iterator returns fewer elements than these promise. That
    // happens with damaged rows, which fail the transaction instead.

    public var underestimatedCount: Int { 0 }

    @inlinable
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        var elements: ContiguousArray<Element> = []
        var iterator = makeIterator()
        elements.reserveCapacity(count)
        while let element = iterator.next() { elements.append(element) }
        return elements
    }
}

extension _ConfinedCollection where SubSequence == ConfinedSlice<Self> {
    /// The elements in a range of positions. Results find and sort only as many objects as needed.
    ///
    /// - Precondition: `startIndex <= bounds.lowerBound` and `bounds.upperBound <= endIndex`.
    public subscript(bounds: Range<Int>) -> ConfinedSlice<Self> { slice(bounds) }

    /// The elements in a range of positions such as `2...4` or `3...`.
    public subscript(range: some RangeExpression<Int>) -> ConfinedSlice<Self> {
        slice(range.positions(from: 0, to: endIndex))
    }

    /// Returns the elements from a position to the end.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func suffix(from position: Int) -> ConfinedSlice<Self> { self[position...] }

    /// Returns the elements before a position.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func prefix(upTo position: Int) -> ConfinedSlice<Self> { self[..<position] }

    /// Returns up to `maxLength` elements from the start of the collection. Results find and sort
    /// only as many objects as needed.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> ConfinedSlice<Self> {
        guard maxLength >= 0 else {
            if _hasFailed { return ConfinedSlice(base: self, bounds: 0..<0) }
            fatalError("The length of a prefix of \(Self.self) is negative: \(maxLength).")
        }
        return ConfinedSlice(base: self, bounds: 0..<Swift.min(maxLength, _end(upTo: maxLength)))
    }

    func slice(_ bounds: Range<Int>) -> ConfinedSlice<Self> {
        guard
            bounds.lowerBound >= 0 && bounds.upperBound <= _end(upTo: bounds.upperBound)
                || _hasFailed
        else {
            fatalError(
                "The range \(bounds) of \(Self.self) is out of range: the count is \(count)."
                    + ReadScope.callSiteMessage)
        }
        return ConfinedSlice(base: self, bounds: bounds)
    }
}

extension ClassBinding {
    /// Returns the objects at the given positions, whose keys are those of an earlier state.
    func loopElements<T: ObjectBase>(
        _ type: T.Type, _ positions: Range<Int>, _ key: @escaping (Int) -> ObjectKey
    ) -> _TakenElements<T> {
        _TakenElements(count: positions.count) { index in
            let key = key(positions.lowerBound + index)
            guard self.core?.stillHas(self.place.table, key) ?? self.isRecorder else { return nil }
            return self.accessor(type, row: key)
        }
    }
}

extension TransactionCore {
    /// Returns whether a row that a loop started with still exists. Traps after the body.
    func stillHas(_ table: Int, _ row: ObjectKey) -> Bool {
        if case .ended = state {
            fatalError(
                "A loop over a collection continued after the body of the transaction at \(place) "
                    + "had returned.")
        }
        return table >= 0 && cluster(table, row.rawValue, columnCount: 0) != nil
    }
}
