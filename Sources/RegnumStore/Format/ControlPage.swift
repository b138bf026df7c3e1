/// What the processes of one realm tell each other about the end of the log: a page of `LOCK`, held
/// in two slots that are written in turn, so that a writer killed inside a store leaves the other
/// one. It is never synced: after a power loss it may be any older one, a lower bound, and it can
/// always be rebuilt from the log. `Docs/FORMAT.md` owns the layout.
package struct ControlPage: Sendable, Equatable {
    private static let magic: UInt64 = 0x5245_474E_4354_4C31  // "REGNCTL1"

    /// The number of this layout: the digit at the end of the magic.
    package static let layout = magic & 0xFF - 0x30

    /// Whether a slot that begins so has another layout of this library.
    static func isForeign(magic: UInt64) -> Bool {
        magic != Self.magic && magic >> 8 == Self.magic >> 8
    }

    package var realmID: Identity128
    /// The boot of the machine in which the page was last made.
    package var bootID: Identity128?
    package var generation: UInt64 = 0
    /// The segment that holds the log end.
    package var segmentNumber: UInt64 = 0
    /// All bytes before it are durable.
    package var durableEnd: LogPosition = 0
    /// All bytes before it are written and may be read by other processes.
    package var visibleEnd: LogPosition = 0
    /// The newest commit version before `visibleEnd`.
    package var version: UInt64 = 0
    package var writerEpoch: UInt32 = 0
    /// A writer is between its first byte and publication.
    package var isWriting = false
    /// A write or a sync of the log failed; the next writer moves to a new segment.
    package var isPoisoned = false
    /// The failed syncs of other processes (`LockFile.failedSyncCount`) that were made good: while
    /// more are counted, the next writer moves to a new segment too.
    package var mendedSyncCount: UInt32 = 0
    /// Counts the stores; the valid slot with the higher one is the page.
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
        words[13] = UInt64(mendedSyncCount)
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
        mendedSyncCount = UInt32(truncatingIfNeeded: words[13])
        isWriting = words[12] & 1 != 0
        isPoisoned = words[12] & 2 != 0
    }

    private static func checksum(_ words: ControlWords) -> UInt64 {
        var copy = words
        copy[15] = 0
        return withUnsafeBytes(of: &copy) { UInt64(Checksum.crc32c($0)) }
    }
}

extension LockFile {
    /// The newest valid slot, or nil if none is valid. A store that goes on meanwhile tears at most
    /// one of them, so a nil is final unless the page was never made.
    package func loadControl() -> ControlPage? {
        for _ in 0..<4 {
            let slots = [loadControlSlot(0), loadControlSlot(1)].compactMap(ControlPage.init)
            if let newest = slots.max(by: { $0.stores < $1.stores }) { return newest }
        }
        return nil
    }

    /// As `loadControl`, for whoever holds `writer`: a failed sync that any process has counted
    /// since the page was put right makes it poisoned.
    func loadControlForWriting() -> ControlPage? {
        let failedSyncCount = failedSyncCount()
        guard var page = loadControl() else { return nil }
        if page.mendedSyncCount != failedSyncCount { page.isPoisoned = true }
        return page
    }

    /// Stores the page into the slot that is not the newest.
    package func storeControl(_ page: inout ControlPage) {
        page.stores &+= 1  // wraps only in a hostile file
        storeControlSlot(Int(page.stores % 2), page.words)
    }
}
