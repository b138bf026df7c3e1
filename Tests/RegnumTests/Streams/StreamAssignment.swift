/// A history on a realm that two processes share: what the one tells the other in a line.
struct StreamAssignment: Sendable {
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

    /// Runs one half; the other process runs the other one meanwhile, step by step.
    ///
    /// - Parameter meet: tells the other process of a step, and waits for it to be there.
    func run(side: Int, meet: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await StreamWatchdog.run { try await run(side, $0, meet) }
    }

    private func run(
        _ side: Int, _ pulse: StreamPulse, _ meet: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let sides = try await SharedSides(own: side, path: path, meet: meet)
        do {
            try await StreamHistory(seed: seed, sides: sides, pulse: pulse).run()
        } catch {
            await sides.close()
            throw error
        }
    }
}
