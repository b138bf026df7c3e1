internal import RegnumEngine

/// An element of the change stream of sectioned results.
public enum SectionChange<Key: SectionKey, Model: ObjectBase>: Sendable {
    /// The sections when the iteration started. Delivered exactly once, as the first element,
    /// except by streams that resume from a cursor.
    case initial(FrozenSections<Key, Model>)
    /// The current sections and their changes since the previous element. Never empty.
    case update(FrozenSections<Key, Model>, SectionChangeSet<Key, Model>)
}

extension SectionChange {
    /// The current sections.
    public var sections: FrozenSections<Key, Model> {
        switch self {
        case .initial(let sections), .update(let sections, _): sections
        }
    }

    /// The cursor for resuming after this element.
    public var cursor: ChangeCursor { sections.cursor }
}

/// The changes of sectioned results since the last element of their stream.
///
/// Deleting the objects at `deletions` and the sections at `sectionDeletions` from the old
/// sections, and inserting the sections at `sectionInsertions` and the objects at `insertions` of
/// the new ones, yields the new sections. The objects of deleted sections aren't listed; all
/// objects of inserted sections are. A section that moved relative to the others is deleted and
/// inserted; this is possible only if a closure returns the keys, or if different keys sort
/// equally, such as the decimals 1 and 1.0.
///
/// A modified object that has the same key and the same position in its section as before is listed
/// in `modifications`; any other modified object is deleted and inserted, and so is one that moved
/// to another section.
public struct SectionChangeSet<Key: SectionKey, Model: ObjectBase>: Sendable {
    /// Positions of the removed sections among the old ones, in ascending order.
    public var sectionDeletions: [Int] { difference.deletedSections }
    /// Positions of the inserted sections among the new ones, in ascending order.
    public var sectionInsertions: [Int] { difference.insertedSections }
    /// Paths of the removed objects in the old sections, in ascending order.
    public var deletions: [SectionPath] { difference.deletions }
    /// Paths of the inserted objects in the new sections, in ascending order.
    public var insertions: [SectionPath] { difference.insertions }
    /// Paths of the modified objects in the **old** sections, in ascending order.
    public var modifications: [SectionPath] { difference.modifications }
    /// Paths of the same objects in the **new** sections, parallel to ``modifications``. Only the
    /// sections can differ.
    public var newModifications: [SectionPath] { difference.newModifications }
    /// The keys of the sections at ``sectionDeletions``.
    public let deletedKeys: [Key]
    /// The keys of the sections at ``sectionInsertions``.
    public let insertedKeys: [Key]
    /// The version of the new sections.
    public var version: UInt64 { newTable.snapshot.root.version }
    /// The `origin:` labels of the merged commits that concern the stream; see
    /// ``ChangeSet/origins``.
    public let origins: [String]
    /// The cursor for resuming after this change set; see `changes(since:)`.
    public var cursor: ChangeCursor { newTable.snapshot.cursor }

    let difference: SectionDifference
    let request: StreamRequest
    let oldTable: FrozenTable
    let newTable: FrozenTable

    /// The objects at ``deletions``, as they were in the old sections.
    ///
    /// - Complexity: O(number of deletions).
    public var deleted: [Frozen<Model>] {
        difference.deletedKeys.map { Frozen(oldTable, row: $0) }
    }

    /// The objects at ``modifications``, before and after, with the names of the properties that
    /// make them count as modified; see ``ChangeSet/modified``.
    ///
    /// - Complexity: O(number of modifications).
    public var modified: [ChangeSet<Model>.Modification] {
        difference.modified.map { row in
            ChangeSet<Model>.Modification(
                old: Frozen(oldTable, row: row.key), new: Frozen(newTable, row: row.key),
                properties: request.propertyNames(row.mark, newTable))
        }
    }
}
