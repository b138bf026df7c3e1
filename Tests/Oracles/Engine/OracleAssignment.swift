import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A sequence on a realm that two processes share: what the one tells the other in a line.
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

    /// Takes a line apart; nil if it is none.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        let sizes: [OracleSequence.Size] = [.short, .long, .bulk]
        guard parts.count == 3, let seed = UInt64(parts[0]),
            let size = sizes.first(where: { "\($0)" == parts[1] })
        else { return nil }
        self.init(seed: seed, size: size, path: String(parts[2]))
    }

    var line: String { "\(seed) \(size) \(path)" }

    /// Runs the half of one of the two peers; the other process runs the other one meanwhile.
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

    /// Small segments, so that the log rotates; in every second realm also checkpoints that come by
    /// themselves every few commits. Whoever wants a checkpoint moves on to a newer one of the other
    /// process, however little memory that gives back.
    private func open() async throws -> Coordinator {
        let fileSystem = PosixFileSystem.shared
        if seed % 2 == 0 {
            return try await openBusy(path, fileSystem) { $0.store.firstSegmentByteCount = 16384 }
        }
        return try await openPeer(path, fileSystem) { options in
            options.store.firstSegmentByteCount = 16384
            options.checkpoint.reloadByteCountMin = 0
        }
    }
}

/// The other side of `OraclePeerTests`, for the peer program.
package enum OraclePeer {
    /// Runs the sequence that a line assigns, as peer 1. Returns "ok", or throws what failed.
    package static func answer(_ line: String) async throws -> String {
        guard let assignment = OracleAssignment(line) else { return "not an assignment: \(line)" }
        try await assignment.run(peer: 1, OracleLog(isKept: false))
        return "ok"
    }
}
