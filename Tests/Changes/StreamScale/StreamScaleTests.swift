import Regnum
import RegnumTestSupport
import Testing

/// Streams that come and go leave nothing behind. Each case runs in a process of its own, because
/// memory, descriptors and threads are measured per process.
///
/// The memory that may remain of streams that have ended: 24 bytes each plus 2 MiB of allocations,
/// and 32 MiB that the allocator holds after it was asked to return what it can.
@Suite(.serialized, .disabled(if: Effort.isReduced))
struct StreamScaleTests {
    static let count = Effort.count(gate: 1_000, soak: 100_000)

    /// For the kinds of ending other than cancelled tasks: a group takes long to end many children,
    /// whatever they do, and all of these together should take no longer than the first.
    static let fifth = Effort.count(gate: 1_000, soak: 20_000)

    // Covers O8
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
            try await StreamRemains.check(.cancelledGroup, count: StreamScaleTests.fifth)
        }
        StreamRemains.printReport(result)
    }

    @Test func streamsOfATaskGroupThatFailedLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.failedGroup, count: StreamScaleTests.fifth)
        }
        StreamRemains.printReport(result)
    }

    // Covers O8
    @Test func streamsOfAClosedRealmLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.closedRealm, count: StreamScaleTests.fifth)
        }
        StreamRemains.printReport(result)
    }

    // Covers O8
    @Test func droppedIteratorsLeaveNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try await StreamRemains.check(.droppedIterators, count: StreamScaleTests.fifth)
        }
        StreamRemains.printReport(result)
    }

    // Covers O27, O28, O38
    @Test func sleeperGetsOneExactChangeSet() async throws {
        var random = SeededRandom()
        var run = SleeperRun(seed: random.next())
        try await run.run(
            commitCount: Effort.count(gate: 1_500, soak: 100_000), inFile: false)
    }

    @Test func sleeperOnAFileGetsOneExactChangeSet() async throws {
        var random = SeededRandom()
        var run = SleeperRun(seed: random.next())
        try await run.run(commitCount: 300, inFile: true)
    }
}
