public import Regnum
internal import RegnumEngine
internal import RegnumStore

/// An object that makes the disk of a realm fail or slow down, to test how a program handles that.
///
///     let faults = FaultInjector()
///     let realm = try await Realm.open(configuration.testing(faults: faults))
///     faults.writeFailure = .diskFull
///     await #expect(throws: Realm.Error.Code.diskFull) { try await shop.order("tea") }
///     faults.writeFailure = nil
///
/// The realm is in a directory on the real file system. Only the calls that a fault affects fail,
/// as if the system had reported the error. `Docs/DURABILITY.md` describes what the realm does
/// after each failure. One injector can be used for several realms.
public final class FaultInjector: Sendable {
    /// The way in which calls fail.
    public enum Failure: Sendable, Hashable {
        /// There is no space (ENOSPC).
        case diskFull
        /// The device reports an error (EIO).
        case ioError
    }

    let disk = FaultyFileSystem()

    /// Creates an injector without faults.
    public init() {}

    /// The failure of all calls that write to files or create them; `nil` for none. These calls
    /// then write nothing. With `.diskFull`, `write` throws `.diskFull`, and nothing was committed.
    /// With `.ioError`, it throws `.outcomeUnknown`.
    public var writeFailure: Failure? {
        get { disk.faults.withLock { $0.write.failure } }
        set { disk.faults.withLock { $0.write.failure = newValue } }
    }

    /// The failure of all calls that sync files or directories; `nil` for none. A commit whose sync
    /// fails throws `.outcomeUnknown`.
    public var syncFailure: Failure? {
        get { disk.faults.withLock { $0.sync.failure } }
        set { disk.faults.withLock { $0.sync.failure = newValue } }
    }

    /// The delay of calls that write to files. Shortening it also shortens the delay of calls that
    /// are already waiting, so a test can stall the disk until it calls ``clear()``.
    public var writeDelay: Duration {
        get { disk.faults.withLock { $0.write.delay } }
        set { disk.faults.withLock { $0.write.delay = newValue } }
    }

    /// The delay of calls that sync files or directories; see ``writeDelay``.
    public var syncDelay: Duration {
        get { disk.faults.withLock { $0.sync.delay } }
        set { disk.faults.withLock { $0.sync.delay = newValue } }
    }

    /// Removes all failures and delays.
    public func clear() { disk.faults.withLock { $0 = DiskFaults() } }
}

extension Realm.Configuration {
    /// Returns the configuration with a disk whose failures and delays the injector controls. Has
    /// no effect on in-memory realms.
    ///
    /// So that the test decides when a failure occurs, the realm writes nothing to its log while no
    /// commit is in progress. Commits of other processes don't wake its streams.
    public func testing(faults: FaultInjector) -> Realm.Configuration {
        var configuration = self
        configuration.adjust = { [adjust] options in
            adjust?(&options)
            options.fileSystem = faults.disk
            options.store.keepsSpareSegment = false
            options.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        return configuration
    }
}
