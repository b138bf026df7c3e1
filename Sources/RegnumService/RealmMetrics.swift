#if Metrics
    internal import Logging
    public import Metrics
    public import Regnum
    internal import RegnumEngine
    public import RegnumWorkers

    #if ServiceLifecycle
        public import ServiceLifecycle
    #endif

    /// Reports the statistics of a realm to the metrics backend at an interval.
    ///
    ///     let metrics = RealmMetrics(realm)
    ///     try await metrics.run()    // until the task is cancelled
    ///
    /// The engine never calls the backend: the actor reads counters, and the durations that were
    /// measured since the last report. `Docs/Guides/Operations.md` lists the metrics and their
    /// cost. Jobs and consumers aren't reported for realms that are opened read-only.
    ///
    /// Create one for each realm: several would count the same commits several times.
    ///
    /// Requires the package trait `Metrics`. If `ServiceLifecycle` is enabled too, it is a
    /// `Service`: list it after the ``RealmService``, so that it ends before the realm is closed.
    public actor RealmMetrics: CustomStringConvertible {
        private let realm: Realm
        private let interval: Duration
        private var metrics: RealmMeters
        private let jobs: [Job.Type]
        /// The statistics that were last reported.
        private var reported: Realm.Statistics?
        /// The time before which `run` doesn't measure the sizes again.
        private var nextSizes: ContinuousClock.Instant?

        /// Creates the metrics of a realm, and starts to measure its durations.
        ///
        /// - Parameters:
        ///   - jobs: The classes of jobs to count; by default those in the configuration's
        ///     `objectTypes`.
        ///   - interval: The interval at which ``run()`` reports, at least a millisecond.
        ///   - factory: The backend; by default the one that the program has set up.
        public init(
            _ realm: Realm, jobs: [Job.Type]? = nil, interval: Duration = .seconds(10),
            factory: any MetricsFactory = MetricsSystem.factory
        ) {
            self.realm = realm
            self.interval = min(max(interval, .milliseconds(1)), Deadline.maximumDuration)
            self.jobs =
                jobs ?? (realm.configuration.objectTypes ?? []).compactMap { $0 as? Job.Type }
            metrics = RealmMeters(realm: realm.configuration.name, factory)
            _ = realm.takeTimings()
        }

        deinit { realm.stopTimings() }

        /// The name of the realm.
        public nonisolated var description: String { "RealmMetrics(\(realm.configuration.name))" }

        /// Reports at the interval until the task is cancelled or, in a service group, until
        /// graceful shutdown, and once more at the end. Errors are logged, and don't end the call.
        public func run() async throws {
            #if ServiceLifecycle
                await cancelWhenGracefulShutdown { await self.reportRepeatedly() }
            #else
                await reportRepeatedly()
            #endif
            await report()
        }

        private func reportRepeatedly() async {
            while !Task.isCancelled {
                await report(withSizes: nextSizes.map { $0 <= .now } ?? true)
                try? await Task.sleep(for: interval)
            }
        }

        /// Reports once.
        ///
        /// - Complexity: O(n / 1,024) for n objects, because of the live bytes. ``run()`` measures
        ///   these less often if that would take more than 1% of the time.
        public func report() async {
            await report(withSizes: true)
        }

        private func report(withSizes: Bool) async {
            let statistics = realm.stats()
            metrics.report(statistics, since: reported)
            reported = statistics
            metrics.report(realm.takeTimings())
            var errors: [any Error] = []
            if withSizes {
                await collecting(&errors) {
                    let start = ContinuousClock.now
                    metrics.report(try await realm.fileSizes())
                    let now = ContinuousClock.now
                    nextSizes = now + (now - start) * 100
                }
            }
            if !realm.isClosed, !realm.configuration.readOnly {
                for type in jobs {
                    await collecting(&errors) {
                        let counts = try await JobQueue(of: type, in: realm).counts()
                        metrics.report(counts, of: "\(type)")
                    }
                }
                if hasConsumers {
                    await collecting(&errors) { metrics.report(try await realm.consumers()) }
                }
            }
            guard let first = errors.first else { return }
            let others = errors.count > 1 ? " (and \(errors.count - 1) other errors)" : ""
            realm.configuration.logger?.warning(
                "some metrics couldn't be read: \(first)\(others)",
                metadata: ["realm": "\(realm.configuration.name)"])
        }

        /// Reports metrics whose error doesn't keep others from being reported.
        private func collecting(
            _ errors: inout [any Error], _ report: () async throws -> Void
        ) async {
            do {
                try await report()
            } catch is CancellationError {
                return
            } catch {
                errors.append(error)
            }
        }

        /// Whether the realm can have consumers.
        private var hasConsumers: Bool {
            guard let listed = realm.configuration.objectTypes else { return true }
            return Workers.models.allSatisfy { model in listed.contains { $0 == model } }
        }
    }

    #if ServiceLifecycle
        extension RealmMetrics: Service {}
    #endif
#endif
