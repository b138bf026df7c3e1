/// A view of a realm's collection in reverse order, such as
/// `tx.objects(Dog.self).reversed()`.
///
/// The view shows the current state. A loop visits the elements that the view had when the loop
/// started, except for objects deleted and values removed since then. Confined to the transaction
/// body, like the collection.
public struct ConfinedReversed<Base: _ConfinedCollection>: _ConfinedCollection {
    public typealias Element = Base.Element
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias Iterator = ConfinedIterator<Base.Element>

    let base: Base

    public var endIndex: Int { base.count }

    /// The element at a position, counted from the end of the collection.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> Base.Element { base[base.endIndex - 1 - position] }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Base.Element> {
        let positions = positions.clamped(to: 0..<count)
        let end = base.endIndex
        let taken = base._elements(at: end - positions.upperBound..<end - positions.lowerBound)
        return _TakenElements(count: taken.count) { taken.element(taken.count - 1 - $0) }
    }

    public var _hasFailed: Bool { base._hasFailed }
}

@available(*, unavailable, message: "a collection is confined to a transaction: use a snapshot")
extension ConfinedReversed: Sendable {}
