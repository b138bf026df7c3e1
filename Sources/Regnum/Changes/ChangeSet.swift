internal import RegnumEngine

/// The changes of a collection since the last element of its stream.
///
/// Deleting the objects at `deletions` from the old collection and inserting those at `insertions`
/// of the new one yields the new collection. An object that moved is reported as a deletion and an
/// insertion. Modified objects kept their position relative to the others, and either one of their
/// properties was set (even to the same value), one of their lists changed or, depending on the
/// stream's parameters, an object that they link to was modified.
///
///     for modification in delta.modified { print(modification.properties) }
public struct ChangeSet<Model: ObjectBase>: Sendable {
    /// Positions of the removed objects in the old collection, in ascending order.
    public var deletions: [Int] { change.deletions }
    /// Positions of the inserted objects in the new collection, in ascending order.
    public var insertions: [Int] { change.insertions }
    /// Positions of the modified objects in the **old** collection, in ascending order.
    public var modifications: [Int] { change.modifications }
    /// Positions of the same objects in the **new** collection, parallel to ``modifications``.
    public var newModifications: [Int] { change.newModifications }
    /// The version of the new collection.
    public var version: UInt64 { newTable.snapshot.root.version }
    /// The `origin:` labels of the merged commits that concern the stream, in order and without
    /// duplicates; at most the newest 1,000. A commit concerns the stream if it changes objects
    /// that might match the query, or objects of other classes that the query depends on.
    public let origins: [String]
    /// The trace context of the write, if it was traced and the stream delivers every commit.
    package let trace: String?
    /// The cursor for resuming after this change set; see `changes(since:)`.
    public var cursor: ChangeCursor { newTable.snapshot.cursor }

    let change: ResultChange
    let request: StreamRequest
    let oldTable: FrozenTable
    let newTable: FrozenTable

    /// The objects at ``deletions``, from the old collection.
    ///
    /// - Complexity: O(number of deletions).
    public var deleted: [Frozen<Model>] {
        change.deletedKeys.map { Frozen(oldTable, row: $0) }
    }

    /// The objects at ``insertions``.
    ///
    /// - Complexity: O(number of insertions).
    public var inserted: [Frozen<Model>] {
        change.insertedKeys.map { Frozen(newTable, row: $0) }
    }

    /// The objects at ``modifications``, before and after, with the names of the properties that
    /// make them count as modified: properties that were set, lists that changed, and links and
    /// lists that lead to a changed object. If the stream was created with key paths, these are the
    /// first properties of the paths that matched.
    ///
    /// - Complexity: O(number of modifications).
    public var modified: [Modification] {
        change.modified.map { row in
            Modification(
                old: Frozen(oldTable, row: row.key), new: Frozen(newTable, row: row.key),
                properties: request.propertyNames(row.mark, newTable))
        }
    }

    /// A modified object.
    public struct Modification: Sendable {
        /// The object in the old collection.
        public let old: Frozen<Model>
        /// The object in the new collection.
        public let new: Frozen<Model>
        /// The names of the properties that make the object count as modified, in declaration
        /// order, with inverses last.
        public let properties: [String]
    }

    /// The deletions and insertions as a standard library `CollectionDifference`, with associated
    /// moves.
    ///
    /// - Complexity: O(number of deletions and insertions).
    public var difference: CollectionDifference<Frozen<Model>> {
        change.difference {
            Frozen(oldTable, row: $0)
        } new: {
            Frozen(newTable, row: $0)
        }
    }
}
