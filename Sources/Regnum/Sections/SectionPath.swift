/// The position of an object in sectioned results: the section, and the row within it.
///
///     for path in delta.insertions { show(sections[path], at: path) }
///
/// Paths are ordered by section, then by row.
public struct SectionPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The position of the section.
    public var section: Int
    /// The position of the object within the section.
    public var row: Int

    /// Creates the path of a row in a section.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    public static func < (left: SectionPath, right: SectionPath) -> Bool {
        (left.section, left.row) < (right.section, right.row)
    }

    /// The section and the row, as in `[2, 0]`.
    public var description: String { "[\(section), \(row)]" }
}
