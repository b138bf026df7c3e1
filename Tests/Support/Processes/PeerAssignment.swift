/// A random run on a realm that two processes share: what the one tells the other in a line.
package struct PeerAssignment: Sendable {
    package let seed: UInt64
    /// The directory of the realm.
    package let path: String

    package init(seed: UInt64, path: String) {
        self.seed = seed
        self.path = path
    }

    /// Takes a line apart; nil if it is none.
    package init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let seed = UInt64(parts[0]) else { return nil }
        self.init(seed: seed, path: String(parts[1]))
    }

    package var line: String { "\(seed) \(path)" }
}
