import BenchmarkKit
import Foundation
import Regnum

/// The time from a commit in this process to the receipt of its change set by an observer in
/// another one.
struct ExternalObserver: Workload {
    private static let commitCount = 1_000
    /// The pause between two commits, in nanoseconds, in which both processes become idle.
    private static let pause: ClosedRange<UInt64> = 300_000...1_300_000

    let name = "10c"
    var notes: [String] {
        [
            "10c is the p50 from the return of `write`, negative if the observer was first;",
            "10c-call from its call, with the commit in it; "
                + "\(Self.commitCount) durable commits 0.3 to 1.3 ms apart.",
            "grdb doesn't take part: it can't observe commits of another process.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let store = try await RegnumStore.make(in: setting, .regnum)
        let path = setting.directory.appending(path: "regnum.realm").path
        return [Contender(.regnum) { try await measure(store, path) }]
    }

    private func measure(_ store: RegnumStore, _ path: String) async throws -> [Sample] {
        let last = store.realm.snapshot().version + UInt64(Self.commitCount)
        let observer = try ObserverProcess(realm: path, until: last)
        defer { observer.end() }
        try await observer.waitUntilReady()
        let commits = try await commit(store)
        let sightings = try await observer.sightings()

        var fromReturn: [Double] = []
        var fromCall: [Double] = []
        var next = sightings.startIndex
        for commit in commits {
            // A change set may merge several commits, and then shows all of them.
            while next < sightings.endIndex, sightings[next].version < commit.version { next += 1 }
            guard next < sightings.endIndex else {
                throw Failure("The observer did not see version \(commit.version).")
            }
            let seen = sightings[next].nanoseconds
            fromReturn.append(Double(seen - commit.returned) / 1_000)
            fromCall.append(Double(seen - commit.called) / 1_000)
        }
        return [
            Sample(name, Statistics.percentile(fromReturn, 0.5), .microseconds),
            Sample("\(name)-p99", Statistics.percentile(fromReturn, 0.99), .microseconds),
            Sample("\(name)-call", Statistics.percentile(fromCall, 0.5), .microseconds),
            Sample("\(name)-call-p99", Statistics.percentile(fromCall, 0.99), .microseconds),
        ]
    }

    private struct TimedCommit {
        var version: UInt64
        var called: Int64
        var returned: Int64
    }

    @concurrent
    private func commit(_ store: RegnumStore) async throws -> [TimedCommit] {
        var generator = SeededGenerator(seed: People.seed)
        var commits: [TimedCommit] = []
        for person in store.ids.newPeople(Self.commitCount) {
            try await Task.sleep(nanoseconds: UInt64.random(in: Self.pause, using: &generator))
            let called = monotonicNanoseconds()
            let version = try await store.realm.write { tx in
                try tx.add(Person(person))
                return tx.version
            }
            let returned = monotonicNanoseconds()
            commits.append(TimedCommit(version: version, called: called, returned: returned))
            opaqueCall()
        }
        return commits
    }
}
