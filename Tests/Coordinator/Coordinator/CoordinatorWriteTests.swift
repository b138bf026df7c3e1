import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite(.timeLimit(.minutes(40)))
struct CoordinatorWriteTests {
    @Test(arguments: [Durability.full, .relaxed(withinNanoseconds: 5_000_000)])
    func concurrentWritersEachGetOneVersionAndKeepTheirOrder(_ durability: Durability) async throws
    {
        let realm = TemporaryRealm()
        let coordinator = try await openPeer(realm.path)
        let versions = try await withThrowingTaskGroup(of: [(UInt64, Int)].self) { group in
            for writer in 0..<32 {
                group.addTask {
                    var versions: [(UInt64, Int)] = []
                    for index in 0..<40 {
                        let number = writer * 1000 + index
                        let version = try await insert(
                            number, into: coordinator, durability: durability)
                        expectTrue(coordinator.published.version >= version)
                        versions.append((version, number))
                    }
                    return versions
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        expectEqual(versions.map(\.0).sorted(), Array(1...UInt64(32 * 40)))
        let inOrder = versions.sorted { $0.0 < $1.0 }.map(\.1)
        expectEqual(numbers(coordinator.published), inOrder)
        await coordinator.close()
        let again = try await openPeer(realm.path)
        expectEqual(numbers(again.published), inOrder)
        expectEqual(again.recovery?.discardedByteCount, 0)
        await again.close()
    }

    /// While the first commit is being synced, the others are staged; they share the next sync.
    @Test func sixtyFourWritersShareTwoSyncs() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        let gate = EffectGate(disk, at: .sync)
        let first = Task { try await insert(0, into: coordinator) }
        await gate.waitUntilReached()
        let others = (1..<64).map { number in Task { try await insert(number, into: coordinator) } }
        while true {
            let turn = try await coordinator.beginWrite()
            coordinator.finishTurn()
            if numbers(turn.base).count == 64 { break }
            await Task.yield()
        }
        expectEqual(numbers(coordinator.published), [])
        gate.open()
        _ = try await first.value
        for other in others { _ = try await other.value }
        expectEqual(Set(numbers(coordinator.published)), Set(0..<64))
        let statistics = coordinator.statistics
        expectTrue(statistics.commits == 64 && statistics.batches == 2 && statistics.syncs == 2)
        await coordinator.close()
    }

    /// The page of `LOCK` already has the first commit, but this process hasn't published it yet.
    @Test func catchingUpDoesNotWaitForCommitsThatAreStagedMeanwhile() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        let watcher = try disk.openDirectory("/sim", .existing).openLock()
        _ = try watcher.tryLock(.watchers, .shared)
        let publishing = EffectGate(disk, at: .wake)
        let first = Task { try await insert(1, into: coordinator) }
        await publishing.waitUntilReached()
        let second = Task { try await insert(2, into: coordinator) }
        while coordinator.state.withLock({ $0.staged.isEmpty }) { await Task.yield() }
        let catchUp = Task { try await coordinator.catchUp() }
        while coordinator.state.withLock({ $0.catchUps.isEmpty }) { await Task.yield() }
        let syncing = EffectGate(disk, at: .sync)
        publishing.open()
        await syncing.waitUntilReached()
        expectTrue(coordinator.state.withLock { $0.catchUps.isEmpty })
        syncing.open()
        try await catchUp.value
        _ = try await (first.value, second.value)
        await coordinator.close()
    }

    @Test func anIdleRecordFollowsTheLastCommitByItself() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) { options in
            options.store.idleDelayNanoseconds = 1_000_000
        }
        let before = disk.count(.sync)
        try await insert(1, into: coordinator)
        while disk.count(.sync) < before + 2 { await Task.yield() }
        while coordinator.holdsWriterLock { await Task.yield() }
        let (log, _) = try RealmLog.open(
            disk.killImage(), path: "/sim", options: StoreOptions()
        ) { _ in }
        expectTrue(log.endsIdle)
        await coordinator.close()
    }

    /// Relaxed commits that need a late sync alternate with others, whose IDLE record is due soon.
    @Test func timersForLateSyncsDoNotAccumulate() {
        var state = CoordinatorState(log: nil, root: .makeEmpty())
        var lateCount = 0
        for now: UInt64 in 0..<100 {
            if state.claimTimer(at: now + 1_000_000) { lateCount += 1 }
            let isSoonSet = state.claimTimer(at: now + 40)
            expectTrue(isSoonSet)
            state.endTimer(at: now + 40)
        }
        expectEqual(lateCount, 1)
    }

    @Test func aCancelledWriterLeavesTheQueueAndTheNextIsServed() async throws {
        let realm = TemporaryRealm()
        let coordinator = try await openPeer(realm.path)
        let turn = try await coordinator.beginWrite()
        let cancelled = Task { try await insert(1, into: coordinator) }
        let patient = Task { try await insert(2, into: coordinator) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await coordinator.abandon(turn)
        _ = try await patient.value
        expectEqual(numbers(coordinator.published), [2])
        await coordinator.close()
    }

    // Covers .busy
    @Test func aWriterThatWaitsTooLongGetsBusy() async throws {
        let realm = TemporaryRealm()
        let mine = try await openPeer(realm.path)
        let other = try await openPeer(realm.path)
        let turn = try await other.beginWrite()
        let code = await storeErrorCode {
            try await insert(1, into: mine, timeoutNanoseconds: 20_000_000)
        }
        expectEqual(code, .busy)
        try await other.abandon(turn)
        try await insert(2, into: mine)
        expectEqual(numbers(mine.published), [2])
        await mine.close()
        await other.close()
    }

    @Test func anEmptyBodyReturnsOnlyWhenWhatItReadIsPublished() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk)
        try await insert(1, into: coordinator)
        let gate = EffectGate(disk, at: .sync)
        let writer = Task { try await insert(2, into: coordinator) }
        await gate.waitUntilReached()
        let turn = try await coordinator.beginWrite()
        expectEqual(numbers(turn.base), [1, 2])
        expectEqual(numbers(coordinator.published), [1])
        let reader = Task {
            try await coordinator.abandon(turn)
            return numbers(coordinator.published)
        }
        gate.open()
        try await expectEqual(reader.value, [1, 2])
        _ = try await writer.value
        await coordinator.close()
    }

    @Test func inMemoryCommitsArePublishedAtOnce() async throws {
        let coordinator = try await Coordinator.open(
            CoordinatorOptions(place: .memory(identifier: "published-at-once")))
        for number in 0..<100 { try await insert(number, into: coordinator) }
        expectEqual(numbers(coordinator.published), Array(0..<100))
        await coordinator.close()
        await expectEqual(storeErrorCode { try await insert(1, into: coordinator) }, .closed)
        expectEqual(numbers(coordinator.published), Array(0..<100))
    }

    @Test func openingTwiceInOneProcessGivesTheSameCoordinator() async throws {
        let realm = TemporaryRealm()
        let options = CoordinatorOptions(place: .directory(path: realm.path))
        let first = try await Coordinator.open(options)
        var spelled = options
        spelled.place = .directory(
            path: realm.path + "/../" + realm.path.split(separator: "/").last!)
        #expect(try await Coordinator.open(options) === first)
        #expect(try await Coordinator.open(spelled) === first)
        await first.close()
        let second = try await Coordinator.open(options)
        expectTrue(second !== first)
        await second.close()
    }

    @Test func closingEndsWaitersAndSubscriptionsAndKeepsWhatIsPublished() async throws {
        let realm = TemporaryRealm()
        let coordinator = try await openPeer(realm.path)
        try await insert(1, into: coordinator)
        let subscription = coordinator.subscribe(.all)
        let slot = subscription.attach()
        let turn = try await coordinator.beginWrite()
        let waiter = Task { await storeErrorCode { try await insert(2, into: coordinator) } }
        let closing = Task { await coordinator.close() }
        await expectEqual(waiter.value, .closed)
        let commit = try makeInsert(3, on: turn.base)
        try await coordinator.commit(turn, commit, durability: .full)
        await closing.value
        while case .changed = await slot.wait() {}
        expectEqual(numbers(coordinator.published), [1, 3])
        await expectEqual(storeErrorCode { try await insert(4, into: coordinator) }, .closed)
        let late = coordinator.subscribe(.all)
        guard case .closed = await late.attach().wait() else {
            Issue.record("a subscription to a closed realm did not end")
            return
        }
        let again = try await openPeer(realm.path)
        expectEqual(numbers(again.published), [1, 3])
        await again.close()
    }
}
