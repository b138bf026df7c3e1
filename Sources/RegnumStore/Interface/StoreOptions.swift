/// Sizes and timeouts of one store. Tests lower the documented defaults (`Docs/FORMAT.md`,
/// `Docs/DURABILITY.md`).
package struct StoreOptions: Sendable, Hashable {
    /// Size of the first segment, header included. A multiple of 4,096.
    package var firstSegmentByteCount: UInt64 = 256 << 10
    /// Segments double in size up to this limit.
    package var maximumSegmentByteCount: UInt64 = 32 << 20
    /// Maximum body size of one record.
    package var maximumRecordBodyByteCount = Limits.maximumRecordBodyByteCount
    /// Maximum number of unsynced bytes in the log.
    package var maximumWindowByteCount: UInt64 = 16 << 20
    /// Whether a spare segment is prepared in advance once the realm has a second segment.
    package var keepsSpareSegment = true
    /// The time for which an idle writer keeps the writer lock when no process is waiting for it.
    package var lingerNanoseconds: UInt64 = 1_000_000
    /// The maximum time that a hand-off of the writer lock waits for another process to take it.
    /// Halved after each hand-off that nobody takes, down to 200 us, so that a stopped waiter costs
    /// little. The initial value is long enough for a waiter that first has to be scheduled.
    package var maximumHandOffWaitNanoseconds: UInt64 = 10_000_000
    /// Maximum delay between the last commit and its IDLE record.
    package var idleDelayNanoseconds: UInt64 = 40_000_000
    /// The maximum time that `open` waits for another process that is recovering the realm. That
    /// process is alive, since it holds a lock, but it may be stopped, or may be reading a large
    /// log from a slow disk.
    package var openTimeoutNanoseconds: UInt64 = 60_000_000_000
    /// Whether nodes files are memory-mapped. Otherwise they are read into private memory, which
    /// cannot change between check and use: for files that an attacker may be able to write.
    package var mapsNodes = true
    /// Size of the windows in which nodes files are mapped, a multiple of the page size. Extents
    /// that fit into a window never cross a window boundary.
    package var nodesWindowByteCount: UInt64 = 64 << 20
    /// A nodes file is appended to until it exceeds twice the live bytes plus this slack.
    package var nodesSlackByteCount: UInt64 = 16 << 20
    /// Number of bytes buffered before a write to a nodes file, and written before a sync.
    package var nodesWriteByteCount = 1 << 20
    package var nodesSyncByteCount: UInt64 = 8 << 20
    /// Whether the realm may be on a network file system or one served by another program (FUSE).
    package var allowsNetworkFileSystem = false
    /// History retention of a realm whose retention was never set.
    package var retention = HistoryRetention.none
    /// The maximum time that a batch waits for writers that were just resumed ("gather",
    /// `Docs/GLOSSARY.md`).
    package var gatherNanoseconds: UInt64 = 20_000
    /// The key of an encrypted realm; `nil` if it isn't encrypted.
    package var key: EncryptionKey?
    /// Counts copies of extents of nodes files, in tests.
    package var copies: CopiedByteCounter?

    package init() {}

    /// Bytes reserved at the end of a segment for deletions on a full disk: a sixteenth, at most 64
    /// KiB. Segments made small for lack of space reserve nothing.
    func reserveByteCount(of segmentByteCount: UInt64) -> UInt64 {
        segmentByteCount < 256 << 10 ? 0 : min(segmentByteCount / 16, 64 << 10)
    }
}

/// A byte offset in the whole log, counted since the realm was created, without segment headers.
package typealias LogPosition = UInt64
