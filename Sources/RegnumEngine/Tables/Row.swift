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
    static var leafSlotCountMax: Int { 24 }
    static var isElementTrivial: Bool { false }
    static var isKeyTrivial: Bool { true }

    @inline(__always)
    static func key(of element: RowEntry) -> UInt64 { element.key }

    @inline(__always)
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}
