import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Random histories of a queue (jobs are added, claimed, finished, failed; workers die; time
/// passes) against a model in plain Swift.
@Suite struct JobQueueRandomTests {
    @Test func jobsAreDoneAtLeastOnceAndInOrder() async throws {
        let runs = NumberedRuns(
            "JobQueueRandomTests", count: Effort.count(gate: 60, soak: 2_000))
        try await runs.run { _, seed in
            var history = try await QueueHistory(seed)
            try await history.run()
        }
    }
}

/// A queue and its model.
private struct QueueHistory {
    private enum Lane: Equatable {
        case ready
        case scheduled(Date)
        case running(claim: Int, until: Date)
        case dead
        case done
    }

    private struct ModelJob {
        let id: ObjectId
        let priority: Int
        let key: String?
        var lane = Lane.ready
        var attempts = 0
        /// Whether the claim was made in advance, and whether one has expired.
        var isAhead = false
        var hasExpired = false
        /// The numbers of claims, and of those that ended without the job's being done.
        var claimCount = 0
        var excuseCount = 0
        var doneCount = 0

        var isUnfinished: Bool { lane != .dead && lane != .done }

        /// Ends a claim without losing it, which counts the attempt.
        mutating func end(_ lane: Lane) {
            if isAhead { attempts += 1 }
            (isAhead, hasExpired) = (false, false)
            self.lane = lane
        }
    }

    private struct Held {
        let claim: JobClaim<Parcel>
        let job: Int
        let number: Int
    }

    private var random: SeededRandom
    private let clock = ManualClock()
    private let queue: JobQueue<Parcel>
    private var jobs: [ModelJob] = []
    /// The claims that workers have, in any order.
    private var held: [Held] = []
    private var claimCount = 0
    private var isPaused = false

    private static let attempts = 3
    private static let timeout: TimeInterval = 30

    init(_ seed: UInt64) async throws {
        random = SeededRandom(seed)
        var options = JobOptions()
        options.time = clock.time
        options.timeout = .seconds(Self.timeout)
        options.retry = RetryPolicy(attempts: Self.attempts, delay: .seconds(4), jitter: 0)
        options.keepsFinished = random.oneIn(2)
        options.logger = nil
        queue = JobQueue(in: try await Realm.temporary(workerTypes), options: options)
    }

    mutating func run() async throws {
        for _ in 0..<120 { try await step() }
        try await drain()
    }

    private mutating func step() async throws {
        switch random.below(20) {
        case 0...4: try await enqueue()
        case 5...8: try await claim(1 + random.below(4))
        case 9...11: try await finish()
        case 12, 13: try await fail()
        case 14: try await release()
        case 15: try await renew()
        case 16:
            // a worker dies with some of its claims
            for _ in 0..<random.below(3) where !held.isEmpty {
                held.remove(at: random.below(held.count))
            }
        case 17: clock.advance(by: .seconds(1 + random.below(40)))
        case 18: try await pauseOrResume()
        default: try await retryDead()
        }
        try await compareCounts()
    }

    // MARK: Steps

    private mutating func enqueue() async throws {
        let count = 1 + random.below(3)
        for _ in 0..<count {
            let priority = random.oneOf([-100, -1, 0, 0, 0, 1, 7, 100])
            let date = random.oneIn(4) ? clock.date + Double(random.below(60) - 10) : nil
            let key = random.oneIn(3) ? "\(random.below(4))" : nil
            let added = try await queue.realm.write { tx in
                try tx.enqueue(Parcel("x"), priority: priority, at: date, uniqueKey: key)
            }
            if let key, let other = jobs.first(where: { $0.key == key && $0.isUnfinished }) {
                try check(added == EnqueuedJob(id: other.id, isNew: false), "two with a key")
                continue
            }
            try check(added.isNew, "not added")
            var job = ModelJob(id: added.id, priority: priority, key: key)
            if let date { job.lane = .scheduled(date) }
            jobs.append(job)
        }
    }

    private mutating func claim(_ limit: Int) async throws {
        // the others are made in advance
        let beginning = random.oneIn(3) ? random.below(limit + 1) : limit
        let claims = try await queue.exchange([], claimUpTo: limit, beginning: beginning).claims
        if isPaused {
            try check(claims.isEmpty, "claims while paused")
            return
        }
        let now = clock.date
        for index in jobs.indices {
            switch jobs[index].lane {
            case .scheduled(let date) where date <= now: jobs[index].lane = .ready
            case .running(_, let date) where date <= now:
                jobs[index].excuseCount += 1
                (jobs[index].isAhead, jobs[index].hasExpired) = (false, true)
                jobs[index].lane = jobs[index].attempts < Self.attempts ? .ready : .dead
            default: break
            }
        }
        let ready = jobs.indices.filter { jobs[$0].lane == .ready }
            .sorted { (-jobs[$0].priority, $0) < (-jobs[$1].priority, $1) }.prefix(limit)
        let later = ready.dropFirst(beginning).prefix { !jobs[$0].hasExpired }
        let expected = ready.prefix(beginning) + later
        try check(claims.map(\.id) == expected.map { jobs[$0].id }, "other jobs were claimed")
        for (offset, (claim, index)) in zip(claims, expected).enumerated() {
            claimCount += 1
            jobs[index].lane = .running(claim: claimCount, until: now + Self.timeout)
            try check(claim.attempt == jobs[index].attempts + 1, "wrong attempt")
            jobs[index].isAhead = offset >= beginning
            if !jobs[index].isAhead { jobs[index].attempts += 1 }
            jobs[index].claimCount += 1
            held.append(Held(claim: claim, job: index, number: claimCount))
        }
    }

    private mutating func finish() async throws {
        let chosen = takeHeld(upTo: 3)
        let lost = try await queue.finish(chosen.map(\.claim))
        try check(lost == chosen.filter { !isValid($0) }.map(\.claim.id), "other claims are lost")
        for one in chosen where isValid(one) {
            jobs[one.job].end(.done)
            jobs[one.job].doneCount += 1
        }
    }

    private mutating func fail() async throws {
        guard let one = takeHeld(upTo: 1).first else { return }
        let isPermanent = random.oneIn(4)
        let error: any Error = isPermanent ? JobFailure.permanent("no") : Failure()
        var isLost = false
        do {
            try await queue.fail(one.claim, error)
        } catch WorkerError.claimLost {
            isLost = true
        }
        try check(isLost != isValid(one), "a lost claim has failed, or the other way round")
        guard isValid(one) else { return }
        jobs[one.job].end(.dead)
        jobs[one.job].excuseCount += 1
        let attempts = jobs[one.job].attempts
        if isPermanent || attempts == Self.attempts { return }
        jobs[one.job].lane = .scheduled(clock.date + Double(attempts == 1 ? 4 : 8))
    }

    private mutating func release() async throws {
        let chosen = takeHeld(upTo: 2)
        try await queue.release(chosen.map(\.claim))
        for one in chosen where isValid(one) {
            jobs[one.job].end(.ready)
            jobs[one.job].attempts -= 1
            jobs[one.job].excuseCount += 1
        }
    }

    private mutating func renew() async throws {
        let lost = try await queue.renew(held.map(\.claim))
        try check(lost == held.filter { !isValid($0) }.map(\.claim.id), "other claims are lost")
        for one in held where isValid(one) {
            jobs[one.job].lane = .running(claim: one.number, until: clock.date + Self.timeout)
        }
    }

    private mutating func pauseOrResume() async throws {
        if isPaused { try await queue.resume() } else { try await queue.pause() }
        isPaused.toggle()
    }

    private mutating func retryDead() async throws {
        let count = try await queue.retryDead()
        var expected = 0
        for index in jobs.indices where jobs[index].lane == .dead {
            let key = jobs[index].key
            if key != nil, jobs.contains(where: { $0.key == key && $0.isUnfinished }) { continue }
            jobs[index].end(.ready)
            jobs[index].attempts = 0
            expected += 1
        }
        try check(count == expected, "\(count) dead jobs were retried instead of \(expected)")
    }

    /// Does all that is left to do.
    private mutating func drain() async throws {
        if isPaused { try await pauseOrResume() }
        for _ in 0..<2_000 where jobs.contains(where: \.isUnfinished) {
            clock.advance(by: .seconds(10))
            try await claim(10)
            try await finish()
            try await compareCounts()
        }
        for job in jobs {
            try check(!job.isUnfinished, "a job wasn't done")
            try check((job.lane == .done) == (job.doneCount == 1), "done \(job.doneCount) times")
            // each claim but the last was ended by a failure, a release, or a worker's death
            try check(job.claimCount <= job.excuseCount + 1, "a job was claimed without reason")
        }
    }

    // MARK: Model

    /// Takes random claims from the workers.
    private mutating func takeHeld(upTo limit: Int) -> [Held] {
        (0..<limit).compactMap { _ in
            held.isEmpty ? nil : held.remove(at: random.below(held.count))
        }
    }

    /// Whether a worker still has the job of a claim.
    private func isValid(_ held: Held) -> Bool {
        if case .running(let number, _) = jobs[held.job].lane {
            number == held.number
        } else {
            false
        }
    }

    private func compareCounts() async throws {
        func count(_ isCounted: (Lane) -> Bool) -> Int { jobs.count { isCounted($0.lane) } }
        let counts = try await queue.counts()
        let expected = JobCounts(
            ready: count { $0 == .ready },
            scheduled: count { if case .scheduled = $0 { true } else { false } },
            running: count { if case .running = $0 { true } else { false } },
            done: queue.options.keepsFinished ? count { $0 == .done } : 0,
            dead: count { $0 == .dead }, isPaused: isPaused)
        try check(counts == expected, "\(counts) instead of \(expected)")
    }

    private func check(_ condition: Bool, _ problem: String) throws {
        if !condition { throw RunFailure(problem) }
    }
}
