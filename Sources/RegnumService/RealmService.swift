#if ServiceLifecycle
    public import Regnum
    public import ServiceLifecycle

    /// A service that closes a realm on graceful shutdown.
    ///
    ///     let group = ServiceGroup(
    ///         services: [
    ///             RealmService(realm),
    ///             JobService(mails) { run in try await send(run.job) },
    ///             server,
    ///         ], gracefulShutdownSignals: [.sigterm], logger: logger)
    ///     try await group.run()
    ///
    /// A group shuts its services down in reverse order, so put the realm before everything that
    /// uses it. Closing it ends all remaining streams and syncs commits with `.relaxed` durability.
    /// Streams that a service waits for have to end before that:
    ///
    ///     for try await change in realm.objects(Message.self).changes.cancelOnGracefulShutdown() {
    ///         …
    ///     }
    ///
    /// If its task is cancelled, usually because another service has failed, the realm stays open,
    /// since those that use it are cancelled at the same time and may still write what they have
    /// done. As whenever a process ends, nothing that was committed is lost.
    ///
    /// Requires the package trait `ServiceLifecycle`.
    public struct RealmService: Service, CustomStringConvertible {
        /// The realm to close.
        public let realm: Realm

        /// Creates a service for a realm that is already open.
        public init(_ realm: Realm) {
            self.realm = realm
        }

        /// Waits for the shutdown and closes the realm.
        ///
        /// - Throws: `CancellationError`.
        public func run() async throws {
            try await gracefulShutdown()
            await realm.close()
        }

        /// The name of the realm.
        public var description: String { "RealmService(\(realm.configuration.name))" }
    }
#endif
