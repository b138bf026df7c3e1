internal import RegnumStore

extension Realm {
    /// How much of a realm's past is kept beyond what opening it needs.
    ///
    /// A commit is kept if it is younger than `age` **and** among the newest `byteCount` bytes of the
    /// log; a version can be gone back to as long as all commits behind it are kept. Whole files are
    /// removed, at checkpoints, so somewhat more is kept. The content that the oldest kept commit
    /// builds on, and checkpoints made since, come on top of `byteCount`.
    public struct HistoryRetention: Sendable, Hashable, CustomStringConvertible {
        /// By the wall clocks of the processes that commit and remove.
        public var age: Duration
        /// Bytes of the log: a small commit has some hundred.
        public var byteCount: Int

        /// - Parameters:
        ///   - age: zero keeps nothing.
        ///   - byteCount: 0 keeps nothing.
        public init(age: Duration, byteCount: Int = 256 << 20) {
            self.age = age
            self.byteCount = byteCount
        }

        /// Nothing is kept for its own sake.
        public static let none = HistoryRetention(age: .zero, byteCount: 0)

        /// Age and bytes.
        public var description: String { "\(age), \(byteCount) bytes" }

        var storeRetention: RegnumStore.HistoryRetention {
            RegnumStore.HistoryRetention(
                ageNanoseconds: age.nanosecondsClamped,
                byteCount: UInt64(max(0, byteCount)))
        }
    }
}
