/// The change of a result between two versions, by position and by key.
///
/// Deleting `deletions` (positions in the old result) and inserting `insertions` (positions in the
/// new one) turns the old result into the new one. A row that moved is a deletion and an insertion.
/// All arrays of positions are ascending.
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

    /// Whether the change contains no deletions, insertions or modifications.
    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Returns the old position of the row at a new position, or `nil` if it was inserted.
    ///
    /// - Complexity: O(log changes).
    package func oldPosition(_ position: Int) -> Int? {
        let before = firstIndex(below: insertions.count) { insertions[$0] >= position }
        if before < insertions.count, insertions[before] == position { return nil }
        // the index of the row among those that stayed
        let number = position - before
        let deleted = firstIndex(below: deletions.count) { deletions[$0] - $0 > number }
        return number + deleted
    }
}

/// A row that stayed in a result and was modified.
package struct ModifiedResult: Sendable, Hashable {
    package var key: ObjectKey
    /// Position in the old result.
    package var oldIndex: Int
    /// Position in the new result.
    package var newIndex: Int
    /// The properties and paths of the row that were hit.
    package var mark: RowMarks.Mark

    package init(key: ObjectKey, oldIndex: Int, newIndex: Int, mark: RowMarks.Mark) {
        self.key = key
        self.oldIndex = oldIndex
        self.newIndex = newIndex
        self.mark = mark
    }
}
