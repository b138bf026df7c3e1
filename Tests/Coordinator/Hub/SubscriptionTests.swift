import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Which subscribers are woken by a commit, and what they can take.
@Suite(.timeLimit(.minutes(40)))
struct SubscriptionTests {
    // Covers O35
    @Test func commitOfTheClassWakesAndOneOfAnotherDoesNot() async throws {
        let world = try HubFixture()
        let people = world.subscribe(.tables(["Person"]))
        let messages = world.subscribe(.tables(["Message"]))
        let (slot, other) = (people.attach(), messages.attach())
        let commit = try world.commit(origin: "a") { try $0.addPerson() }
        await expectEqual(slot.wait(), .changed)
        expectTrue(!other.isSignalled)
        expectNil(messages.take())
        let pending = try requireValue(people.take())
        expectTrue(pending.root === commit.root && pending.since == commit.root.version - 1)
        expectTrue(pending.isConcerned && pending.origins == ["a"] && pending.commits == nil)
        expectEqual(pending.summaries?.map(\.version), [commit.root.version])
        expectNil(people.take())
        expectEqual(world.hub.counters.signals.value, 1)
    }

    @Test func secondWaiterOfASlotTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let subscription = try HubFixture().subscribe(.all)
            let slot = subscription.attach()
            async let first = slot.wait()
            async let second = slot.wait()
            _ = await (first, second)
            withExtendedLifetime(subscription) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("Two tasks are waiting for the next element of the same stream."))
    }

    @Test func whatIsPublishedBeforeTheSubscriptionBelongsToItsStart() throws {
        let world = try HubFixture()
        let early = world.subscribe(.all)
        let first = try world.publish { try $0.addPerson() }
        let late = world.subscribe(.all)
        expectTrue(late.start === first.root)
        world.hub.process()
        expectTrue(early.take()?.root === first.root)
        expectNil(late.take())
        let second = try world.publish { try $0.addPerson() }
        expectNil(late.take())  // not processed yet
        world.hub.process()
        expectEqual(late.take()?.since, first.root.version)
        expectTrue(early.take()?.root === second.root)
    }

    // Covers O35
    @Test func whatIsPublishedFasterThanItIsLookedAtIsComparedInstead() throws {
        let world = try HubFixture(maximumQueueByteCount: 20_000)
        let people = world.subscribe(.tables(["Person"]), buffering: .versions)
        for _ in 0..<100 {
            try world.publish { try $0.addPerson() }
            expectTrue(world.hub.publication.withLock { $0.queue.count } <= 20)
        }
        world.hub.process()
        let pending = try requireValue(people.take())
        expectTrue(
            pending.root === world.head && pending.summaries == nil && pending.commits == nil)
        expectEqual(pending.since, people.processedVersion - 100)
        try world.commit { try $0.addPerson() }
        expectEqual(people.take()?.commits?.count, 1)
    }

    @Test func interestIsMadeFromTheRootThatTheSubscriptionStartsWith() throws {
        let world = try HubFixture()
        var room = ObjectKey(rawValue: 0)
        try world.commit { room = try $0.insert(ChatFixture.room, [.int(7)]) }
        let subscription = world.hub.subscribe(.merged) { root in
            .elements(of: root.keys(ChatFixture.room)[0])
        }
        try world.commit { tx in
            let message = try tx.addMessage(room: 1)
            try tx.insertIntoList(ChatFixture.room, room, ChatFixture.messages, at: 0, [message])
        }
        expectNil(subscription.take())
        try world.commit { tx in
            try tx.set(
                ChatFixture.message, tx.keys(ChatFixture.message)[0], ChatFixture.score, .double(1))
        }
        expectTrue(subscription.take() != nil)
    }

    @Test func everyWaiterIsWokenAndOneTakes() async throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all)
        let slots = [subscription.attach(), subscription.attach(), subscription.attach()]
        slots[1].close()
        try world.commit { try $0.addPerson() }
        let late = subscription.attach()  // there is already something to take
        await expectEqual(slots[0].wait(), .changed)
        await expectEqual(slots[1].wait(), .closed)
        await expectEqual(slots[2].wait(), .changed)
        await expectEqual(late.wait(), .changed)
        expectTrue(subscription.take() != nil)
        expectNil(subscription.take())
        expectTrue(!subscription.attach().isSignalled)
    }

    /// The slots of a batch are signaled at its end. One that is attached, and whose task takes, in
    /// the middle of a batch would otherwise miss the rest of it.
    @Test func waiterAttachedDuringABatchIsWokenByTheRestOfIt() throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all, buffering: .nothing)
        let commits = try (0..<2).map { _ in try world.publish { try $0.addPerson() } }
        let entry = try requireValue(world.hub.state.withLock { $0.entries.values.first })
        func signalCount(of commit: Commit) -> Int {
            world.hub.state.withLock { state in
                var matches = CommitMatches(
                    summary: commit.summary, root: commit.root, batch: 1)
                matches.note(entry, state.commits)
                state.processedRoot = commit.root
                return matches.words.count
            }
        }
        expectEqual(signalCount(of: commits[0]), 0)
        let slot = subscription.attach()
        expectTrue(slot.isSignalled)
        expectEqual(subscription.take()?.root.version, commits[0].root.version)
        expectEqual(signalCount(of: commits[1]), 1)
        expectEqual(subscription.take()?.root.version, commits[1].root.version)
        slot.close()
    }

    @Test func cancellationBeforeTheWaitIsKeptAndTheSignalToo() async throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all)
        let slot = subscription.attach()
        try world.commit { try $0.addPerson() }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await slot.wait()
        }
        await expectEqual(task.value, .cancelled)
        await expectEqual(slot.wait(), .changed)
        let waiting = Task { await slot.wait() }
        await Task.yield()
        waiting.cancel()
        await expectEqual(waiting.value, .cancelled)
    }

    @Test func manyWaitersAreWokenByJobsOfThePool() async throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all)
        let slots = (0..<1000).map { _ in subscription.attach() }
        try world.commit { try $0.addPerson() }
        for slot in slots { await expectEqual(slot.wait(), .changed) }
        expectEqual(world.hub.counters.signals.value, 1)
    }

    @Test func theEndComesAfterWhatWasPublishedBefore() async throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all)
        let slot = subscription.attach()
        let commit = try world.publish { try $0.addPerson() }
        world.hub.close()
        await expectEqual(slot.wait(), .closed)
        expectTrue(subscription.take()?.root === commit.root)
        expectNil(subscription.take())
        let late = world.subscribe(.all)
        expectTrue(late.start === commit.root)
        await expectEqual(late.attach().wait(), .closed)
        expectNil(late.take())
    }

    @Test func cancelledSubscriptionEndsItsWaiters() async throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.all)
        let slot = subscription.attach()
        try world.commit { try $0.addPerson() }
        subscription.cancel()
        await expectEqual(slot.wait(), .closed)
        expectNil(subscription.take())
        await expectEqual(subscription.attach().wait(), .closed)
        try world.commit { try $0.addPerson() }
        expectNil(subscription.take())
    }

    @Test func changeOfTheSchemaConcernsEverybody() throws {
        let world = try HubFixture()
        let subscriptions = [Interest.room(1), .tables(["Person"]), Interest([])].map {
            world.subscribe($0)
        }
        try world.commit { tx in
            _ = try tx.addColumn(
                ChatFixture.reaction, ColumnDefinition(name: "new", type: .int))
        }
        for subscription in subscriptions { expectEqual(subscription.take()?.isConcerned, true) }
        try world.commit(origin: "joins") { tx in
            tx.setSchemaVersion(2)
            try tx.addMessage(room: 1)
        }
        let origins = subscriptions.map { $0.take()?.origins }
        expectEqual(origins, [["joins"], [], []])  // the others only due to the schema
        try world.commit { $0.setSchemaVersion(3) }
        for subscription in subscriptions { expectEqual(subscription.take()?.isConcerned, true) }
    }

    @Test func unconcernedSubscriptionMovesOnToTheNewestVersionWhenItIsConcerned() throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.room(1))
        for _ in 0..<10 { try world.commit(origin: "other") { try $0.addMessage(room: 2) } }
        let commit = try world.commit(origin: "mine") { try $0.addMessage(room: 1) }
        let last = try world.commit(origin: "other") { try $0.addMessage(room: 2) }
        let pending = try requireValue(subscription.take())
        expectTrue(pending.since == commit.root.version - 1 && pending.root === last.root)
        expectEqual(pending.origins, ["mine"])
        let delta = MergedDelta(try requireValue(pending.summaries), tableName: "Message")
        expectEqual(delta.inserted.count, 2)
    }

    // Covers O32
    @Test(arguments: [BufferingPolicy.merged, .commits, .versions, .nothing])
    func commitThatChangesTheInterestDoesSoForLaterOnes(buffering: BufferingPolicy) throws {
        let world = try HubFixture()
        let subscription = world.hub.subscribe(buffering) { root in
            // the messages of the room with the number of people
            let room = Interest.room(Int64(root.keys(ChatFixture.person).count))
            return Interest(room.terms.union([.table("Person")]), source: "Person")
        }
        try world.publish(origin: "person") { try $0.addPerson() }
        try world.publish(origin: "old") { try $0.addMessage(room: 0) }
        let new = try world.publish(origin: "new") { try $0.addMessage(room: 1) }
        world.hub.process()
        let pending = try requireValue(subscription.take())
        expectEqual(pending.origins, ["person", "new"])
        expectTrue(pending.since == 1 && pending.root === new.root)
        if let commits = pending.commits {
            expectEqual(commits.map(\.isConcerning), [true, false, true])
        }
        try world.commit { try $0.addMessage(room: 0) }
        expectNil(subscription.take())
        try world.commit { try $0.addMessage(room: 1) }
        expectEqual(subscription.take()?.isConcerned, true)
    }

    @Test func interestIsRenewedWhenTheSchemaChangesAndAfterAGap() throws {
        let world = try HubFixture()
        let subscription = world.hub.subscribe(.merged) { root in
            .room(Int64(root.schema.version))
        }
        try world.publish { $0.setSchemaVersion(2) }
        try world.publish(origin: "new") { try $0.addMessage(room: 2) }
        world.hub.process()
        expectEqual(subscription.take()?.origins, ["new"])
        try world.leap { $0.setSchemaVersion(3) }
        try world.publish(origin: "old") { try $0.addMessage(room: 2) }
        try world.publish(origin: "newer") { try $0.addMessage(room: 3) }
        world.hub.process()
        expectEqual(subscription.take()?.origins, ["newer"])
    }

    /// The owner of a list may have been unreadable in the damaged tree.
    @Test func interestIsRenewedWhenADamagedTreeIsReplaced() throws {
        let world = try HubFixture()
        let damaged = world.head
        let subscription = world.hub.subscribe(.merged) { root in
            root === damaged ? .all : .room(1)
        }
        try world.move()
        world.hub.process()
        expectEqual(subscription.take()?.isConcerned, false)
        try world.commit { try $0.addMessage(room: 2) }
        expectNil(subscription.take())
        try world.commit { try $0.addMessage(room: 1) }
        expectEqual(subscription.take()?.isConcerned, true)
    }

    /// The commits before a subscription's start, which are processed after it began, don't set its
    /// interest back.
    @Test func interestIsNotSetBackByOlderCommits() throws {
        let world = try HubFixture()
        let early = world.subscribe(.all)
        try world.publish { $0.setSchemaVersion(2) }
        try world.publish { $0.setSchemaVersion(3) }
        let subscription = world.hub.subscribe(.merged) { root in
            .room(Int64(root.schema.version))
        }
        try world.publish { try $0.addMessage(room: 2) }
        world.hub.process()
        expectTrue(early.take() != nil && subscription.take() == nil)
        try world.commit { try $0.addMessage(room: 3) }
        expectTrue(subscription.take() != nil)
    }

    @Test func anotherTreeOfTheSameContentIsToBeHeld() async throws {
        let world = try HubFixture()
        let quiet = world.subscribe(.tables(["Person"]), buffering: .versions)
        let busy = world.subscribe(.tables(["Message"]))
        let slot = quiet.attach()
        try world.commit { try $0.addMessage(room: 1) }
        try world.move()
        world.hub.process()
        await expectEqual(slot.wait(), .changed)
        let moved = try requireValue(quiet.take())
        expectTrue(moved.root === world.head && !moved.isConcerned && moved.origins.isEmpty)
        expectTrue(moved.summaries?.isEmpty == true && moved.commits?.isEmpty == true)
        expectNil(quiet.take())
        let pending = try requireValue(busy.take())
        expectTrue(pending.root === world.head && pending.isConcerned)
        expectEqual(pending.summaries?.count, 1)
    }

    @Test(arguments: [BufferingPolicy.merged, .commits, .versions, .nothing])
    func afterAGapNobodyKnowsWhatChanged(buffering: BufferingPolicy) async throws {
        let world = try HubFixture()
        let pending = world.subscribe(.tables(["Message"]), buffering: buffering)
        let quiet = world.subscribe(.tables(["Person"]), buffering: buffering)
        let slot = quiet.attach()
        try world.commit(origin: "before") { try $0.addMessage(room: 1) }
        try world.leap { try $0.addMessage(room: 1) }
        let last = try world.publish(origin: "after") { try $0.addMessage(room: 1) }
        world.hub.process()
        await expectEqual(slot.wait(), .changed)
        for subscription in [pending, quiet] {
            let taken = try requireValue(subscription.take())
            expectTrue(taken.isConcerned && taken.summaries == nil && taken.commits == nil)
            // the commit before the gap is known not to concern the other one
            expectTrue(taken.root === last.root && taken.since == (taken.origins.isEmpty ? 2 : 1))
            expectTrue(taken.origins == (subscription === pending ? ["before", "after"] : []))
        }
        expectTrue(world.hub.statistics.summaries == 0 && world.hub.statistics.roots == 0)
        try world.commit { try $0.addMessage(room: 1) }
        expectTrue(pending.take()?.summaries?.count == (buffering == .nothing ? nil : 1))
    }

    // Covers O32
    @Test func labelsAreTheNewestThousandInOrderOfTheFirstCommit() throws {
        let world = try HubFixture()
        let subscription = world.subscribe(.tables(["Person"]))
        for number in 0..<1_500 {
            try world.commit(origin: "\(number % 1_200)") { try $0.addPerson() }
            try world.commit(origin: "other") { try $0.addMessage(room: 1) }
            try world.commit { try $0.addPerson() }
        }
        // The first 200 had been evicted when they recurred, and then evicted others in turn.
        let expected = (500..<1_200).map { "\($0)" } + (0..<300).map { "\($0)" }
        expectEqual(subscription.take()?.origins, expected)
        try world.commit(origin: "7") { try $0.addPerson() }
        expectEqual(subscription.take()?.origins, ["7"])
        for number in 0..<60 { try world.commit(origin: "\(number % 20)") { try $0.addPerson() } }
        expectTrue(subscription.take()?.origins == (0..<20).map { "\($0)" })
    }
}
