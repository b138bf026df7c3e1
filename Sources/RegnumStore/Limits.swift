/// The greatest sizes, counts and depths: one table for the checks of values, for writers, for
/// readers, and for the sentences of errors. Every maximum is allowed itself.
///
/// What is stored is checked before anything of it is written, and a reader accepts whatever a
/// writer may write: both use the same number. Lowering one that readers use makes existing realms
/// unreadable; raising it makes new ones unreadable for older programs.
package enum Limits {
    // MARK: Schema

    /// UTF-8 bytes of a class name.
    package static let tableNameByteCountMax = 57
    /// UTF-8 bytes of a property name.
    package static let columnNameByteCountMax = 63
    /// UTF-8 bytes of the name of the class of a list's elements: `Class.property`.
    package static let elementsNameByteCountMax = tableNameByteCountMax + 1 + columnNameByteCountMax
    /// UTF-8 bytes of the name of a property of any type, whose list is stored as `property[]`.
    package static let anyNameByteCountMax = columnNameByteCountMax - 2
    /// Classes of a realm, with those of the elements of lists.
    package static let tableCountMax = 65_536
    /// Columns of a class.
    package static let columnCountMax = 65_535
    /// Trees of a class besides its rows: one for each indexed column, two for each list.
    package static let treeCountMax = 65_535

    // MARK: Values

    /// UTF-8 bytes of a string, also of one that is a key of a map or a value of any type.
    package static let stringByteCountMax = dataByteCountMax - 1
    /// Bytes of data, also of data that are a value of any type.
    package static let dataByteCountMax = 0xFFFFF8 - 8
    /// Bytes of a value of any type as it is stored: its kind, then up to so many bytes of data.
    package static let anyByteCountMax = 1 + dataByteCountMax
    /// Lists and dictionaries of any type that are nested in each other.
    package static let anyLevelMax = 100
    /// Levels of nested arrays and objects in JSON.
    package static let inputLevelMax = 256
    /// Levels of objects nested as dictionaries and arrays in `create(value:)`. Each level takes
    /// stack, and threads of the cooperative pool have 512 KiB.
    package static let valueLevelMax = 64
    /// The same where the class is known by name only: there each level takes more stack.
    package static let dynamicLevelMax = 32

    // MARK: Commits

    /// UTF-8 bytes of the label of a commit. Readers accept any that fits into a record.
    package static let originByteCountMax = 4_096
    /// Bytes of the body of a record in the log.
    package static let recordBodyByteCountMax = 4 << 20
    /// Cells that the inserts of one record may have.
    package static let recordCellCountMax = 16 << 20
    /// What an inserted row counts besides its columns.
    package static let recordCellsPerRow = 4
    /// Bytes of text (strings, data, values of any type) that the rows of one record may hold;
    /// values that are told once count for each row.
    package static let recordTextByteCountMax = 64 << 20
    /// What changing the schema in one record may cost: each change as much as the classes, columns
    /// and lists that there are, an index besides as much as an eighth of the rows.
    package static let recordSchemaWorkMax = 8 << 20
    /// Object keys of a class: they are below it. Far from where numbers end, so that whoever
    /// counts on from a key of a file does not overflow.
    package static let keyCountMax: UInt64 = 1 << 62
    /// The version of a commit.
    package static let versionMax: UInt64 = 1 << 62
    /// Bytes of the text of a column in a cluster: its 1,024 values have at most 4 MiB, and replaced
    /// values hardly more than that before the text is rewritten (`Cluster.rewriteTextIfSparse`).
    package static let clusterTextByteCountMax = 16 << 20
    /// Entries of the list of large values of a column in a cluster: twice its 1,024 rows, because
    /// the list doubles when it is full, and rows that were discarded may have left entries.
    package static let clusterLargeValueCountMax = 2_048
    /// Bytes of the directory image of a checkpoint, and of the delta of a bulk commit.
    package static let imageByteCountMax: UInt64 = 1 << 40 - 1
    /// Bytes of the file that marks where an interrupted migration goes on.
    package static let migrationMarkByteCountMax: UInt64 = 16 << 20

    // MARK: Queries and texts

    /// Properties of a sort.
    package static let sortTermCountMax = 64
    /// Bytes of a JSON line, and of the first line of an import, which has the schema.
    package static let lineByteCountMax = 1 << 28
}
