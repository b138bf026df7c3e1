/// A random run on a realm that two processes share, sent from one to the other as one line.
package struct PeerAssignment: Sendable {
    package let seed: UInt64
    /// The directory of the realm.
    package let path: String

    package init(seed: UInt64, path: String) {
        self.seed = seed
        self.path = path
    }

    /// Parses a line; `nil` if it isn't an assignment.
    package init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let seed = UInt64(parts[0]) else { return nil }
        self.init(seed: seed, path: String(parts[1]))
    }

    package var line: String { "\(seed) \(path)" }
}
