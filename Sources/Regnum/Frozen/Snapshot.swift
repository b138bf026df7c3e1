package import RegnumEngine

/// An immutable view of one version of the realm.
///
///     let snapshot = realm.snapshot()
///     let general = snapshot.objects(Message.self).where { $0.room == "general" }
///
/// A snapshot never changes, and can be used anywhere, even after the realm has been closed. While
/// it is held, it keeps the content of its version in memory.
public struct Snapshot: Sendable {
    let core: SnapshotCore

    /// The version of the newest commit in the snapshot; 0 for a realm without commits.
    public var version: UInt64 { core.root.version }

    /// Returns all objects of a class.
    ///
    /// If the class doesn't match the stored schema, using the results fails with
    /// `.schemaMismatch`; see ``read(_:)``.
    ///
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    /// - Complexity: O(1). The query is evaluated when the results are first used.
    public func objects<T: Object>(_ type: T.Type) -> FrozenResults<T> {
        FrozenResults(FrozenTable(core, core.realm.entry(for: type)), plan: .all(of: type))
    }

    /// Returns the object with the given primary key, or `nil` if there is none.
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

extension Snapshot {
    /// The content, for programs that don't know the classes.
    package var root: DatabaseRoot { core.root }

    /// The configuration of the realm.
    package var configuration: Realm.Configuration { core.realm.configuration }

    /// Runs `body`, which reads `root`. Throws damage that it encounters.
    package func checked(_ body: () -> Void) throws(Realm.Error) {
        try core.realm.checked(root, body)
    }
}

extension Snapshot {
    /// Runs `body`, and throws the first error that a frozen value encounters in it.
    ///
    ///     let names = try snapshot.read { $0.objects(Person.self).map(\.name) }
    ///
    /// Properties and collections can't throw. If one of them encounters damage to the file, a
    /// class that doesn't match the stored schema, a stored value that isn't valid for its type, an
    /// operand from another realm or an overflowing sum, it returns an arbitrary value inside
    /// `body`, and the result of `body` is discarded. Outside of a `read`, and of the bodies of
    /// `Realm.read` and `write`, it logs the error and traps.
    ///
    /// The same applies to all frozen values that the body uses, including those of other
    /// snapshots, live handles and streams.
    ///
    ///     for try await change in people.changes {
    ///         let names = try change.collection.snapshot.read { _ in
    ///             change.collection.map(\.name)
    ///         }
    ///     }
    ///
    /// - Parameter body: Runs once, on the calling thread.
    /// - Throws: `.invalidDatabase`, `.schemaMismatch`, `.invalidValue`, `.invalidQuery`,
    ///   `.ioFailed`; otherwise whatever the body throws.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try ReadScope.run { try body(self) }
    }
}

extension Frozen {
    /// The snapshot that the object belongs to.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}

extension FrozenResults {
    /// The snapshot that the objects belong to.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}

extension FrozenValues {
    /// The snapshot that the values belong to.
    public var snapshot: Snapshot { Snapshot(core: query.table.snapshot) }
}

extension FrozenMap {
    /// The snapshot that the entries belong to.
    public var snapshot: Snapshot { Snapshot(core: table.snapshot) }
}
