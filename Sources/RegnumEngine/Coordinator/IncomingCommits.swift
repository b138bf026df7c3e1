import RegnumStore

/// Commits read from the log and applied in order, possibly starting from a checkpoint.
final class IncomingCommits {
    private(set) var root: DatabaseRoot
    /// The steps to `root` since the last `takeSteps`, and the number of commits among them.
    private var steps: [PublishedStep] = []
    private(set) var commitCount = 0
    /// The checkpoint version from which it started over, `nil` if it didn't; 0: the log's
    /// beginning.
    private var beganAt: UInt64?
    private var nodes: NodesDirectory?
    private let initialNodes: NodesDirectory?
    private let keepsSteps: Bool
    /// Images that were found damaged. A checkpoint that refers to them isn't loaded.
    private var damage: DamagedImages?
    /// Whether a checkpoint is loaded even if the only leaf of an index is damaged.
    private var acceptsDamage = false
    /// Whether a checkpoint wasn't loaded because of damage, and none was since.
    private var isRefused = false
    /// The state before commits that may have to be dropped.
    private var rollbackPoint: (root: DatabaseRoot, stepCount: Int, commitCount: Int)?

    /// The number of commits accepted at once.
    static let maximumAcceptedCount = 64

    init(
        _ root: DatabaseRoot, _ nodes: NodesDirectory?, keepsSteps: Bool = true,
        avoiding damage: DamagedImages? = nil
    ) {
        self.root = root
        self.nodes = nodes
        initialNodes = nodes
        self.keepsSteps = keepsSteps
        self.damage = damage
    }

    /// Runs `read`, which may start over from a checkpoint; once more, with any that can be loaded,
    /// if all of them are damaged or refer to images that were found damaged.
    func preferringIntact<Result>(
        _ read: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try read()
        } catch {
            guard isRefused else { throw error }
            (damage, acceptsDamage, isRefused) = (nil, true, false)
            nodes = initialNodes  // those of a failed opening hold its locks
            return try read()
        }
    }

    /// Starts over from the checkpoint, or from an empty realm.
    func begin(_ reference: CheckpointReference?, _ nodes: NodesDirectory) throws(StoreError) {
        self.nodes = nodes
        let loaded: DatabaseRoot
        do throws(StoreError) {
            loaded = try CheckpointLoader.load(
                reference, in: nodes, acceptsDamage: acceptsDamage)
        } catch {
            isRefused = isRefused || error.isPermanentDamage
            throw error
        }
        if let reference, let damage, loaded.refers(to: damage) {
            isRefused = true
            throw Coordinator.knownDamage(reference, nodes)
        }
        (root, isRefused) = (loaded, false)
        steps = keepsSteps ? [.gap(root)] : []
        commitCount = 0
        beganAt = reference?.version ?? 0
    }

    func apply(_ body: [UInt8]) throws(StoreError) {
        let (applied, damage) = DamageWatch.run {
            Result { () throws(StoreError) in try CommitRecord.apply(body, to: root, nodes) }
        }
        let (next, summary) = try applied.get()
        // A bulk commit has its own images.
        if let damage, let source = next.content.context.source,
            source === root.content.context.source
        {
            source.inherit(damage)
        }
        root = next
        guard keepsSteps else { return }
        steps.append(.commit(summary, next))
        commitCount += 1
    }

    /// Marks commits applied from now on as tentative.
    func beginTentative() { rollbackPoint = rollbackPoint ?? (root, steps.count, commitCount) }

    /// Drops the commits applied since `beginTentative`.
    func rollBackTentative() {
        guard let rollbackPoint else { return }
        root = rollbackPoint.root
        steps.removeLast(steps.count - rollbackPoint.stepCount)
        commitCount = rollbackPoint.commitCount
        self.rollbackPoint = nil
    }

    func takeSteps() -> (steps: [PublishedStep], commitCount: Int, beganAt: UInt64?) {
        defer { (steps, commitCount, beganAt) = ([], 0, nil) }
        return (steps, commitCount, beganAt)
    }
}
