/// The body of a COMMIT record: the net effect of one transaction as logical operations.
/// `Docs/FORMAT.md` specifies the layout, the order of the operations and their meaning.
///
/// Operations apply to the rows that the preceding ones left, and a list change leads to the final
/// list, whatever the edits were. Unknown codes, flags, types and modes throw `unsupportedFormat`;
/// anything else that contradicts the format or the base throws `invalidDatabase`. Limits such as
/// `Limits.maximumRecordCellCount` bound the work that a few hostile bytes can cause.
package enum CommitRecord {
    enum Operation: UInt8 {
        case addTable = 1
        case addColumn = 2
        case delete = 3
        case set = 4
        case insert = 5
        // 6: BulkCommit.operation
        case addList = 7
        case lists = 8
        case addIndex = 9
        case schemaVersion = 10
        case addFullTextIndex = 11
        case addGeoIndex = 12
    }

    static let flagOptional: UInt8 = 1
    static let flagPrimaryKey: UInt8 = 2
    static let flagIndexed: UInt8 = 4
    static let flagLink: UInt8 = 16
    static let flagFullTextIndexed: UInt8 = 32
}
