internal import RegnumEngine
internal import RegnumStore

/// The snapshots of a realm that are currently held, and where they were taken.
final class SnapshotRegistry: Sendable {
    /// A held snapshot, which the registry doesn't retain.
    private struct Entry {
        weak var snapshot: SnapshotCore?
    }

    private let entries = Guarded<[ObjectIdentifier: Entry]>([:])

    /// - Complexity: O(1)
    func add(_ snapshot: SnapshotCore) {
        entries.withLock { $0[ObjectIdentifier(snapshot)] = Entry(snapshot: snapshot) }
    }

    /// Called when the snapshot is released.
    ///
    /// - Complexity: O(1)
    func remove(_ identity: ObjectIdentifier) {
        _ = entries.withLock { $0.removeValue(forKey: identity) }
    }

    /// The snapshots that are currently held, oldest version first.
    var all: [SnapshotCore] {
        entries.withLock { $0.values.compactMap(\.snapshot) }
            .sorted { $0.root.version < $1.root.version }
    }
}
