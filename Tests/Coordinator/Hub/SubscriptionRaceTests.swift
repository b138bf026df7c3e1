import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Concurrent writers and subscribers, also for the thread sanitizer.
@Suite(.timeLimit(.minutes(40)))
struct SubscriptionRaceTests {
    private static let writerCount = 4
    private static let commitCount = 100

    private static func write(
        _ coordinator: Coordinator, _ body: (EngineTransaction) throws -> Void
    ) async throws {
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        try body(transaction)
        let commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0)
        try await coordinator.commit(turn, commit, durability: .full)
    }

    /// Takes until the version; returns how many people were added, and the versions of individual
    /// commits.
    private static func follow(
        _ subscription: Subscription, _ slot: SignalSlot, to version: UInt64
    ) async throws -> (added: Int, versions: [UInt64]) {
        var (reached, added) = (subscription.start.version, 0)
        var versions: [UInt64] = []
        while reached < version {
            guard let pending = subscription.take() else {
                await expectEqual(slot.wait(), .changed)
                continue
            }
            let summaries = try requireValue(pending.summaries)
            added += MergedDelta(summaries, tableName: "Person").inserted.count
            versions += (pending.commits ?? []).map(\.summary.version)
            reached = pending.root.version
        }
        return (added, versions)
    }

    @Test func takersAndWritersAtOnceLoseNothing() async throws {
        let options = CoordinatorOptions(place: .memory(identifier: "SubscriptionRaceTests"))
        let coordinator = try await Coordinator.open(options)
        try await Self.write(coordinator) { tx in
            let columns = [ColumnDefinition(name: "number", type: .int)]
            _ = try tx.addTable(name: "Person", columns: columns)
        }
        let table = TableKey(rawValue: 0)
        let total = Self.writerCount * Self.commitCount
        let last = UInt64(1 + total)
        let interests = [
            Interest.all, .tables(["Person"]),
            Interest([.value(tableName: "Person", column: "number", .int(0))]),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<9 {
                let buffering = [BufferingPolicy.merged, .commits, .versions][number % 3]
                let subscription = coordinator.subscribe(
                    interests[number / 3], buffering: buffering)
                let slot = subscription.attach()
                group.addTask {
                    let (added, versions) = try await Self.follow(subscription, slot, to: last)
                    expectEqual(added, total)
                    if buffering != .merged { expectEqual(versions, Array(2...last)) }
                }
            }
            for _ in 0..<Self.writerCount {
                group.addTask {
                    for _ in 0..<Self.commitCount {
                        try await Self.write(coordinator) { _ = try $0.insert(table, [.int(0)]) }
                        await Task.yield()
                    }
                }
            }
            for number in 0..<2 {
                group.addTask {  // others come and go, and commits change their interests
                    while coordinator.published.version < last {
                        let subscription = coordinator.subscribe(buffering: .versions) { root in
                            let interest = interests[Int(root.version % 2) + number]
                            return Interest(
                                interest.terms.union([.table("Person")]), source: "Person")
                        }
                        let slot = subscription.attach()
                        _ = subscription.take()
                        slot.close()
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        expectTrue(coordinator.hub.isIdle)
        await coordinator.close()
    }
}
