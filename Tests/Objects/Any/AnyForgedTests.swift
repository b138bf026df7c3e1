import Foundation
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

extension AnyNote {
    /// The number of values in the lists of the content, read within a transaction.
    fileprivate var contentCount: Int { Self.count(content) }

    private static func count(_ value: AnyRealmValue) -> Int {
        guard case .list(let list) = value else { return 1 }
        return list.reduce(0) { $0 + count($1) }
    }
}

/// Values of any type that only a forged file contains: each view throws an error and terminates.
@Suite struct AnyForgedTests {
    private let folder: RealmFolder
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.open(
            folder.configuration("any.realm", anyClasses + [AsymReading.self, AsymPlace.self]))
        try await realm.write { tx in
            let content = AnyRealmValue.fromArray([.fromArray([.int(1), .int(2)]), .int(3)])
            try tx.add(AnyNote(1, content))
            try tx.add(AnyPet("Rex"))
        }
    }

    /// The places in which the content of a note is stored.
    private struct Places {
        let notes: TableSchema
        let content: ColumnSchema
        let list: ListSchema
        let elements: TableKey
        let row: ObjectKey

        init(_ root: DatabaseRoot) throws {
            notes = try requireValue(root.schema.table(named: "AnyNote"))
            content = try requireValue(notes.column(named: "content"))
            list = try requireValue(notes.list(named: "content[]"))
            elements = list.target
            row = try requireValue(root.find(notes.key, primaryKey: .int(1)))
        }
    }

    /// Returns a snapshot of the content with unchecked changes.
    private func forged(
        _ body: (EngineTransaction, Places) throws -> Void
    ) throws -> Snapshot {
        let core = realm.snapshot().core
        let transaction = EngineTransaction(base: core.root)
        try body(transaction, try Places(core.root))
        let root = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        return Snapshot(core: SnapshotCore(realm: core.realm, root: root, place: core.place))
    }

    private func expectErrors(_ snapshot: Snapshot) async throws {
        let frozen = #expect(throws: Realm.Error.self) {
            try snapshot.read { snapshot in
                let value: FrozenAnyValue? = snapshot.object(AnyNote.self, forPrimaryKey: 1)?
                    .content
                return "\(value as Any)"
            }
        }
        expectEqual(frozen?.code, .invalidDatabase)
        let live = #expect(throws: Realm.Error.self) {
            try snapshot.read { snapshot in
                snapshot.object(AnyNote.self, forPrimaryKey: 1)?.contentCount
            }
        }
        expectEqual(live?.code, .invalidDatabase)
        let export = await #expect(throws: Realm.Error.self) {
            try await snapshot.exportJSON { _ in }
        }
        expectEqual(export?.code, .invalidDatabase)
        let dynamic = try snapshot.violation(inWrite: false) { tx in
            let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            _ = contentCount(note["content"])
        }
        expectEqual(dynamic?.code, .invalidDatabase)
    }

    private func contentCount(_ value: Any?) -> Int {
        guard let list = value as? DynamicList else { return 1 }
        return list.reduce(0) { $0 + contentCount($1) }
    }

    @Test func soundContentIsRead() async throws {
        let snapshot = try forged { _, _ in }
        let note = try requireValue(snapshot.object(AnyNote.self, forPrimaryKey: 1))
        expectEqual(note.content, .list([.list([.int(1), .int(2)]), .int(3)]))
        expectEqual(note.contentCount, 3)
        let count = try await snapshot.exportJSON { _ in }
        expectEqual(count, 2)
    }

    // Covers .invalidDatabase
    @Test func listThatContainsItselfIsRefused() async throws {
        let snapshot = try forged { transaction, places in
            let list = transaction.list(places.notes.key, places.row, places.list.key)[0].rawValue
            let isDone = transaction.content.splice(
                ListPlace(table: places.elements, list: .anyItems), list, at: 1, removing: 0,
                inserting: [list][...], transaction.edit.nodes)
            expectTrue(isDone)
        }
        try await expectErrors(snapshot)
    }

    /// Reading all of it would take 2^40 steps.
    // Covers .invalidDatabase
    @Test func listsThatContainTheNextOneTwiceAreRefused() async throws {
        let snapshot = try forged { transaction, places in
            let place = ListPlace(table: places.elements, list: .anyItems)
            var outer = transaction.list(places.notes.key, places.row, places.list.key)[0]
            for number in 0..<40 {
                let inner = try transaction.insert(
                    places.elements, [AnyContent.list(UInt64(number)).value, .string("")])
                let isDone = transaction.content.splice(
                    place, outer.rawValue, at: 0, removing: 0,
                    inserting: [inner.rawValue, inner.rawValue][...], transaction.edit.nodes)
                expectTrue(isDone)
                outer = inner
            }
        }
        try await expectErrors(snapshot)
    }

    // Covers .invalidDatabase
    @Test func listsThatAreNestedTooDeepAreRefused() async throws {
        for excess in [0, 1, 10_000] {
            let snapshot = try forged { transaction, places in
                // the content and its first element are two levels
                var outer = transaction.list(places.notes.key, places.row, places.list.key)[0]
                for number in 2..<Limits.maximumAnyLevel + excess {
                    let inner = try transaction.insert(
                        places.elements, [AnyContent.list(UInt64(number)).value, .string("")])
                    try transaction.insertIntoList(
                        places.elements, outer, .anyItems, at: 0, [inner])
                    outer = inner
                }
            }
            if excess > 0 {
                try await expectErrors(snapshot)
            } else {
                expectEqual(snapshot.object(AnyNote.self, forPrimaryKey: 1)?.contentCount, 3)
                try await expectEqual(snapshot.exportJSON { _ in }, 2)
            }
        }
    }

    // Covers .invalidDatabase
    @Test func linkToNothingIsRefused() async throws {
        let pets = try requireValue(realm.snapshot().core.root.schema.table(named: "AnyPet")).key
        for target in [pets, TableKey(rawValue: 77), TableKey(rawValue: .max)] {
            let link = AnyContent.link(target, ObjectKey(rawValue: 99)).value
            let snapshot = try forged { transaction, places in
                let isSet = transaction.content.set(
                    places.notes.key.index, places.row.rawValue, places.content, link,
                    version: transaction.version, transaction.edit)
                expectTrue(isSet)
            }
            try await expectErrors(snapshot)
        }
    }

    /// No way of storing a value accepts such a link, and a migration refuses to leave one behind.
    // Covers .invalidDatabase
    @Test(arguments: ["AsymReading", "AsymPlace"])
    func linkToEmbeddedOrAsymmetricObjectIsRefused(className: String) async throws {
        try await realm.write { tx in
            try tx.create(AsymReading.self, value: ["number": 1, "place": ["x": 1.0]])
        }
        let schema = realm.snapshot().core.root.schema
        let target = try requireValue(schema.table(named: className)).key
        let snapshot = try forged { transaction, places in
            let row = try requireValue(transaction.base.keys(target).first)
            let isSet = transaction.content.set(
                places.notes.key.index, places.row.rawValue, places.content,
                AnyContent.link(target, row).value, version: transaction.version, transaction.edit)
            expectTrue(isSet)
        }
        try await expectErrors(snapshot)
    }
}
