/// Maximum sizes, counts and depths, shared by value checks, writers, readers and error messages.
/// Every maximum is inclusive.
///
/// Values are checked before any of them is written, and readers accept whatever a writer may
/// write; both use the same constant. Lowering a limit that readers use makes existing realms
/// unreadable; raising one makes new realms unreadable for older programs.
package enum Limits {
    // MARK: Schema

    /// UTF-8 bytes of a class name.
    package static let maximumTableNameByteCount = 57
    /// UTF-8 bytes of a property name.
    package static let maximumColumnNameByteCount = 63
    /// UTF-8 bytes of the name of an element class, `Class.property`.
    package static let maximumElementsNameByteCount =
        maximumTableNameByteCount + 1 + maximumColumnNameByteCount
    /// UTF-8 bytes of the name of an `AnyRealmValue` property, whose list is stored as
    /// `property[]`.
    package static let maximumAnyNameByteCount = maximumColumnNameByteCount - 2
    /// Classes in a realm, including element classes.
    package static let maximumTableCount = 65_536
    /// Columns of a class.
    package static let maximumColumnCount = 65_535
    /// Trees of a class besides its rows: one for each index, including full-text and geospatial
    /// indexes, and two for each list.
    package static let maximumTreeCount = 65_535

    // MARK: Values

    /// UTF-8 bytes of a string, including map keys and strings in `AnyRealmValue`.
    package static let maximumStringByteCount = maximumDataByteCount - 1
    /// Bytes of a data value, including data in `AnyRealmValue`.
    package static let maximumDataByteCount = 0xFFFFF8 - 8
    /// Bytes of a stored `AnyRealmValue`: the kind, then up to `maximumDataByteCount` bytes.
    package static let maximumAnyByteCount = 1 + maximumDataByteCount
    /// Nesting depth of lists and dictionaries in an `AnyRealmValue`.
    package static let maximumAnyLevel = 100
    /// Nesting depth of arrays and objects in JSON. Exports stay below it: the line and its values,
    /// two for each embedded object, three around a value of any type, and two for each of its
    /// lists and dictionaries.
    package static let maximumInputLevel = 352
    /// Nesting depth up to which linked unmanaged objects are encoded inline. Foundation's JSON
    /// encoder has the same limit for arrays and objects.
    package static let maximumEncodedLevel = 512
    /// Nesting depth up to which frozen objects are encoded inline. Each level uses more stack than
    /// one of unmanaged objects.
    package static let maximumInlineLevel = 32
    /// Nesting depth of objects given as dictionaries and arrays in `create(value:)`, and of
    /// embedded objects in JSON lines. Each level uses the stack of a thread of the cooperative
    /// pool.
    package static let maximumValueLevel = 64
    /// The same limit for dynamic objects, where each level uses more stack.
    package static let maximumDynamicLevel = 32

    // MARK: Queries

    /// Nesting depth of a condition: its operators, and the links and collections on its paths.
    /// Each level uses stack when it is compiled and evaluated.
    package static let maximumConditionLevel = 64
    /// Operators and terms of a condition that repeats others.
    package static let maximumRepeatedTermCount = 1 << 17

    /// Letters of a word that full-text search distinguishes. Longer words are cut in the index, in
    /// the search and when they are compared. Changing it changes the meaning of stored indexes.
    package static let maximumWordLetterCount = 64
    /// Words of a full-text search.
    package static let maximumSearchWordCount = 64
    /// Pairs of edges of a polygon that are compared, in addition to 512 for each edge; also pairs
    /// of holes, and the vertices of those that are close to each other.
    package static let maximumEdgePairCount = 1 << 24

    // MARK: Commits

    /// UTF-8 bytes of a commit's origin label. Readers accept any label that fits into a record.
    package static let maximumOriginByteCount = 4_096
    /// Bytes of the body of a log record.
    package static let maximumRecordBodyByteCount = 4 << 20
    /// Maximum number of cells inserted by one record.
    package static let maximumRecordCellCount = 16 << 20
    /// Number of cells that an inserted row counts in addition to its columns.
    package static let recordCellsPerRow = 4
    /// Cells of the keys that the rows inserted by one record skip: a cluster stores the places
    /// before its last row, each with all columns.
    package static let maximumRecordSkippedCellCount = 256 << 20
    /// Bytes of text (strings, data, `AnyRealmValue`) in the rows of one record. A value that is
    /// encoded once counts for each row that has it.
    package static let maximumRecordTextByteCount = 64 << 20
    /// Bytes of text in the defaults that one record stores: a cluster that lacks columns gets all
    /// of them when a value of one of them is set, or a row is added to it.
    package static let maximumRecordDefaultByteCount = 256 << 20
    /// Cost limit of the schema changes in one record. Each change costs the number of existing
    /// classes, columns and lists; adding an index costs an eighth of the rows in addition (a
    /// geospatial index half of them), and a full-text index a sixteenth of the bytes of text as
    /// well.
    package static let maximumRecordSchemaWork = 8 << 20
    /// Exclusive upper bound of the object keys of a class. It is far below `UInt64.max`, so that
    /// counting up from a key read from a file cannot overflow.
    package static let maximumKeyCount: UInt64 = 1 << 62
    /// Rows of a class, and elements of one of its lists in all rows together: inner nodes of trees
    /// count them in 32 bits.
    package static let maximumEntryCount = Int(UInt32.max)
    /// Maximum commit version.
    package static let maximumVersion: UInt64 = 1 << 62
    /// Bytes of the text of a column in a cluster: its 1,024 values have at most 4 MiB, and
    /// replaced values hardly more than that before the text is rewritten
    /// (`Cluster.rewriteTextIfSparse`).
    package static let maximumClusterTextByteCount = 16 << 20
    /// Entries of the list of large values of a column in a cluster. Each of its 1,024 rows has at
    /// most one; the rest is free, because a full list is doubled.
    package static let maximumClusterLargeValueCount = 2_048
    /// Bytes of a checkpoint's directory image, and of the delta of a bulk commit.
    package static let maximumImageByteCount: UInt64 = 1 << 40 - 1
    /// Bytes of the file that marks where an interrupted migration resumes.
    package static let maximumMigrationMarkByteCount: UInt64 = 16 << 20

    // MARK: Queries and texts

    /// Links in a Swift key path.
    package static let maximumKeyPathLinkCount = 16
    /// Number of sort terms in a query.
    package static let maximumSortTermCount = 64
    /// Bytes of a JSON line, including the schema line. Longer ones are neither imported nor
    /// exported.
    package static let maximumLineByteCount = 1 << 28
}
