import RegnumStore

/// A check in debug and checked builds that reads what this process writes as other processes and
/// the next open will, before it reaches the log. Traps if it can't be read or differs from what
/// was written.
///
/// Commit records are applied to a copy of the realm that is kept from commit to commit; images of
/// checkpoints and deltas of bulk commits are loaded from their file.
package final class SelfCheck: Sendable {
    #if DEBUG
        package static let isOn = true
    #else
        package static let isOn = false
    #endif

    /// Larger realms aren't copied, which bounds time and memory.
    private static let maximumCopyByteCount = 4 << 20

    private struct Copy: Sendable {
        let root: DatabaseRoot
        /// The root with the same content as `root`.
        weak var original: DatabaseRoot?
    }

    private let copy = Guarded<Copy?>(nil)

    init() {}

    /// Releases the copy.
    func release() {
        guard Self.isOn else { return }
        let old = copy.withLock { $0.take() }
        withExtendedLifetime(old) {}
    }

    /// Applies the record of a commit. The caller has the turn with root `base`.
    ///
    /// - Complexity: O(changes log n); O(n) for at most 4 MiB if `base` is by another writer.
    func check(_ commit: Commit, on base: DatabaseRoot) {
        guard Self.isOn else { return }
        let known = copy.withLock { $0.take() }
        guard commit.bulk == nil, !commit.body.isEmpty else { return }
        var before = known.flatMap { $0.original === base ? $0.root : nil }
        if before == nil, base.heapByteCount <= Self.maximumCopyByteCount { before = base.copied() }
        guard let before else { return }
        do throws(StoreError) {
            let (root, summary) = try CommitRecord.apply(commit.body, to: before)
            Self.expect(root, summary, of: commit, "The record")
            if root.heapByteCount <= Self.maximumCopyByteCount {
                copy.withLock { $0 = Copy(root: root, original: commit.root) }
            }
        } catch {
            fatalError("The record of version \(commit.root.version) is invalid: \(error.message)")
        }
    }

    /// Loads the image of a synced checkpoint.
    ///
    /// - Complexity: O(n / 1,024).
    static func check(
        _ written: WrittenCheckpoint, of root: DatabaseRoot, in file: any NodeBytes
    ) {
        guard isOn else { return }
        do throws(StoreError) {
            let loaded = try CheckpointLoader.load(
                written.directory, version: root.version, from: file,
                seed: root.content.context.seed, acceptsDamage: true)
            expect(loaded, sameAs: root, "The checkpoint")
        } catch {
            fail(error, "The checkpoint of version \(root.version)")
        }
    }

    /// Reads a bulk commit whose images were synced.
    ///
    /// - Complexity: O(changes log n + n / 1,024).
    static func check(
        _ bulk: BulkCommit, _ commit: Commit, on base: DatabaseRoot, _ nodes: any NodesFiles
    ) {
        guard isOn, base.version &+ 1 == commit.root.version else { return }
        do throws(StoreError) {
            let (root, summary) = try bulk.load(
                version: commit.root.version, origin: commit.summary.recordedOrigin, after: base,
                nodes)
            expect(root, summary, of: commit, "The bulk commit")
        } catch {
            fail(error, "The bulk commit of version \(commit.root.version)")
        }
    }

    /// Traps unless the error is one of the disk, which says nothing about what was written.
    private static func fail(_ error: StoreError, _ what: String) {
        switch error.code {
        case .invalidDatabase, .unsupportedFormat, .historyTrimmed:
            fatalError("\(what) is invalid: \(error.message)")
        default: break
        }
    }

    private static func expect(
        _ root: DatabaseRoot, _ summary: CommitSummary, of commit: Commit, _ what: String
    ) {
        expect(root, sameAs: commit.root, what)
        guard summary.origin == commit.summary.origin, summary.trace == commit.summary.trace,
            summary.tables == commit.summary.tables
        else {
            fatalError(
                """
                \(what) of version \(root.version) records changes other than those made: \
                \(summary), not \(commit.summary).
                """)
        }
    }

    private static func expect(_ root: DatabaseRoot, sameAs own: DatabaseRoot, _ what: String) {
        let isSame =
            root.version == own.version && root.schema.version == own.schema.version
            && root.schema.tables == own.schema.tables
            && own.schema.tables.indices.allSatisfy {
                root.content[$0].count == own.content[$0].count
                    && root.content[$0].nextKey == own.content[$0].nextKey
            }
        if !isSame {
            fatalError("\(what) of version \(own.version) differs from what was written.")
        }
    }
}
