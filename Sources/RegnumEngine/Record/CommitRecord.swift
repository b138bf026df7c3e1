/// The body of a COMMIT record: the net effect of one transaction as logical operations.
///
/// Fixed-width numbers are little-endian; `varint` is LEB128 without redundant bytes (at most ten);
/// `string` is a varint byte count and UTF-8 bytes.
///
///     u64     commit version; the base's version + 1
///     i64     wall clock time, microseconds since 1970
///     varint  0 no origin, otherwise 1 + byte count of the origin, whose UTF-8 bytes follow
///     operations up to the end of the body, each `u8 code` and its fields
///
///     1 add class    varint table key (the number of classes so far), string name,
///                    u8 kind (`TableKind`), varint column count, that many
///                    column definitions
///     2 add column   varint table key, varint column key (the number of columns so far),
///                    definition
///     3 delete       varint table key, key runs
///     4 set          varint table key, varint column key, key runs, column block
///     5 insert       varint table key, key runs, varint column count (all of the class's columns),
///                    that many column blocks, by column key
///
///     7 add list     varint table key, varint list key (the number of lists so far), string name,
///                    varint table key of the elements' class, u8 kind (`ListKind`)
///     8 lists        varint table key, varint list key, key runs, for each of those rows a list
///                    change
///
///     9 add index    varint table key, varint column key: a column without an index
///     10 schema version   varint, greater than the previous one
///
///     list change    varint splice count >= 1, for each: varint gap (elements since the end of
///                    what the previous splice removed, or the start of the list; at least 1 after
///                    the first), varint removed count, varint inserted count (not both 0), for
///                    each inserted element zigzag varint, its key - the key inserted before in
///                    the record (0 at first)
///     definition     string name, u8 type code, u8 flags (1 optional, 2 primary key, 4 indexed,
///                    8 float, 16 link), column block of one value: the default; for a link the
///                    varint table key of its target
///     key runs       see `KeyRuns`; column block: see `ColumnBlock`
///
/// (6 is a bulk commit, see `BulkCommit`, and must be the only operation.)
///
/// Order: first 1, 2, 7, 9 and 10 in the order in which they happened; then by ascending table key,
/// and within a class 3, then 4 by ascending column key, then 5; finally 8 by ascending table and
/// list key. Each of 3, 4, 5 and 8 occurs at most once for its class, column or list. So an
/// operation applies to the rows that the preceding ones left, and each row is either deleted, set
/// or inserted. The key of an inserted row is at least the class's next key, which becomes the
/// greatest inserted key + 1. Keys used only by rows that the transaction itself deleted aren't
/// recorded and may be reused.
///
/// A deletion removes the row's lists and removes the row from all lists. 8 doesn't repeat that;
/// its positions are those in the lists without the deleted rows. A list change leads to the final
/// list, whatever the edits were, and includes elements that the edits inserted again. The lists of
/// inserted rows are encoded as one splice of the empty list.
///
/// Links are encoded like any other values. Links that became null because their target was deleted
/// are recorded by 4, and owned rows that were deleted with their owner by 3. After the last
/// operation no link refers to a row that doesn't exist.
///
/// Rows that are set or inserted get the commit version as their content version. Type codes are
/// `ValueType`'s raw values. Unknown codes, flags, types and modes throw `unsupportedFormat`;
/// anything else that contradicts this format or the base throws `invalidDatabase`. The inserts of
/// one record have at most `Limits.recordCellCountMax` cells, where a row counts as the number of
/// its columns plus `Limits.recordCellsPerRow`. This bounds the work that a few hostile bytes can
/// cause.
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
    static let flagLink: UInt8 = 16
}
