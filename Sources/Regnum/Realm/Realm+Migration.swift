internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Migrates the realm and closes it, for programs that run migrations as a separate step. If
    /// other code in this process opens the realm in the meantime, it stays open.
    ///
    ///     if let report = try await Realm.performMigration(for: configuration) { print(report) }
    ///
    /// - Returns: A report, or `nil` if the realm is new or already has the configured version. If
    ///   an index can't be built after the migration, the reason is logged, and the next opening
    ///   builds it.
    /// - Throws: `.alreadyOpen` if the realm is open in this process; the errors of ``open(_:)``.
    @discardableResult
    public static func performMigration(
        for configuration: Configuration
    ) async throws -> MigrationReport? {
        let (realm, report) = try await opened(configuration, isFirst: true)
        if realm.core.endsUnshared() { await realm.close() }
        return report
    }

    /// Runs the migration of a realm without storing the result, and reports what it would do. The
    /// realm's files aren't changed, and the realm may be in use at the same time.
    ///
    /// - Returns: A report, or `nil` if the realm already has the configured version.
    /// - Throws: `.invalidInput` for an in-memory realm; `.fileNotFound` if the realm doesn't
    ///   exist; the errors of ``fileExists(for:)`` and of the migration.
    /// - Complexity: That of the migration. Needs memory for all of its changes.
    public static func previewMigration(
        for configuration: Configuration
    ) async throws -> MigrationReport? {
        guard case .file(let url) = configuration.location else {
            throw Error(
                .invalidInput, "An in-memory realm is always new: there is nothing to migrate.")
        }
        guard try await fileExists(for: configuration) else {
            throw Error(await RealmContent.absence(url.path))
        }
        var copy = configuration
        copy.location = .inMemory(identifier: "preview-\(UUID().uuidString)")
        copy.seedFile = url
        copy.readOnly = false
        copy.deleteRealmIfMigrationNeeded = false
        copy.buildsIndexes = false
        copy.migrationBackup = nil
        let (realm, report) = try await opened(copy, isFirst: true)
        await realm.close()
        return report
    }

    /// Migrates the realm to the schema version of its configuration, in one commit.
    ///
    /// - Parameter onlyNew: Whether to throw `.busy` if there are commits with another version.
    /// - Returns: A report, or `nil` if there was nothing to do.
    func migrate(onlyNew: Bool = false) async throws -> MigrationReport? {
        let (core, configuration) = (core, configuration)
        guard core.isMigrationDue(core.coordinator.published.schema) else { return nil }
        var span = OperationSpan.begin("migrate", configuration.name)
        defer { span?.end() }
        do {
            return try await migrate(core, onlyNew: onlyNew, &span)
        } catch {
            span?.failed(error)
            throw error
        }
    }

    private func migrate(
        _ core: RealmCore, onlyNew: Bool, _ span: inout OperationSpan?
    ) async throws -> MigrationReport? {
        let (coordinator, configuration) = (core.coordinator, core.configuration)
        let turn: WriteTurn
        do {
            turn = try await coordinator.beginWrite(
                timeoutNanoseconds: configuration.writeTimeout?.nanosecondsClamped)
        } catch let error as StoreError {
            throw Error(error)
        }
        span?.began()
        var commit: Commit?
        let report: MigrationReport?
        var stage: MigrationStage?
        do {
            let base = turn.base
            if onlyNew, base.version > 0, base.schema.version != configuration.schemaVersion {
                throw Error(
                    .busy,
                    "Another process has made the first commit to the realm "
                        + "\"\(configuration.name)\" in the meantime. Try again.")
            }
            try await core.backUpBeforeMigration(base)
            stage = try await core.stage(turn)
            let begun = stage
            (commit, report) = try await lane.run { [span] in
                try OperationSpan.run(in: span) { try core.migrated(base, begun) }
            }
            try Task.checkCancellation()
        } catch {
            commit = nil  // as in a write
            if let stage { coordinator.end(stage) }
            do { try await coordinator.abandon(turn) } catch { throw Error(error) }
            throw error
        }
        defer { if let stage { coordinator.end(stage) } }
        do {
            if var commit {
                let committing = span?.committing(&commit)
                try await coordinator.commit(turn, commit, durability: .full)
                committing?.end()
            } else {
                try await coordinator.abandon(turn)
            }
        } catch let error as StoreError {
            throw Error(error)
        }
        if let stage { await coordinator.discard(stage) }
        return report
    }
}

extension Lane {
    /// Runs a long operation.
    func run<R: Sendable>(_ body: @Sendable () throws -> R) throws -> R { try body() }
}

extension RealmCore {
    /// Whether the stored schema has a lower version than the program's.
    func isMigrationDue(_ schema: DatabaseSchema) -> Bool {
        !configuration.readOnly && schema.version < configuration.schemaVersion
    }

    /// Backs up a state that is about to be migrated, if the configuration says so.
    fileprivate func backUpBeforeMigration(_ base: DatabaseRoot) async throws {
        guard let url = configuration.migrationBackup, base.version > 0,
            isMigrationDue(base.schema)
        else { return }
        try await catchUp(durably: true)
        do {
            _ = try await backup(of: base, to: url, coordinator.options.store.key)
        } catch let error as Realm.Error where error.code == .fileExists {
            // left by a migration that failed or was killed
            let isCopy = try? await RealmContent.isCopy(
                of: base, coordinator.timelines, url.path, coordinator.options.store.key)
            guard isCopy == true else { throw error }
        }
    }

    /// Returns the stage that a due migration is saved to as it proceeds, if it is resumable.
    fileprivate func stage(_ turn: WriteTurn) async throws -> MigrationStage? {
        guard let settings = configuration.resumableMigration, configuration.migration != nil,
            let types = configuration.objectTypes, turn.base.version > 0,
            isMigrationDue(turn.base.schema)
        else { return nil }
        var words = ["\(configuration.schemaVersion)", settings.name]
        words += types.map { "\(ObjectSchema(ClassSchema.of($0._storedType)))" }.sorted()
        do {
            return try await coordinator.beginStage(
                turn, target: words.joined(separator: "\n").fnv1a)
        } catch let error as StoreError {
            throw Realm.Error(error)
        }
    }

    /// Returns the commit that migrates a state, or `nil` if another process has migrated it
    /// already.
    fileprivate func migrated(
        _ base: DatabaseRoot, _ stage: MigrationStage?
    ) throws -> (Commit?, MigrationReport?) {
        try checkSchemaVersion(base.schema)
        let problem = schemaProblems(in: base.schema)
        guard isMigrationDue(base.schema) else {
            if let problem { throw problem }
            return (nil, nil)
        }
        if let stage, let left = try resumed(stage) {
            do {
                if let journal = MigrationJournal(left.progress) {
                    return try migrated(left.transaction, problem, stage, journal)
                }
            } catch is MigrationJournal.Mismatch {}
            left.transaction.abort()
            stage.discard()
        }
        return try migrated(EngineTransaction(base: base), problem, stage, MigrationJournal())
    }

    private func resumed(
        _ stage: MigrationStage
    ) throws(Realm.Error) -> (transaction: EngineTransaction, progress: [UInt8])? {
        do throws(StoreError) { return try stage.resume() } catch { throw failure(error) }
    }

    private func migrated(
        _ transaction: EngineTransaction, _ problem: Realm.Error?, _ stage: MigrationStage?,
        _ journal: MigrationJournal
    ) throws -> (Commit, MigrationReport?) {
        let base = transaction.base
        let isNew = base.version == 0
        var transaction = transaction
        do {
            let (outcome, damage) = DamageWatch.run(on: base) {
                Result { () throws -> MigrationReport? in
                    if !isNew { try migrate(&transaction, problem, stage, journal) }
                    transaction.setSchemaVersion(configuration.schemaVersion)
                    return isNew ? nil : MigrationReport(base, transaction)
                }
            }
            if let damage { throw damage }
            let report = try outcome.get()
            let commit = try transaction.commit(
                timestampMicroseconds: wallClockMicroseconds(),
                maximumBodyByteCount: maximumRecordByteCount
            )
            return (commit, report)
        } catch {
            transaction.abort()
            let error = (error as? StoreError).map { failure($0) } ?? error
            if !mayPass(error) { stage?.discard() }
            throw error
        }
    }

    /// Returns whether the saved parts must be kept after this error: the migration may succeed
    /// when it is resumed, or the mark file may have been written by another process.
    private func mayPass(_ error: any Error) -> Bool {
        guard let error = error as? Realm.Error else { return error is CancellationError }
        return switch error.code {
        case .diskFull, .ioFailed, .fileAccess, .filePermissionDenied, .fileMoved: true
        default: false
        }
    }

    /// - Parameter transaction: At the end, the transaction with all changes, which may be a
    ///   different one.
    private func migrate(
        _ transaction: inout EngineTransaction, _ problem: Realm.Error?, _ stage: MigrationStage?,
        _ journal: MigrationJournal
    ) throws {
        guard let types = configuration.objectTypes else {
            guard configuration.migration == nil else {
                throw Realm.Error(
                    .invalidInput,
                    "A migration needs Configuration.objectTypes, the classes of the new schema.")
            }
            if let problem { throw problem }
            return
        }
        let steps = MigrationSteps(transaction, types, version: configuration.schemaVersion)
        // properties that are merely new are added at their first use, and indexes after opening
        if configuration.migration == nil, problem == nil {
            return try steps.dropUndeclaredIndexes()
        }
        defer { transaction = steps.transaction }
        for schema in steps.classes {
            let entry = try listedEntry(for: schema.type)
            if let problem = entry.problem { throw problem }
        }
        if configuration.migration == nil, steps.losesValues, let problem {
            var error = problem.withoutMigrationHint()
            error.message +=
                "\nSet Configuration.migration to convert the values: without a migration they "
                + "would be lost."
            throw error
        }
        if let state = journal.steps {
            // always true unless the file was forged
            let tableCount = steps.transaction.schema.tables.count
            guard state.isPossible(tableCount: tableCount),
                tableCount >= transaction.base.schema.tables.count
            else { throw MigrationJournal.Mismatch() }
            steps.resume(state)
        } else {
            try steps.prepare()
        }
        if let block = configuration.migration { try run(block, steps, stage, journal) }
        try steps.finish()
        if let problem = schemaProblems(in: steps.transaction.schema) {
            var error = problem.withoutMigrationHint()
            error.code = .migrationFailed
            error.message =
                "After the migration, classes still differ from the stored schema:\n"
                + error.message
            throw error
        }
    }

    private func run(
        _ block: MigrationBlock, _ steps: MigrationSteps, _ stage: MigrationStage?,
        _ journal: MigrationJournal
    ) throws {
        let core = TransactionCore(
            .writing(steps.transaction), realm: self, place: CallPlace(file: "migration", line: 0))
        let saving = stage.map { stage in
            MigrationSaving(
                stage, journal, configuration.resumableMigration ?? ResumableMigration(),
                steps.transaction)
        }
        let migration = Migration(
            steps, core, progress: configuration.migrationProgress, saving: saving)
        let oldVersion = steps.transaction.base.schema.version
        let outcome = Result { try block(migration, oldVersion) }
        let violation = core.violation
        core.end()
        if case .failure(let error) = outcome, error is CancellationError { throw error }
        if journal.isMismatched || !journal.isPassed { throw MigrationJournal.Mismatch() }
        if let violation { throw violation }
        try outcome.get()
    }
}
