import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumCrashChild

/// Migrations among processes: several programs of one and of two versions on one realm, and
/// processes that are killed during a migration.
///
/// The moments also depend on the machine, so a seed doesn't repeat a run exactly.
@Suite(.serialized) struct MigrationProcessTests {
    static let killCount = Effort.count(gate: 4, soak: 20)

    private func makeRealm(_ path: String, messages: Int) async throws {
        let realm = try await Realm.test(path)
        try await realm.write { tx in
            for number in 0..<20 { try tx.create(Room.self, value: ["name": "room \(number)"]) }
            for number in 0..<messages {
                try tx.create(
                    Message.self,
                    value: [
                        "room": "room \(number % 20)", "author": "author \(number % 7)",
                        "text": "message \(number) of \(messages)",
                    ])
            }
        }
        await realm.close()
    }

    /// Returns the whole content of a realm, as text.
    private func content(_ path: String, isLater: Bool) async throws -> [String] {
        var configuration = Later.configuration(path)
        if !isLater {
            configuration.objectTypes = [Room.self, Message.self]
            configuration.schemaVersion = 0
        }
        configuration.migration = { _, _ in throw ChildFailure("the migration ran again") }
        let realm = try await Realm.open(configuration)
        let lines = try await realm.read { tx in
            var lines: [String] = []
            for name in isLater ? ["Room", "Message", "Author"] : ["Room", "Message"] {
                for object in try tx.dynamicObjects(name) {
                    let values = object.propertyNames.map { "\($0)=\(Self.text(object[$0]))" }
                    lines.append("\(name) \(values.joined(separator: " "))")
                }
            }
            return lines
        }
        await realm.close()
        return lines
    }

    /// Returns what the earlier program finds; `nil` if the migration is done.
    private func oldContent(_ path: String) async throws -> [String]? {
        do {
            return try await content(path, isLater: false)
        } catch Realm.Error.Code.schemaMismatch {
            return nil
        }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let object as DynamicObject:
            object.className + ":" + text(object.className == "Room" ? object.topic : object.name)
        case let list as DynamicList: list.map { text($0) }.joined(separator: ",")
        case let value?: "\(value)"
        case nil: "nil"
        }
    }

    @Test func killedMigrationLeavesTheOldStateOrTheNewOne() async throws {
        var random = SeededRandom()
        try await withChildren { group in
            let original = group.directory.appending(path: "original.realm").path
            try await makeRealm(original, messages: 800)
            let old = try await content(original, isLater: false)
            // Uninterrupted, to measure how long that takes.
            func copy() throws -> String {
                let path = group.directory.appending(path: "copy-\(UUID()).realm").path
                try FileManager.default.copyItem(atPath: original, toPath: path)
                return path
            }
            let whole = try copy()
            let start = ContinuousClock.now
            let child = try group.start("migrate", on: whole, [])
            try await child.expectSuccess()
            let duration = start.duration(to: .now)
            expectEqual(child.lines, ["in block", "800 messages"])
            let new = try await content(whole, isLater: true)
            expectTrue(new.count == 20 + 2 * 800 && old.count == 20 + 800)
            var (oldCount, newCount) = (0, 0)
            for _ in 0..<Self.killCount {
                let path = try copy()
                let child = try group.start("migrate", on: path, [])
                // Other tests sufficiently cover what happens before the block.
                if Bool.random(using: &random) { _ = try await child.lines(1) }
                let part = Double.random(in: 0...1, using: &random)
                try await Task.sleep(for: duration * part)
                child.signal(SIGKILL)
                try await child.end()
                // Written but unpublished data count once the realm is opened for writing.
                if let left = try await oldContent(path) {
                    oldCount += 1
                    expectEqual(left, old)
                    // Once more, to its end.
                    let second = try group.start("migrate", on: path, [])
                    try await second.expectSuccess()
                    expectEqual(second.lines, ["in block", "800 messages"])
                } else {
                    newCount += 1
                    try await expectEqual(Realm.schemaVersion(at: URL(filePath: path)), 1)
                }
                try await expectEqual(content(path, isLater: true), new)
                try FileManager.default.removeItem(atPath: path)
            }
            print("kill -9 in migrations of \(duration): \(oldCount) old, \(newCount) new")
            expectEqual(oldCount + newCount, Self.killCount)
        }
    }

    // Covers 6.32
    @Test func processesThatOpenAtOnceMigrateOnce() async throws {
        try await withChildren { group in
            try await makeRealm(group.realm, messages: 300)
            let children = try (0..<3).map { _ in try group.start("migrate") }
            for child in children { try await child.expectSuccess() }
            expectTrue(children.count { $0.lines.first == "in block" } == 1)
            expectTrue(children.allSatisfy { $0.lines.last == "300 messages" })
            try await expectEqual(content(group.realm, isLater: true).count, 620)
        }
    }

    @Test func processesThatOpenAtOnceDeleteOnce() async throws {
        try await withChildren { group in
            for round in 0..<6 {
                let path = group.directory.appending(path: "replaced-\(round).realm").path
                try await makeRealm(path, messages: 5)
                let names = ["ann", "bob", "cid"]
                let children = try names.map { try group.start("replace", on: path, [$0]) }
                for child in children { try await child.expectSuccess() }
                let realm = try await Realm.open(Later.configuration(path))
                expectEqual(realm.snapshot().objects(Later.Room.self).map(\.name).sorted(), names)
                await realm.close()
            }
        }
    }

    @Test func olderProgramIsRefusedAtOnceAndDamagesNothing() async throws {
        try await withChildren { group in
            try await makeRealm(group.realm, messages: 50)
            // One process that writes and one that streams, both from before the migration.
            let sender = try group.start("send", "room 1", "ann", "-")
            try sender.type(["before"])
            _ = try await sender.lines(1)
            let tail = try group.start("tail", "room 1", "-")
            _ = try await tail.lines(4)
            let migrated = try group.start("migrate")
            try await migrated.expectSuccess()
            let content = try await content(group.realm, isLater: true)
            expectTrue(content.contains { $0.contains("body=before") })

            try sender.type(["after"])
            try await expectEqual(sender.end(), .exited(1))
            expectTrue(sender.description.contains("has schema version 1"))
            // Its query uses a property that is a link now.
            try await expectEqual(tail.end(), .exited(1))
            expectTrue(tail.description.contains("schemaMismatch"))
            expectTrue(tail.description.contains("Message.room"))
            let late = try group.start("send", "room 1", "bob", "1")
            try await expectEqual(late.end(), .exited(1))
            expectTrue(late.description.contains("has schema version 1"))

            let realm = try await Realm.open(Later.configuration(group.realm))
            try await realm.write { tx in
                try tx.create(Later.Message.self, value: ["body": "later"])
            }
            await realm.close()
            try await expectEqual(self.content(group.realm, isLater: true).count, content.count + 1)
        }
    }
}
