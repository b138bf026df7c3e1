internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Runs `body` on the newest published version, without waiting for writers.
    ///
    ///     let count = try await realm.read { tx in tx.objects(Message.self).count }
    ///
    /// - Parameter body: Runs once, synchronously, in the caller's isolation. Its result must be
    ///   `Sendable`, so objects can't escape.
    /// - Throws: `.invalidDatabase` or `.ioFailed` if the body encountered unreadable data;
    ///   `.schemaMismatch` or `.invalidInput` for a class that doesn't match the realm;
    ///   `.invalidValue` for a stored value that its Swift type can't represent; `.invalidQuery`;
    ///   otherwise whatever the body throws; `.closed`.
    public nonisolated func read<R: Sendable>(
        file: StaticString = #fileID, line: UInt = #line,
        _ body: sending (Transaction) throws -> R
    ) async throws -> R {
        guard !isClosed else { throw Error.closed(core.configuration.name) }
        let root = core.coordinator.published
        let state = TransactionCore(
            .reading(root), realm: core,
            place: CallPlace(file: file, line: line))
        let (outcome, damage) = DamageWatch.run(on: root) {
            ReadScope.run(failing: state) { Result { try body(Transaction(state)) } }
        }
        state.end()
        if let damage {
            core.coordinator.heal()
            throw Error(damage)
        }
        if let violation = state.violation { throw violation }
        return try outcome.get()
    }

    /// Returns a snapshot of the newest published version. Never waits, and also works after
    /// `close()`.
    public nonisolated func snapshot(
        file: StaticString = #fileID, line: UInt = #line
    ) -> Snapshot {
        Snapshot(core: core.snapshot(CallPlace(file: file, line: line)))
    }

    /// Returns a snapshot of the newest published version, waiting until that is at least
    /// `version`, for example the version of a commit that another process has reported.
    ///
    /// For versions that come from clients, use cursors instead (the method below): after an older
    /// backup has been restored, the version of a lost commit isn't reached until the realm has
    /// made as many new commits.
    ///
    /// - Throws: `.closed` if the realm is closed first; `CancellationError`.
    public nonisolated func snapshot(
        atLeast version: UInt64, file: StaticString = #fileID, line: UInt = #line
    ) async throws -> Snapshot {
        core.external.observerBegan()
        defer { core.external.observerEnded() }
        do {
            try await core.coordinator.waitUntil(version: version)
        } catch let error as StoreError {
            throw Error(error)
        }
        return snapshot(file: file, line: line)
    }

    /// Returns a snapshot of the newest published version, with all commits up to a cursor, which
    /// may be that of a snapshot or change in another process. Reads what other processes have
    /// committed if necessary, but doesn't wait for later commits.
    ///
    ///     let (snapshot, _) = try await realm.snapshot(afterWriting: { tx in … })
    ///     let cursor = snapshot.cursor                                // for the client
    ///     let later = try await realm.snapshot(atLeast: cursor)       // in its next request
    ///
    /// - Throws: `.invalidInput` if the realm doesn't have the cursor's version, for example
    ///   because an older state was restored (``Realm/Error/isHistoryUnavailable`` is then true);
    ///   `.invalidDatabase`, `.ioFailed`, `.fileMoved`; `.closed` if the realm was closed before
    ///   it had the version.
    public nonisolated func snapshot(
        atLeast cursor: ChangeCursor, file: StaticString = #fileID, line: UInt = #line
    ) async throws -> Snapshot {
        guard try await core.isAhead(cursor, of: core.coordinator.published) != nil else {
            throw Error.closed(core.configuration.name)
        }
        let snapshot = snapshot(file: file, line: line)
        try core.check(cursor, snapshot.root)
        return snapshot
    }

    /// Reads what all processes have committed so far, so that snapshots include it.
    ///
    ///     try await realm.catchUp()    // in a health check
    ///
    /// Streams and snapshots follow the other processes by themselves. While that fails for a
    /// reason that may pass, such as a lack of descriptors, they go on with what is known and try
    /// again; this method throws the reason.
    ///
    /// - Throws: The error that keeps this process from reading the commits of others, such as
    ///   `.ioFailed`, `.invalidDatabase` or `.fileMoved`; `.closed`.
    public nonisolated func catchUp() async throws(Realm.Error) {
        try await core.catchUp()
    }

    /// Returns the objects of a class as a live handle whose `current` value and `changes` follow
    /// the realm.
    ///
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    public nonisolated func objects<T: Object>(
        _ type: T.Type, file: StaticString = #fileID, line: UInt = #line
    ) -> LiveResults<T> {
        LiveResults(
            realm: core, entry: core.entry(for: type), place: CallPlace(file: file, line: line),
            _plan: .all(of: type))
    }

    /// Returns the object with the given primary key as a live handle whose `current` value and
    /// `changes` follow the realm. The object doesn't have to exist.
    ///
    /// - Precondition: The class has a primary key of the type of `key`.
    public nonisolated func object<T: Object, Key: ScalarValue>(
        _ type: T.Type, forPrimaryKey key: Key, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Live<T> where Key._Basis: PrimaryKeyValue {
        let entry = core.entry(for: type)
        return Live(
            realm: core, entry: entry, place: CallPlace(file: file, line: line),
            identity: .key(entry.schema.requirePrimaryKey(key)))
    }

    /// Returns a live handle to one object, which may be embedded or have no primary key: its
    /// `current` value is always this object, or `nil` once the object was deleted.
    ///
    ///     let person = realm.snapshot().objects(Person.self)[0]
    ///     for try await change in realm.object(following: person).changes { … }
    ///
    /// - Precondition: The object belongs to this realm, and not to a copy of it.
    public nonisolated func object<T: ObjectBase>(
        following object: Frozen<T>, file: StaticString = #fileID, line: UInt = #line
    ) -> Live<T> {
        guard core.owns(object.table.snapshot) else {
            fatalError("The object to follow belongs to another realm.")
        }
        // the static type may be a superclass of the class
        let entry = core.entry(for: object.table.boundType(T.self))
        var owner = CollectionOwner(
            tableName: entry.schema.name, keyColumn: "", key: .null, kind: .object, name: "")
        owner.fixedRow = object.row
        owner.fixedTable = object.table.mapping.table?.key
        return Live(
            realm: core, entry: entry, place: CallPlace(file: file, line: line),
            identity: .owner(owner))
    }
}

extension RealmCore {
    /// Returns whether a snapshot is of this realm, which may have been closed and opened again
    /// since then. A copy of the realm has the same identity, and may have been put in its place.
    func owns(_ snapshot: SnapshotCore) -> Bool {
        let other = snapshot.realm.coordinator
        if other === coordinator { return true }
        guard case .directory = coordinator.options.place else { return false }
        let (version, newest) = (snapshot.root.version, coordinator.published)
        return other.options.place == coordinator.options.place
            && snapshot.root.identity == newest.identity && version <= newest.version
            && other.timelines.id(at: version) == coordinator.timelines.id(at: version)
    }
}

extension Realm.Error {
    static func closed(_ name: String) -> Realm.Error {
        Realm.Error(.closed, "The realm \"\(name)\" was closed.")
    }
}
