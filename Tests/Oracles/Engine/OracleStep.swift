import RegnumSimulation
import RegnumTestSupport

/// One step of a sequence. Its details are drawn from its own seed and the oracle's content when it
/// runs, so that a sequence remains valid when other steps are removed, and runs identically in
/// every process.
struct OracleStep: Sendable {
    var kind: Kind
    var seed: UInt64
    /// The maximum number of rows that a bulk step touches; used for shrinking a failing sequence.
    var maximumRowCount = Int.max

    enum Kind: Sendable, CaseIterable {
        // Inside a transaction, which begins with the first of them.
        case addTable, addColumn, insert, insertMany, insertBulk, set, setSame, setMany, delete
        case deleteMany, deleteCluster, insertTaken, setRefused, savepoint, rollBack
        case addLink, addIndex, setLink, linkRefused
        case addList, listInsert, listInsertMany, listRemove, listSet, listMove, listRefused
        case query, compare, holdInside
        // The end of a transaction.
        case commit, abort
        // Between transactions; inside one they use what is published.
        case hold, recheck, letGo, holdResult, advance, reopen, checkpoint
    }
}

extension OracleStep.Kind {
    /// Whether it operates on several rows.
    var isOnMany: Bool {
        switch self {
        case .insertMany, .insertBulk, .setMany, .deleteMany, .deleteCluster, .listInsertMany:
            true
        default: false
        }
    }

    /// Whether it belongs inside a transaction.
    var isInside: Bool {
        switch self {
        case .addTable, .addColumn, .insert, .insertMany, .insertBulk, .set, .setSame, .setMany,
            .delete, .deleteMany, .deleteCluster, .insertTaken, .setRefused, .savepoint,
            .rollBack, .addLink, .addIndex, .setLink, .linkRefused, .addList, .listInsert,
            .listInsertMany, .listRemove, .listSet, .listMove,
            .listRefused, .query, .compare, .holdInside:
            true
        case .commit, .abort, .hold, .recheck, .letGo, .holdResult, .advance, .reopen,
            .checkpoint:
            false
        }
    }
}

/// The steps of one sequence, generated from its seed.
struct OracleSequence: Sendable {
    let seed: UInt64
    var steps: [OracleStep]

    /// The size class of a sequence.
    enum Size: Sendable {
        /// About ten transactions on tables of about ten rows.
        case short
        /// About a hundred transactions.
        case long
        /// Tables that span several clusters.
        case bulk
    }

    init(seed: UInt64, size: Size) {
        self.seed = seed
        var generator = SeededRandom(seed)
        // Most sequences begin by inserting rows, so that later steps find some.
        let start: [OracleStep.Kind] =
            size == .bulk
            ? [.addTable, .insertBulk, .commit, .insertBulk, .insertBulk] : [.insertMany]
        steps = []
        for kind in generator.oneIn(5) ? [] : start {
            steps.append(OracleStep(kind: kind, seed: generator.next()))
        }
        let count =
            switch size {
            case .short: 15 + generator.below(65)
            case .long: 300 + generator.below(300)
            case .bulk: 60 + generator.below(60)
            }
        let weights = OracleSequence.weights(size)
        let sum = weights.reduce(0) { $0 + $1.1 }
        for _ in 0..<count {
            var place = generator.below(sum)
            for (kind, weight) in weights {
                if place < weight {
                    steps.append(OracleStep(kind: kind, seed: generator.next()))
                    break
                }
                place -= weight
            }
        }
    }

    private static func weights(_ size: Size) -> [(OracleStep.Kind, Int)] {
        var weights: [(OracleStep.Kind, Int)] = [
            (.addLink, 4), (.addIndex, 2), (.setLink, 14), (.linkRefused, 1),
            (.addList, 3), (.listInsert, 12), (.listInsertMany, 2), (.listRemove, 5),
            (.listSet, 3), (.listMove, 3), (.listRefused, 1), (.addTable, 2), (.addColumn, 3),
            (.insert, 20), (.insertMany, 5), (.set, 18),
            (.setSame, 3), (.setMany, 3), (.delete, 8), (.deleteMany, 2), (.insertTaken, 3),
            (.setRefused, 2), (.savepoint, 5), (.rollBack, 4), (.query, 8), (.compare, 1),
            (.holdInside, 2), (.commit, 14), (.abort, 3), (.hold, 4), (.recheck, 1), (.letGo, 2),
            (.holdResult, 4), (.advance, 4), (.reopen, 1), (.checkpoint, 3),
        ]
        if size == .bulk { weights += [(.insertBulk, 9), (.deleteCluster, 6), (.setMany, 5)] }
        return weights
    }
}
