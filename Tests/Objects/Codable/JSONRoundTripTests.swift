import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct JSONRoundTripTests {
    private func plain(_ realm: Realm) async throws -> [[String: String]] {
        try await realm.read { tx in
            Self.sorted(
                tx.objects(JSONThing.self).map(\.plain) + tx.objects(JSONKeyed.self).map(\.plain))
        }
    }

    private static func sorted(_ objects: [[String: String]]) -> [[String: String]] {
        objects.sorted { ($0["tag"] ?? "", $0["name"] ?? "") < ($1["tag"] ?? "", $1["name"] ?? "") }
    }

    /// Random graphs, exported and imported into a realm with the classes and into one without: all
    /// values bit for bit, and the links.
    @Test func randomGraphsComeBack() async throws {
        let seed = SeededRandom.seed()
        for round in 0..<30 {
            var draw = JSONDraw(random: SeededRandom(seed &+ UInt64(round)))
            let first = try await Realm.json(jsonTypes)
            let start = draw
            let expected = try await first.write { tx in
                var draw = start
                let (things, keyed) = draw.content()
                let expected = Self.sorted(things.map(\.plain) + keyed.map(\.plain))
                for object in things where !object.isManaged { try tx.add(object) }
                for object in keyed where !object.isManaged { try tx.add(object) }
                if things.count > 2, round % 2 == 0 {
                    // Keys with gaps.
                    try tx.create(JSONThing.self, value: ["tag": -1])
                    tx.delete(try tx.create(JSONThing.self, value: ["tag": -2]))
                    tx.delete(tx.objects(JSONThing.self).where { $0.tag == -1 })
                }
                return expected
            }
            _ = draw.content()
            try #require(try await plain(first) == expected)
            let text = try await first.snapshot().json()
            for types in [jsonTypes, nil] {
                let second = try await Realm.json(types)
                let batchSize = draw.flag() ? nil : Int.random(in: 1...5, using: &draw.random)
                let chunks = JSONChunks(
                    bytes: Array(text.utf8), size: .random(in: 1...500, using: &draw.random))
                let summary = try await second.importJSON(from: chunks, batchSize: batchSize)
                expectEqual(summary.objectCount, expected.count)
                try #require(
                    try await plain(second) == expected, "seed \(seed), round \(round)")
                // The schema, too: the second export can be read with the first realm's classes.
                let again = try await second.snapshot().json()
                let third = try await Realm.json(jsonTypes)
                try await third.importJSON(text: again)
                try #require(try await plain(third) == expected)
            }
        }
    }

    @Test func filesAreReplacedWhenTheyAreComplete() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.json(jsonTypes)
        try await realm.write { tx in
            for tag in 0..<500 { try tx.create(JSONThing.self, value: ["tag": tag]) }
        }
        let file = folder["export.jsonl"]
        try await expectEqual(realm.snapshot().exportJSON(to: file), 500)
        let before = try Data(contentsOf: file)
        expectEqual(before.count(where: { $0 == 0x0A }), 501)
        let error = await realmError {
            try await realm.snapshot().exportJSON(classes: ["Nobody"], to: file)
        }
        expectTrue(error?.code == .invalidInput && error?.className == "Nobody")
        try expectEqual(Data(contentsOf: file), before)
        try expectEqual(folder.names(), ["export.jsonl"])
        let second = try await Realm.json()
        try await expectEqual(second.importJSON(from: file).objectCount, 500)
        let missing = await realmError { try await second.importJSON(from: folder["none"]) }
        expectEqual(missing?.code, .fileNotFound)
        // Chunks are small, so that an export needs only the memory of one.
        var largest = 0
        try await realm.snapshot().exportJSON { largest = max(largest, $0.count) }
        expectTrue(largest < 80_000 && before.count > 3 * largest)
    }

    /// A file whose new name isn't durable would be lost in a power failure.
    @Test func directoryIsSyncedOnceTheFileHasItsName() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.json(jsonTypes)
        let watch = inotify_init()
        try #require(watch >= 0)
        defer { close(watch) }
        let events = UInt32(IN_MOVED_TO | IN_OPEN)
        try #require(inotify_add_watch(watch, folder.url.path, events) >= 0)
        try await realm.snapshot().exportJSON(to: folder["export.jsonl"])

        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(watch, &bytes, bytes.count)
        var (offset, isMoved, isOpened) = (0, false, false)
        while offset + 16 <= count {
            let fields = bytes.withUnsafeBytes { bytes in
                (0..<4).map { index in
                    bytes.loadUnaligned(fromByteOffset: offset + 4 * index, as: UInt32.self)
                }
            }
            // the second one is the mask, and the last one the length of a name that follows
            if fields[1] & UInt32(IN_MOVED_TO) != 0 { isMoved = true }
            // the directory itself, opened to be synced
            if isMoved, fields[1] & UInt32(IN_OPEN) != 0, fields[3] == 0 { isOpened = true }
            offset += 16 + Int(fields[3])
        }
        expectTrue(isMoved && isOpened)
        // whose removal opens it too
        withExtendedLifetime(folder) {}
    }

    /// Among such links is `/dev/stdout` if that stream is closed, or if its file was removed.
    @Test func linksToWriteToAreKept() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.json(jsonTypes)
        let (link, manager) = (folder["link"], FileManager.default)
        let removed = open(folder["removed"].path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        try #require(removed >= 0)
        defer { close(removed) }
        try manager.removeItem(at: folder["removed"])
        for target in [folder["nowhere"].path, "/proc/self/fd/\(removed)"] {
            try manager.createSymbolicLink(atPath: link.path, withDestinationPath: target)
            let error = await realmError { try await realm.snapshot().exportJSON(to: link) }
            expectTrue(error?.code == .fileNotFound && error?.path == link.path, "\(target)")
            try expectEqual(manager.destinationOfSymbolicLink(atPath: link.path), target)
            try manager.removeItem(at: link)
        }
        try expectEqual(folder.names(), [])
        try Data().write(to: folder["file"])
        try manager.createSymbolicLink(atPath: link.path, withDestinationPath: "file")
        try await realm.snapshot().exportJSON(to: link)
        try expectEqual(manager.destinationOfSymbolicLink(atPath: link.path), "file")
        try expectTrue(!Data(contentsOf: folder["file"]).isEmpty)
    }

    @Test func chosenClassesAreExportedAlone() async throws {
        let realm = try await Realm.json(jsonTypes)
        try await realm.write { tx in
            let keyed = try tx.create(JSONKeyed.self, value: ["name": "k"])
            try tx.create(JSONThing.self, value: ["tag": 1, "keyed": keyed])
        }
        let text = try await realm.snapshot().json(classes: ["JSONThing"])
        expectEqual(text.split(separator: "\n").count, 2)
        // The linked object already exists in the other realm, or is missing.
        let second = try await Realm.json()
        let error = await realmError { try await second.importJSON(text: text) }
        expectTrue(error?.code == .invalidInput && error?.line == 2 && error?.property == "keyed")
        expectTrue(second.isEmpty)
        let keyed = try await realm.snapshot().json(classes: ["JSONKeyed"])
        try await second.importJSON(text: keyed)
        try await second.importJSON(text: text)
        expectEqual(second.snapshot().objects(JSONThing.self)[0].keyed?.name, "k")
        let embedded = await realmError {
            try await realm.snapshot().json(classes: ["JSONPart"])
        }
        expectTrue(embedded?.code == .invalidInput && embedded?.className == "JSONPart")
    }

    @Test func theTextIsForReading() async throws {
        let realm = try await Realm.json([JSONKeyed.self] + jsonTypes)
        try await realm.write { tx in
            let ann = try tx.create(JSONKeyed.self, value: ["name": "Ann", "small": -3])
            ann.friend = ann
            try tx.create(JSONKeyed.self, value: ["name": nil, "friend": ann])
            let nobody = tx.object(JSONKeyed.self, forPrimaryKey: nil as String?)
            try tx.create(JSONKeyed.self, value: ["name": "Bob", "friend": nobody])
        }
        let lines = try await realm.snapshot().json().split(separator: "\n").dropFirst()
        let values = [
            #""name":"Ann","small":-3,"friend":"Ann","thing":null"#,
            #""name":null,"small":0,"friend":"Ann","thing":null"#,
            #""name":"Bob","small":0,"friend":{"key":null},"thing":null"#,
        ]
        let expected = values.map { #"{"class":"JSONKeyed","values":{\#($0)}}"# }
        expectEqual(lines.map { String($0) }, expected)
    }
}
