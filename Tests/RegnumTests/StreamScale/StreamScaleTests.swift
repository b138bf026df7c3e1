import Regnum
import Testing

/// Streams that come and go leave nothing behind. Each case has a process of its own, for what is
/// measured is the process's: memory, descriptors, threads.
///
/// What memory may remain of streams that have ended: 24 bytes each and 2 MiB of what is allocated, and
/// 32 MiB of what the allocator holds once it was asked to give back what it can.
@Suite(.serialized) struct StreamScaleTests {
    static let count = 1_000

    @Test func cancelledStreamsLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.cancelledTasks, count: StreamScaleTests.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfACancelledTaskGroupLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.cancelledGroup, count: StreamScaleTests.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfATaskGroupThatFailedLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.failedGroup, count: StreamScaleTests.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfAClosedRealmLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.closedRealm, count: StreamScaleTests.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func droppedIteratorsLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.droppedIterators, count: StreamScaleTests.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func sleeperGetsOneExactChangeSet() async throws {
        var random = SeededRandom(SeededRandom.seed())
        var run = SleeperRun(seed: random.next())
        try await run.run(commitCount: 1_500, inFile: false)
    }

    @Test func sleeperOnAFileGetsOneExactChangeSet() async throws {
        var random = SeededRandom(SeededRandom.seed())
        var run = SleeperRun(seed: random.next())
        try await run.run(commitCount: 300, inFile: true)
    }
}

/// The same with 100,000 streams (`REGNUM_STREAMS`), and 100,000 commits that pass
/// (`REGNUM_SLEEPER_COMMITS`).
@Suite(.serialized) struct StreamScaleEnumeration {
    @Test func cancelledStreamsLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.cancelledTasks, count: StreamScaleEnumeration.count)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfACancelledTaskGroupLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(
                .cancelledGroup, count: StreamScaleEnumeration.fifth)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfATaskGroupThatFailedLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(
                .failedGroup, count: StreamScaleEnumeration.fifth)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfAClosedRealmLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(
                .closedRealm, count: StreamScaleEnumeration.fifth)
        }
        StreamRemains.printReport(result)
    }

    @Test func droppedIteratorsLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(
                .droppedIterators, count: StreamScaleEnumeration.fifth)
        }
        StreamRemains.printReport(result)
    }

    @Test func sleeperGetsOneExactChangeSet() async throws {
        var random = SeededRandom(SeededRandom.seed())
        let count = Scale.number("REGNUM_SLEEPER_COMMITS", 100_000)
        var run = SleeperRun(seed: random.next())
        try await run.run(commitCount: count, inFile: false)
    }

    /// For the other ways to end: a group takes long to end many children, whatever they do, and all of
    /// them together are to take no longer than the first.
    static var fifth: Int { count / 5 }

    static var count: Int { Scale.number("REGNUM_STREAMS", 100_000) }
}
