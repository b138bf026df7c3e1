internal import RegnumEngine
internal import RegnumStore

/// An immutable view of one version of the realm.
///
///     let snapshot = realm.snapshot()
///     let general = snapshot.objects(Message.self).where { $0.room == "general" }
///
/// A snapshot never changes and can be used from anywhere, even after the realm was closed. It
/// keeps its version's content in memory while it is held.
public struct Snapshot: Sendable {
    let core: SnapshotCore

    /// The version of the newest commit in the snapshot; 0 for a realm without commits.
    public var version: UInt64 { core.root.version }

    /// Returns all objects of a class.
    ///
    /// For a class that doesn't match the stored schema, using the results is a `.schemaMismatch`:
    /// see ``read(_:)``.
    ///
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    /// - Complexity: O(1). The query is evaluated when it is first used.
    public func objects<T: Object>(_ type: T.Type) -> FrozenResults<T> {
        FrozenResults(FrozenTable(core, core.realm.entry(for: type)), plan: .all(of: type))
    }

    /// Returns the object with a primary key, or `nil` if there is none.
    ///
    /// - Precondition: The class has a primary key of the type of `key`.
    /// - Complexity: O(log n).
    public func object<T: Object, Key: ScalarValue>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> Frozen<T>? where Key._Basis: PrimaryKeyValue {
        let table = FrozenTable(core, core.realm.entry(for: type))
        return table.find(table.schema.requirePrimaryKey(key)).map { Frozen(table, row: $0) }
    }
}

/// The state shared by the frozen values of one snapshot.
final class SnapshotCore: Sendable {
    let realm: RealmCore
    let root: DatabaseRoot
    /// Where the snapshot was taken, for `stats()` and messages.
    let place: CallPlace
    /// Paused transactions of earlier property reads, kept for reuse.
    let idleReaders = Guarded<[IdleReader]>([])

    init(realm: RealmCore, root: DatabaseRoot, place: CallPlace) {
        self.realm = realm
        self.root = root
        self.place = place
        realm.snapshots.add(self)
    }

    deinit {
        realm.snapshots.remove(ObjectIdentifier(self))
        endReaders()
    }
}
