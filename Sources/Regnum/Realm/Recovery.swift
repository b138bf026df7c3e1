internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// What a realm was found to be when it was opened, and what was put right since, when another
    /// process had died while it wrote. `Docs/DURABILITY.md` says what can be lost and when.
    public struct Recovery: Sendable, Hashable {
        /// Bytes behind the last valid commit that were discarded: the remains of commits that were
        /// never acknowledged.
        public let discardedByteCount: UInt64
        /// The versions of whole commits among the discarded bytes.
        public let discardedVersions: [UInt64]
        /// Bytes of valid commits that were not known to be on disk. They were kept, and written
        /// again.
        public let adoptedByteCount: UInt64
        /// `LOCK` was missing, or its content was lost, as can happen when the power goes. Then the
        /// log alone says where it ends: commits that were cut off together with all traces of them
        /// are not noticed. Compare ``Realm/Statistics/version`` with what you know.
        public let isLockLost: Bool
        /// A write or sync of the log had failed: it goes on in a new segment.
        public let followsFailedWrite: Bool
        /// The versions of damaged checkpoints. An older one served, with the log since then.
        public let damagedCheckpoints: [UInt64]
        /// From this log position on acknowledged bytes are damaged; a checkpoint holds what they
        /// said.
        public let damagedPosition: UInt64?
        /// Files that said that the realm was being made or removed, though it is whole; they were
        /// removed.
        public let strayFiles: [String]

        /// Whether the realm was as its last user has left it.
        public var isClean: Bool { self == Recovery(RecoveryReport()) }

        init(_ report: RecoveryReport) {
            discardedByteCount = report.discardedByteCount
            discardedVersions = report.discardedVersions
            adoptedByteCount = report.adoptedByteCount
            isLockLost = report.controlPageWasLost
            followsFailedWrite = report.wasPoisoned
            damagedCheckpoints = report.damagedCheckpoints.map(\.version)
            damagedPosition = report.damagedPosition
            strayFiles = report.strayFiles
        }
    }

    /// What opening the realm found, and what was put right since; clean for realms in memory. All
    /// of it is logged too.
    public nonisolated var recovery: Recovery {
        Recovery(core.coordinator.recovery ?? RecoveryReport())
    }
}

extension Realm.Recovery {
    /// Whether something is gone or was damaged, not only put right.
    var isLossy: Bool {
        !discardedVersions.isEmpty || !damagedCheckpoints.isEmpty || damagedPosition != nil
            || !strayFiles.isEmpty
    }
}

extension Realm.Recovery: CustomStringConvertible {
    /// What was found, in one line.
    public var description: String {
        var parts: [String] = []
        if isLockLost { parts.append("the content of LOCK was lost") }
        if followsFailedWrite { parts.append("a write or sync had failed") }
        if adoptedByteCount > 0 {
            parts.append("\(adoptedByteCount) bytes were not known to be on disk, and were kept")
        }
        if discardedByteCount > 0 {
            let versions = discardedVersions.map { "\($0)" }.joined(separator: ", ")
            parts.append(
                "\(discardedByteCount) bytes that were never acknowledged were discarded"
                    + (versions.isEmpty ? "" : " (with versions \(versions))"))
        }
        if !damagedCheckpoints.isEmpty {
            let versions = damagedCheckpoints.map { "\($0)" }.joined(separator: ", ")
            parts.append("the checkpoints of versions \(versions) are damaged")
        }
        if let position = damagedPosition {
            parts.append("the log is damaged from position \(position) on")
        }
        if !strayFiles.isEmpty {
            parts.append("stray files were removed: \(strayFiles.joined(separator: ", "))")
        }
        return parts.isEmpty ? "nothing to put right" : parts.joined(separator: "; ")
    }
}
