package import RegnumStore

/// The reads that a version and a running transaction have in common. A transaction includes its
/// own changes. What doesn't exist at a version has no rows, values or elements.
package protocol DatabaseView: AnyObject {
    /// The classes and their columns.
    var schema: DatabaseSchema { get }
    /// Returns the number of rows of a class. O(1).
    func count(_ table: TableKey) -> Int
    /// Returns whether the row exists. O(log n).
    func contains(_ table: TableKey, _ key: ObjectKey) -> Bool
    /// Returns the value of a property: the column's default if the row is older than the column,
    /// or `nil` if the row or column doesn't exist. O(log n).
    func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value?
    /// Returns the row with that primary key, or `nil` if there is none or the class has no primary
    /// key. O(log n).
    func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey?
    /// Returns the keys of the first `limit` rows from a key on, ascending.
    func keys(_ table: TableKey, from key: ObjectKey, limit: Int) -> [ObjectKey]
    /// Returns the key of the row at a position in `0..<count`, in key order. O(log n).
    func key(_ table: TableKey, at position: Int) -> ObjectKey
    /// Returns the length of a row's list, or 0 if the list or row doesn't exist. O(log n).
    func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int
    /// Returns an element of a row's list, or `nil` if the position is beyond its end. O(log n).
    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey?
    /// Returns the elements of a row's list in order. O(log n + elements).
    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey]
    /// Returns the rows of `table` whose list contains `target`, ascending, without duplicates.
    /// O(log n + occurrences).
    func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey]
    /// Returns the rows of `table` whose link refers to `target`, ascending. O(log n + rows).
    func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey]
    /// Returns the damage that keeps a reader from descending into a row that another row owns, or
    /// `nil` if there is none. O(log n).
    ///
    /// In a forged file, rows may own each other or have several owners, so that a traversal would
    /// never end or take exponential time.
    ///
    /// - Parameter level: The nesting level, from 1, of a row that is a list or dictionary of any
    ///   type; 0 for other rows.
    func ownershipProblem(of row: ObjectKey, in table: TableKey, level: Int) -> StoreError?
}

extension DatabaseRoot: DatabaseView {}
extension EngineTransaction: DatabaseView {}

extension DatabaseView {
    /// Whether there are no top-level objects.
    package var isEmpty: Bool {
        schema.tables.allSatisfy { $0.kind != .object || count($0.key) == 0 }
    }
}
