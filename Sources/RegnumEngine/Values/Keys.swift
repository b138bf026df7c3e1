/// The number of a class in its realm: its position in the schema, never reused.
package struct TableKey: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (a: TableKey, b: TableKey) -> Bool { a.rawValue < b.rawValue }

    /// The position in `DatabaseSchema.tables`.
    var index: Int { Int(rawValue) }
}

/// The number of a property in its class: its position in the class's columns, never reused.
package struct ColumnKey: Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (a: ColumnKey, b: ColumnKey) -> Bool { a.rawValue < b.rawValue }

    /// The position in `TableSchema.columns`.
    var index: Int { Int(rawValue) }
}

/// The number of a row in its class: dense and ascending from 0 in order of creation.
///
/// The key of a committed row is never reused. A key that was only used by an aborted transaction,
/// or by a row that was inserted and deleted in one transaction, may be reused, because no one else
/// has seen it.
package struct ObjectKey: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a list property in its class: its position in the class's lists, never reused.
package struct ListKey: Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (a: ListKey, b: ListKey) -> Bool { a.rawValue < b.rawValue }

    /// The position in `TableSchema.lists`.
    var index: Int { Int(rawValue) }
}
