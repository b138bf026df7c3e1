internal import RegnumEngine

/// How a collection changed since the last element of its stream.
///
/// Deleting `deletions` from the old collection and inserting the objects at `insertions` of the
/// new one gives the new collection. An object that moved is a deletion and an insertion. Modified
/// objects stayed at their place, relative to the others: a property was set, also to the value
/// that it had, one of their lists was changed, or, as the stream was asked for, an object that
/// they link to.
public struct ChangeSet<Model: ObjectBase>: Sendable {
    /// Positions in the old collection of the objects that left it, ascending.
    public let deletions: [Int]
    /// Positions in the new collection of the objects that joined it, ascending.
    public let insertions: [Int]
    /// Positions in the **old** collection of the objects that were modified, ascending.
    public let modifications: [Int]
    /// Positions in the **new** collection of the same objects, parallel to ``modifications``.
    public let newModifications: [Int]
    /// The version that the new collection shows.
    public let version: UInt64
    /// The `origin:` labels of the commits that are merged here and concern the stream, in order,
    /// each once; at most the newest 1,000. A commit concerns it if it changes objects that the
    /// query can find, or objects of other classes that it asks about.
    public let origins: [String]
    /// Where to go on from after this change set: see `changes(since:)`.
    public var cursor: ChangeCursor { ChangeCursor(newTable.snapshot.root) }

    private let request: StreamRequest
    private let oldTable: FrozenTable
    private let newTable: FrozenTable
    private let change: ResultChange

    init(
        _ change: ResultChange, _ request: StreamRequest, from oldTable: FrozenTable,
        to newTable: FrozenTable, origins: [String]
    ) {
        deletions = change.deletions
        insertions = change.insertions
        modifications = change.modifications
        newModifications = change.newModifications
        version = newTable.snapshot.root.version
        self.origins = origins
        self.change = change
        self.request = request
        self.oldTable = oldTable
        self.newTable = newTable
    }

    /// The objects at ``deletions``, as the old collection had them.
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
    /// make them modified: those that were set, lists that changed, links and lists through which a
    /// changed object is reached; with key paths the first property of each that was hit.
    ///
    /// - Complexity: O(number of modifications).
    public var modified: [Modification] {
        change.modified.map { row in
            Modification(
                old: Frozen(oldTable, row: row.key), new: Frozen(newTable, row: row.key),
                properties: request.propertyNames(row.mark, newTable))
        }
    }

    /// An object that was modified.
    public struct Modification: Sendable {
        /// The object in the old collection.
        public let old: Frozen<Model>
        /// The object in the new collection.
        public let new: Frozen<Model>
        /// The names of the properties that make it modified, in order of declaration, inverses
        /// last.
        public let properties: [String]
    }

    /// Deletions and insertions as the standard library has them, with moves associated.
    public var difference: CollectionDifference<Frozen<Model>> {
        change.difference {
            Frozen(oldTable, row: $0)
        } new: {
            Frozen(newTable, row: $0)
        }
    }
}
