/// What is said about a property before it has a column: everything but its key.
package struct ColumnDefinition: Hashable, Sendable {
    /// At most 63 bytes of UTF-8, not empty.
    package var name: String
    package var type: ValueType
    package var isOptional: Bool
    package var isPrimaryKey: Bool
    package var isIndexed: Bool
    /// What rows read that are older than the column, and rows made without a value for it.
    package var defaultValue: Value

    /// - Parameter defaultValue: nil stands for null in an optional column and for the type's zero
    ///   in a required one.
    package init(
        name: String, type: ValueType, isOptional: Bool = false, isPrimaryKey: Bool = false,
        isIndexed: Bool = false, defaultValue: Value? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue ?? (isOptional ? .null : type.zero)
    }
}

/// One column of a class: its definition, with the key that never changes.
package struct ColumnSchema: Hashable, Sendable {
    package let key: ColumnKey
    package let definition: ColumnDefinition

    package var name: String { definition.name }
    package var type: ValueType { definition.type }
    package var isOptional: Bool { definition.isOptional }
    package var isPrimaryKey: Bool { definition.isPrimaryKey }
    package var isIndexed: Bool { definition.isIndexed }
    package var defaultValue: Value { definition.defaultValue }

    /// Whether an index is kept for the column: it is the primary key, or marked as indexed.
    package var hasIndex: Bool { definition.isPrimaryKey || definition.isIndexed }
}
