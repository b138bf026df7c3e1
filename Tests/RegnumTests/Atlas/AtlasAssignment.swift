import Regnum

/// A sequence on a realm that two processes share: what the one tells the other in a line.
struct AtlasAssignment: Sendable {
    let seed: UInt64
    /// The directory of the realm.
    let path: String

    init(seed: UInt64, path: String) {
        self.seed = seed
        self.path = path
    }

    /// Takes a line apart; nil if it is none.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let seed = UInt64(parts[0]) else { return nil }
        self.init(seed: seed, path: String(parts[1]))
    }

    var line: String { "\(seed) \(path)" }

    /// Runs one half; the other process runs the other one meanwhile, place by place.
    ///
    /// - Parameter meet: tells the other process of a place, and waits for it to be there.
    func run(side: Int, meet: @escaping (Int) async throws -> Void) async throws {
        let sequence = AtlasSequence(seed: seed)
        let sides = try await AtlasSharedSides(
            own: side, path: path, sequence.objectTypes, meet: meet)
        do {
            try await sequence.run(sides)
        } catch {
            await sides.close()
            throw AtlasFailure("side \(side): \(error)\n\(sequence.history)")
        }
        await sides.close()
    }
}
