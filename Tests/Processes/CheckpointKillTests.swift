import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

/// Processes that write continuously are killed while they checkpoint, commit in bulk, trim the log
/// or open the realm; in half of the rounds alongside another one that reads, writes and
/// checkpoints.
///
/// The moments also depend on the machine, so a seed doesn't repeat a run exactly.
@Suite(.serialized) struct CheckpointKillTests {
    static let killCount = Effort.count(gate: 15, soak: 60)

    @Test func killsDuringCheckpointsLoseAndDoubleNothing() async throws {
        var random = SeededRandom()
        let start = ContinuousClock.now
        var report = CheckpointKillReport()
        // A loaded machine may need more kills until enough of them hit a checkpoint.
        while report.kills < Self.killCount
            || !report.isMeaningful && report.kills < 4 * Self.killCount
        {
            let kills = min(15, max(Self.killCount - report.kills, 5))
            let seed = random.next()
            let hasPeer = report.rounds % 2 == 1
            report += try await withChildren { group in
                try await CheckpointKillRound(group, seed, hasPeer: hasPeer).run(kills: kills)
            }
        }
        print("kill -9 during checkpoints: \(report), \(start.duration(to: .now))")
        expectTrue(report.kills >= Self.killCount)
        expectTrue(report.hasCheckpoints, "too few checkpoints were finished")
        expectTrue(report.hasUnfinished, "too few processes died with a checkpoint half written")
    }
}

/// The statistics of a run of kills.
struct CheckpointKillReport: CustomStringConvertible {
    var rounds = 0
    var kills = 0
    var commits = 0
    /// Checkpoints that the log referred to at a check, each counted once; a lower bound.
    var checkpoints = 0
    /// Kills of processes that had the realm alone, after which the files were checked.
    var lookedAt = 0
    /// Those of them that left a partial checkpoint, to which the log doesn't refer.
    var unfinished = 0
    /// Those that left a nodes file to which the log doesn't refer at all.
    var abandonedFiles = 0
    var bulkCommits = 0

    /// Whether enough checkpoints were finished.
    var hasCheckpoints: Bool { checkpoints * 4 >= kills }
    /// Whether enough processes were killed in the middle of a checkpoint.
    var hasUnfinished: Bool { unfinished * 8 >= CheckpointKillTests.killCount }
    var isMeaningful: Bool { hasCheckpoints && hasUnfinished }

    static func += (left: inout CheckpointKillReport, right: CheckpointKillReport) {
        left.rounds += right.rounds
        left.kills += right.kills
        left.commits += right.commits
        left.checkpoints += right.checkpoints
        left.lookedAt += right.lookedAt
        left.unfinished += right.unfinished
        left.abandonedFiles += right.abandonedFiles
        left.bulkCommits += right.bulkCommits
    }

    var description: String {
        """
        \(kills) kills, \(commits) commits (\(bulkCommits) in bulk), at least \(checkpoints) \
        checkpoints; of \(lookedAt) processes that had the realm alone \(unfinished) left an \
        unfinished checkpoint, \(abandonedFiles) in a file of its own
        """
    }
}
