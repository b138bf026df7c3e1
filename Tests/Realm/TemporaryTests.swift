import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// `Realm.temporary`: realms for tests, new or from a template.
@Suite(.disabled(if: Effort.isReduced))
struct TemporaryTests {
    @Test func realmsOfTheirOwnAreIndependent() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let realm = try await Realm.temporary([Room.self])
                    expectTrue(realm.isEmpty)
                    try await realm.write { try $0.add(Room("room \(number)")) }
                    expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["room \(number)"])
                }
            }
            try await group.waitForAll()
        }
    }

    // Covers 5.3
    @Test func closedOneIsGone() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general")) }
        let configuration = realm.configuration
        let held = realm.snapshot()
        await realm.close()
        let again = try await Realm.open(configuration)
        expectTrue(again.isEmpty && held.objects(Room.self).count == 1)
        await again.close()
    }

    @Test func templateIsTheBeginningAndStaysAsItIs() async throws {
        let folder = try RealmFolder()
        try await folder.makeRealm("template.realm", rooms: ["general", "random"])
        let before = try folder.state(of: "template.realm")
        let realms = try await withThrowingTaskGroup(of: Realm.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let realm = try await Realm.temporary(
                        [Room.self, Message.self], from: folder["template.realm"])
                    try await realm.write { tx in
                        try requireValue(tx.object(Room.self, forPrimaryKey: "general")).topic =
                            "number \(number)"
                        tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "random")))
                        try tx.add([Room("new"), Room("newer")])
                        try tx.add(Message("new", "hello"))
                    }
                    return realm
                }
            }
            return try await group.reduce(into: [Realm]()) { $0.append($1) }
        }
        for realm in realms {
            let names = realm.snapshot().objects(Room.self).map(\.name)
            expectEqual(names, ["general", "new", "newer"])
            expectEqual(realm.snapshot().objects(Message.self).count, 1)
        }
        let topics = realms.map { realm in
            realm.snapshot().object(Room.self, forPrimaryKey: "general")?.topic
        }
        expectEqual(Set(topics), Set((0..<8).map { "number \($0)" }))
        try expectEqual(folder.state(of: "template.realm"), before)
        let template = try await Realm.open(folder.configuration("template.realm"))
        expectEqual(template.snapshot().objects(Room.self).map(\.name), ["general", "random"])
        await template.close()
    }

    /// Large enough for checkpoints, so that most of it remains in the template's files.
    @Test func templateMayBeOpenAndWritten() async throws {
        let folder = try RealmFolder()
        let template = try await Realm.open(folder.configuration("template.realm"))
        let writing = Task {
            for round in 0..<40 {
                try await template.write { tx in
                    for number in 0..<500 {
                        try tx.add(Message("room \(round)", String(repeating: "x", count: number)))
                    }
                }
            }
        }
        var counts: [Int] = []
        while counts.last ?? 0 < 20_000 {
            let least = template.snapshot().objects(Message.self).count
            let realm = try await Realm.temporary([Message.self], from: folder["template.realm"])
            let messages = realm.snapshot().objects(Message.self)
            expectTrue(messages.count % 500 == 0 && messages.count >= least)
            if let last = messages.last { expectEqual(last.text.utf8.count, 499) }
            counts.append(messages.count)
            try await realm.write { tx in tx.delete(tx.objects(Message.self)) }
            expectTrue(realm.isEmpty)
        }
        try await writing.value
        expectEqual(counts, counts.sorted())
        await template.close()
        // A realm made from it remains usable without it.
        let kept = try await Realm.temporary([Message.self], from: folder["template.realm"])
        try await Realm.deleteFiles(for: folder.configuration("template.realm"))
        let byteCount = kept.snapshot().objects(Message.self).reduce(0) { $0 + $1.text.utf8.count }
        expectEqual(byteCount, 40 * 499 * 250)
    }

    // Covers 12.5
    @Test func templateThatDoesNotFitIsRefused() async throws {
        enum Other {
            final class Room: Object { @Persisted(primaryKey: true) var name: Int }
        }
        let folder = try RealmFolder()
        try await folder.makeRealm("template.realm", rooms: ["general"])
        let other = await realmError {
            try await Realm.temporary([Other.Room.self], from: folder["template.realm"])
        }
        expectTrue(other?.code == .schemaMismatch && other?.property == "name")
        let missing = await realmError {
            try await Realm.temporary([Room.self], from: folder["missing.realm"])
        }
        expectTrue(missing?.code == .fileNotFound && missing?.path == folder["missing.realm"].path)
        let page = try requireValue(URL(string: "https://example.org/a.realm"))
        let web = await realmError { try await Realm.temporary([Room.self], from: page) }
        expectEqual(web?.code, .invalidInput)
    }

    @Test func schemaVersionIsTheTemplates() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("template.realm")
        configuration.schemaVersion = 7
        try await Realm.open(configuration).close()
        let realm = try await Realm.temporary([Room.self], from: folder["template.realm"])
        expectEqual(realm.configuration.schemaVersion, 7)
        try await realm.write { try $0.add(Room("general")) }
    }
}
