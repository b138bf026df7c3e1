internal import RegnumEngine

/// An element of the change stream of a list of values.
public enum ValueChange<Value: ScalarValue & Sendable>: Sendable {
    /// The list when the iteration started. Delivered exactly once, as the first element, except by
    /// streams that resume from a cursor.
    case initial(FrozenValues<Value>)
    /// The current list and its changes since the previous element. Never empty.
    case update(FrozenValues<Value>, ValueChangeSet<Value>)
}

/// The changes of a list of values. See ``Changes`` for how streams start, merge and end.
public typealias ValueChanges<Value: ScalarValue & Sendable> = Changes<ValueChange<Value>>

extension StreamRequest {
    /// The changes of a list of values.
    func valueChanges<Value>() -> ValueChanges<Value> {
        Changes(request: self) { element in
            switch element {
            case .initial(let place): return (.initial(FrozenValues(place)), nil)
            case .update(let table, let old, let place, let change, let origins, _):
                let old = FrozenValues<Value>(
                    StreamPlace(table: table, result: old ?? place.result))
                let new = FrozenValues<Value>(place)
                let changes = ValueChangeSet(
                    origins: origins, change: change, old: old, new: new)
                return (.update(new, changes), nil)
            }
        }
    }
}

extension FrozenValues {
    fileprivate init(_ place: StreamPlace) {
        self.init(FrozenQuery(place.table, place.result.plan, tree: place.result.tree))
    }
}

/// The changes of a list of values since the last element of its stream.
///
/// Deleting the values at `deletions` from the old list, inserting the values at `insertions` of
/// the new one, and replacing those at `newModifications`, yields the new list. A value that moved
/// is reported as a deletion and an insertion.
public struct ValueChangeSet<Value: ScalarValue & Sendable>: Sendable {
    /// Positions of the removed values in the old list, in ascending order.
    public var deletions: [Int] { change.deletions }
    /// Positions of the inserted values in the new list, in ascending order.
    public var insertions: [Int] { change.insertions }
    /// Positions in the **old** list of the values that were set, in ascending order.
    public var modifications: [Int] { change.modifications }
    /// Positions in the **new** list of the same values, parallel to ``modifications``.
    public var newModifications: [Int] { change.newModifications }
    /// The version of the new list.
    public var version: UInt64 { new.version }
    /// The labels of the merged commits. See ``ChangeSet/origins``.
    public let origins: [String]
    /// The cursor for resuming after this change set.
    public var cursor: ChangeCursor { new.cursor }

    let change: ResultChange
    let old: FrozenValues<Value>
    let new: FrozenValues<Value>

    /// The values at ``deletions``, from the old list.
    ///
    /// - Complexity: O(m log n) for m deletions.
    public var deleted: [Value] { deletions.map { old[$0] } }

    /// The values at ``insertions``.
    ///
    /// - Complexity: O(m log n) for m insertions.
    public var inserted: [Value] { insertions.map { new[$0] } }

    /// The values at ``modifications``, before and after.
    ///
    /// - Complexity: O(m log n) for m modifications.
    public var modified: [(old: Value, new: Value)] {
        zip(modifications, newModifications).map { (old: old[$0], new: new[$1]) }
    }
}

extension ValueChangeSet {
    /// The changes as a standard library `CollectionDifference`, with associated moves. Values that
    /// were set are removed and inserted.
    public var difference: CollectionDifference<Value> {
        change.difference(replacesModified: true) {
            old.element($0)
        } new: {
            new.element($0)
        }
    }
}
