package import RegnumStore

/// The reads that a version and a running transaction have in common. A transaction includes its
/// own changes.
package protocol DatabaseView: AnyObject {
    /// The classes and their columns.
    var schema: DatabaseSchema { get }
    /// Returns the number of rows of a class.
    func count(_ table: TableKey) -> Int
    /// Returns whether the row exists. O(log n).
    func contains(_ table: TableKey, _ key: ObjectKey) -> Bool
    /// Returns the value of a property, with defaults applied, or `nil` if the row or column
    /// doesn't exist. O(log n).
    func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value?
    /// Returns the row with that primary key, or `nil`. O(log n).
    func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey?
    /// Returns the keys of the first `limit` rows from a key on, ascending.
    func keys(_ table: TableKey, from key: ObjectKey, limit: Int) -> [ObjectKey]
    /// Returns the key of the row at a position in `0..<count`.
    func key(_ table: TableKey, at position: Int) -> ObjectKey
    /// Returns the length of a row's list, or 0 if the list or row doesn't exist.
    func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int
    /// Returns an element of a row's list, or `nil` if the position is beyond its end.
    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey?
    /// Returns the elements of a row's list in order.
    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey]
    /// Returns the rows of `table` whose list contains `target`, ascending, without duplicates.
    func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey]
    /// Returns the rows of `table` whose link refers to `target`, ascending.
    func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey]
    /// Returns the damage that keeps a reader from descending into a row that another row owns, or
    /// `nil` if there is none.
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
