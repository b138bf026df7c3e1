internal import RegnumEngine
internal import RegnumStore

/// The state shared by the frozen values of one snapshot.
final class SnapshotCore: Sendable {
    let realm: RealmCore
    let root: DatabaseRoot
    /// The call site at which the snapshot was taken, for `stats()` and messages.
    let place: CallPlace
    /// The time at which it was taken, of `IOPool.coarseNow`.
    let takenAt = IOPool.coarseNow()
    /// Paused transactions of earlier property reads, kept for reuse.
    let idleReaders = Guarded<[IdleReader]>([])

    init(realm: RealmCore, root: DatabaseRoot, place: CallPlace) {
        self.realm = realm
        self.root = root
        self.place = place
        realm.snapshots.add(self)
    }

    deinit {
        realm.snapshots.remove(ObjectIdentifier(self))
        endReaders()
    }
}
