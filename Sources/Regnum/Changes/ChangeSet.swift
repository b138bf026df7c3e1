internal import RegnumEngine

/// How a collection changed since the last element of its stream.
///
/// Deleting `deletions` from the old collection and inserting the objects at `insertions` of the
/// new one gives the new collection. An object that moved is a deletion and an insertion.
/// Modified objects stayed at their place, relative to the others: a property was set, also to the
/// value that it had, or one of its lists was changed. What happened to objects that they link to
/// is no modification.
public struct ChangeSet<Model: Object>: Sendable {
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
    /// The `origin:` labels of the commits that are merged here, in order, each once. Labels of
    /// commits that touched only classes that the query does not ask about are not among them; nor are those of commits whose
    /// summaries were dropped because the consumer was too slow.
    public let origins: [String]

    private let lists: ListEdits
    private let oldTable: FrozenTable
    private let newTable: FrozenTable
    private let change: ResultChange

    init(
        _ change: ResultChange, lists: ListEdits, from oldTable: FrozenTable,
        to newTable: FrozenTable, origins: [String]
    ) {
        deletions = change.deletions
        insertions = change.insertions
        modifications = change.modifications
        newModifications = change.newModifications
        version = newTable.snapshot.root.version
        self.origins = origins
        self.change = change
        self.lists = lists
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
    /// were set, and of the lists that changed.
    ///
    /// - Complexity: O(number of modifications).
    public var modified: [Modification] {
        change.modified.map { row in
            Modification(
                old: Frozen(oldTable, row: row.key), new: Frozen(newTable, row: row.key),
                properties: newTable.propertyNames(row.columns, lists: lists[row.key]))
        }
    }

    /// An object that was modified.
    public struct Modification: Sendable {
        /// The object in the old collection.
        public let old: Frozen<Model>
        /// The object in the new collection.
        public let new: Frozen<Model>
        /// The names of the properties that were set and of the lists that changed, in order of
        /// declaration.
        public let properties: [String]
    }

    /// Deletions and insertions as the standard library has them, with moves associated.
    public var difference: CollectionDifference<Frozen<Model>> {
        var newPlaces: [ObjectKey: Int] = [:]
        var oldPlaces: [ObjectKey: Int] = [:]
        for (key, place) in zip(change.insertedKeys, insertions) { newPlaces[key] = place }
        for (key, place) in zip(change.deletedKeys, deletions) { oldPlaces[key] = place }
        let removals = zip(change.deletedKeys, deletions).map { key, place in
            CollectionDifference<Frozen<Model>>.Change.remove(
                offset: place, element: Frozen(oldTable, row: key),
                associatedWith: newPlaces[key])
        }
        let additions = zip(change.insertedKeys, insertions).map { key, place in
            CollectionDifference<Frozen<Model>>.Change.insert(
                offset: place, element: Frozen(newTable, row: key),
                associatedWith: oldPlaces[key])
        }
        guard let difference = CollectionDifference(removals + additions) else {
            fatalError("A change set of \(newTable.schema.name) has places that contradict.")
        }
        return difference
    }
}
