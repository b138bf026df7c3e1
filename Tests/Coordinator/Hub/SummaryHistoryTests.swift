import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The summaries kept of commits that subscriptions haven't taken yet.
@Suite(.timeLimit(.minutes(40)))
struct SummaryHistoryTests {
    /// Returns the net effect of the summaries on messages.
    private func delta(_ summaries: [CommitSummary]?, _ tableName: String = "Message") throws
        -> MergedDelta
    {
        MergedDelta(try requireValue(summaries), tableName: tableName)
    }

    @Test func subscriptionThatNothingConcernsKeepsNothing() throws {
        let world = try HubFixture()
        let quiet = [
            world.subscribe(.tables(["Room"])), world.subscribe(.room(1)),
            world.subscribe(.tables(["Room"]), buffering: .versions),
        ]
        for _ in 0..<1_000 {
            try world.commit { try $0.addMessage(room: 2) }
            expectEqual(world.hub.statistics.summaries, 0)
        }
        try world.commit { try $0.addMessage(room: 1) }
        expectEqual(quiet.map { $0.take() != nil }, [false, true, false])
    }

    // Covers O28
    @Test func sleeperBehindManyCommitsCostsMemoryByTheObjectsChanged() throws {
        let world = try HubFixture()
        try world.commit { tx in for _ in 0..<10 { try tx.addMessage(room: 1) } }
        let sleeper = world.subscribe(.tables(["Message"]))
        var all: [CommitSummary] = []
        for number in 0..<20_000 {
            let commit = try world.commit(origin: "\(number % 3)") { tx in
                let rows = tx.keys(ChatFixture.message)
                try tx.set(
                    ChatFixture.message, rows[number % 10],
                    number % 2 == 0 ? ChatFixture.score : ChatFixture.tag,
                    number % 2 == 0 ? .double(Double(number)) : .null)
                tx.delete(ChatFixture.message, try tx.addMessage(room: 1))
                if number % 5 == 4 { try tx.addMessage(room: 3) }
                if number % 5 == 0, number > 0 { tx.delete(ChatFixture.message, rows[10]) }
            }
            all.append(commit.summary)
            expectTrue(world.hub.statistics.summaryByteCount < 16_384)
        }
        let pending = try requireValue(sleeper.take())
        try expectEqual(delta(pending.summaries), delta(all))
        expectEqual(pending.origins, ["0", "1", "2"])
        expectEqual(world.hub.statistics.summaries, 0)
        expectEqual(world.hub.statistics.summaryByteCount, 0)
    }

    @Test func whatTakersStandBetweenIsNotMerged() throws {
        let world = try HubFixture()
        let subscriptions = (0..<40).map { world.subscribe(.room($0)) }
        var commits: [CommitSummary] = []
        for number in 0..<400 {
            commits.append(
                try world.commit { tx in try tx.addMessage(room: Int64(number % 40)) }.summary)
        }
        var order = Array(0..<40)
        var random = SeededRandom("SummaryHistoryTests.between")
        order.shuffle(using: &random)
        for index in order {
            let pending = try requireValue(subscriptions[index].take())
            expectEqual(pending.since, UInt64(1 + index))
            try expectEqual(delta(pending.summaries), delta(Array(commits[index...])))
        }
        expectEqual(world.hub.statistics.summaries, 0)
    }

    @Test func takerThatKeepsUpLeavesTheSleeperWithLittle() throws {
        let world = try HubFixture()
        try world.commit { try $0.addMessage(room: 1) }
        let sleeper = world.subscribe(.tables(["Message"]))
        let busy = world.subscribe(.tables(["Message"]))
        for number in 0..<5_000 {
            let commit = try world.commit { tx in
                try tx.set(
                    ChatFixture.message, ObjectKey(rawValue: 0), ChatFixture.score,
                    .double(Double(number)))
            }
            let pending = try requireValue(busy.take())
            expectTrue(pending.since == commit.root.version - 1 && pending.summaries?.count == 1)
            expectTrue(world.hub.statistics.summaryByteCount < 16_384)
        }
        try expectEqual(delta(sleeper.take()?.summaries).modified.count, 1)
    }

    // Covers O28
    @Test func summariesBeyondTheBytesAreGoneForThoseWhoNeedThem() throws {
        let world = try HubFixture(maximumByteCount: 4_096)
        let slow = world.subscribe(.tables(["Message"]))
        let each = world.subscribe(.all, buffering: .commits)
        let late = world.subscribe(.tables(["Person"]))
        for _ in 0..<1_000 {
            try world.commit { try $0.addMessage(room: 1) }
            expectTrue(world.hub.statistics.summaryByteCount <= 2 * 4_096)
        }
        expectEqual(world.hub.statistics.summaries, 0)
        try world.commit(origin: "last") { try $0.addPerson() }
        let pending = try requireValue(slow.take())
        expectTrue(pending.summaries == nil && pending.since == 1 && pending.root === world.head)
        let commits = try requireValue(each.take())
        expectTrue(
            commits.commits == nil && commits.summaries == nil && commits.origins == ["last"])
        expectEqual(late.take()?.summaries?.count, 1)
        try world.commit { try $0.addMessage(room: 1) }
        expectTrue(slow.take()?.summaries?.count == 1 && each.take()?.commits?.count == 1)
    }

    @Test func withoutBytesNothingIsKept() throws {
        let world = try HubFixture(maximumByteCount: 0)
        let merged = world.subscribe(.all)
        let versions = world.subscribe(.all, buffering: .versions)
        for _ in 0..<3 {
            try world.commit { try $0.addPerson() }
            expectTrue(world.hub.statistics.summaries == 0 && world.hub.statistics.roots == 0)
        }
        expectTrue(merged.take()?.summaries == nil && versions.take()?.commits == nil)
    }

    @Test func everyCommitIsKeptApartWithTheRootsOfThoseThatConcern() throws {
        let world = try HubFixture()
        let versions = world.subscribe(.room(1), buffering: .versions)
        let commits = world.subscribe(.room(1), buffering: .commits)
        try world.commit { try $0.addMessage(room: 2) }
        var all: [Commit] = []
        for number in 0..<10 {
            all.append(
                try world.commit(origin: "\(number)") {
                    try $0.addMessage(room: number % 3 == 0 ? 1 : 2)
                })
        }
        expectTrue(world.hub.statistics.roots == 4 && world.hub.statistics.summaries == 10)
        for subscription in [versions, commits] {
            let pending = try requireValue(subscription.take())
            let kept = try requireValue(pending.commits)
            expectTrue(pending.since == 2 && kept.map(\.summary.version) == Array(3...12))
            expectTrue(kept.map(\.isConcerning) == (0..<10).map { $0 % 3 == 0 })
            expectEqual(pending.origins, ["0", "3", "6", "9"])
            expectEqual(pending.summaries?.map(\.origin), all.map(\.summary.origin))
            for (commit, made) in zip(kept, all) {
                let isHeld = subscription === versions && commit.isConcerning
                expectTrue(commit.root === (isHeld ? made.root : nil))
            }
        }
        expectTrue(world.hub.statistics.roots == 0 && world.hub.statistics.summaries == 0)
    }

    @Test func rootsAreLetGoOfWhenTheyAreTakenOrNobodyWillTakeThem() throws {
        let world = try HubFixture()
        var versions: [Subscription] = (0..<2).map { _ in
            world.subscribe(.tables(["Person"]), buffering: .versions)
        }
        weak let root = try world.commit { try $0.addPerson() }.root
        try world.commit { try $0.addMessage(room: 1) }
        expectTrue(root != nil)
        _ = versions[0].take()
        expectTrue(root != nil)
        _ = versions[1].take()
        expectNil(root)
        weak let second = try world.commit { try $0.addPerson() }.root
        weak let third = try world.commit { try $0.addPerson() }.root
        try world.commit { try $0.addMessage(room: 1) }
        versions[0].cancel()
        expectTrue(second != nil && third != nil)
        versions.removeAll()
        expectTrue(second == nil && third == nil)
        expectTrue(world.hub.isIdle)
    }

    @Test func rootsCountOfTheBytes() throws {
        let world = try HubFixture(maximumByteCount: 10 * CommitHistory.rootByteCount)
        let versions = world.subscribe(.all, buffering: .versions)
        for _ in 0..<9 { try world.commit { try $0.addPerson() } }
        expectEqual(world.hub.statistics.roots, 9)
        expectEqual(versions.take()?.commits?.count, 9)
        for _ in 0..<100 { try world.commit { try $0.addPerson() } }
        expectTrue(world.hub.statistics.roots < 10)
        expectNil(versions.take()?.commits)
    }

    // Covers O38
    @Test func unconcernedAndTakenSubscriptionsHoldNoVersion() throws {
        let world = try HubFixture()
        let quiet = world.subscribe(.tables(["Room"]))
        let busy = world.subscribe(.tables(["Person"]))
        weak let first: DatabaseRoot? = quiet.start
        _ = quiet.take()
        _ = busy.take()
        weak let second = try world.commit { try $0.addPerson() }.root
        try world.commit { try $0.addPerson() }
        expectTrue(first == nil && second == nil)
        expectEqual(busy.take()?.summaries?.count, 2)
    }

    // Covers O38
    @Test func subscriptionThatOnlyWaitsHoldsNoVersionAndNoLabel() throws {
        let world = try HubFixture()
        let waiting = world.subscribe(.all, buffering: .concern)
        weak let first: DatabaseRoot? = world.head
        weak let second = try world.commit(origin: "a") { try $0.addPerson() }.root
        try world.commit(origin: "b") { try $0.addPerson() }
        expectTrue(first == nil && second == nil)
        expectEqual(world.hub.statistics.summaries, 0)
        let pending = try requireValue(waiting.take())
        expectTrue(pending.isConcerned && pending.root === world.head)
        expectTrue(pending.origins.isEmpty && pending.summaries == nil)
    }

    @Test(.disabled(if: Effort.isReduced))
    func withTheLastSubscriptionEverythingIsLetGoOf() throws {
        let world = try HubFixture()
        let kinds: [BufferingPolicy] = [.merged, .commits, .versions, .nothing, .concern]
        let count = Effort.count(gate: 100_000, soak: 100_000)
        var subscriptions = (0..<count).map { number -> Subscription in
            let interest: Interest =
                switch number % 3 {
                case 0: .room(Int64(number))
                case 1: .elements(of: ObjectKey(rawValue: UInt64(number)))
                default: .tables(["Person"])
                }
            return world.subscribe(interest, buffering: kinds[number % 5])
        }
        var slots: [SignalSlot]? = subscriptions.map { $0.attach() }
        expectEqual(world.hub.statistics.subscriptions, count)
        weak let root = try world.commit { try $0.addPerson() }.root
        try world.publish { try $0.addPerson() }  // not processed
        expectTrue(root != nil)
        for subscription in subscriptions.prefix(count / 2) { subscription.cancel() }
        slots = nil
        subscriptions = []
        _ = slots
        expectTrue(root == nil && world.hub.isIdle)
        // It begins again.
        let again = world.subscribe(.all)
        try world.commit { try $0.addPerson() }
        expectEqual(again.take()?.summaries?.count, 1)
    }
}
