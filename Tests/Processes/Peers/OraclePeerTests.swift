import Foundation
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Random sequences on real files, shared with one long-lived peer process: each of the two
/// executes its own transactions, and applies those of the other to its oracle.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct OraclePeerTests {
    @Test func sequencesSharedWithAPeerProcessAgreeWithTheOracle() async throws {
        let runs = NumberedRuns("OraclePeerTests", count: Effort.count(gate: 40, soak: 500))
        let directory = try PeerProcess.makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let peer = try PeerProcess("RegnumPeer", ["oracle"])
        defer { peer.kill() }
        for number in runs.numbers {
            let assignment = OracleAssignment(
                seed: runs.seed(number),
                size: number % 100 == 99 ? .bulk : (number % 25 == 24 ? .long : .short),
                path: directory.appending(path: "\(number).realm").path)
            let failures = await Self.failures(assignment, peer)
            try require(
                failures.isEmpty,
                """
                \(runs.name): REGNUM_SEED=\(runs.seed) REGNUM_RUN=\(number) (\(assignment.line)):
                \(failures.joined(separator: "\nthen "))
                """)
            try FileManager.default.removeItem(atPath: assignment.path)
        }
        print("\(runs.name): process \(peer.processID) was the peer of \(runs.numbers.count) runs")
    }

    /// Runs both halves. The first failure ends the other one, which would wait for versions that
    /// never come: the peer process is killed.
    private static func failures(
        _ assignment: OracleAssignment, _ peer: PeerProcess
    ) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                let log = OracleLog(isKept: true)
                do {
                    try await assignment.run(peer: 0, log)
                    return nil
                } catch {
                    let steps = log.lines.suffix(80).map { "    " + $0.prefix(600) + "\n" }
                    return "this process:\n\(steps.joined())\(error)"
                }
            }
            group.addTask {
                do {
                    try peer.tell(assignment.line)
                    let answer = try await peer.answer()
                    try require(answer == "ok", answer)
                    return nil
                } catch {
                    return "the peer process: \(error)"
                }
            }
            var failures: [String] = []
            for await failure in group {
                guard let failure else { continue }
                failures.append(failure)
                peer.kill()
                group.cancelAll()
            }
            return failures
        }
    }
}
