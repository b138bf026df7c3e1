internal import RegnumEngine
internal import RegnumStore

/// Writes what a migration has done so far, once there is enough of it.
final class MigrationSaving {
    let journal: MigrationJournal
    private let stage: MigrationStage
    private let byteCountMax: Int
    let batchCount: Int
    /// Bytes on the heap that are not the migration's.
    private var baseByteCount: Int

    init(
        _ stage: MigrationStage, _ journal: MigrationJournal, _ settings: ResumableMigration,
        _ transaction: EngineTransaction
    ) {
        self.stage = stage
        self.journal = journal
        byteCountMax = settings.memoryByteCount
        batchCount = max(1, settings.batchCount)
        baseByteCount = transaction.heapByteCount
    }

    /// Throws what ``MigrationStage/save(_:progress:)`` throws.
    func saveIfDue(_ steps: MigrationSteps, _ core: TransactionCore) throws {
        guard steps.transaction.heapByteCount - baseByteCount >= byteCountMax else { return }
        let progress = try journal.encoded(steps.state)
        do throws(StoreError) {
            let next = try stage.save(steps.transaction, progress: progress)
            steps.move(to: next)
            core.move(to: next)
            baseByteCount = next.heapByteCount
        } catch {
            let error = Realm.Error(error)
            core.fail(error)  // also where the block passes over it
            throw error
        }
    }
}
