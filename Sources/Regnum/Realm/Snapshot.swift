internal import RegnumEngine

/// One state of the realm, as long as you hold it.
///
///     let snapshot = realm.snapshot()
///     let general = snapshot.objects(Message.self).where { $0.room == "general" }
///
/// A snapshot never changes and may be used from anywhere, also after the realm was closed. It
/// keeps its state in memory.
public struct Snapshot: Sendable {
    let core: SnapshotCore

    /// The version of the newest commit in it; 0 for a realm without commits.
    public var version: UInt64 { core.root.version }

    /// All objects of a class.
    ///
    /// A class that does not fit what is stored has no objects here: `write`, `read` and change
    /// streams throw the `.schemaMismatch`.
    ///
    /// - Precondition: the class is one of `Configuration.objectTypes`, if there is a list.
    /// - Complexity: O(1): the query is evaluated at first use.
    public func objects<T: Object>(_ type: T.Type) -> FrozenResults<T> {
        FrozenResults(FrozenTable(core, core.realm.entry(for: type)), plan: .all(of: type))
    }

    /// The object with a primary key, nil if there is none.
    ///
    /// - Precondition: the class has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<T: Object, Key: PrimaryKeyValue>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> Frozen<T>? {
        let table = FrozenTable(core, core.realm.entry(for: type))
        return table.find(table.schema.requirePrimaryKey(key)).map { Frozen(table, row: $0) }
    }
}

/// What the frozen values of one snapshot share.
final class SnapshotCore: Sendable {
    let realm: RealmCore
    let root: DatabaseRoot
    /// Where the snapshot was taken, for `stats()` and sentences.
    let place: CallPlace

    init(realm: RealmCore, root: DatabaseRoot, place: CallPlace) {
        self.realm = realm
        self.root = root
        self.place = place
        realm.snapshots.add(self)
    }

    deinit { realm.snapshots.remove(ObjectIdentifier(self)) }
}

/// One class in one snapshot: what its frozen objects share.
final class FrozenTable: Sendable {
    let snapshot: SnapshotCore
    let entry: ClassEntry
    private let mapping: ClassMapping

    init(_ snapshot: SnapshotCore, _ entry: ClassEntry) {
        self.snapshot = snapshot
        self.entry = entry
        mapping = entry.mapping(in: snapshot.root.schema)
    }

    var schema: ClassSchema { entry.schema }

    /// Why the class cannot be read here.
    var mismatch: Realm.Error? { mapping.mismatch }

    /// The row with a primary key.
    func find(_ key: Value) -> ObjectKey? {
        guard mismatch == nil, let table = mapping.table else { return nil }
        return snapshot.root.find(table.key, primaryKey: key)
    }

    /// The value of a property by its position.
    func value(_ row: ObjectKey, _ property: Int) -> Value {
        let column = mapping.columns[property]
        guard schema.properties[property].isColumn else { return .null }
        guard column >= 0, let table = mapping.table else {
            return schema.properties[property].defaultValue
        }
        let key = ColumnKey(rawValue: UInt16(truncatingIfNeeded: column))
        return snapshot.root.value(table.key, row, key)
            ?? schema.properties[property].defaultValue
    }

    /// The version that last changed the row.
    func contentVersion(_ row: ObjectKey) -> UInt64 {
        guard let table = mapping.table else { return 0 }
        return snapshot.root.contentVersion(table.key, row) ?? 0
    }

    /// The names of the properties behind columns, in order of declaration.
    func propertyNames(_ columns: [ColumnKey]) -> [String] {
        let numbers = Set(columns.map { Int32($0.rawValue) })
        return schema.properties.indices
            .filter { schema.properties[$0].isColumn && numbers.contains(mapping.columns[$0]) }
            .map { schema.properties[$0].name }
    }

    /// A fresh accessor of a row of this snapshot, private to the caller.
    func accessor<T: ObjectBase>(_ type: T.Type, _ row: ObjectKey) -> T {
        let core = TransactionCore(
            .reading(snapshot.root), realm: snapshot.realm, place: snapshot.place)
        let binding = ClassBinding(entry, core: core)
        return binding.accessor(type, row: row)
    }
}
