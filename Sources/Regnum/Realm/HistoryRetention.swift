internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// How much of a realm's past is kept beyond what opening it needs.
    ///
    /// A commit is kept if it is younger than `age` **and** among the newest `byteCount` bytes of
    /// the log **and** the content that it builds on is within `contentByteCount`; a version can be
    /// gone back to as long as all commits behind it are kept. Whole files are removed, at
    /// checkpoints, so somewhat more is kept.
    public struct HistoryRetention: Sendable, Hashable, CustomStringConvertible {
        /// By the wall clocks of the processes that commit and remove.
        public var age: Duration
        /// Bytes of the log: a small commit has some hundred.
        public var byteCount: Int
        /// Bytes of older content, in nodes files, that are kept for the past alone: about the size
        /// of the realm for each time that it was written anew. Nil: as many as it takes.
        public var contentByteCount: Int?

        /// - Parameters:
        ///   - age: zero keeps nothing.
        ///   - byteCount: 0 keeps nothing.
        ///   - contentByteCount: nil keeps the content that the commits build on, whatever its
        ///     size.
        public init(age: Duration, byteCount: Int = 256 << 20, contentByteCount: Int? = nil) {
            self.age = age
            self.byteCount = byteCount
            self.contentByteCount = contentByteCount
        }

        /// What a realm keeps for which nobody has set anything: a week, at most 16 MiB of the log,
        /// and at most 64 MiB of older content.
        public static let standard = HistoryRetention(
            age: .seconds(7 * 86_400), byteCount: 16 << 20, contentByteCount: 64 << 20)

        /// Nothing is kept for its own sake.
        public static let nothing = HistoryRetention(age: .zero, byteCount: 0)

        /// Age and bytes.
        public var description: String {
            "\(age), \(byteCount) bytes"
                + (contentByteCount.map { ", \($0) bytes of content" } ?? "")
        }

        var storeRetention: RegnumStore.HistoryRetention {
            RegnumStore.HistoryRetention(
                ageNanoseconds: age.nanosecondsClamped, byteCount: UInt64(max(0, byteCount)),
                nodesByteCount: contentByteCount.map { UInt64(max(0, $0)) })
        }

        init(_ retention: RegnumStore.HistoryRetention) {
            age = .nanoseconds(Int64(clamping: retention.ageNanoseconds ?? .max))
            byteCount = Int(clamping: retention.byteCount ?? .max)
            contentByteCount = retention.nodesByteCount.map { Int(clamping: $0) }
        }
    }

    /// What the realm keeps of its past: what an opening has set last, in whatever process, else
    /// ``HistoryRetention/standard``. Nothing in memory.
    ///
    /// - Throws: `.closed`; `.ioFailed` and `.fileAccess` if its file cannot be read.
    public nonisolated func historyRetention() async throws -> HistoryRetention {
        do {
            return try await core.coordinator.retention().map { HistoryRetention($0) } ?? .nothing
        } catch {
            throw Error(below: error)
        }
    }
}
