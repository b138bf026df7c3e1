#if ServiceLifecycle
    public import Regnum
    public import RegnumWorkers
    public import ServiceLifecycle

    /// A service that runs a durable consumer until graceful shutdown.
    ///
    /// On shutdown, it ends once the running handler has returned and the position is saved, and
    /// another process can take over at once. The handler isn't cancelled, unless the group does so
    /// after its `maximumGracefulShutdownDuration`. If the handler returns early by throwing
    /// `CancellationError`, `.busy` or `.diskFull`, the attempt doesn't count. If the position
    /// can't be saved because of `.busy` or `.diskFull`, the changes are delivered again.
    ///
    /// Requires the package trait `ServiceLifecycle`.
    public struct ConsumerService<T: Object>: Service, CustomStringConvertible {
        private let type: T.Type
        private let name: String
        private let realm: Realm
        private let options: ConsumerOptions
        private let handler: @Sendable (ConsumerBatch<T>) async throws -> Void

        /// Creates a service that delivers changes as ``Regnum/Realm/consume(_:as:options:_:)``
        /// does.
        public init(
            _ type: T.Type, as name: String, in realm: Realm,
            options: ConsumerOptions = ConsumerOptions(),
            _ handler: @escaping @Sendable (ConsumerBatch<T>) async throws -> Void
        ) {
            self.type = type
            self.name = name
            self.realm = realm
            self.options = options
            self.handler = handler
        }

        /// Delivers changes until graceful shutdown, or until the task is cancelled or the realm is
        /// closed.
        ///
        /// - Throws: The errors of ``Regnum/Realm/consume(_:as:options:_:)``.
        public func run() async throws {
            let stop = Wakeup()
            try await withGracefulShutdownHandler {
                try await realm.consume(type, as: name, options: options, until: stop, handler)
            } onGracefulShutdown: {
                stop.set()
            }
        }

        /// The name of the consumer.
        public var description: String { "ConsumerService(\(name))" }
    }
#endif
