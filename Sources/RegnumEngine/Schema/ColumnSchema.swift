/// The meaning of a column's values beyond their type.
package enum ColumnMeaning: Hashable, Sendable {
    /// Plain values of the column's type.
    case value
    /// Values of a type that shares its stored type with others, such as floats.
    case scalar(ScalarType)
    /// In an optional, indexed integer column: links to rows of another class. The index finds the
    /// rows that link to a row.
    case link(TableKey)
}

/// A property before it has a column: everything but its key.
package struct ColumnDefinition: Hashable, Sendable {
    /// At most 63 bytes of UTF-8, not empty.
    @StoredText package var name: String
    package var type: ValueType
    package var isOptional: Bool
    package var isPrimaryKey: Bool
    package var isIndexed: Bool
    /// Whether a string column has a full-text index, which finds the rows that contain a word.
    package var isFullTextIndexed: Bool
    /// The value of rows that are older than the column or were inserted without a value for it.
    package var defaultValue: Value
    package var meaning: ColumnMeaning

    /// - Parameter defaultValue: If `nil`, the default is null in an optional column, and the
    ///   type's zero value in a required one.
    package init(
        name: String, type: ValueType, isOptional: Bool = false, isPrimaryKey: Bool = false,
        isIndexed: Bool = false, isFullTextIndexed: Bool = false, defaultValue: Value? = nil,
        meaning: ColumnMeaning = .value
    ) {
        self.meaning = meaning
        self.isFullTextIndexed = isFullTextIndexed
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue ?? (isOptional ? .null : type.zero)
    }

    /// Creates the definition of a column of values. `nil` as `defaultValue` has the same meaning.
    package init(
        name: String, scalar type: ScalarType, isOptional: Bool = false,
        isPrimaryKey: Bool = false, isIndexed: Bool = false, isFullTextIndexed: Bool = false,
        defaultValue: Value? = nil
    ) {
        self.init(
            name: name, type: type.valueType, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed, defaultValue: defaultValue,
            meaning: type.columnFlag == 0 ? .value : .scalar(type))
    }

    /// Returns a column definition for an optional link to a row of another class.
    package static func link(name: String, to target: TableKey) -> ColumnDefinition {
        ColumnDefinition(
            name: name, type: .int, isOptional: true, isIndexed: true, meaning: .link(target))
    }
}

/// A column of a class: its definition and its permanent key.
package struct ColumnSchema: Hashable, Sendable {
    package let key: ColumnKey
    package let definition: ColumnDefinition

    package var name: String { definition.name }
    package var type: ValueType { definition.type }
    package var isOptional: Bool { definition.isOptional }
    package var isPrimaryKey: Bool { definition.isPrimaryKey }
    package var isIndexed: Bool { definition.isIndexed }
    package var isFullTextIndexed: Bool { definition.isFullTextIndexed }
    package var defaultValue: Value { definition.defaultValue }
    package var meaning: ColumnMeaning { definition.meaning }

    /// The type of the values; for a link, the type of the row keys.
    package var scalarType: ScalarType {
        if case .scalar(let scalar) = definition.meaning { scalar } else { ScalarType(type) }
    }

    /// The class that the column links to, or `nil` if it isn't a link.
    package var linkTarget: TableKey? {
        if case .link(let target) = definition.meaning { target } else { nil }
    }

    /// Whether the column has an index, either as the primary key or because it is indexed.
    package var hasIndex: Bool { definition.hasIndex }
}

extension ColumnDefinition {
    fileprivate var hasIndex: Bool { isPrimaryKey || isIndexed }

    /// The number of the column's trees: its index and its full-text index.
    var treeCount: Int { (hasIndex ? 1 : 0) + (isFullTextIndexed ? 1 : 0) }
}

/// A tree over the values of a column, or over the points in a list. The raw values are part of the
/// file format.
enum ColumnTreeKind: UInt16, Comparable {
    /// The column's index, under `IndexKey`.
    case values = 0
    /// Its full-text index, under `WordKey`.
    case words = 3
    /// The geospatial index of a list, under `PointKey`.
    case points = 4

    static func < (a: ColumnTreeKind, b: ColumnTreeKind) -> Bool { a.rawValue < b.rawValue }
}

/// One of the indexes of a class.
struct ColumnTree: Equatable {
    /// The column; for a geospatial index, the list with that number.
    let column: ColumnKey
    let kind: ColumnTreeKind

    init(column: ColumnKey, kind: ColumnTreeKind) {
        self.column = column
        self.kind = kind
    }

    /// The geospatial index of a list.
    init(pointsOf list: ListKey) {
        self.init(column: ColumnKey(rawValue: list.rawValue), kind: .points)
    }

    /// The list of a geospatial index.
    var list: ListKey { ListKey(rawValue: column.rawValue) }
}

extension TableSchema {
    /// The indexes in the order in which a table has them: the indexes by ascending column, then
    /// the full-text indexes, then the geospatial indexes by ascending list.
    var columnTrees: [ColumnTree] {
        columns.lazy.filter(\.hasIndex).map { ColumnTree(column: $0.key, kind: .values) }
            + columns.lazy.filter(\.isFullTextIndexed)
            .map { ColumnTree(column: $0.key, kind: .words) }
            + lists.lazy.filter(\.isGeoIndexed).map { ColumnTree(pointsOf: $0.key) }
    }
}
