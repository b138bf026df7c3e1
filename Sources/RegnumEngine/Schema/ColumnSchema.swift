/// What the values of a column stand for, beyond how they are stored.
package enum ColumnMeaning: Hashable, Sendable {
    /// What the type of the column says.
    case value
    /// In a column of doubles: values of 32 bits' precision.
    case float
    /// In an optional, indexed column of integers: the row of another class that is linked to. The
    /// index tells who links to a row.
    case link(TableKey)
}

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
    package var meaning: ColumnMeaning

    /// - Parameter defaultValue: nil stands for null in an optional column and for the type's zero
    ///   in a required one.
    package init(
        name: String, type: ValueType, isOptional: Bool = false, isPrimaryKey: Bool = false,
        isIndexed: Bool = false, defaultValue: Value? = nil, meaning: ColumnMeaning = .value
    ) {
        self.meaning = meaning
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue ?? (isOptional ? .null : type.zero)
    }

    /// A property that holds a row of another class, or none.
    package static func link(name: String, to target: TableKey) -> ColumnDefinition {
        ColumnDefinition(
            name: name, type: .int, isOptional: true, isIndexed: true, meaning: .link(target))
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
    package var meaning: ColumnMeaning { definition.meaning }

    /// The class whose rows the column links to, nil if it is no link.
    package var linkTarget: TableKey? {
        if case .link(let target) = definition.meaning { target } else { nil }
    }

    /// Whether an index is kept for the column: it is the primary key, or marked as indexed.
    package var hasIndex: Bool { definition.isPrimaryKey || definition.isIndexed }
}
