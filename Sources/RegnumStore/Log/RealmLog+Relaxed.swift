/// Commits that are published before they are synced, and may therefore be lost after others have
/// read them: by a power failure, or in a failed sync.
///
/// Other commits then get their versions, on a timeline of their own. Nothing in the log tells
/// whether a power failure has taken commits, so `LOCK` says durably, before the first of them is
/// published, that there may be some. `Docs/Decisions/069-lost-commits.md` has the reasons.
extension RealmLog {
    /// Whether commits may be published before they are synced. Requires the writer lock.
    package var mayPublishUnsynced: Bool { control.isRelaxedDurable }

    /// Notes durably in `LOCK` that commits may be published before they are synced. If that fails,
    /// each of them has to be synced first. Requires the writer lock; waits for the disk.
    package func allowUnsynced() {
        precondition(holdsWriter, "changing the control page requires the writer lock")
        guard !mayPublishUnsynced else { return }
        control.isRelaxed = true
        storeControl()
        guard (try? lock.sync()) != nil else { return }
        control.isRelaxedDurable = true
        storeControl()
    }

    /// Takes the note back if everything that was published is durable, so that the next boot finds
    /// none. Requires the writer lock.
    package func disallowUnsynced() {
        precondition(holdsWriter, "changing the control page requires the writer lock")
        guard control.isRelaxed, durableEnd == position, position == publishedEnd.point.position,
            !isPoisoned, !isFailedSyncKnown(nil)
        else { return }
        control.clearRelaxed()
        storeControl()
    }

    /// Lets the next commit begin a timeline if a power failure may have taken commits that were
    /// published. Requires a recovered log that was last used during another boot.
    func noteReboot() {
        guard control.isRelaxed else { return }
        control.isTimelineDue = true
        control.clearRelaxed()
    }
}
