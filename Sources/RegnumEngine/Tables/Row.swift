/// The content of one row.
package struct Row: Sendable {
    /// One value per column; shorter than the columns if some were added after the row.
    var values: [Value]
    /// The version of the commit that inserted the row or changed it last.
    package internal(set) var contentVersion: UInt64

    /// The stored value; nil if the column is younger than the row, which stands for the column's
    /// default.
    package func value(_ column: ColumnKey) -> Value? {
        column.index < values.count ? values[column.index] : nil
    }

    /// The value of a column, its default if the column is younger than the row.
    @inline(__always)
    func value(_ column: ColumnSchema) -> Value {
        let index = column.key.index
        return index < values.count ? values[index] : column.defaultValue
    }
}

/// A row with its key, as the tree of rows holds it.
struct RowEntry: Sendable {
    let key: UInt64
    var row: Row
}

/// Rows by their key.
struct RowOrder: TreeOrder {
    @inline(__always)
    static func key(of element: RowEntry) -> UInt64 { element.key }

    @inline(__always)
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}

/// An entry of an index: a value and a row that has it.
struct IndexEntry: Sendable {
    var value: Value
    var key: UInt64
}

/// Index entries by value, then by object key.
struct IndexOrder: TreeOrder {
    @inline(__always)
    static func key(of element: IndexEntry) -> IndexEntry { element }

    @inline(__always)
    func compare(_ a: IndexEntry, _ b: IndexEntry) -> Int {
        let order = Value.compare(a.value, b.value)
        if order != 0 { return order }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }
}
