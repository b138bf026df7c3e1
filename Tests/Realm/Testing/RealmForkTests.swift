import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// `Realm.fork` and `RealmTemplate`.
@Suite struct RealmForkTests {
    private func names(_ realm: Realm) -> [String] {
        realm.snapshot().objects(Room.self).map(\.name)
    }

    @Test func forksAndTheOriginalAreIndependent() async throws {
        let original = try await Realm.temporary([Room.self])
        try await original.write { try $0.add([Room("general"), Room("random")]) }
        let version = original.snapshot().version
        let first = try await original.fork()
        let second = try await original.fork()
        expectEqual(first.snapshot().version, version)
        expectEqual(first.snapshot().cursor, original.snapshot().cursor)
        // a write that fails leaves the fork as it was
        struct Stop: Error {}
        do {
            try await first.write { tx in
                try tx.add(Room("none"))
                throw Stop()
            }
        } catch is Stop {}
        for number in 1...3 {
            try await first.write { try $0.add(Room("first \(number)")) }
            try await original.write { try $0.add(Room("original \(number)")) }
            try await second.write { tx in
                tx.delete(tx.objects(Room.self))
                try tx.add(Room("second \(number)"))
            }
        }
        let old = ["general", "random"]
        expectEqual(names(first), old + (1...3).map { "first \($0)" })
        expectEqual(names(original), old + (1...3).map { "original \($0)" })
        expectEqual(names(second), ["second 3"])
        await original.close()
        try await first.write { try $0.add(Room("last")) }
        expectEqual(names(first).last, "last")
        for realm in [first, second] {
            try await realm.snapshot().checkIntegrity()
            await realm.close()
        }
    }

    @Test func streamsOfAForkReportItsFirstWrite() async throws {
        let original = try await Realm.temporary([Room.self])
        try await original.write { try $0.add([Room("general"), Room("random")]) }
        let fork = try await original.fork()
        var stream = fork.objects(Room.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try await fork.write { tx in
            try requireValue(tx.object(Room.self, forPrimaryKey: "random")).topic = "new"
        }
        guard case .update(_, let delta)? = try await stream.next() else {
            Issue.record("There is no update.")
            return
        }
        expectEqual(delta.modifications, [1])
        expectTrue(delta.insertions.isEmpty && delta.deletions.isEmpty)
    }

    @Test func forkOfARealmInADirectoryOutlivesIt() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", [Room.self])
        configuration.schemaVersion = 3
        let original = try await Realm.open(configuration)
        try await original.write { try $0.add(Room("general")) }
        let fork = try await original.fork()
        await original.close()
        try await Realm.deleteFiles(for: configuration)
        expectEqual(fork.configuration.schemaVersion, 3)
        try await fork.write { try $0.add(Room("random")) }
        expectEqual(names(fork), ["general", "random"])
        await fork.close()
    }

    private static let template = RealmTemplate([Room.self]) { tx in
        try tx.add(Room("general"))
    }

    @Test(arguments: 0..<8) func testsWithATemplateDoNotMeet(number: Int) async throws {
        let realm = try await Self.template.fork()
        try await realm.write { try $0.add(Room("room \(number)")) }
        expectEqual(names(realm), ["general", "room \(number)"])
        await realm.close()
    }
}
