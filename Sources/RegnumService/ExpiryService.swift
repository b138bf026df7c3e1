#if ServiceLifecycle
    public import FoundationEssentials
    public import Regnum
    public import RegnumWorkers
    public import ServiceLifecycle

    /// A service that removes objects when they expire, until graceful shutdown.
    ///
    /// Requires the package trait `ServiceLifecycle`.
    public struct ExpiryService: Service, CustomStringConvertible {
        private let className: String
        private let remove: @Sendable () async throws -> Void

        /// Creates a service that removes objects as
        /// ``Regnum/Realm/removeExpired(_:at:options:_:)`` does.
        public init<T: Object>(
            _ type: T.Type, at keyPath: any KeyPath<T, Date> & Sendable, in realm: Realm,
            options: ExpiryOptions = ExpiryOptions(),
            _ body: @escaping @Sendable (Transaction, [T]) throws -> Void = { _, _ in }
        ) {
            className = "\(type)"
            remove = { try await realm.removeExpired(type, at: keyPath, options: options, body) }
        }

        /// Creates a service for a class with objects that may never expire: those whose date is
        /// `nil`.
        public init<T: Object>(
            _ type: T.Type, at keyPath: any KeyPath<T, Date?> & Sendable, in realm: Realm,
            options: ExpiryOptions = ExpiryOptions(),
            _ body: @escaping @Sendable (Transaction, [T]) throws -> Void = { _, _ in }
        ) {
            className = "\(type)"
            remove = { try await realm.removeExpired(type, at: keyPath, options: options, body) }
        }

        /// Removes objects until graceful shutdown, or until the task is cancelled or the realm is
        /// closed. A commit that has begun is completed.
        ///
        /// - Throws: The errors of ``Regnum/Realm/removeExpired(_:at:options:_:)``.
        public func run() async throws {
            try await cancelWhenGracefulShutdown(remove)
        }

        /// The class of the objects.
        public var description: String { "ExpiryService(\(className))" }
    }
#endif
