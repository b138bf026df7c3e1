import Foundation

/// How much work the random and the enumerating tests do, from `REGNUM_EFFORT`: 1 (the default) is
/// the gate, 10 the whole soak. Below 1 they do that fraction of the gate's work; above it, that
/// many tenths of the soak's.
package enum Effort {
    package static let level =
        ProcessInfo.processInfo.environment["REGNUM_EFFORT"].flatMap { Double($0) } ?? 1

    /// Whether the run is a soak.
    package static var isSoak: Bool { level > 1 }

    /// Whether the run is smaller than the gate's, as under the thread sanitizer. Suites that take
    /// long and have little concurrency of their own are disabled then.
    package static var isReduced: Bool { level < 1 }

    /// The size of a test at this effort, at least 1.
    package static func count(gate: Int, soak: Int) -> Int {
        let size = isSoak ? Double(soak) * level / 10 : Double(gate) * level
        return max(1, Int(size.rounded(.up)))
    }
}
