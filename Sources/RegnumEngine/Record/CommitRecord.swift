/// The body of a COMMIT record: one transaction's net effect as logical operations.
///
/// Fixed-width numbers are little-endian; `varint` is LEB128 without redundant bytes (at most ten);
/// `string` is a varint byte count and UTF-8 bytes.
///
///     u64     commit version; the base's version + 1
///     i64     wall clock time, microseconds since 1970
///     varint  0 no origin, else 1 + byte count of the origin, whose UTF-8 bytes follow
///     operations up to the end of the body, each `u8 code` and its fields
///
///     1 add class    varint table key (the number of classes so far), string name,
///                    u8 kind (`TableKind`), varint column count, that many
///                    column definitions
///     2 add column   varint table key, varint column key (the number of columns so far), definition
///     3 delete       varint table key, key runs
///     4 set          varint table key, varint column key, key runs, column block
///     5 insert       varint table key, key runs, varint column count (all of the class's columns),
///                    that many column blocks, by column key
///
///     7 add list     varint table key, varint list key (the number of lists so far), string name,
///                    varint table key of the elements' class, u8 kind (`ListKind`)
///     8 lists        varint table key, varint list key, key runs, for each of those rows a list change
///
///     9 add index    varint table key, varint column key: a column that has none
///     10 schema version   varint, greater than the one before
///
///     list change    varint splice count >= 1, for each: varint gap (elements from the end of what the
///                    splice before removed, or from the list's beginning; at least 1 after the first),
///                    varint removed count, varint inserted count (not both 0), for each inserted
///                    element zigzag varint, its key - the key inserted before in the record (0 at first)
///     definition     string name, u8 type code, u8 flags (1 optional, 2 primary key, 4 indexed,
///                    8 float, 16 link), column block of one value: the default; for a link the
///                    varint table key of its target
///     key runs       see `KeyRuns`; column block: see `ColumnBlock`
///
/// (6 is a bulk commit, see `BulkCommit`, and comes alone.)
///
/// Order: all of 1, 2, 7, 9 and 10 as they happened; then by ascending table key, within one class 3, then 4
/// by ascending column key, then 5; then 8 by ascending table and list key; each at most once. So an operation meets the rows that the ones
/// before it left, and each row is deleted, set or inserted, not two of them. A row's inserted key is
/// at least the class's next key, which becomes the greatest inserted key + 1. Keys that only a
/// transaction's own, deleted rows had are not told and may come again.
///
/// A deletion removes the row's lists and takes the row out of all lists that have it: 8 does not tell
/// of that, its positions are those of the lists without the deleted rows. A list change leads to the
/// final list, whatever the edits were; it names elements that the edits put in although they were
/// there. Lists of inserted rows are told as one splice of the empty list.
///
/// Links are told as any other values: those that became null because their rows were deleted by 4,
/// and owned rows that went with their owners by 3. After the last operation no link has a row that
/// does not exist.
///
/// Rows that are set or inserted get the commit version as their content version. Type codes are
/// `ValueType`'s raw values. Codes, flags, types and modes that are unknown are answered by
/// `unsupportedFormat`; everything else that contradicts this page or the base, by
/// `invalidDatabase`. Inserts of one record have at most `Limits.recordCellCountMax` cells, a row
/// counting as many as its class has columns and `cellsPerRow` more: this bounds what a few hostile
/// bytes can claim.
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
    }

    static let flagOptional: UInt8 = 1
    static let flagPrimaryKey: UInt8 = 2
    static let flagIndexed: UInt8 = 4
    static let flagFloat: UInt8 = 8
    static let flagLink: UInt8 = 16
}
