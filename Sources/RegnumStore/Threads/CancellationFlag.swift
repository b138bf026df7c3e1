internal import Synchronization

/// A flag that is set once, when a task is cancelled, and read by another thread.
package final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .acquiring) }

    package func set() { flag.store(true, ordering: .releasing) }
}
