/// Continuing a copy of a realm with the commits that were made to the original since.
extension RealmLog {
    /// The log position before which all bytes are known to be durable, by any process. Can be used
    /// without owning the log. If `LOCK` is missing, all that was read is.
    package var durableEndEverywhere: LogPosition {
        guard let page = lock.loadControl(), page.realmID == realmID else {
            return isReadOnly ? .max : 0
        }
        return page.durableEnd
    }

    /// Lets the following commits continue the copy's timeline instead of beginning a new one.
    /// Begins a segment if the timelines change.
    ///
    /// Requires the writer lock. Throws as `rotate` does.
    ///
    /// - Parameter timelines: the timelines of the original up to the last version that is added.
    package func beginExtending(_ timelines: Timelines) throws(StoreError) {
        isExtendingCopy = true
        guard timelines != segment.header.timelines || !segment.header.isCopy else { return }
        if durableEnd < position { try sync() }
        beginWriting()
        try rotate(
            byteCounts: [options.firstSegmentByteCount], isSmall: true,
            timelines: (timelines, isCopy: true))
        publish(wakes: false)
    }
}
