#if ServiceLifecycle
    public import RegnumWorkers
    public import ServiceLifecycle

    /// A service that runs the jobs of a queue until graceful shutdown.
    ///
    /// On shutdown, no more jobs are started, claimed jobs that weren't started are available to
    /// other processes at once, and the service ends once its running handlers have returned and
    /// their jobs are finished. The handlers aren't cancelled, unless the group does so after its
    /// `maximumGracefulShutdownDuration`; their jobs are then ready again. To end a handler early,
    /// use `cancelWhenGracefulShutdown` or `Task.isShuttingDownGracefully` in it. If it then throws
    /// `CancellationError`, `.busy` or `.diskFull`, its job is ready again, and the attempt doesn't
    /// count.
    ///
    /// Requires the package trait `ServiceLifecycle`.
    public struct JobService<T: Job>: Service, CustomStringConvertible {
        private let queue: JobQueue<T>
        private let handler: @Sendable (JobRun<T>) async throws -> Void

        /// Creates a service that runs jobs as ``JobQueue/run(_:)`` does.
        public init(
            _ queue: JobQueue<T>, _ handler: @escaping @Sendable (JobRun<T>) async throws -> Void
        ) {
            self.queue = queue
            self.handler = handler
        }

        /// Runs jobs until graceful shutdown, or until the task is cancelled or the realm is
        /// closed. Errors after the shutdown are thrown when the handlers have returned.
        ///
        /// - Throws: The errors of ``JobQueue/run(_:)``.
        public func run() async throws {
            let stop = Wakeup()
            try await withGracefulShutdownHandler {
                try await queue.run(until: stop, handler)
            } onGracefulShutdown: {
                stop.set()
            }
        }

        /// The class of the jobs.
        public var description: String { "JobService(\(T.self))" }
    }
#endif
