/// Continuing a copy of a realm with the commits that were made to the original since.
extension RealmLog {
    /// Whether this is the log of a copy to which nothing has been committed.
    package var isCopy: Bool { segment.header.isCopy }

    /// Lets the following commits continue the copy's timeline instead of beginning a new one.
    /// Begins a segment if the timelines change, or if the copy doesn't have the newest key.
    ///
    /// Requires the writer lock, and that it is a copy. Throws as `rotate` does.
    ///
    /// - Parameter timelines: the timelines of the original up to the last version that is added.
    package func beginExtending(_ timelines: Timelines) throws(StoreError) {
        isExtendingCopy = true
        guard timelines != segment.header.timelines || lacksNewestKey else { return }
        if durableEnd < position { try sync() }
        beginWriting()
        try rotate(
            byteCounts: [options.firstSegmentByteCount], isSmall: true,
            timelines: (timelines, isCopy: true))
        publish(wakes: false)
    }
}
