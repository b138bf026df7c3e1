import Foundation

/// The amount of work of the random and the enumerating tests, from `REGNUM_EFFORT`: 1 (the
/// default) is the gate, 10 a full soak. Values below 1 run that fraction of the gate's work,
/// values above it that many tenths of the soak's.
package enum Effort {
    package static let level =
        ProcessInfo.processInfo.environment["REGNUM_EFFORT"].flatMap { Double($0) } ?? 1

    /// Whether the run is a soak.
    package static var isSoak: Bool { level > 1 }

    /// Whether the run is smaller than the gate's, as under the thread sanitizer. Slow suites with
    /// little concurrency of their own are disabled then.
    package static var isReduced: Bool { level < 1 }

    /// Returns the size of a test at this effort, at least 1.
    package static func count(gate: Int, soak: Int) -> Int {
        let size = isSoak ? Double(soak) * level / 10 : Double(gate) * level
        return max(1, Int(size.rounded(.up)))
    }
}
