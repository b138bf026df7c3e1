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
///                    varint column count >= 1, that many column definitions
///     2 add column   varint table key, varint column key (the number of columns so far), definition
///     3 delete       varint table key, key runs
///     4 set          varint table key, varint column key, key runs, column block
///     5 insert       varint table key, key runs, varint column count (all of the class's columns),
///                    that many column blocks, by column key
///
///     definition     string name, u8 type code, u8 flags (1 optional, 2 primary key, 4 indexed),
///                    column block of one value: the default
///     key runs       see `KeyRuns`; column block: see `ColumnBlock`
///
/// Order: all of 1 and 2 as they happened; then by ascending table key, within one class 3, then 4 by
/// ascending column key, then 5; each at most once. So an operation meets the rows that the ones
/// before it left, and each row is deleted, set or inserted, not two of them. A row's inserted key is
/// at least the class's next key, which becomes the greatest inserted key + 1. Keys that only a
/// transaction's own, deleted rows had are not told and may come again.
///
/// Rows that are set or inserted get the commit version as their content version. Type codes are
/// `ValueType`'s raw values. Codes, flags, types and modes that are unknown are answered by
/// `unsupportedFormat`; everything else that contradicts this page or the base, by
/// `invalidDatabase`. Inserts of one record have at most `cellCountMax` cells, a row counting as many
/// as its class has columns and `cellsPerRow` more: this bounds what a few hostile bytes can claim.
package enum CommitRecord {
    enum Operation: UInt8 {
        case addTable = 1
        case addColumn = 2
        case delete = 3
        case set = 4
        case insert = 5
    }

    /// The most cells that the inserts of one record may have.
    static let cellCountMax = 16 << 20
    /// What an inserted row counts besides its columns.
    static let cellsPerRow = 4

    static let flagOptional: UInt8 = 1
    static let flagPrimaryKey: UInt8 = 2
    static let flagIndexed: UInt8 = 4
}
