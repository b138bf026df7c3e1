internal import RegnumEngine
internal import RegnumStore

extension RealmCore {
    /// Returns the cursor of a published version.
    func cursor(at version: UInt64) -> ChangeCursor {
        let timeline = coordinator.timelines.id(at: version)
        return ChangeCursor(high: timeline.high, low: timeline.low, version: version)
    }

    /// Returns whether a cursor refers to a newer version than a root. Another process may have
    /// created it, so in that case this process has caught up with the log when the function
    /// returns. Returns `nil` if the realm is closed.
    ///
    /// Throws `.invalidInput` for a cursor from another realm or timeline, and errors that keep
    /// this process from reading.
    func isAhead(_ cursor: ChangeCursor, of root: DatabaseRoot) async throws(Realm.Error) -> Bool? {
        let isOnTimeline = coordinator.timelines.id(at: cursor.version) == cursor.timeline
        if isOnTimeline, cursor.version <= root.version { return false }
        do throws(StoreError) {
            // another process may also have begun the cursor's timeline
            try await coordinator.catchUp()
        } catch {
            if error.code == .closed { return nil }
            throw Realm.Error(error)
        }
        if !isOnTimeline { try checkTimeline(of: cursor) }
        return true
    }

    /// Throws `.invalidInput` for a cursor of a version that the realm doesn't have.
    func check(_ cursor: ChangeCursor, _ newest: DatabaseRoot) throws(Realm.Error) {
        // again, because the timeline may have ended in the meantime
        try checkTimeline(of: cursor)
        guard cursor.version > newest.version else { return }
        throw refusal(
            "The cursor \(cursor) refers to a version that the realm "
                + "\"\(configuration.name)\" does not have: it is at version \(newest.version). If "
                + "an older state of the realm was restored, start again without a cursor.")
    }

    private func checkTimeline(of cursor: ChangeCursor) throws(Realm.Error) {
        switch timelineProblem(cursor.version, cursor.timeline) {
        case nil: return
        case .unknown:
            throw refusal(
                "The cursor \(cursor) doesn't belong to the realm \"\(configuration.name)\".")
        case .left(let problem):
            throw refusal("The cursor \(cursor) \(problem). Start again without a cursor.")
        }
    }

    /// The reason why the realm doesn't have a version of a timeline.
    enum TimelineProblem {
        /// The realm was never on the timeline.
        case unknown
        /// The realm has left the timeline before the version. The text says when.
        case left(String)
    }

    /// Returns the reason why the realm doesn't have a version of a timeline, or `nil` if it does,
    /// or if the version is newer than all that this process has read.
    func timelineProblem(_ version: UInt64, _ timeline: Identity128) -> TimelineProblem? {
        let timelines = coordinator.timelines
        if timelines.id(at: version) == timeline { return nil }
        guard let last = timelines.lastVersion(of: timeline) else { return .unknown }
        return .left(
            "refers to commits that the realm \"\(configuration.name)\" does not have: it was "
                + "restored, is a copy or has lost them, and has commits of its own after version "
                + "\(last)")
    }

    private func refusal(_ message: String) -> Realm.Error {
        var error = Realm.Error(.invalidInput, message)
        error.refusesCursor = true
        return error
    }

    /// Throws the error, if any, that keeps this process from following the commits of others.
    func checkReadable() throws(Realm.Error) {
        try engine { () throws(StoreError) in try coordinator.checkReadable() }
    }
}
