import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// `expectChanges`.
@Suite struct ExpectChangesTests {
    private func makeRealm() async throws -> Realm {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add([Room("general"), Room("random")]) }
        return realm
    }

    @Test func expectedChangesAreReturned() async throws {
        let realm = try await makeRealm()
        let sets = try await expectChanges(
            in: realm.objects(Room.self), inserted: 1, deleted: 1, modified: 1
        ) {
            try await realm.write { try $0.add(Room("new")) }
            try await realm.write { tx in
                tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "general")))
                try requireValue(tx.object(Room.self, forPrimaryKey: "random")).topic = "any"
            }
        }
        expectEqual(sets.flatMap(\.inserted).map(\.name), ["new"])
        try await expectChanges(in: realm.objects(Room.self)) {}
        await realm.close()
    }

    @Test func laterChangesAreAwaited() async throws {
        let realm = try await makeRealm()
        try await expectChanges(in: realm.objects(Room.self), inserted: 2, within: .seconds(600)) {
            Task {
                for name in ["a", "b"] {
                    try await Task.sleep(for: .milliseconds(5))
                    try await realm.write { try $0.add(Room(name)) }
                }
            }
        }
        await realm.close()
    }

    @Test func allCommitsAreCountedIfEachIsDelivered() async throws {
        let realm = try await makeRealm()
        let stream = realm.objects(Room.self).changes(policy: .everyCommit)
        let add: @Sendable (String) async throws -> Void = { name in
            try await realm.write { try $0.add(Room(name)) }
        }
        let error = await #expect(throws: UnexpectedChanges.self) {
            try await expectChanges(in: stream, inserted: 1) {
                try await add("a")
                try await add("b")
            }
        }
        expectTrue(error?.description.contains("actual:   2 inserted") == true)
        let sets = try await expectChanges(in: stream, inserted: 2) {
            try await add("c")
            try await add("d")
        }
        expectEqual(sets.map(\.insertions.count), [1, 1])
        await realm.close()
    }

    @Test func unexpectedChangesAreDescribed() async throws {
        let realm = try await makeRealm()
        do {
            try await expectChanges(in: realm.objects(Room.self), deleted: 1) {
                try await realm.write { try $0.add(Room("new")) }
            }
            Issue.record("There is no error.")
        } catch let error as UnexpectedChanges {
            let lines = error.description.split(separator: "\n")
            expectEqual(
                lines.prefix(3),
                [
                    "The objects of Room didn't change as expected.",
                    "expected: 0 inserted, 1 deleted, 0 modified",
                    "actual:   1 inserted, 0 deleted, 0 modified",
                ])
            let inserted = lines.dropFirst(3).joined(separator: "\n")
            expectTrue(inserted.hasPrefix("inserted Room"), "\(inserted)")
            expectTrue(inserted.contains("new"), "\(inserted)")
        }
        await realm.close()
    }

    @Test func missingChangesAreReportedAfterTheTime() async throws {
        let realm = try await makeRealm()
        let error = await #expect(throws: UnexpectedChanges.self) {
            try await expectChanges(
                in: realm.objects(Room.self), inserted: 1, within: .milliseconds(1)
            ) {}
        }
        expectTrue(error?.description.contains("actual:   0 inserted") == true)
        await realm.close()
    }
}
