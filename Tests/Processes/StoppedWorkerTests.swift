import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import RegnumWorkers
import Testing

/// Workers that are stopped, or end, at a critical point.
@Suite(.serialized) struct StoppedWorkerTests {
    /// Opens the realm and adds an errand, which must last longer than stopping its worker takes on
    /// a loaded machine.
    private func open(_ group: ChildGroup, milliseconds: Int) async throws -> Realm {
        let realm = try await Realm.work(group.realm, writeTimeout: .seconds(1))
        try await realm.write { tx in
            try tx.enqueue(Errand(value: ["number": 1, "milliseconds": milliseconds]))
        }
        return realm
    }

    /// Stops a worker at a moment when it neither has the writer lock, which a process keeps for
    /// some time after a commit, nor waits for it.
    private func stop(_ worker: ChildProcess, _ realm: Realm) async throws {
        while true {
            try await realm.write { _ in }
            try worker.stop()
            do {
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
            let realm = try await open(group, milliseconds: 10_000)
            let first = try group.start("work", "1000")
            _ = try await first.lines(1)
            try await stop(first, realm)
            let second = try group.start("work", "1000")
            // another errand begins when this one is done
            let lines = try await second.lines(3)
            expectTrue(lines[0].hasPrefix("begin 1 2 ") && lines.contains("done 1"), "\(lines)")
            first.signal(SIGCONT)
            expectEqual(try await first.lines(2)[1], "lost 1")
            try await waitForNone(of: "errands") { realm.snapshot().objects(Errand.self).count }
            try await end([first, second], realm)
        }
    }

    @Test func workerThatWasStoppedGoesOnWithAJobThatNoneHasTaken() async throws {
        try await withChildren { group in
            let realm = try await open(group, milliseconds: 6_000)
            let worker = try group.start("work", "1000")
            _ = try await worker.lines(1)
            try await stop(worker, realm)
            // longer than the claim lasts
            try await Task.sleep(for: .milliseconds(1_200))
            worker.signal(SIGCONT)
            try await waitForNone(of: "errands") { realm.snapshot().objects(Errand.self).count }
            try await end([worker], realm)
            expectEqual(worker.lines.count { $0.hasPrefix("begin 1 ") }, 1)
            expectTrue(worker.lines.contains("done 1"), "\(worker.description)")
        }
    }

    @Test func workerThatEndsWhileTheRealmIsBusyReleasesItsJobsLater() async throws {
        try await withChildren { group in
            let realm = try await open(group, milliseconds: 60_000)
            let worker = try group.start("work", "60000", "100")
            _ = try await worker.lines(1)
            let holder = try group.start("hold-in-write", "general", "ann")
            try await expectEqual(holder.lines(1), ["in write"])
            worker.signal(SIGTERM)
            // the first attempts to write the end have failed by then
            try await Task.sleep(for: .milliseconds(600))
            expectTrue(worker.isRunning)
            try holder.type(["at last"])
            try await holder.expectSuccess()
            try await worker.expectSuccess()
            let job = try requireValue(realm.snapshot().objects(Errand.self).first)
            expectTrue(job.status == .ready && job.attempts == 0, "\(job)")
            await realm.close()
        }
    }
}
