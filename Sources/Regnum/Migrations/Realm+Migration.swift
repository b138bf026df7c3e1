internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Migrates the realm and closes it, for programs that do it apart from their work.
    ///
    /// - Returns: what was done; nil if the realm has the version already, or is new.
    /// - Throws: `.alreadyOpen` if the realm is open in this process; what ``open(_:)`` throws.
    @discardableResult
    public static func performMigration(
        for configuration: Configuration
    ) async throws -> MigrationReport? {
        let (realm, report) = try await opened(configuration, isFirst: true)
        await realm.close()
        return report
    }

    /// Runs the migration of a realm in memory only, and tells what it would do: not a byte of the realm
    /// is changed. It may be in use meanwhile.
    ///
    /// - Returns: nil if the realm has the version already.
    /// - Throws: `.invalidInput` for a realm in memory; `.fileNotFound` if there is none; what the
    ///   migration throws.
    /// - Complexity: that of the migration; memory for what it changes.
    public static func previewMigration(
        for configuration: Configuration
    ) async throws -> MigrationReport? {
        guard case .file(let url) = configuration.location else {
            throw Error(
                .invalidInput, "A realm in memory is new when it is opened: nothing migrates.")
        }
        guard try await fileExists(for: configuration) else {
            throw Error(
                .fileNotFound, "There is no realm at \(url.path).", path: url.path)
        }
        var copy = configuration
        copy.location = .inMemory(identifier: "preview-\(UUID().uuidString)")
        copy.seedFile = url
        copy.readOnly = false
        copy.deleteRealmIfMigrationNeeded = false
        copy.migrationBackup = nil
        let (realm, report) = try await opened(copy, isFirst: true)
        await realm.close()
        return report
    }

    /// Takes the realm to the schema version of its configuration, by one commit.
    ///
    /// - Returns: what was done, nil if nothing was.
    func migrate() async throws -> MigrationReport? {
        let (core, configuration) = (core, configuration)
        guard core.isMigrationDue(core.coordinator.published.schema) else { return nil }
        let coordinator = core.coordinator
        let turn: WriteTurn
        do {
            turn = try await coordinator.beginWrite(
                timeoutNanoseconds: configuration.writeTimeout?.nanosecondsClamped)
        } catch let error as StoreError {
            throw Error(error)
        }
        let commit: Commit?
        let report: MigrationReport?
        do {
            let base = turn.base
            try await core.backUpBeforeMigration(base)
            (commit, report) = try await lane.run { try core.migrated(base) }
            try Task.checkCancellation()
        } catch {
            do { try await coordinator.abandon(turn) } catch { throw Error(error) }
            throw error
        }
        do {
            if let commit {
                try await coordinator.commit(turn, commit, durability: .full)
            } else {
                try await coordinator.abandon(turn)
            }
        } catch {
            throw Error(error)
        }
        return report
    }

    /// Deletes a realm that would have to be migrated, where the configuration says so.
    ///
    /// - Returns: whether it was deleted: then it is to be opened anew.
    static func deletedInstead(
        of coordinator: Coordinator, _ configuration: Configuration
    ) async throws -> Bool {
        guard configuration.deleteRealmIfMigrationNeeded else { return false }
        let root = coordinator.published
        guard root.version > 0, root.schema.version <= configuration.schemaVersion else {
            return false  // new, or of a newer program, which is refused
        }
        let isOlder = root.schema.version < configuration.schemaVersion
        let differs = (configuration.objectTypes ?? []).contains { type in
            let schema = ClassSchema.of(type._storedType)
            return root.schema.table(named: schema.name)
                .flatMap { schema.mismatch(with: $0, in: root.schema) } != nil
        }
        guard isOlder || differs else { return false }
        let open: RealmCore? = coordinator.attached(mayMake: false) {
            preconditionFailure("Nothing is made.")
        }
        guard open == nil else { return false }  // which says so
        await coordinator.close()
        return try await deleteFiles(for: configuration)
    }
}

extension Lane {
    /// Runs something long.
    func run<R: Sendable>(_ body: @Sendable () throws -> R) throws -> R { try body() }
}

extension RealmCore {
    /// Whether the stored schema is of an older version than this program's.
    func isMigrationDue(_ schema: DatabaseSchema) -> Bool {
        !configuration.readOnly && schema.version < configuration.schemaVersion
    }

    /// Copies a state that is about to be migrated, where the configuration says so.
    fileprivate func backUpBeforeMigration(_ base: DatabaseRoot) async throws {
        guard let url = configuration.migrationBackup, base.version > 0,
            isMigrationDue(base.schema)
        else { return }
        do {
            _ = try await backup(of: base, to: url)
        } catch let error as Realm.Error where error.code == .fileExists {
            // of a migration that failed or was killed
            guard (try? await RealmContent.isCopy(of: base, url.path)) == true else { throw error }
        }
    }

    /// The commit that migrates a state. Nil if another process has done it meanwhile.
    fileprivate func migrated(_ base: DatabaseRoot) throws -> (Commit?, MigrationReport?) {
        try checkSchemaVersion(base.schema)
        let problem = schemaProblems(in: base.schema)
        guard isMigrationDue(base.schema) else {
            if let problem { throw problem }
            return (nil, nil)
        }
        let transaction = EngineTransaction(base: base)
        do {
            let isNew = base.version == 0
            if !isNew { try migrate(transaction, problem) }
            transaction.setSchemaVersion(configuration.schemaVersion)
            let report = isNew ? nil : MigrationReport(base, transaction)
            try checkUndamaged(base)
            let commit = try transaction.commit(
                timestampMicroseconds: wallClockMicroseconds(), bodyByteCountMax: recordByteCountMax
            )
            return (commit, report)
        } catch {
            transaction.abort()
            if let error = error as? StoreError { throw Realm.Error(error) }
            throw error
        }
    }

    private func migrate(
        _ transaction: EngineTransaction, _ problem: Realm.Error?
    ) throws {
        guard let types = configuration.objectTypes else {
            guard configuration.migration == nil else {
                throw Realm.Error(
                    .invalidInput,
                    "A migration needs Configuration.objectTypes: the classes that it leads to.")
            }
            if let problem { throw problem }
            return
        }
        // properties that are only new join at their first use, as always
        if configuration.migration == nil, problem == nil { return }
        let steps = MigrationSteps(transaction, types, version: configuration.schemaVersion)
        for schema in steps.classes {
            let entry = try listedEntry(for: schema.type)
            if let problem = entry.problem { throw problem }
        }
        if configuration.migration == nil, steps.losesValues, let problem {
            var error = problem
            error.message +=
                "\nSet Configuration.migration, which copies what can be kept: without it values "
                + "would be lost."
            throw error
        }
        try steps.prepare()
        if let block = configuration.migration {
            let core = TransactionCore(
                .writing(transaction), realm: self,
                place: CallPlace(file: "migration", line: 0))
            let migration = Migration(steps, core, progress: configuration.migrationProgress)
            let oldVersion = transaction.base.schema.version
            let outcome = Result { try block(migration, oldVersion) }
            let violation = core.violation
            core.end()
            if let violation { throw violation }
            try outcome.get()
        }
        try steps.finish()
        if let problem = schemaProblems(in: transaction.schema) {
            var error = problem
            error.code = .migrationFailed
            throw error
        }
    }
}
