public import FoundationEssentials
public import Regnum

/// A change that a consumer gave up on after its last attempt (a dead letter), continuing with the
/// next one.
///
///     let letters = realm.objects(DeadChange.self).where { $0.consumer == "mailer" }
///     for letter in letters.current { print(letter.diedAt, letter.error) }
///
///     try await realm.write { tx in
///         for letter in tx.objects(DeadChange.self) { tx.retry(letter) }
///     }
///
/// It can be retried as long as the realm's history still includes the change. Delete it to discard
/// it.
public final class DeadChange: Object {
    /// The identity of the dead letter.
    @Persisted(primaryKey: true) public var id: ObjectId
    /// The name of the consumer.
    @Persisted(indexed: true) public internal(set) var consumer: String
    /// The name of the class that was changed.
    @Persisted public internal(set) var className: String
    /// The version that the change produced.
    @Persisted public internal(set) var version: Int
    /// The number of attempts so far.
    @Persisted public internal(set) var attempts: Int
    /// The error of the last attempt.
    @Persisted public internal(set) var error: String
    /// The date of the last attempt.
    @Persisted public internal(set) var diedAt: Date
    /// Whether the consumer will attempt it again.
    @Persisted(indexed: true) public internal(set) var isRetried: Bool
    /// The position before the change; `nil` if it is the state as a whole (`.initial`).
    @Persisted var since: String?
}

extension Transaction {
    /// Requests one more attempt at a dead letter. The consumer makes it when it next renews its
    /// lease, out of order, and deletes the letter if the attempt succeeds. An attempt during which
    /// the process dies counts, too.
    ///
    /// - Precondition: Called in a write, with a letter of this transaction.
    public func retry(_ letter: DeadChange) {
        letter.isRetried = true
    }
}
