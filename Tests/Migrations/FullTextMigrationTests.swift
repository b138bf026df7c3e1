import Foundation
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Full-text indexes that migrations add, keep, move and drop.
@Suite struct FullTextMigrationTests {
    private enum Plain {
        final class MigPage: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var text: String
        }
    }
    private enum Indexed {
        final class MigPage: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(fullTextIndexed: true) var text: String
        }
    }
    private enum Loose {
        final class MigPage: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(fullTextIndexed: true) var text: String?
        }
    }
    private enum Renamed {
        final class MigPage: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(fullTextIndexed: true) var content: String?
        }
    }
    private enum Numbered {
        final class MigPage: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var content: Int
        }
    }

    /// With a block, indexes are built and dropped in the commit of the migration.
    private static let unchanged: MigrationBlock = { _, _ in }

    private func check(
        _ realm: MigrationRealm, _ version: UInt64, _ types: [ObjectBase.Type], indexed: [String]
    ) async throws {
        let open = try await Realm.open(realm.configuration(version, types))
        let columns = open.core.coordinator.published.schema.table(named: "MigPage")?.columns
        expectEqual(columns?.filter(\.isFullTextIndexed).map(\.name), indexed)
        try await open.snapshot().checkIntegrity()
        await open.close()
    }

    // Covers 6.13, 10.3, 10.7
    @Test func indexesFollowTheDeclaration() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, [Plain.MigPage.self]) { tx in
            for number in 0..<100 {
                try tx.create(
                    Plain.MigPage.self, value: ["number": number, "text": "word\(number % 10) end"])
            }
        }
        try await realm.migrate(2, [Indexed.MigPage.self], Self.unchanged) { tx in
            let found = tx.objects(Indexed.MigPage.self).where { $0.text.matchesText("word3 end") }
            expectEqual(found.count, 10)
        }
        try await check(realm, 2, [Indexed.MigPage.self], indexed: ["text"])
        // A required property that becomes optional moves to another column.
        try await realm.migrate(3, [Loose.MigPage.self], Self.unchanged) { tx in
            let found = tx.objects(Loose.MigPage.self).where { $0.text.matchesText("word3") }
            expectEqual(found.count, 10)
        }
        try await check(realm, 3, [Loose.MigPage.self], indexed: ["text"])
        try await realm.write(3, [Loose.MigPage.self]) { tx in
            tx.object(Loose.MigPage.self, forPrimaryKey: 3)?.text = nil
        }
        let rename: MigrationBlock = { migration, _ in
            try migration.renameProperty(onType: "MigPage", from: "text", to: "content")
        }
        try await realm.migrate(4, [Renamed.MigPage.self], rename) { tx in
            let found = tx.objects(Renamed.MigPage.self).where { $0.content.matchesText("word3") }
            expectEqual(found.count, 9)
        }
        try await check(realm, 4, [Renamed.MigPage.self], indexed: ["content"])
        try await realm.migrate(5, [Numbered.MigPage.self], Self.unchanged) { tx in
            expectEqual(tx.objects(Numbered.MigPage.self).where { $0.content == 0 }.count, 100)
        }
        try await check(realm, 5, [Numbered.MigPage.self], indexed: [])
    }

    // Covers 10.3
    @Test func indexThatIsNoLongerDeclaredIsDroppedAndReported() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, [Indexed.MigPage.self]) {
            try $0.create(Indexed.MigPage.self, value: ["number": 1, "text": "a word"])
        }
        let preview = try await Realm.previewMigration(
            for: realm.configuration(2, [Plain.MigPage.self], Self.unchanged))
        expectEqual(preview?.changes, ["MigPage.text loses a full-text index."])
        try await realm.migrate(2, [Plain.MigPage.self], Self.unchanged) {
            expectEqual($0.objects(Plain.MigPage.self).first?.text, "a word")
        }
        try await check(realm, 2, [Plain.MigPage.self], indexed: [])
    }

    // Covers 10.7
    @Test func exportedSchemasHaveFullTextIndexes() async throws {
        let realm = try await Realm.temporary([Indexed.MigPage.self])
        try await realm.write {
            try $0.create(Indexed.MigPage.self, value: ["number": 1, "text": "a word"])
        }
        let folder = try RealmFolder()
        try await realm.snapshot().exportJSON(to: folder["pages.jsonl"])
        let text = try String(contentsOf: folder["pages.jsonl"], encoding: .utf8)
        expectTrue(text.contains(#""name":"text","type":"string","fullTextIndexed":true"#))
        let second = try await Realm.temporary()
        try await second.importJSON(from: folder["pages.jsonl"])
        let stored = second.core.coordinator.published.schema.table(named: "MigPage")
        expectEqual(stored?.column(named: "text")?.isFullTextIndexed, true)
        try await second.snapshot().checkIntegrity()
    }
}
