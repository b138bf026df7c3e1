import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ObjectChangeTests {
    // Covers O1, O24
    @Test func followsTheKeyThroughItsLife() async throws {
        let realm = try await Realm.temporary()
        let live = realm.object(Room.self, forPrimaryKey: "general")
        expectNil(live.current)
        var stream = live.changes.makeAsyncIterator()
        guard case .initial(nil)? = try await stream.next() else {
            Issue.record("there is an initial object")
            return
        }
        try await realm.write { try $0.add([Room("other"), Room("general", topic: "first")]) }
        guard case .inserted(let inserted)? = try await stream.next() else {
            Issue.record("no insertion")
            return
        }
        expectTrue(inserted.topic == "first" && live.current == inserted)
        try await realm.write { tx in
            tx.object(Room.self, forPrimaryKey: "other")?.topic = "not this one"
        }
        try await realm.write { tx in
            tx.object(Room.self, forPrimaryKey: "general")?.topic = "second"
        }
        guard case .changed(let old, let new, let properties)? = try await stream.next() else {
            Issue.record("no change")
            return
        }
        expectTrue(old.topic == "first" && new.topic == "second" && properties == ["topic"])
        try await realm.write { tx in tx.delete(tx.objects(Room.self)) }
        guard case .deleted(let last)? = try await stream.next() else {
            Issue.record("no deletion")
            return
        }
        expectTrue(last.topic == "second" && live.current == nil)
        try await realm.write { try $0.add(Room("general", topic: "again")) }
        guard case .inserted(let again)? = try await stream.next() else {
            Issue.record("no second insertion")
            return
        }
        expectTrue(again.topic == "again" && again.rowIdentity != inserted.rowIdentity)
    }

    // Covers O24
    @Test func deletionAndReCreationBetweenTwoPullsAreBothInOrder() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general", topic: "old")) }
        var stream = realm.object(Room.self, forPrimaryKey: "general").changes.makeAsyncIterator()
        guard case .initial(.some(let initial))? = try await stream.next() else {
            Issue.record("no initial object")
            return
        }
        try await realm.write { tx in
            tx.delete(tx.objects(Room.self))
            try tx.add(Room("general", topic: "new"))
        }
        try await realm.write { $0.objects(Room.self)[0].topic = "newest" }
        guard case .deleted(let last)? = try await stream.next(),
            case .inserted(let new)? = try await stream.next()
        else {
            Issue.record("not a deletion and an insertion")
            return
        }
        expectTrue(initial == last && last.topic == "old" && new.topic == "newest")
        try await realm.write { $0.objects(Room.self)[0].topic = "after" }
        guard case .changed(let before, let after, _)? = try await stream.next() else {
            Issue.record("no change after the re-creation")
            return
        }
        expectTrue(before == new && after.topic == "after")
    }

    // Covers O6, O24
    @Test func cancellationEndsTheStreamBetweenDeletionAndReCreation() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("general", topic: "old")) }
        let live = realm.object(Room.self, forPrimaryKey: "general")
        let cancelled = Task {
            var stream = live.changes.makeAsyncIterator()
            _ = try await stream.next()
            try await realm.write { tx in
                tx.delete(tx.objects(Room.self))
                try tx.add(Room("general", topic: "new"))
            }
            guard case .deleted? = try await stream.next() else {
                Issue.record("no deletion")
                return
            }
            withUnsafeCurrentTask { $0?.cancel() }
            for _ in 0..<2 {
                if let element = try await stream.next() { Issue.record("\(element)") }
            }
        }
        try await cancelled.value
    }

    // Covers O2, O24
    @Test func copyOfAnIteratorContinuesAfterTheDeletionOfAReplacedObject() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("x", topic: "old")) }
        var stream = realm.object(Room.self, forPrimaryKey: "x").changes.makeAsyncIterator()
        _ = try await stream.next()
        var copy = stream
        try await realm.write { tx in
            tx.delete(tx.objects(Room.self))
            try tx.add(Room("x", topic: "new"))
        }
        guard case .deleted? = try await stream.next() else {
            Issue.record("no deletion")
            return
        }
        expectTrue(copy.cursor != nil && copy.cursor == stream.cursor)
        guard case .element(.inserted(let room)) = try await copy.next(within: .zero) else {
            Issue.record("no insertion")
            return
        }
        expectEqual(room.topic, "new")
        let none = try await stream.next(within: .zero)
        expectNil(none.element)
    }

    @Test func objectThatCameAndWentBetweenTwoPullsIsNotTold() async throws {
        let realm = try await Realm.temporary([Room.self])
        var stream = realm.object(Room.self, forPrimaryKey: "x").changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { try $0.add(Room("x", topic: "first")) }
        try await realm.write { $0.delete($0.objects(Room.self)) }
        try await realm.write { try $0.add(Room("x", topic: "second")) }
        guard case .inserted(let room)? = try await stream.next() else {
            Issue.record("no insertion")
            return
        }
        expectEqual(room.topic, "second")
    }

    // Covers 4.12, O17
    @Test func settingAnEqualValueIsAChange() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add(Room("x", topic: "same")) }
        var stream = realm.object(Room.self, forPrimaryKey: "x").changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { $0.objects(Room.self)[0].topic = "same" }
        guard case .changed(let old, let new, let properties)? = try await stream.next() else {
            Issue.record("no change")
            return
        }
        expectTrue(old.topic == new.topic && properties == ["topic"])
    }

    @Test func cancellationAndCloseEndTheSequenceNormally() async throws {
        let realm = try await Realm.temporary([Room.self])
        let live = realm.object(Room.self, forPrimaryKey: "x")
        let cancelled = Task {
            for try await _ in live.changes { withUnsafeCurrentTask { $0?.cancel() } }
            return true
        }
        #expect(try await cancelled.value)
        var stream = live.changes.makeAsyncIterator()
        _ = try await stream.next()
        await realm.close()
        try await expectNil(stream.next())
    }
}
