import Dispatch
import Regnum
import RegnumStore
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// A clock for one wait, which does something while the wait begins: when the clock is read again.
/// From then on, the wait is over.
private final class EventfulClock: Clock {
    private let start = ContinuousClock.now
    private let readingCount = Guarded(0)
    private let event: @Sendable () async throws -> Void

    init(_ event: @escaping @Sendable () async throws -> Void) {
        self.event = event
    }

    var now: ContinuousClock.Instant {
        let count = readingCount.withLock { count in
            count += 1
            return count
        }
        if count == 2 {
            let done = DispatchSemaphore(value: 0)
            _ = Task(executorPreference: ThreadExecutor()) { [event] in
                defer { done.signal() }
                try await event()
            }
            done.wait()
        }
        return count > 2 ? start.advanced(by: .seconds(3_600)) : start
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: .seconds(3_600))
    }
}

/// Waits for an element with a time limit.
@Suite struct TimedWaitTests {
    private typealias Stream = CollectionChanges<Person>.AsyncIterator

    /// Waits for 5 seconds of the clock, and names the result: the ages at the insertions.
    private func next(
        _ stream: inout Stream, _ clock: ManualClock, within duration: Duration = .seconds(5)
    ) async throws -> String {
        switch try await stream.next(within: duration, clock: clock) {
        case .element(.initial(let people)): "initial \(people.map(\.age))"
        case .element(.update(_, let delta)): "inserted \(delta.inserted.map(\.age))"
        case .timedOut: "timed out"
        case .end: "end"
        }
    }

    // Covers O49
    @Test func whatArrivesAfterATimeOutIsDelivered() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        try await expectEqual(next(&stream, clock), "initial []")
        let time = Task {
            try await clock.sleeps(1)
            clock.advance(by: .seconds(5))
        }
        try await expectEqual(next(&stream, clock), "timed out")
        try await time.value
        expectEqual(clock.sleeperCount, 0)
        try await realm.write { try $0.add(Person("a", age: 1)) }
        try await realm.write { try $0.add(Person("b", age: 2)) }
        try await expectEqual(next(&stream, clock), "inserted [1, 2]")
        let write = Task {
            try await clock.sleeps(2)
            try await realm.write { try $0.add(Person("c", age: 3)) }
        }
        try await expectEqual(next(&stream, clock), "inserted [3]")
        try await write.value
        // the wait's own task has ended
        expectEqual(clock.sleeperCount, 0)
        // a wait without a limit isn't affected by an earlier one
        clock.advance(by: .seconds(60))
        try await realm.write { try $0.add(Person("d", age: 4)) }
        guard case .update(let people, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(people.count, 4)
        await realm.close()
        try await expectEqual(next(&stream, clock), "end")
        try await expectEqual(next(&stream, clock), "end")
        expectEqual(realm.stats().streams, 0)
    }

    // Covers O49
    @Test func zeroPolls() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        var stream = realm.objects(Person.self).changes(policy: .everyCommit).makeAsyncIterator()
        try await expectEqual(next(&stream, clock, within: .zero), "initial []")
        try await expectEqual(next(&stream, clock, within: .zero), "timed out")
        try await realm.write { try $0.add(Person("a", age: 1)) }
        try await realm.write { try $0.add(Person("b", age: 2)) }
        try await expectEqual(next(&stream, clock, within: .zero), "inserted [1]")
        try await expectEqual(next(&stream, clock, within: .seconds(-1)), "inserted [2]")
        try await expectEqual(next(&stream, clock, within: .zero), "timed out")
        await realm.close()
        try await expectEqual(next(&stream, clock, within: .zero), "end")
    }

    /// A large commit that is searched for values is processed after the `write` has returned.
    // Covers O49, O51
    @Test func zeroPollsBehindASkippedCommit() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        var searched = realm.objects(Person.self).where { $0.name == "x" }.changes
            .makeAsyncIterator()
        _ = try await searched.next()
        var stream = realm.objects(Person.self).where { $0.age < 10 }
            .changes(excludingOrigins: ["me"]).makeAsyncIterator()
        var commits = realm.commits(excludingOrigins: ["me"]).makeAsyncIterator()
        try await expectEqual(next(&stream, clock, within: .zero), "initial []")
        try await expectEqual(commits.next(within: .zero, clock: clock), .timedOut)
        for round in 0..<4 {
            let isFirst = round % 2 == 0
            try await realm.write(origin: "a") { try $0.add(Person("a", age: 1)) }
            try await realm.write(origin: "me") { try $0.add(Person("b", age: 2)) }
            try await expectEqual(next(&stream, clock, within: .zero), "inserted [1]")
            let first = try await commits.next(within: .zero, clock: clock).element
            expectEqual(first?.origin, "a", "round \(round)")
            try await realm.write(origin: "c") { tx in
                for age in 0..<5_000 { try tx.add(Person("c", age: age == 0 ? 3 : 100)) }
            }
            if isFirst {
                try await expectEqual(next(&stream, clock, within: .zero), "inserted [3]")
            }
            let second = try await commits.next(within: .zero, clock: clock).element
            expectEqual(second?.origin, "c", "round \(round)")
            if isFirst { continue }
            try await expectEqual(next(&stream, clock, within: .zero), "inserted [3]")
        }
        withExtendedLifetime(searched) {}
    }

    // Covers O49
    @Test func commitsWithoutAnEffectDoNotExtendTheWait() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        var stream = realm.objects(Person.self).where { $0.age > 10 }.changes.makeAsyncIterator()
        try await expectEqual(next(&stream, clock), "initial []")
        let others = Task {
            try await clock.sleeps(1)
            clock.advance(by: .seconds(3))
            try await realm.write { try $0.add(Person("a", age: 1)) }
            try await clock.sleeps(2)
            clock.advance(by: .seconds(2))
        }
        try await expectEqual(next(&stream, clock), "timed out")
        try await others.value
        expectEqual(clock.sleeperCount, 0)
    }

    /// A clock during whose wait three commits are made that a stream skips.
    private func clock(skipping realm: Realm) -> EventfulClock {
        EventfulClock {
            var commits = realm.commits.makeAsyncIterator()
            for _ in 0..<3 {
                try await realm.write(origin: "me") { try $0.add(Person("m", age: 2)) }
            }
            // until streams can take all of them
            for _ in 0..<3 { _ = try await commits.next() }
        }
    }

    /// The time is checked after each skipped commit: there might always be another one.
    // Covers O49, O51
    @Test(.timeLimit(.minutes(8)), arguments: [true, false])
    func skippedCommitsDoNotExtendTheWait(areKept: Bool) async throws {
        let folder = try RealmFolder()
        let realm =
            areKept
            ? try await Realm.temporary([Person.self])
            : try await LaterProgram.withoutSummaries([Person.self], at: folder["test.realm"])
        try await realm.write { try $0.add(Person("a", age: 1)) }
        var commits = realm.commits(excludingOrigins: ["me"]).makeAsyncIterator()
        expectEqual(try await commits.next(within: .zero), .timedOut)
        let version = realm.snapshot().version
        let wait = Duration.seconds(5)
        expectEqual(try await commits.next(within: wait, clock: clock(skipping: realm)), .timedOut)
        expectEqual(commits.cursor?.version, version + 1)
        try await realm.write(origin: "you") { try $0.add(Person("b", age: 3)) }
        expectEqual(try await commits.next(within: .zero).element?.origin, "you")

        // If they are kept, a stream of changes passes them in one step.
        if areKept { return }
        var stream = realm.objects(Person.self)
            .changes(policy: .everyCommit, excludingOrigins: ["me"]).makeAsyncIterator()
        _ = try await stream.next()
        let next = try await stream.next(within: wait, clock: clock(skipping: realm))
        guard case .timedOut = next else {
            Issue.record("no time-out")
            return
        }
        expectEqual(stream.cursor?.version, version + 5)
        try await realm.write(origin: "you") { try $0.add(Person("c", age: 4)) }
        try await expectEqual(self.next(&stream, ManualClock(), within: .zero), "inserted [4]")
        await realm.close()
    }

    // Covers O49
    @Test(arguments: [Duration.seconds(Int64.max), Duration.seconds(Int64.max) * 18])
    func waitMayBeLongerThanClocksCount(_ duration: Duration) async throws {
        let realm = try await Realm.temporary([Person.self])
        let waiting = Task {
            var stream = realm.objects(Person.self).changes.makeAsyncIterator()
            _ = try await stream.next(within: duration)
            return try await stream.next(within: duration).element != nil
        }
        while realm.stats().streams == 0 { await Task.yield() }
        try await realm.write { try $0.add(Person("a", age: 1)) }
        try await expectTrue(waiting.value)
    }

    // Covers O49, O6
    @Test func cancellationEndsTheWait() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        let waiting = Task {
            var stream = realm.objects(Person.self).changes.makeAsyncIterator()
            _ = try await next(&stream, clock)
            return try await next(&stream, clock)
        }
        try await clock.sleeps(1)
        waiting.cancel()
        try await expectEqual(waiting.value, "end")
        expectEqual(clock.sleeperCount, 0)
        expectEqual(realm.stats().streams, 0)
    }

    // Covers O49
    @Test func commitsAreAwaitedToo() async throws {
        let realm = try await Realm.temporary([Person.self])
        let clock = ManualClock()
        var commits = realm.commits.makeAsyncIterator()
        let time = Task {
            try await clock.sleeps(1)
            clock.advance(by: .seconds(1))
        }
        try await expectEqual(commits.next(within: .seconds(1), clock: clock), .timedOut)
        try await time.value
        try await realm.write(origin: "late") { try $0.add(Person("a", age: 1)) }
        let commit = try await commits.next(within: .seconds(1), clock: clock).element
        expectEqual(commit?.origin, "late")
        expectEqual(commits.cursor, commit?.cursor)
        await realm.close()
        try await expectEqual(commits.next(within: .seconds(1), clock: clock), .end)
    }
}
