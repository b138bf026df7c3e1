import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private enum Rank: Int, PersistableEnum { case low, high }

private final class IntSlot: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted var text: String
}

private final class TextSlot: Object {
    @Persisted(primaryKey: true) var key: String?
    @Persisted var text: String
}

private final class IdSlot: Object {
    @Persisted(primaryKey: true) var key: UUID?
    @Persisted var text: String
}

private final class ObjectIdSlot: Object {
    @Persisted(primaryKey: true) var key: ObjectId?
    @Persisted var text: String
}

private final class RankSlot: Object {
    @Persisted(primaryKey: true) var key: Rank?
    @Persisted var text: String
}

/// Classes whose keys are required.
private final class IntBox: Object {
    @Persisted(primaryKey: true) var key: Int
}

private final class TextBox: Object {
    @Persisted(primaryKey: true) var key: String
}

private final class RankBox: Object {
    @Persisted(primaryKey: true) var key: Rank
}

private final class IntBoxView: Projection<IntBox> {
    @Projected(\IntBox.key) var key
}

private final class SerialSlot: Object {
    @Persisted(primaryKey: true) var key: Serial?
    @Persisted var text: String
}

/// Objects whose primary key is `nil`, in all views and for each key type.
@Suite struct NilKeyTests {
    private func check<T: Object, Key: ScalarValue & Sendable>(
        _ type: T.Type, _ none: Key, _ other: Key,
        text: any KeyPath<T, String> & Sendable
    ) async throws where Key._Basis: PrimaryKeyValue {
        let realm = try await Realm.temporary([type])
        let handle = realm.object(type, forPrimaryKey: none)
        var stream = handle.changes.makeAsyncIterator()
        guard case .initial(nil)? = try await stream.next() else {
            Issue.record("\(type): no empty initial element")
            return
        }
        func exists() async throws -> [Bool] {
            let snapshot = realm.snapshot()
            let inBody = try await realm.read { tx in
                try [
                    tx.object(type, forPrimaryKey: none) != nil,
                    tx.dynamicObject(ofType: "\(type)", forPrimaryKey: nil) != nil,
                ]
            }
            return inBody + [
                snapshot.object(type, forPrimaryKey: none) != nil, handle.current != nil,
            ]
        }
        try await expectEqual(exists(), [false, false, false, false])
        try await realm.write { tx in
            _ = try tx.create(type, value: ["text": "none"])
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(type, value: ["key": nil])
            }
            expectEqual(error?.code, .duplicatePrimaryKey)
            expectEqual(tx.object(type, forPrimaryKey: none)?[keyPath: text], "none")
            expectNil(tx.object(type, forPrimaryKey: other))
        }
        try await expectEqual(exists(), [true, true, true, true])
        guard case .inserted(let inserted)? = try await stream.next() else {
            Issue.record("\(type): no insertion")
            return
        }
        expectEqual(inserted[dynamicMember: text], "none")
        try await realm.write { tx in
            _ = try tx.create(
                type, value: ["key": nil, "text": "changed"] as [String: Any?], update: .modified)
            expectEqual(tx.objects(type).count, 1)
        }
        guard case .changed(_, let changed, let properties)? = try await stream.next() else {
            Issue.record("\(type): no change")
            return
        }
        expectTrue(changed[dynamicMember: text] == "changed" && properties == ["text"])
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(type, forPrimaryKey: none)))
            expectNil(tx.object(type, forPrimaryKey: none))
        }
        guard case .deleted? = try await stream.next() else {
            Issue.record("\(type): no deletion")
            return
        }
        try await expectEqual(exists(), [false, false, false, false])
    }

    // Covers 1.65, 5.69, 5.71, O24
    @Test func nilIsFoundLikeAnyOtherKey() async throws {
        try await check(IntSlot.self, Int?.none, 0, text: \.text)
        try await check(TextSlot.self, String?.none, "", text: \.text)
        try await check(
            IdSlot.self, UUID?.none, UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            text: \.text)
        try await check(ObjectIdSlot.self, ObjectId?.none, ObjectId(), text: \.text)
        try await check(RankSlot.self, Rank?.none, Rank?.some(.low), text: \.text)
        try await check(SerialSlot.self, Serial?.none, Serial?.some(.of(0)), text: \.text)
    }

    private func checkRequired<T: Object, Key: ScalarValue & Sendable>(
        _ type: T.Type, _ none: Key
    ) async throws where Key._Basis: PrimaryKeyValue {
        let realm = try await Realm.temporary([type])
        for isStored in [false, true] {
            if isStored { try await realm.write { try $0.add(T()) } }
            let handle = realm.object(type, forPrimaryKey: none)
            expectNil(handle.current)
            expectNil(realm.snapshot().object(type, forPrimaryKey: none))
            try await realm.read { expectNil($0.object(type, forPrimaryKey: none)) }
            try await realm.write { tx in
                expectNil(tx.object(type, forPrimaryKey: none))
            }
            var stream = handle.changes.makeAsyncIterator()
            guard case .initial(nil)? = try await stream.next() else {
                Issue.record("\(type): no empty start")
                return
            }
        }
    }

    // Covers 5.69
    @Test func noObjectHasNilAsARequiredKey() async throws {
        try await checkRequired(IntBox.self, Int?.none)
        try await checkRequired(TextBox.self, String?.none)
        try await checkRequired(RankBox.self, Rank?.none)
        let realm = try await Realm.temporary([IntBox.self])
        try await realm.write { try $0.add(IntBox()) }
        expectEqual(realm.snapshot().object(IntBox.self, forPrimaryKey: Int?.some(0))?.key, 0)
        expectNil(realm.snapshot().object(IntBoxView.self, forPrimaryKey: Int?.none))
        expectNil(realm.object(IntBoxView.self, forPrimaryKey: Int?.none).current)
    }

    @Test func keyOfAnotherTypeTraps() async {
        await #expect(processExitsWith: .failure) {
            let realm = try await Realm.temporary([IntBox.self])
            _ = realm.snapshot().object(IntBox.self, forPrimaryKey: String?.none)
        }
    }
}
