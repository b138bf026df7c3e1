import Foundation
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumStore
@testable import RegnumTestModels

/// Realms that an earlier build of the library wrote, in `Golden/1.0`: they open, and have what they
/// had. `Docs/FORMAT.md` says when to add others.
@Suite(.timeLimit(.minutes(8))) struct GoldenRealmTests {
    /// Realms in a log alone, in checkpoints and a log with a migration, and in a backup.
    private static let names = ["log", "checkpoint", "backup"]
    private static let stored = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "1.0")
    private static let types: [ObjectBase.Type] = jsonTypes + [GoldenNote.self, GoldenSpot.self]

    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(_ name: String) -> Realm.Configuration {
        var configuration = folder.configuration(name, Self.types)
        configuration.schemaVersion = name == "log" ? 0 : 1
        configuration.historyRetention = .init(age: .seconds(1_000_000_000))
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 8192
            options.checkpoint.maximumCommitCount = name == "log" ? 1_000_000 : 4
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    private func plain(_ snapshot: Snapshot) -> [String] {
        let objects =
            snapshot.objects(JSONThing.self).map(\.plain)
            + snapshot.objects(JSONKeyed.self).map(\.plain)
        let notes = snapshot.objects(GoldenNote.self).map {
            "\($0.id) \($0.text) \($0.spot.map { Array($0.coordinates) } as Any)"
        }
        return (objects.map { "\($0.sorted { $0.key < $1.key })" } + notes).sorted()
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: stored.appending(path: file), encoding: .utf8)
    }

    @Test(arguments: names) func aGoldenRealmHasItsContent(name: String) async throws {
        try FileManager.default.copyItem(
            at: Self.stored.appending(path: name), to: folder[name])
        let report = try await Realm.verify(at: folder[name])
        try #require(report.isSound, "\(report)")
        let imported = try await Realm.temporary(Self.types)
        try await imported.importJSON(text: Self.text("\(name).jsonl"))
        let expected = plain(imported.snapshot())
        expectTrue(expected.count > 60)

        var readOnly = configuration(name)
        readOnly.readOnly = true
        let reader = try await Realm.open(readOnly)
        expectEqual(plain(reader.snapshot()), expected)
        await reader.close()

        for round in 0..<2 {
            let realm = try await Realm.open(configuration(name))
            let snapshot = realm.snapshot()
            try await snapshot.checkIntegrity()
            let later = (0..<round).map { "\(100 + $0) later nil" }
            expectEqual(plain(snapshot), (expected + later).sorted())
            let notes = snapshot.objects(GoldenNote.self)
            let circle = try requireValue(GeoCircle(center: (10, 20), radiusInRadians: 0.001))
            let seventh = notes.where { $0.text.matchesText("word7") }
            let near = notes.where { $0.spot.geoWithin(circle) }
            expectEqual(seventh.map(\.id), [7, 17, 27])
            expectEqual(near.map(\.id), [20])
            expectTrue(try seventh.explain().contains("full-text index"))
            expectTrue(try near.explain().contains("geospatial index"))
            try await realm.write { tx in
                try tx.add(GoldenNote(value: ["id": 100 + round, "text": "later"]))
            }
            await realm.close()
        }
    }

    /// It has the content of the backup.
    @Test func aGoldenCopyInAFileHasItsContent() async throws {
        try FileManager.default.copyItem(
            at: Self.stored.appending(path: "copy.tar"), to: folder["copy.tar"])
        let report = try await Realm.verify(at: folder["copy.tar"])
        try #require(report.isSound, "\(report)")
        let imported = try await Realm.temporary(Self.types)
        try await imported.importJSON(text: Self.text("backup.jsonl"))
        let expected = plain(imported.snapshot())
        var readOnly = configuration("copy.tar")
        readOnly.readOnly = true
        try await Realm.restore(from: folder["copy.tar"], to: folder["restored"])
        for configuration in [readOnly, configuration("restored")] {
            let realm = try await Realm.open(configuration)
            expectEqual(plain(realm.snapshot()), expected)
            await realm.close()
        }
    }

    /// A cursor that was stored with the realm delivers each later commit once.
    @Test(arguments: ["log", "checkpoint"])
    func aGoldenCursorIsAccepted(name: String) async throws {
        try FileManager.default.copyItem(
            at: Self.stored.appending(path: name), to: folder[name])
        let cursor = try requireValue(ChangeCursor(Self.text("\(name).cursor")))
        let realm = try await Realm.open(configuration(name))
        let newest = realm.snapshot().version
        expectTrue(cursor.version < newest)
        var notices = realm.commits(since: cursor).makeAsyncIterator()
        for version in cursor.version + 1...newest {
            let notice = try await notices.next()
            expectEqual(notice?.version, version)
        }
        await realm.close()
    }

    /// Writes the golden realms of this build, into the directory that the variable names.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["REGNUM_GOLDEN"] != nil))
    func goldenRealmsAreWritten() async throws {
        let target = URL(
            filePath: try requireValue(ProcessInfo.processInfo.environment["REGNUM_GOLDEN"]))
        for name in ["log", "checkpoint"] {
            var first = configuration(name)
            first.schemaVersion = 0
            var realm = try await Realm.open(first)
            try await fill(realm, seed: name == "log" ? 1 : 2)
            if name != "log" {
                await realm.close()
                var next = configuration(name)
                next.migration = { migration, _ in
                    try migration.enumerateObjects(ofType: "JSONKeyed") { _, new in
                        new?["small"] = 7
                    }
                }
                realm = try await Realm.open(next)
            }
            let cursor = realm.snapshot().cursor
            for id in 30..<40 {
                try await realm.write { tx in
                    try tx.add(GoldenNote(value: ["id": id, "text": "the note \(id)"]))
                }
            }
            try cursor.description.write(
                to: target.appending(path: "\(name).cursor"), atomically: true, encoding: .utf8)
            try await realm.snapshot().exportJSON(to: target.appending(path: "\(name).jsonl"))
            if name != "log" {
                try await realm.backup(to: folder["backup"])
                try await realm.write { tx in
                    tx.delete(tx.objects(GoldenNote.self).where { $0.id == 35 })
                }
                try await realm.updateBackup(at: folder["backup"])
                try await realm.writeCopy(toFile: target.appending(path: "copy.tar"))
                try await realm.snapshot().exportJSON(to: target.appending(path: "backup.jsonl"))
                try await realm.snapshot().exportJSON(
                    to: target.appending(path: "checkpoint.jsonl"))
            }
            await realm.close()
        }
        for name in Self.names {
            try FileManager.default.copyItem(
                at: folder[name], to: target.appending(path: name))
        }
    }

    private func fill(_ realm: Realm, seed: UInt64) async throws {
        for id in 0..<30 {
            try await realm.write { tx in
                let note = try tx.create(
                    GoldenNote.self, value: ["id": id, "text": "a word\(id % 10)"])
                if id % 2 == 0 {
                    note.spot = GoldenSpot(value: ["coordinates": [20.0, Double(id) / 2]])
                }
            }
        }
        for round in 0..<8 {
            try await realm.write { tx in
                var draw = JSONDraw(random: SeededRandom(seed &* 100 &+ UInt64(round)))
                let (things, keyed) = draw.content()
                if round > 0 {
                    for object in keyed { object.name = "\(object.name ?? "none") \(round)" }
                }
                for object in keyed where !object.isManaged { try tx.add(object) }
                for thing in things where !thing.isManaged { try tx.add(thing) }
            }
        }
    }
}

final class GoldenNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(fullTextIndexed: true) var text: String
    @Persisted var spot: GoldenSpot?
}

final class GoldenSpot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>
}
