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
    /// For a class that does not fit what is stored, using them is a `.schemaMismatch`: see
    /// ``read(_:)``.
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
    public func object<T: Object, Key: ScalarValue>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> Frozen<T>? where Key._Basis: PrimaryKeyValue {
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
