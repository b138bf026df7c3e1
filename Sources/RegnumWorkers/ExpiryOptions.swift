public import Logging
public import Regnum

/// The settings of ``Regnum/Realm/removeExpired(_:at:options:_:)``.
///
/// They apply to this process and aren't stored.
public struct ExpiryOptions: Sendable {
    /// The maximum number of objects that one transaction removes, from 1 to 10,000. Other writers
    /// get their turn between these transactions.
    public var batchSize = 1_000
    /// The durability of the transactions. `nil` uses that of the configuration.
    ///
    /// With `.relaxed`, removed objects can reappear after a power failure. They are removed again,
    /// and the body runs again for them.
    public var durability: Realm.Durability?
    /// The clocks for waiting and for dates.
    public var time = WorkerTime.system
    /// The logger for bodies that fail and for retried writes (`warning`); `nil` disables logging.
    public var logger: Logger? = Logger(label: "regnum")

    public init() {}

    /// The problem with the settings, or `nil`.
    var problem: String? {
        let maximum = 10_000
        if (1...maximum).contains(batchSize) { return nil }
        return "ExpiryOptions.batchSize is \(batchSize); it must be from 1 to \(maximum)."
    }
}
