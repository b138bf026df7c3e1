/// How a result changed between two versions, by position and by key.
///
/// Deleting `deletions` (positions in the old result) and inserting `insertions` (positions in the
/// new one) turns the old into the new. A row that moved is a deletion and an insertion. All
/// position lists are ascending.
package struct ResultChange: Sendable, Hashable {
    /// Positions in the old result.
    package var deletions: [Int] = []
    /// Positions in the new result.
    package var insertions: [Int] = []
    /// Old positions of the rows that stayed and were modified.
    package var modifications: [Int] = []
    /// New positions of the same rows, parallel to `modifications`.
    package var newModifications: [Int] = []
    /// Parallel to `deletions`.
    package var deletedKeys: [ObjectKey] = []
    /// Parallel to `insertions`.
    package var insertedKeys: [ObjectKey] = []
    /// The rows that stayed and were modified, parallel to `modifications`.
    package var modified: [ModifiedResult] = []

    package init() {}

    /// Whether nothing changed that the result shows.
    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// A row that stayed in a result and was modified.
package struct ModifiedResult: Sendable, Hashable {
    package var key: ObjectKey
    /// Position in the old result.
    package var oldIndex: Int
    /// Position in the new result.
    package var newIndex: Int
    /// The properties that were set, ascending. From a comparison of two roots (no summaries): those
    /// whose values differ, so none where only equal values were set.
    package var columns: [ColumnKey]
}
