import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Stored classes whose values of any type have no place for their contents, as only in a forged
/// file.
@Suite struct AnyForgedSchemaTests {
    private final class AnyJar: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var content: AnyRealmValue
        @Persisted var contents: List<AnyRealmValue>
    }

    /// Returns a snapshot with a class of jars and one jar, whose content is a list.
    private func forged(
        _ body: (EngineTransaction, TableKey) throws -> Void = { _, _ in }
    ) async throws -> Snapshot {
        let realm = try await Realm.temporary([AnyJar.self])
        return try realm.snapshot().forged { transaction in
            let table = try transaction.addTable(
                name: "AnyJar",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(
                        name: "content", type: .any, isOptional: true, isIndexed: true),
                ])
            _ = try transaction.insert(table, [.int(1), AnyContent.list(1).value])
            try body(transaction, table)
        }
    }

    // Covers .invalidDatabase
    @Test func contentWithoutAPlaceIsAnErrorInAllViews() async throws {
        let snapshot = try await forged()
        let frozen = #expect(throws: Realm.Error.self) {
            try snapshot.read { snapshot in
                let content: FrozenAnyValue? = snapshot.object(AnyJar.self, forPrimaryKey: 1)?
                    .content
                return "\(content as Any)"
            }
        }
        expectEqual(frozen?.code, .invalidDatabase)
        for inWrite in [false, true] {
            let typed = try snapshot.violation(inWrite: inWrite) { tx in
                let jar = try requireValue(tx.object(AnyJar.self, forPrimaryKey: 1))
                _ = jar.content.listValue?.count
            }
            expectTrue(typed?.code == .invalidDatabase && typed?.property == "content")
            let dynamic = try snapshot.violation(inWrite: inWrite) { tx in
                _ = try tx.dynamicObjects("AnyJar")[0].value(of: "content")
            }
            expectEqual(dynamic?.code, .invalidDatabase)
        }
    }

    /// The first change adds it.
    @Test func missingPlaceIsAdded() async throws {
        let snapshot = try await forged()
        let violation = try snapshot.violation(inWrite: true) { tx in
            try tx.create(AnyJar.self, value: ["id": 1, "content": [5]], update: .modified)
            let jar = try tx.create(AnyJar.self, value: ["id": 2, "content": [6]])
            jar.contents.append(.fromArray([.int(7)]))
            let jars = tx.objects(AnyJar.self)
            expectEqual(jars.map { $0.content.listValue?.first }, [.int(5), .int(6)])
            expectEqual(jar.contents.first?.listValue?.first, .int(7))
        }
        expectNil(violation)
    }

    // Covers .invalidDatabase
    @Test(arguments: [1, 2])
    func elementsOfAnotherFormAreErrors(columnCount: Int) async throws {
        let snapshot = try await forged { transaction, table in
            let columns = [
                ColumnDefinition(name: "value", type: .any, isOptional: true, isIndexed: true),
                ColumnDefinition(name: "key", type: .string),
            ]
            let elements = try transaction.addTable(
                name: "AnyJar.contents", kind: .elements,
                columns: Array(columns.prefix(columnCount)))
            _ = try transaction.addList(
                table, name: "contents", target: elements, kind: .list)
        }
        _ = try snapshot.violation(inWrite: true) { tx in
            let typed = #expect(throws: Realm.Error.self) {
                try tx.create(AnyJar.self, value: ["id": 2, "contents": [5]])
            }
            expectTrue(typed?.code == .invalidDatabase && typed?.property == "contents")
            let list = try tx.dynamicObjects("AnyJar")[0].dynamicList("contents")
            let dynamic = #expect(throws: Realm.Error.self) { try list.append([5]) }
            expectEqual(dynamic?.code, .invalidDatabase)
        }
        let typed = snapshot.violation(inWrite: false) { tx in
            _ = tx.object(AnyJar.self, forPrimaryKey: 1)?.id
        }
        expectEqual(typed?.code, .invalidDatabase)
    }
}
