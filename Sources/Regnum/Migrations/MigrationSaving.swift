internal import RegnumEngine
internal import RegnumStore

/// Saves a migration's changes so far whenever there are enough of them.
final class MigrationSaving {
    let journal: MigrationJournal
    private let stage: MigrationStage
    private let maximumByteCount: Int
    let batchCount: Int
    /// Bytes on the heap that don't belong to the migration.
    private var baseByteCount: Int

    init(
        _ stage: MigrationStage, _ journal: MigrationJournal, _ settings: ResumableMigration,
        _ transaction: EngineTransaction
    ) {
        self.stage = stage
        self.journal = journal
        maximumByteCount = settings.memoryByteCount
        batchCount = max(1, settings.batchCount)
        baseByteCount = transaction.heapByteCount
    }

    /// Throws the errors of ``MigrationStage/save(_:progress:)``.
    func saveIfDue(_ steps: MigrationSteps, _ core: TransactionCore) throws {
        guard steps.transaction.heapByteCount - baseByteCount >= maximumByteCount else { return }
        let progress = try journal.encoded(steps.state)
        do throws(StoreError) {
            let next = try stage.save(steps.transaction, progress: progress)
            steps.move(to: next)
            core.move(to: next)
            baseByteCount = next.heapByteCount
        } catch {
            let error = Realm.Error(error)
            core.fail(error)  // even if the block ignores it
            throw error
        }
    }
}
