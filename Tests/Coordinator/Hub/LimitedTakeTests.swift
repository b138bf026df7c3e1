import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Takes of a few commits at a time. What isn't taken yet stays in the memory that all
/// subscriptions share, and is dropped with it.
@Suite struct LimitedTakeTests {
    /// The versions of the commits and, in brackets, those with roots.
    private func text(_ pending: Pending?) -> String {
        guard let commits = pending?.commits else { return pending == nil ? "nothing" : "dropped" }
        let kept = commits.filter { $0.root != nil }.map(\.summary.version)
        return "\(commits.map(\.summary.version)) \(kept)"
    }

    // Covers O29
    @Test func theRestRemains() throws {
        let world = try HubFixture()
        let people = world.subscribe(.tables(["Person"]), buffering: .versions)
        let all = world.subscribe(.all, buffering: .commits)
        expectEqual(world.head.version, 1)
        for _ in 0..<5 {
            try world.commit { try $0.addPerson() }
            try world.commit { try $0.addMessage(room: 1) }
        }
        let first = people.take(maximumCount: 2)
        expectEqual(text(first), "[2, 3, 4] [2, 4]")
        expectEqual(first?.since, 1)
        expectEqual(people.idleVersion, 5)
        expectTrue(people.attach().isSignalled)
        expectEqual(world.hub.statistics.roots, 3)
        expectEqual(text(all.take(maximumCount: 4)), "[2, 3, 4, 5] []")
        let second = people.take(maximumCount: 2)
        expectEqual(text(second), "[6, 7, 8] [6, 8]")
        expectEqual(second?.since, 5)
        expectEqual(text(all.take(maximumCount: 4)), "[6, 7, 8, 9] []")
        try world.commit { try $0.addPerson() }
        expectEqual(text(people.take(maximumCount: 2)), "[10, 11, 12] [10, 12]")
        expectEqual(people.idleVersion, 12)
        expectEqual(text(people.take(maximumCount: 2)), "nothing")
        expectEqual(text(all.take(maximumCount: 4)), "[10, 11, 12] []")
        expectTrue(world.hub.statistics.summaries == 0 && world.hub.statistics.roots == 0)
        expectEqual(world.hub.statistics.summaryByteCount, 0)
    }

    // Covers O29
    @Test func theRestIsDroppedBeyondTheLimit() throws {
        let world = try HubFixture(maximumByteCount: 5 * CommitHistory.rootByteCount)
        let people = world.subscribe(.tables(["Person"]), buffering: .versions)
        for _ in 0..<4 { try world.commit { try $0.addPerson() } }
        expectEqual(text(people.take(maximumCount: 2)), "[2, 3] [2, 3]")
        for _ in 0..<10 { try world.commit { try $0.addPerson() } }
        let rest = people.take(maximumCount: 2)
        expectEqual(text(rest), "dropped")
        expectEqual(rest?.since, 3)
        expectTrue(world.hub.statistics.summaries == 0 && world.hub.statistics.roots == 0)
        try world.commit { try $0.addPerson() }
        expectEqual(text(people.take(maximumCount: 2)), "[16] [16]")
    }

    // Covers O32
    @Test func commitsThatConcernOnlyByTheSchemaAreNotLabelled() throws {
        let world = try HubFixture()
        let people = world.subscribe(.tables(["Person"]), buffering: .versions)
        try world.commit(origin: "a") { try $0.addPerson() }
        try world.commit(origin: "b") { $0.setSchemaVersion(2) }
        try world.commit(origin: "c") { try $0.addPerson() }
        let first = people.take(maximumCount: 2)
        expectEqual(first?.commits?.map(\.isLabelled), [true, false])
        let second = people.take(maximumCount: 2)
        expectEqual(second?.commits?.map(\.isLabelled), [true])
        expectEqual(second?.origins, ["a", "c"])
    }

    // Covers O8
    @Test func theRestIsReleasedAtTheEnd() throws {
        let world = try HubFixture()
        let other = world.subscribe(.tables(["Room"]))
        let people = world.subscribe(.tables(["Person"]), buffering: .versions)
        for _ in 0..<4 { try world.commit { try $0.addPerson() } }
        expectEqual(text(people.take(maximumCount: 1)), "[2] [2]")
        expectEqual(world.hub.statistics.roots, 3)
        people.cancel()
        expectTrue(world.hub.statistics.summaries == 0 && world.hub.statistics.roots == 0)
        withExtendedLifetime(other) {}
    }
}
