internal import RegnumEngine

/// A row that changed in a step: deleted (without a new position), inserted (without an old one),
/// modified, or moved to another section because its key changed.
struct SectionedRow {
    let key: ObjectKey
    let oldPosition: Int?
    let newPosition: Int?
    /// The row, if it counts as modified.
    var modified: ModifiedResult?
}

/// The difference of the sections of two versions of a result, by path.
///
/// Rows of deleted sections aren't listed, and all rows of inserted sections are. A section whose
/// order relative to the other ones changed is deleted and inserted. All arrays are ascending.
struct SectionDifference: Sendable {
    /// Old sections whose key isn't a key of the new version, or which moved.
    var deletedSections: [Int] = []
    /// New sections.
    var insertedSections: [Int] = []
    /// Old paths.
    var deletions: [SectionPath] = []
    /// Parallel to `deletions`.
    var deletedKeys: [ObjectKey] = []
    /// New paths.
    var insertions: [SectionPath] = []
    /// Old paths of the rows that were modified and have the same section and row as before.
    var modifications: [SectionPath] = []
    /// New paths, parallel to `modifications`.
    var newModifications: [SectionPath] = []
    /// Parallel to `modifications`.
    var modified: [ModifiedResult] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty
            && insertions.isEmpty && modifications.isEmpty
    }

    /// - Parameters:
    ///   - survivors: For each old section, the new section with the same key, if there is one.
    ///   - rows: The rows that changed. All other rows have kept their order and their key.
    /// - Complexity: O(s log s + c log c) for s sections and c changed rows and rows of inserted
    ///   sections.
    init(
        from old: SectionLayout, to new: SectionLayout, survivors: [Int?], rows: [SectionedRow]
    ) {
        let common = survivors.indices.filter { survivors[$0] != nil }
        let ordered = longestIncreasingSubsequence(common.compactMap { survivors[$0] })
        var counterparts = [Int?](repeating: nil, count: survivors.count)
        var isKept = [Bool](repeating: false, count: new.count)
        for section in ordered.map({ common[$0] }) {
            guard let counterpart = survivors[section] else { continue }
            counterparts[section] = counterpart
            isKept[counterpart] = true
        }
        deletedSections = counterparts.indices.filter { counterparts[$0] == nil }
        insertedSections = isKept.indices.filter { !isKept[$0] }
        var deleted: [(path: SectionPath, key: ObjectKey)] = []
        var changed: [(old: SectionPath, new: SectionPath, row: ModifiedResult)] = []
        for row in rows {
            let oldPath = row.oldPosition.map { old.path(of: $0) }
            let newPath = row.newPosition.map { new.path(of: $0) }
            if let oldPath, let newPath, counterparts[oldPath.section] == newPath.section {
                guard let modified = row.modified else { continue }
                if oldPath.row == newPath.row {
                    changed.append((oldPath, newPath, modified))
                    continue
                }
            }
            if let oldPath, counterparts[oldPath.section] != nil {
                deleted.append((oldPath, row.key))
            }
            if let newPath, isKept[newPath.section] { insertions.append(newPath) }
        }
        for section in insertedSections {
            for row in 0..<new.rowCount(in: section) {
                insertions.append(SectionPath(section: section, row: row))
            }
        }
        insertions.sort()
        deleted.sort { $0.path < $1.path }
        deletions = deleted.map(\.path)
        deletedKeys = deleted.map(\.key)
        changed.sort { $0.old < $1.old }
        modifications = changed.map(\.old)
        newModifications = changed.map(\.new)
        modified = changed.map(\.row)
    }

    /// Returns the part of the difference that concerns one section.
    ///
    /// - Parameters:
    ///   - old: The section in the old version, if it exists there.
    ///   - new: The section in the new version, if it exists there.
    func restricted(old: Int?, new: Int?) -> SectionDifference {
        var part = self
        part.deletedSections.removeAll { $0 != old }
        part.insertedSections.removeAll { $0 != new }
        let deleted = deletions.indices.filter { deletions[$0].section == old }
        part.deletions = deleted.map { deletions[$0] }
        part.deletedKeys = deleted.map { deletedKeys[$0] }
        part.insertions.removeAll { $0.section != new }
        let changed = modifications.indices.filter { modifications[$0].section == old }
        part.modifications = changed.map { modifications[$0] }
        part.newModifications = changed.map { newModifications[$0] }
        part.modified = changed.map { modified[$0] }
        return part
    }
}
