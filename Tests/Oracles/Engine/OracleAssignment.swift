import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A sequence on a realm that two processes share, sent from one to the other as one line.
struct OracleAssignment: Sendable {
    let seed: UInt64
    let size: OracleSequence.Size
    /// The directory of the realm.
    let path: String

    init(seed: UInt64, size: OracleSequence.Size, path: String) {
        self.seed = seed
        self.size = size
        self.path = path
    }

    /// Parses a line; `nil` if it isn't an assignment.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        let sizes: [OracleSequence.Size] = [.short, .long, .bulk]
        guard parts.count == 3, let seed = UInt64(parts[0]),
            let size = sizes.first(where: { "\($0)" == parts[1] })
        else { return nil }
        self.init(seed: seed, size: size, path: String(parts[2]))
    }

    var line: String { "\(seed) \(size) \(path)" }

    /// Runs the half of one of the two peers; the other process runs the other half concurrently.
    func run(peer: Int, _ log: OracleLog) async throws {
        let target = try await CoordinatorTarget(peerCount: 2, ownPeers: [peer]) { [self] _ in
            try await open()
        }
        do {
            try await OracleRun(target, log).run(OracleSequence(seed: seed, size: size))
        } catch {
            await target.close()
            throw error
        }
        await target.close()
    }

    /// Uses small segments, so that the log rotates; every second realm also makes automatic
    /// checkpoints every few commits. A peer that asks for a checkpoint adopts a newer one of the
    /// other process, however little memory that frees.
    private func open() async throws -> Coordinator {
        let fileSystem = PosixFileSystem.shared
        if seed % 2 == 0 {
            return try await openBusy(path, fileSystem) { $0.store.firstSegmentByteCount = 16384 }
        }
        return try await openPeer(path, fileSystem) { options in
            options.store.firstSegmentByteCount = 16384
            options.checkpoint.minimumReloadByteCount = 0
        }
    }
}

/// The other side of `OraclePeerTests`, for the peer program.
package enum OraclePeer {
    /// Runs the sequence assigned by a line, as peer 1. Returns "ok", or throws the failure.
    package static func answer(_ line: String) async throws -> String {
        guard let assignment = OracleAssignment(line) else { return "not an assignment: \(line)" }
        try await assignment.run(peer: 1, OracleLog(isKept: false))
        return "ok"
    }
}
