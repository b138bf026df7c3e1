/// Sizes and times of one store. The defaults are those of the design (`Docs/FORMAT.md`,
/// `Docs/DURABILITY.md`); tests make them tiny.
package struct StoreOptions: Sendable, Hashable {
    /// Size of the first segment, header included. A multiple of 4,096.
    package var firstSegmentByteCount: UInt64 = 256 << 10
    /// Segments double up to this size.
    package var segmentByteCountMax: UInt64 = 32 << 20
    /// Largest body of one record.
    package var recordBodyByteCountMax = Limits.recordBodyByteCountMax
    /// Most bytes that may be in the log without a completed sync.
    package var windowByteCountMax: UInt64 = 16 << 20
    /// Whether a spare segment is prepared ahead once the realm has had a second segment.
    package var keepsSpareSegment = true
    /// How long an idle writer keeps the writer lock when nobody waits for it.
    package var lingerNanoseconds: UInt64 = 1_000_000
    /// How long a hand-off of the writer lock waits for its taker, at most. Halved each time when
    /// nobody takes the lock, down to 200 us, so that a waiter that was stopped costs little; long
    /// enough at first for one that has to wait for a processor.
    package var politenessNanosecondsMax: UInt64 = 10_000_000
    /// How long after the last commit the IDLE record is written, at most.
    package var idleDelayNanoseconds: UInt64 = 40_000_000
    /// How long `open` waits for another process that is recovering the realm. It lives, since it has a
    /// lock, but it may have been stopped; a large log on a slow disk takes long.
    package var openTimeoutNanoseconds: UInt64 = 60_000_000_000
    /// Whether nodes files are mapped. Else they are read into private memory, which cannot change
    /// between check and use: for files that somebody hostile may write to.
    package var mapsNodes = true
    /// Nodes files are mapped in windows of this size, which no extent that fits into one crosses.
    /// A multiple of the page size.
    package var nodesWindowByteCount: UInt64 = 64 << 20
    /// A nodes file takes more extents up to twice the live bytes and this much.
    package var nodesSlackByteCount: UInt64 = 16 << 20
    /// How much is gathered before it is written to a nodes file, and how much written before a
    /// sync.
    package var nodesWriteByteCount = 1 << 20
    package var nodesSyncByteCount: UInt64 = 8 << 20
    /// Whether the realm may be on a file system that other machines or programs serve.
    package var allowsNetworkFileSystem = false
    /// What is kept of the log for readers of the past of a realm for which nobody has set it.
    package var retention = HistoryRetention.none
    /// How long a batch waits for writers that were just resumed (COMMIT-PATH: "gather").
    package var gatherNanoseconds: UInt64 = 20_000

    package init() {}

    /// How much of the end of a segment is kept for deletions on a full disk: a sixteenth, at most
    /// 64 KiB; nothing of a segment that was made small for lack of space.
    func reserveByteCount(of segmentByteCount: UInt64) -> UInt64 {
        segmentByteCount < 256 << 10 ? 0 : min(segmentByteCount / 16, 64 << 10)
    }
}

/// Where the log stands: bytes since the realm was made, segment headers not counted.
package typealias LogPosition = UInt64
