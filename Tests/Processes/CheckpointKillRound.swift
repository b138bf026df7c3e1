import Foundation
import Glibc
import RegnumEngine
import RegnumStore
import RegnumTestSupport

@testable import RegnumCrashChild

/// One realm and a writer that is killed and restarted, sometimes alongside a peer that never is.
///
/// What must hold after each kill: the realm opens, no checkpoint that the log refers to is
/// damaged, all acknowledged commits exist once and completely, and at most one further commit for
/// each killed writer. No process exits unless it was killed. In the end the files of abandoned
/// checkpoints are gone.
final class CheckpointKillRound {
    private let group: ChildGroup
    private var random: SeededRandom
    private let peer: ChildProcess?
    private let ann = Ledger(writer: "ann")
    private let bob = Ledger(writer: "bob")
    /// The minimum and maximum number of the writer's commits.
    private var bounds = 0...0
    /// The last nodes file at the previous check.
    private var lastSeen: NodesFileState?
    private var lastCheckpoint: UInt64 = 0
    private var report = CheckpointKillReport(rounds: 1)

    init(_ group: ChildGroup, _ seed: UInt64, hasPeer: Bool) async throws {
        self.group = group
        random = SeededRandom(seed)
        try await Ledger.make(group.realm)
        peer = hasPeer ? try group.start("ledger", "bob") : nil
        _ = try await peer?.lines(1)
    }

    func run(kills: Int) async throws -> CheckpointKillReport {
        for _ in 0..<kills {
            try await killOne()
            group.forgetEnded()
            // Otherwise the next writer finds the realm as the killed one left it.
            if Int.random(in: 0..<4, using: &random) > 0 { try await look() }
            if let peer {
                try require(peer.isRunning, "exited unexpectedly: \(peer.description)")
            }
        }
        if let peer {
            peer.signal(SIGTERM)
            try await peer.expectSuccess()
        }
        try await look()
        try checkFiles()
        report.commits = bounds.lowerBound + (peer?.lineCount ?? 0)
        report.bulkCommits =
            bounds.lowerBound / Ledger.bulkInterval + (peer?.lineCount ?? 0) / Ledger.bulkInterval
        return report
    }

    private func killOne() async throws {
        let victim = try group.start("ledger", "ann")
        var nanoseconds = Int.random(in: 0...60_000_000, using: &random)
        // Sometimes right after its start, otherwise after it has committed something, begun a
        // checkpoint, or finished one.
        switch Int.random(in: 0..<8, using: &random) {
        case 0: break
        case 1: _ = try await victim.lines(1)
        case 2...4:
            _ = try await victim.lines(1)
            try await waitForCheckpoint()
            nanoseconds /= 8
        default: _ = try await victim.lines(Ledger.compactionInterval + 1)
        }
        try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
        try require(victim.isRunning, "exited unexpectedly: \(victim.description)")
        victim.signal(SIGKILL)
        let ending = try await victim.end()
        try require(ending == .killed(signal: SIGKILL), "not killed: \(victim.description)")
        report.kills += 1

        let numbers = victim.lines.compactMap { Int($0) }
        guard let first = numbers.first, let last = numbers.last else {
            bounds = bounds.lowerBound...bounds.upperBound + 1
            return
        }
        try require(numbers == Array(first...last), "\(numbers) were acknowledged")
        try require(
            bounds.contains(first - 1), "\(first) was acknowledged, with \(bounds) before it")
        bounds = last...last + 1
    }

    /// Waits until a nodes file grows or a new one exists.
    private func waitForCheckpoint() async throws {
        let before = try nodesFiles().last
        let end = ContinuousClock.now + timeLimit
        while try nodesFiles().last == before {
            try require(ContinuousClock.now < end, "no checkpoint was begun")
            try await Task.sleep(for: .microseconds(200), tolerance: .zero)
        }
    }

    /// Opens the realm and compares everything.
    private func look() async throws {
        let files = try nodesFiles()
        let peerCount = peer?.lines.last.flatMap { Int($0) } ?? 0
        let realm = try await Ledger.open(group.realm, makesCheckpoints: false)
        let root = realm.published
        let recovery = realm.recovery
        await realm.close()

        try require(
            recovery?.damagedCheckpoints == [] && recovery?.damagedPosition == nil,
            "damage: \(String(describing: recovery))")
        let count = ann.commitCount(root)
        try require(bounds.contains(count), "\(count) commits of ann, not \(bounds)")
        // The peer may still adopt what the killed writer left after the published end.
        bounds = count...(recovery?.followedWriter == true ? bounds.upperBound : count)
        let others = bob.commitCount(root)
        try require(others >= peerCount, "\(others) of \(peerCount) commits of bob")
        for ledger in [ann, bob] {
            if let problem = ledger.problem(root) { throw ChildFailure(problem) }
        }
        if let checkpoint = recovery?.checkpoint {
            if checkpoint.version > lastCheckpoint { report.checkpoints += 1 }
            lastCheckpoint = checkpoint.version
            if peer == nil { judge(files, checkpoint) }
        }
        lastSeen = files.last
    }

    /// Determines whether the last process died with a checkpoint partly written.
    private func judge(_ files: [NodesFileState], _ newest: CheckpointReference) {
        report.lookedAt += 1
        guard let last = files.last, last != lastSeen else { return }
        if last.number > newest.file {
            report.abandonedFiles += 1
            report.unfinished += 1
        } else if last.byteCount > newest.offset + newest.byteCount + 8192 {
            // The directory of a bulk commit is followed by its delta, which is short.
            report.unfinished += 1
        }
    }

    /// Checks that a process that had the realm alone, opened and closed it, left nothing that no
    /// checkpoint needs.
    private func checkFiles() throws {
        let (log, _) = try RealmLog.open(
            PosixFileSystem.shared, path: group.realm, options: StoreOptions(),
            load: { _, _ in }, { _ in })
        let needed = [log.newestCheckpoint, log.olderCheckpoint].compactMap { $0?.file }
        let files = try nodesFiles()
        try require(
            Set(files.map(\.number)) == Set(needed), "\(files) on disk, needed \(needed)")
        let names = try FileManager.default.contentsOfDirectory(atPath: group.realm)
        try require(
            !names.contains { $0.hasPrefix("tmp-") }, "unfinished files among \(names)")
        // Garbage inside the files is bounded: a new file is begun in time.
        let byteCount = files.reduce(0) { $0 + $1.byteCount }
        try require(byteCount < 24 << 20, "\(byteCount) bytes in \(files)")
    }

    private func nodesFiles() throws -> [NodesFileState] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: group.realm).compactMap { name in
            guard name.hasPrefix("nodes-"), let number = UInt64(name.dropFirst(6)),
                // A peer may be removing it.
                let attributes = try? manager.attributesOfItem(atPath: group.realm + "/" + name),
                let size = attributes[.size] as? NSNumber
            else { return nil }
            return NodesFileState(number: number, byteCount: size.uint64Value)
        }.sorted { $0.number < $1.number }
    }
}

private struct NodesFileState: Equatable {
    let number: UInt64
    let byteCount: UInt64
}
