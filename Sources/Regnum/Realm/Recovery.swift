internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The state in which a realm was found when it was opened, and the repairs made since then
    /// after another process died while writing. `Docs/DURABILITY.md` describes what can be lost
    /// and when.
    public struct Recovery: Sendable, Hashable {
        /// The number of bytes after the last valid commit that were discarded: the remains of
        /// commits that were never acknowledged. (If ``isLockLost``, damage to the last commits
        /// looks the same.)
        public let discardedByteCount: UInt64
        /// The versions of the complete commits among the discarded bytes.
        public let discardedVersions: [UInt64]
        /// The number of bytes of valid commits that weren't known to be on disk. They were kept
        /// and written again.
        public let adoptedByteCount: UInt64
        /// Whether `LOCK` was missing or had lost its content, as can happen in a power failure.
        /// The end of the log is then determined from the log alone, so commits that were lost
        /// without a trace go unnoticed. Compare ``Realm/Statistics/version`` with the version you
        /// expect.
        public let isLockLost: Bool
        /// Whether an earlier write or sync of the log had failed, so that the log continues in a
        /// new segment.
        public let followsFailedWrite: Bool
        /// The versions of damaged or missing checkpoints. An older checkpoint and the log since
        /// then were used instead.
        public let damagedCheckpoints: [UInt64]
        /// The log position at which damage to acknowledged bytes begins; a checkpoint has their
        /// content.
        public let damagedPosition: UInt64?
        /// Files that marked the realm as being created or deleted although it was complete. They
        /// were removed.
        public let strayFiles: [String]

        /// Whether there was nothing to repair, discard or report.
        public var isClean: Bool { self == Recovery(RecoveryReport()) }

        init(_ report: RecoveryReport) {
            discardedByteCount = report.discardedByteCount
            discardedVersions = report.discardedVersions
            adoptedByteCount = report.adoptedByteCount
            isLockLost = report.controlPageWasLost
            followsFailedWrite = report.wasPoisoned
            let versions = report.damagedCheckpoints.map(\.version)
            // A compaction writes two images of one version.
            let isOne = Set(versions).count == 1
            damagedCheckpoints = isOne ? [versions[0]] : versions
            damagedPosition = report.damagedPosition
            strayFiles = report.strayFiles
        }
    }

    /// The state in which the realm was found when it was opened, and the repairs made since then.
    /// Always clean for in-memory realms. The same information is also logged.
    public nonisolated var recovery: Recovery {
        Recovery(core.coordinator.recovery ?? RecoveryReport())
    }
}

extension Realm.Recovery {
    /// Whether data was lost or damaged, or may have been, as opposed to merely repaired.
    var isLossy: Bool {
        isLockLost || !discardedVersions.isEmpty || !damagedCheckpoints.isEmpty
            || damagedPosition != nil
            || !strayFiles.isEmpty
    }
}

extension Realm.Recovery: CustomStringConvertible {
    /// A one-line summary.
    public var description: String {
        var parts: [String] = []
        if isLockLost {
            parts.append(
                "the content of LOCK was lost, so commits may be missing from the end of the log")
        }
        if followsFailedWrite { parts.append("an earlier write or sync had failed") }
        if adoptedByteCount > 0 {
            parts.append("\(adoptedByteCount) bytes that were not known to be on disk were kept")
        }
        if discardedByteCount > 0 {
            let versions = discardedVersions.map { "\($0)" }.joined(separator: ", ")
            let origin = isLockLost ? "after the last valid commit" : "that were never acknowledged"
            parts.append(
                "\(discardedByteCount) bytes \(origin) were discarded"
                    + (versions.isEmpty ? "" : " (with versions \(versions))"))
        }
        if !damagedCheckpoints.isEmpty {
            let versions = damagedCheckpoints.map { "\($0)" }.joined(separator: ", ")
            parts.append(
                damagedCheckpoints.count == 1
                    ? "the checkpoint of version \(versions) is damaged or missing"
                    : "the checkpoints of versions \(versions) are damaged or missing")
        }
        if let position = damagedPosition {
            parts.append("the log is damaged starting at position \(position)")
        }
        if !strayFiles.isEmpty {
            parts.append("stray files were removed: \(strayFiles.joined(separator: ", "))")
        }
        return parts.isEmpty ? "nothing to repair" : parts.joined(separator: "; ")
    }
}
