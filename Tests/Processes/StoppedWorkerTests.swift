import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import RegnumWorkers
import Testing

/// Workers that are stopped, or end, at a critical point.
@Suite(.serialized) struct StoppedWorkerTests {
    /// Opens the realm and adds an errand, whose handlers last until `letGo`.
    private func open(_ group: ChildGroup) async throws -> Realm {
        try Data().write(to: hold(group))
        let realm = try await Realm.work(group.realm, writeTimeout: .seconds(1))
        try await realm.write { tx in
            try tx.enqueue(Errand(value: ["number": 1, "milliseconds": 0]))
        }
        return realm
    }

    /// The file for which handlers look.
    private func hold(_ group: ChildGroup) -> URL { group.directory.appending(path: "hold") }

    private func letGo(_ group: ChildGroup) throws {
        try FileManager.default.removeItem(at: hold(group))
    }

    /// Stops a worker at a moment when it neither has the writer lock, which a process keeps for
    /// some time after a commit, nor waits for it.
    private func stop(_ worker: ChildProcess, _ realm: Realm) async throws {
        while true {
            do {
                try await realm.write { _ in }
                try worker.stop()
                for _ in 0..<3 {
                    try await realm.write { _ in }
                    // the lock is given to a process that waits for it, even if it is stopped
                    try await Task.sleep(for: .milliseconds(150))
                }
                return
            } catch Realm.Error.Code.busy {
                worker.signal(SIGCONT)
            }
        }
    }

    private func end(_ workers: [ChildProcess], _ realm: Realm) async throws {
        for worker in workers { worker.signal(SIGTERM) }
        for worker in workers { try await worker.expectSuccess() }
        let tallies = realm.snapshot().objects(Tally.self).map { [$0.number, $0.count] }
        expectEqual(tallies, [[1, 1]])
        expectEqual(realm.snapshot().objects(Errand.self).count, 0)
        await realm.close()
    }

    @Test func workerThatWasStoppedLosesItsJobToAnotherOne() async throws {
        try await withChildren { group in
            let realm = try await open(group)
            let first = try group.start("work", "3000")
            _ = try await first.lines(1)
            try await stop(first, realm)
            try letGo(group)
            let begun = first.lineCount
            let second = try group.start("work", "3000")
            // another errand begins when this one is done
            let lines = try await second.lines(3)
            expectTrue(lines[0].hasPrefix("begin 1 2 ") && lines.contains("done 1"), "\(lines)")
            try await waitForNone(of: "errands") { realm.snapshot().objects(Errand.self).count }
            first.signal(SIGCONT)
            expectEqual(try await first.lines(begun + 1)[begun], "lost 1")
            try await end([first, second], realm)
        }
    }

    @Test func workerThatWasStoppedGoesOnWithAJobThatNoneHasTaken() async throws {
        try await withChildren { group in
            let realm = try await open(group)
            let worker = try group.start("work", "1000")
            _ = try await worker.lines(1)
            try await stop(worker, realm)
            // longer than the claim lasts
            try await Task.sleep(for: .milliseconds(1_200))
            try letGo(group)
            worker.signal(SIGCONT)
            try await waitForNone(of: "errands") { realm.snapshot().objects(Errand.self).count }
            try await end([worker], realm)
            expectEqual(worker.lines.count { $0.hasPrefix("begin 1 ") }, 1)
            expectTrue(worker.lines.contains("done 1"), "\(worker.description)")
        }
    }

    /// A worker writes the ends of its jobs for half a minute. If a machine is too slow for that,
    /// the test is repeated.
    @Test func workerThatEndsWhileTheRealmIsBusyReleasesItsJobsLater() async throws {
        for _ in 0..<20 {
            let isInTime = try await withChildren { group in
                let realm = try await open(group)
                let worker = try group.start("work", "60000", "100")
                _ = try await worker.lines(1)
                let holder = try group.start("hold-in-write", "general", "ann")
                try await expectEqual(holder.lines(1), ["in write"])
                let start = ContinuousClock.now
                worker.signal(SIGTERM)
                // the first attempts to write the end have failed by then
                try await Task.sleep(for: .milliseconds(600))
                let isRunning = worker.isRunning
                try holder.type(["at last"])
                try await holder.expectSuccess()
                try await worker.expectSuccess()
                let job = try requireValue(realm.snapshot().objects(Errand.self).first)
                let isInTime = start.duration(to: .now) < .seconds(25)
                if isInTime {
                    expectTrue(isRunning)
                    expectTrue(job.status == .ready && job.attempts == 0, "\(job)")
                }
                await realm.close()
                return isInTime
            }
            if isInTime { return }
        }
        Issue.record("The machine was too slow 20 times.")
    }
}
