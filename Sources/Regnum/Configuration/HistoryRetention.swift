internal import Logging
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The amount of history that a realm keeps beyond what is needed to open it.
    ///
    ///     configuration.historyRetention = .init(age: .seconds(86_400), byteCount: 64 << 20)
    ///
    /// A commit is kept if it is younger than `age` **and** among the newest `byteCount` bytes of
    /// the log **and** the content that it builds on is within `contentByteCount`. Readers can
    /// resume from a version as long as all commits after it are kept. Only whole files are
    /// removed, at checkpoints, so somewhat more is kept than the limits require.
    public struct HistoryRetention: Sendable, Hashable, CustomStringConvertible {
        /// The maximum age of a commit, measured by the wall clocks of the process that made it and
        /// of the process that removes files.
        public var age: Duration
        /// The maximum size of the log in bytes. A small commit takes a few hundred bytes.
        public var byteCount: Int
        /// The maximum size in bytes of older content, in nodes files, that is kept only for
        /// history: about the size of the realm for each time that its content was rewritten. `nil`
        /// means unlimited.
        public var contentByteCount: Int?

        /// Creates a retention setting. `open` throws `.invalidInput` for negative values.
        ///
        /// - Parameters:
        ///   - age: The maximum age; zero keeps nothing.
        ///   - byteCount: The maximum size of the log in bytes; 0 keeps nothing.
        ///   - contentByteCount: The maximum size of older content in bytes; `nil` keeps the
        ///     content that the commits build on, regardless of its size.
        public init(age: Duration, byteCount: Int = 256 << 20, contentByteCount: Int? = nil) {
            self.age = age
            self.byteCount = byteCount
            self.contentByteCount = contentByteCount
        }

        /// The default for realms without a setting: a week, up to 16 MiB of the log and up to 64
        /// MiB of older content.
        public static let standard = HistoryRetention(
            age: .seconds(7 * 86_400), byteCount: 16 << 20, contentByteCount: 64 << 20)

        /// Keeps no history.
        public static let nothing = HistoryRetention(age: .zero, byteCount: 0)

        /// The age and the sizes.
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

    /// Stores the history retention of a configuration. If the disk is full, the realm can be used
    /// all the same: this process already goes by the retention, and stores it once there is space.
    nonisolated func storeRetention(_ configuration: Configuration) async throws(Error) {
        guard let retention = configuration.historyRetention else { return }
        do throws(StoreError) {
            try await core.coordinator.setRetention(retention.storeRetention)
        } catch {
            guard error.code == .diskFull else { throw Error(error) }
            configuration.logger?.warning(
                "the history retention couldn't be stored yet: \(error.message)",
                metadata: ["realm": "\(configuration.name)"])
        }
    }

    /// Returns the realm's stored history retention: the value most recently set by an `open` in
    /// any process, or ``HistoryRetention/standard`` if none was set. In-memory realms keep no
    /// history.
    ///
    /// - Throws: `.closed`; `.ioFailed` and `.fileAccess` if the file with the setting can't be
    ///   read.
    public nonisolated func historyRetention() async throws -> HistoryRetention {
        do {
            return try await core.coordinator.retention().map { HistoryRetention($0) } ?? .nothing
        } catch {
            throw Error(below: error)
        }
    }
}
