import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// Loops over streams that end before the stream does.
@Suite struct EarlyExitTests {
    /// Checks that a loop leaves no subscription, no version and no commit behind.
    private func expectNothingLeft(_ realm: Realm, _ loop: () async throws -> Void) async throws {
        let before = realm.stats().snapshots.count
        try await loop()
        let stats = realm.stats()
        expectEqual(stats.streams, 0)
        expectEqual(stats.snapshots.count, before)
        expectTrue(stats.keptSummaries == 0 && stats.keptSummaryByteCount == 0)
        // what is committed later isn't kept either
        try await realm.write { try $0.add(Person("later", age: 1)) }
        expectEqual(realm.stats().keptSummaries, 0)
        expectEqual(realm.stats().snapshots.count, before)
    }

    // Covers O8
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func nothingIsLeft(_ policy: ChangePolicy) async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        let people = realm.objects(Person.self)
        var add: @Sendable () async throws -> Void {
            { try await realm.write { try $0.add(Person("a", age: 1)) } }
        }
        try await expectNothingLeft(realm) {
            var count = 0
            for try await _ in people.changes(policy: policy).prefix(2) {
                count += 1
                if count == 1 { try await add() }
            }
            expectEqual(count, 2)
        }
        try await expectNothingLeft(realm) {
            let found = try await people.changes(policy: policy).first { change in
                if case .update = change { return true }
                try await add()
                return false
            }
            expectTrue(found != nil)
        }
        try await expectNothingLeft(realm) {
            for try await _ in people.changes(policy: policy) {
                try await add()
                break
            }
        }
        try await expectNothingLeft(realm) {
            var stream = people.changes(policy: policy).makeAsyncIterator()
            _ = try await stream.next()
            try await add()
            try await add()
            _ = try await stream.next(within: .zero)
            let clock = ManualClock()
            let time = Task {
                try await clock.sleeps(1)
                clock.advance(by: .seconds(1))
            }
            while try await stream.next(within: .seconds(1), clock: clock).element != nil {}
            try await time.value
            expectEqual(clock.sleeperCount, 0)
        }
        try await expectNothingLeft(realm) {
            for try await _ in realm.commits.prefix(0) {}
            var commits = realm.commits.prefix(1).makeAsyncIterator()
            try await add()
            let commit = try await commits.next()
            expectTrue(commit != nil)
        }
        await realm.close()
    }
}
