internal import Logging
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The result of a compaction: the sizes of a realm's files, in bytes.
    public struct CompactionReport: Sendable, Hashable, CustomStringConvertible {
        /// The size of the files before the compaction.
        public let byteCountBefore: Int
        /// The size of the files after the compaction.
        public let byteCountAfter: Int
        /// The part of ``byteCountAfter`` in files that are kept only for history; see
        /// ``Configuration/historyRetention``.
        public let historyByteCount: Int
        /// The size of files that were removed, but take space on the disk until this process
        /// releases the snapshots, frozen values and streams that use them. ``Realm/stats()`` lists
        /// these. Other processes may also hold snapshots that use such files.
        public let heldByteCount: Int
        /// The number of the realm's files that may still be readable with a former key
        /// (``Configuration/formerEncryptionKeys``), because they aren't known to be encrypted with
        /// the newest one; 0 if the realm isn't encrypted. It isn't 0 if a process that only has a
        /// former key was still writing a file, or was killed while it did, or if files of another
        /// user couldn't be removed: restart the processes with the newest key, and compact again.
        public let formerKeyFileCount: Int

        /// The sizes, on one line.
        public var description: String {
            var text = "\(byteCountBefore) bytes before, \(byteCountAfter) after"
            if historyByteCount > 0 { text += ", of which \(historyByteCount) are for history" }
            if heldByteCount > 0 { text += "; snapshots still hold \(heldByteCount) removed ones" }
            if formerKeyFileCount > 0 {
                let plural = formerKeyFileCount == 1 ? "" : "s"
                text += "; \(formerKeyFileCount) file\(plural) may still have a former key"
            }
            return text
        }
    }

    /// Makes the realm's files as small as its content and history allow, while this and other
    /// processes continue to use the realm.
    ///
    ///     let report = try await realm.compact()
    ///     print("\(report.byteCountBefore - report.byteCountAfter) bytes freed")
    ///
    /// All live data is written to a new file. Then the files that neither the newest version nor
    /// the history needs are removed. Other processes switch to the new file as soon as they notice
    /// the compaction, and snapshots remain valid: the space of a removed file is freed when
    /// nothing uses it any longer. A crash at any moment loses no commit; it leaves the old files
    /// or the new ones. Concurrent calls share one compaction.
    ///
    /// History that the realm retains isn't removed (``Configuration/historyRetention``, by default
    /// a week and up to 80 MiB); ``CompactionReport/historyByteCount`` is its size. Files also
    /// become smaller automatically: after most of the content was deleted, when most of a file is
    /// no longer in use, and when the realm is closed.
    ///
    /// If files of the realm have a former key (``Configuration/formerEncryptionKeys``), everything
    /// is encrypted with the newest one, and history with a former key is removed, whatever the
    /// retention, so cursors into it throw `.historyTrimmed`. This takes the writer lock one more
    /// time. After an error or a crash, the realm needs both keys until a compaction succeeds.
    ///
    /// - Returns: The sizes of the files, which are zeros for in-memory realms and those without
    ///   commits. The latter aren't compacted, so they keep a former key until they have a commit.
    /// - Throws: `.diskFull`, if there is no space for a second copy of the content; `.ioFailed`
    ///   and other errors of the file system; `.invalidDatabase` if the realm is damaged; `.busy`
    ///   if another process has been writing to the realm for more than a minute; `.readOnly`;
    ///   `.closed`; `CancellationError`. In each of these cases nothing has changed, except for the
    ///   keys that are needed, and that a compaction may be completed if its caller was cancelled,
    ///   or got `.busy`, in its last step.
    /// - Complexity: O(n), reading and writing all live data once, with O(n / 1,024) memory,
    ///   and 4 MiB if the realm is encrypted.
    @discardableResult
    public nonisolated func compact() async throws -> CompactionReport {
        let span = OperationSpan.begin("compact", configuration.name)
        defer { span?.end() }
        do {
            let coordinator = core.coordinator
            let sizes = try await coordinator.compact()
            let held = try await coordinator.removedByteCount(
                heldBy: core.snapshots.all.map(\.root))
            let report = CompactionReport(
                byteCountBefore: Int(clamping: sizes.before.total),
                byteCountAfter: Int(clamping: sizes.after.total),
                historyByteCount: Int(clamping: sizes.after.history),
                heldByteCount: Int(clamping: held),
                formerKeyFileCount: sizes.formerKeyFileCount)
            span?.compacted(report)
            return report
        } catch let error as CancellationError {
            throw error
        } catch {
            let error = Error(below: error)
            span?.failed(error)
            throw error
        }
    }

    /// Compacts the realm if the configuration wants it and this process hasn't opened the realm
    /// before. The realm can be used if that fails, so only a cancellation is thrown.
    func compactOnLaunch() async throws {
        let configuration = configuration
        guard core.claimLaunch(), let shouldCompact = configuration.shouldCompactOnLaunch,
            !configuration.readOnly
        else { return }
        do {
            guard let sizes = try await fileSizes(), shouldCompact(sizes.total, sizes.used)
            else { return }
            let report = try await compact()
            configuration.logger?.debug(
                "compacted: \(report)", metadata: ["realm": "\(configuration.name)"])
        } catch let error as CancellationError {
            throw error
        } catch {
            configuration.logger?.warning(
                "the realm was opened without being compacted: \(error)",
                metadata: ["realm": "\(configuration.name)"])
        }
    }

    /// Returns the size of the realm's files, and the number of bytes that its content takes in
    /// them; `nil` for an in-memory realm.
    ///
    /// - Throws: `.ioFailed`, `.invalidDatabase`.
    /// - Complexity: O(n / 1,024).
    package nonisolated func fileSizes() async throws(Realm.Error) -> (total: Int, used: Int)? {
        do throws(StoreError) {
            guard let sizes = try await core.coordinator.fileSizes() else { return nil }
            return (Int(clamping: sizes.total), Int(clamping: sizes.used))
        } catch {
            throw Realm.Error(error)
        }
    }
}
