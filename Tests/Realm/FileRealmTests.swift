import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumStore
@testable import RegnumTestModels

/// On-disk realms from the perspective of a program. The store has its own tests.
@Suite struct FileRealmTests {
    private let url = FileManager.default.temporaryDirectory
        .appending(path: "regnum-\(UUID().uuidString).realm")

    @Test func contentIsThereAfterOpeningAgain() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let configuration = Realm.Configuration(
            location: .file(url), objectTypes: [Room.self, Everything.self])
        let uuid = UUID()
        let first = try await Realm.open(configuration)
        try await first.write { tx in
            try tx.add([Room("general", topic: "all"), Room("gone")])
            let thing = Everything()
            thing.id = 5
            thing.uuid = uuid
            thing.maybeText = "there"
            try tx.add(thing)
        }
        try await first.write(durability: .relaxed(within: .seconds(1))) { tx in
            tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "gone")))
        }
        let version = first.snapshot().version
        await first.close()
        let second = try await Realm.open(configuration)
        expectTrue(second !== first && second.snapshot().version == version)
        expectEqual(second.snapshot().objects(Room.self).map(\.topic), ["all"])
        let thing = second.snapshot().object(Everything.self, forPrimaryKey: 5)
        expectTrue(thing?.uuid == uuid && thing?.maybeText == "there" && thing?.maybeDate == nil)
        await second.close()
    }

    @Test func informationNamesTheFormatOfTheFiles() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let first = try await Realm.open(.init(location: .file(url)))
        try await first.write { try $0.add(Room("general")) }
        try await expectEqual(first.information()?.format, "1.0")
        await first.close()
        // as if a newer library had created the segment
        let file = url.appending(path: "log-0-0")
        let bytes = try [UInt8](Data(contentsOf: file))
        var header = Array(bytes.prefix(4096))
        Bytes.store(UInt16(7), in: &header, at: 10)
        Bytes.seal(&header, at: 4092)
        try Data(header + bytes.dropFirst(4096)).write(to: file)
        let second = try await Realm.open(.init(location: .file(url)))
        try await expectEqual(second.information()?.format, "1.7")
        await second.close()
    }

    /// A compaction writes two images of the newest version, which are one checkpoint to users.
    @Test func checkpointOfACompactionIsNamedOnce() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let realm = try await Realm.open(.init(location: .file(url)))
        try await realm.write { try $0.add(Room("general")) }
        _ = try await realm.compact()
        let version = realm.snapshot().version
        let information = try await requireValue(realm.information())
        expectEqual(information.checkpoints.map(\.version), [version])
        await realm.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
        where name.hasPrefix("nodes-") {
            try FileManager.default.removeItem(at: url.appending(path: name))
        }
        // The log has everything.
        let second = try await Realm.open(.init(location: .file(url)))
        expectEqual(second.recovery.damagedCheckpoints, [version])
        expectEqual(
            second.recovery.description,
            "the checkpoint of version \(version) is damaged or missing")
        await second.close()
    }

    // Covers 12.12
    @Test func listedClassThatDiffersIsRefusedAtOpen() async throws {
        enum Earlier {
            final class Paper: Object { @Persisted var text: String }
        }
        enum Later {
            final class Paper: Object { @Persisted var text: Int? }
        }
        defer { try? FileManager.default.removeItem(at: url) }
        let first = try await Realm.open(.init(location: .file(url)))
        try await first.write { try $0.add(Earlier.Paper()) }
        await first.close()
        let error = await #expect(throws: Realm.Error.self) {
            try await Realm.open(.init(location: .file(url), objectTypes: [Later.Paper.self]))
        }
        expectEqual(error?.code, .schemaMismatch)
        expectTrue(error?.className == "Paper" && error?.property == "text")
        let again = try await Realm.open(.init(location: .file(url)))
        expectEqual(again.snapshot().objects(Earlier.Paper.self).count, 1)
        await again.close()
    }

    @Test func streamsFollowDurableCommits() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let realm = try await Realm.open(.init(location: .file(url)))
        let reader = Task {
            var seen: [String] = []
            for try await change in realm.objects(Room.self).changes {
                switch change {
                case .initial(let rooms): seen += rooms.map(\.name)
                case .update(_, let delta): seen += delta.inserted.map(\.name)
                }
                if seen.count == 50 { break }
            }
            return seen
        }
        for number in 0..<50 { try await realm.write { try $0.add(Room("\(number)")) } }
        try await expectTrue(reader.value == (0..<50).map { "\($0)" })
        await realm.close()
    }

    @Test func transactionThatIsTooLargeForARecordIsCommittedInBulk() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let realm = try await Realm.open(.init(location: .file(url)))
        let topic = longText(5 << 20)
        try await realm.write { try $0.add(Room("big", topic: topic)) }
        try await realm.write { try $0.add(Room("small")) }
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["big", "small"])
        await realm.close()
        let again = try await Realm.open(.init(location: .file(url)))
        expectEqual(again.snapshot().objects(Room.self).map(\.name), ["big", "small"])
        expectEqual(again.snapshot().objects(Room.self).map(\.topic), [topic, Room("small").topic])
        await again.close()
    }
}
