#if Metrics
    internal import FoundationEssentials
    internal import Metrics
    internal import Regnum
    internal import RegnumEngine
    internal import RegnumWorkers

    /// The metrics of one realm, which are dimensions with its name. Confined to ``RealmMetrics``.
    struct RealmMeters {
        private let realm: String
        private let factory: any MetricsFactory
        private let commits: Counter
        private let externalCommits: Counter
        private let checkpoints: Counter
        private let compactions: Counter
        private let commitDuration: Timer
        private let syncDuration: Timer
        private let writeWait: Timer
        private let heldVersions: Gauge
        private let oldestAge: Gauge
        private let fileBytes: Gauge
        private let liveBytes: Gauge
        private let memoryBytes: Gauge
        private let streams: Gauge
        private let streamLag: Gauge
        /// Created with the first values, if the realm is scrubbed.
        private var scrub: (bytes: Counter, damages: Gauge, age: Gauge)?
        /// Created with the first values, by class and status.
        private var jobs: [String: Gauge] = [:]
        /// Created with the first values, by name.
        private var consumers: [String: (lag: Gauge, dead: Gauge)] = [:]

        init(realm: String, _ factory: any MetricsFactory) {
            self.realm = realm
            self.factory = factory
            let dimensions = [("realm", realm)]
            func counter(_ name: String) -> Counter {
                Counter(label: "regnum.\(name)", dimensions: dimensions, factory: factory)
            }
            func timer(_ name: String) -> Timer {
                Timer(label: "regnum.\(name)", dimensions: dimensions, factory: factory)
            }
            func gauge(_ name: String) -> Gauge {
                Gauge(label: "regnum.\(name)", dimensions: dimensions, factory: factory)
            }
            commits = counter("commits")
            externalCommits = counter("commits.external")
            checkpoints = counter("checkpoints")
            compactions = counter("compactions")
            commitDuration = timer("commit.duration")
            syncDuration = timer("sync.duration")
            writeWait = timer("write.wait")
            heldVersions = gauge("versions.held")
            oldestAge = gauge("versions.oldest.age")
            fileBytes = gauge("file.bytes")
            liveBytes = gauge("live.bytes")
            memoryBytes = gauge("memory.bytes")
            streams = gauge("streams")
            streamLag = gauge("streams.lag")
        }

        /// Reports the statistics, of which the counters count from the last ones on.
        mutating func report(_ new: Realm.Statistics, since old: Realm.Statistics?) {
            commits.increment(by: new.commits - (old?.commits ?? 0))
            externalCommits.increment(by: new.externalCommits - (old?.externalCommits ?? 0))
            checkpoints.increment(by: new.checkpoints - (old?.checkpoints ?? 0))
            compactions.increment(by: new.compactions - (old?.compactions ?? 0))
            heldVersions.record(Set(new.snapshots.map(\.version)).count)
            let age = new.snapshots.map(\.age).max() ?? .zero
            oldestAge.record(age / .seconds(1))
            memoryBytes.record(new.heapByteCount)
            streams.record(new.streams)
            streamLag.record(new.streamLag)
            if let scrub = new.scrub { report(scrub, since: old?.scrub) }
        }

        private mutating func report(_ new: Realm.Scrub, since old: Realm.Scrub?) {
            let meters =
                scrub ?? (
                    Counter(
                        label: "regnum.scrub.bytes", dimensions: [("realm", realm)],
                        factory: factory),
                    gauge("scrub.damages", []), gauge("scrub.age", [])
                )
            scrub = meters
            meters.bytes.increment(by: new.byteCount - (old?.byteCount ?? 0))
            meters.damages.record(new.damageCount)
            let time = new.lastPass ?? new.start
            meters.age.record(max(-time.timeIntervalSinceNow, 0))
        }

        func report(_ timings: CommitTimings) {
            for duration in timings.commits { commitDuration.recordNanoseconds(duration) }
            for duration in timings.syncs { syncDuration.recordNanoseconds(duration) }
            for duration in timings.waits { writeWait.recordNanoseconds(duration) }
        }

        /// Reports the sizes of the files; nothing for an in-memory realm.
        func report(_ sizes: (total: Int, used: Int)?) {
            guard let sizes else { return }
            fileBytes.record(sizes.total)
            liveBytes.record(sizes.used)
        }

        mutating func report(_ counts: JobCounts, of className: String) {
            let all = [
                ("ready", counts.ready), ("scheduled", counts.scheduled),
                ("running", counts.running), ("done", counts.done), ("dead", counts.dead),
            ]
            for (status, count) in all {
                let key = "\(className) \(status)"
                let gauge =
                    jobs[key] ?? self.gauge("jobs", [("class", className), ("status", status)])
                jobs[key] = gauge
                gauge.record(count)
            }
        }

        /// Reports the consumers. The metrics of removed ones are removed.
        mutating func report(_ statuses: [ConsumerStatus]) {
            for status in statuses {
                let dimensions = [("consumer", status.name)]
                let gauges =
                    consumers[status.name] ?? (
                        gauge("consumer.lag", dimensions), gauge("consumer.dead", dimensions)
                    )
                consumers[status.name] = gauges
                gauges.lag.record(status.lag)
                gauges.dead.record(status.deadLetters)
            }
            let names = Set(statuses.map(\.name))
            for (name, gauges) in consumers where !names.contains(name) {
                gauges.lag.destroy()
                gauges.dead.destroy()
                consumers[name] = nil
            }
        }

        private func gauge(_ name: String, _ dimensions: [(String, String)]) -> Gauge {
            Gauge(
                label: "regnum.\(name)", dimensions: [("realm", realm)] + dimensions,
                factory: factory)
        }
    }
#endif
