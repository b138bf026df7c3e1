internal import Synchronization

/// Counts the bytes of nodes files of which there are copies in memory, because they were decrypted
/// or are owned by those who read them. For tests.
package final class CopiedByteCounter: Sendable, Hashable {
    private let currentCount = Atomic(0)
    private let peakCount = Atomic(0)

    package init() {}

    package var current: Int { currentCount.load(ordering: .relaxed) }
    /// The most that there were since `resetPeak`.
    package var peak: Int { peakCount.load(ordering: .relaxed) }

    package func resetPeak() { peakCount.store(current, ordering: .relaxed) }

    func add(_ count: Int) {
        let sum = currentCount.add(count, ordering: .relaxed).newValue
        peakCount.max(sum, ordering: .relaxed)
    }

    func remove(_ count: Int) { currentCount.subtract(count, ordering: .relaxed) }

    package static func == (a: CopiedByteCounter, b: CopiedByteCounter) -> Bool { a === b }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
