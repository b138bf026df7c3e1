/// The end of the log, shared between the processes of a realm in a page of `LOCK`. It has two
/// slots that are written alternately, so that a writer killed during a store leaves the other one
/// intact. It is rarely synced: after a power loss it may be an earlier page, which is a lower
/// bound, and it can always be rebuilt from the log. `Docs/FORMAT.md` specifies the layout.
package struct ControlPage: Sendable, Equatable {
    private static let magic: UInt64 = 0x5245_474E_4354_4C31  // "REGNCTL1"

    /// The layout version: the last digit of the magic number.
    package static let layout = magic & 0xFF - 0x30

    /// Returns whether a slot that starts with `magic` has another layout of this library.
    static func isForeign(magic: UInt64) -> Bool {
        magic != Self.magic && magic >> 8 == Self.magic >> 8
    }

    package var realmID: Identity128
    /// The boot during which the page was last rebuilt.
    package var bootID: Identity128?
    package var generation: UInt64 = 0
    /// The segment that contains the log end.
    package var segmentNumber: UInt64 = 0
    /// The log position before which all bytes are durable.
    package var durableEnd: LogPosition = 0
    /// The log position before which all bytes are written and readable by other processes.
    package var visibleEnd: LogPosition = 0
    /// The newest commit version before `visibleEnd`.
    package var version: UInt64 = 0
    package var writerEpoch: UInt32 = 0
    /// Whether a writer is between its first byte and publication.
    package var isWriting = false
    /// Whether a write or a sync of the log failed. The next writer then starts a new segment.
    package var isPoisoned = false
    /// Whether commits may have been published before they were synced. It is set and synced before
    /// the first of them is published, and cleared when all of them are known to be durable, so
    /// after a power loss it is set if any may be lost.
    package var isRelaxed = false
    /// Whether `isRelaxed` was synced after it was set.
    package var isRelaxedDurable = false
    /// Whether the next commit begins a timeline, because commits that were published may have been
    /// lost.
    package var isTimelineDue = false
    /// The value of `LockWord.failedSyncCount` when failed syncs were last repaired. While that
    /// count is higher, the next writer starts a new segment as well.
    package var repairedSyncCount: UInt32 = 0
    /// The number of stores. The page is the valid slot with the higher number.
    package var stores: UInt64 = 0

    package init(realmID: Identity128, bootID: Identity128?) {
        self.realmID = realmID
        self.bootID = bootID
    }

    package var words: ControlWords {
        var words = ControlWords(repeating: 0)
        words[0] = Self.magic
        words[1] = realmID.high
        words[2] = realmID.low
        words[3] = bootID?.high ?? 0
        words[4] = bootID?.low ?? 0
        words[5] = generation
        words[6] = segmentNumber
        words[7] = durableEnd
        words[8] = visibleEnd
        words[9] = version
        words[10] = stores
        words[11] = UInt64(writerEpoch)
        words[12] = (isWriting ? 1 : 0) | (isPoisoned ? 2 : 0) | (bootID == nil ? 4 : 0)
        if isRelaxed { words[12] |= 8 }
        if isRelaxedDurable { words[12] |= 16 }
        if isTimelineDue { words[12] |= 32 }
        words[13] = UInt64(repairedSyncCount)
        words[15] = Self.checksum(words)
        return words
    }

    package init?(words: ControlWords) {
        guard words[0] == Self.magic, words[15] == Self.checksum(words) else { return nil }
        realmID = Identity128(high: words[1], low: words[2])
        bootID = words[12] & 4 == 0 ? Identity128(high: words[3], low: words[4]) : nil
        generation = words[5]
        segmentNumber = words[6]
        durableEnd = words[7]
        visibleEnd = words[8]
        version = words[9]
        stores = words[10]
        writerEpoch = UInt32(truncatingIfNeeded: words[11])
        repairedSyncCount = UInt32(truncatingIfNeeded: words[13])
        isWriting = words[12] & 1 != 0
        isPoisoned = words[12] & 2 != 0
        isRelaxed = words[12] & 8 != 0
        isRelaxedDurable = words[12] & 16 != 0
        isTimelineDue = words[12] & 32 != 0
    }

    mutating func clearRelaxed() { (isRelaxed, isRelaxedDurable) = (false, false) }

    /// Whether a failed write or sync was recorded that hasn't been repaired.
    func isRepairDue(_ lock: any LockFile) -> Bool {
        isPoisoned || repairedSyncCount != lock.load(.failedSyncCount)
    }

    /// Excludes from the visible bytes what a failed write or sync may have dropped.
    mutating func dropUnconfirmedEnd(_ lock: any LockFile) {
        if isRepairDue(lock) { visibleEnd = min(visibleEnd, durableEnd) }
    }

    private static func checksum(_ words: ControlWords) -> UInt64 {
        var copy = words
        copy[15] = 0
        return withUnsafeBytes(of: &copy) { UInt64(Checksum.crc32c($0)) }
    }
}

extension LockFile {
    /// Returns the newest valid slot, or `nil` if neither is valid. A concurrent store tears at
    /// most one slot, so `nil` means that the page is damaged or was never written.
    package func loadControl() -> ControlPage? {
        for _ in 0..<4 {
            let slots = [loadControlSlot(0), loadControlSlot(1)].compactMap(ControlPage.init)
            if let newest = slots.max(by: { $0.stores < $1.stores }) { return newest }
        }
        return nil
    }

    /// As `loadControl`, for the holder of `writer`. Marks the page as poisoned if any process
    /// counted a failed sync since the last repair.
    func loadControlForWriting() -> ControlPage? {
        let failedSyncCount = load(.failedSyncCount)
        guard var page = loadControl() else { return nil }
        if page.repairedSyncCount != failedSyncCount { page.isPoisoned = true }
        return page
    }

    /// Stores the page in the older slot.
    package func storeControl(_ page: inout ControlPage) {
        page.stores &+= 1  // wraps only in a hostile file
        storeControlSlot(Int(page.stores % 2), page.words)
    }
}
