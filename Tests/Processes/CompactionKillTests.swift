import Foundation
import Glibc
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import RegnumCrashChild

/// Four processes write and compact, and four read, while any of them is killed.
///
/// The moments also depend on the machine, so a seed doesn't repeat a run exactly.
@Suite(.serialized) struct CompactionKillTests {
    private static let killCount = Effort.count(gate: 20, soak: 200)
    private static let writerNames = ["ann", "bob", "cyd", "dan"]

    /// A process, and the arguments with which it is started again.
    private struct Role {
        let command: String
        let arguments: [String]
        var child: ChildProcess

        init(_ command: String, _ arguments: [String], _ group: ChildGroup) throws {
            (self.command, self.arguments) = (command, arguments)
            child = try group.start(command, on: group.realm, arguments)
        }

        mutating func restart(_ group: ChildGroup) throws {
            self = try Role(command, arguments, group)
        }
    }

    // Covers 13.6
    @Test func killsDuringCompactionsLoseNothing() async throws {
        var random = SeededRandom()
        let start = ContinuousClock.now
        var compactionKillCount = 0
        /// The last commits that writers printed before they were killed.
        var acknowledged: [String: Int] = [:]
        try await withChildren { group in
            try await Ledger.make(group.realm)
            var roles = try Self.writerNames.map { try Role("ledger", [$0], group) }
            for _ in 0..<4 { roles.append(try Role("audit", Self.writerNames, group)) }
            for role in roles { _ = try await role.child.lines(1) }
            for _ in 0..<Self.killCount {
                let index = Int.random(in: 0..<6, using: &random)
                let victim = roles[index].child
                let isWriter = index < 4
                if isWriter, Int.random(in: 0..<4, using: &random) > 0 {
                    try await waitForCompaction(victim)
                }
                let nanoseconds = Int.random(in: 0...20_000_000, using: &random)
                try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
                for role in roles {
                    try require(role.child.isRunning, "exited: \(role.child.description)")
                }
                victim.signal(SIGKILL)
                let ending = try await victim.end()
                try require(ending == .killed(signal: SIGKILL), "\(victim.description)")
                if isWriter {
                    compactionKillCount += isCompacting(victim) ? 1 : 0
                    let name = Self.writerNames[index]
                    acknowledged[name] = max(lastNumber(victim), acknowledged[name] ?? 0)
                }
                try roles[index].restart(group)
                group.forgetEnded()
            }
            for role in roles { _ = try await role.child.lines(1) }
            for role in roles { role.child.signal(SIGTERM) }
            for role in roles { try await role.child.expectSuccess() }
            let realm = try await Ledger.open(group.realm, makesCheckpoints: false)
            for (name, role) in zip(Self.writerNames, roles) {
                let ledger = Ledger(writer: name)
                expectNil(ledger.problem(realm.published))
                let least = max(lastNumber(role.child), acknowledged[name] ?? 0)
                let count = ledger.commitCount(realm.published)
                expectTrue(count >= least, "\(name): \(count) commits, \(least) acknowledged")
            }
            await realm.close()
        }
        print(
            "kill -9 beside compactions: \(Self.killCount) kills, \(compactionKillCount) of a "
                + "process that was compacting, \(start.duration(to: .now))")
        expectTrue(compactionKillCount > 0)
    }

    private func lastNumber(_ writer: ChildProcess) -> Int {
        writer.lines.last.flatMap { Int($0) } ?? 0
    }

    /// Whether the writer has printed the number of the commit that a compaction follows, and not
    /// yet the next one.
    private func isCompacting(_ writer: ChildProcess) -> Bool {
        lastNumber(writer) % Ledger.compactionInterval == 7
    }

    /// Waits until the writer compacts. On a slow machine the moment may be missed a few times.
    private func waitForCompaction(_ writer: ChildProcess) async throws {
        while !isCompacting(writer) {
            try require(writer.isRunning, "exited: \(writer.description)")
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
