import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams that resume from before a migration.
@Suite(.timeLimit(.minutes(10))) struct MigrationStreamTests {
    /// If the migration was written in parts, the change sets come from a comparison of the
    /// versions, which reports a change within a value of any type as a change of the value.
    @Test(arguments: [false, true])
    func valuesOfAnyTypeThatAMigrationChangesAreTold(inParts: Bool) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("any.realm", anyClasses)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        let before = try await Realm.open(configuration)
        try await before.write { tx in
            for id in 0..<9 {
                let deep = AnyRealmValue.fromDictionary(["k": .fromArray([.int(id)])])
                try tx.add(AnyNote(id, .fromArray([.int(1), deep])))
            }
        }
        let cursor = before.snapshot().cursor
        await before.close()
        configuration.schemaVersion = 2
        if inParts {
            configuration.resumableMigration = ResumableMigration(memoryByteCount: 0, batchCount: 2)
        }
        configuration.migration = { migration, _ in
            try migration.enumerateObjects(ofType: "AnyNote") { _, new in
                guard let new, let id = new["id"] as? Int else { return }
                let content = try new.dynamicList("content")
                switch id {
                case 2: try content.append("new")
                case 4:
                    let map = try requireValue(content[1] as? DynamicMap)
                    try requireValue(map["k"] as? DynamicList).set(-1, at: 0)
                case 6: try new.dynamicList("list").append("new")
                default: break
                }
            }
        }
        let realm = try await Realm.open(configuration)
        let notes = realm.objects(AnyNote.self)
        var all = notes.changes(depth: 0, since: cursor).makeAsyncIterator()
        var paths = notes.changes(keyPaths: [\.content], since: cursor).makeAsyncIterator()
        guard case .update(let now, let reported)? = try await all.next(),
            case .update(_, let named)? = try await paths.next()
        else {
            Issue.record("no update")
            return
        }
        expectTrue(reported.insertions.isEmpty && reported.deletions.isEmpty)
        expectEqual(reported.modifications, [2, 4, 6])
        expectEqual(reported.modified.map(\.properties), [["content"], ["content"], ["list"]])
        expectEqual(named.modifications, [2, 4])
        expectEqual(named.modified.map(\.properties), [["content"], ["content"]])
        expectEqual(now[4].content[1]?["k"], .list([.int(-1)]))
        await realm.close()
    }
}
