import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Two versions of one program's classes.
private enum Old {
    final class Gadget: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var name: String
    }
}

private enum New {
    final class Gadget: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var name: String
        @Persisted var price = 2.5
        @Persisted var maker: Maker?
        @Persisted var tags: List<String>
        @Persisted var parts: List<Gadget>
        @Persisted var notes: AnyRealmValue
    }
    final class Maker: Object {
        @Persisted var name: String
        @Persisted(originProperty: "maker") var gadgets: LinkingObjects<Gadget>
    }
    final class Poster: Object {
        @Persisted var text: String
    }
}

/// Accessors created before, during and after a savepoint that adds properties and is rolled back.
@Suite struct SavepointSchemaTests {
    @Test func propertiesThatJoinedInsideAreTakenBackForAllAccessors() async throws {
        let folder = try RealmFolder()
        let old = try await Realm.open(folder.configuration())
        try await old.write { tx in
            for number in 0..<3 {
                try tx.create(Old.Gadget.self, value: [number, "gadget \(number)"])
            }
        }
        await old.close()
        let realm = try await Realm.open(folder.configuration())
        let version = realm.snapshot().version
        try await realm.write { tx in
            let before = try requireValue(tx.object(New.Gadget.self, forPrimaryKey: 0))
            expectTrue(before.price == 2.5 && before.maker == nil && before.tags.isEmpty)
            let tags = before.tags
            for _ in 0..<2 {
                var inner: [New.Gadget] = []
                var lists: [List<New.Gadget>] = []
                try? tx.savepoint {
                    before.price = 7
                    let first = try requireValue(tx.object(New.Gadget.self, forPrimaryKey: 1))
                    let maker = New.Maker(value: ["name": "M"])
                    first.maker = maker
                    first.parts.append(before)
                    tags.append("a")
                    inner = [first, before.parts.first ?? before]
                    lists = [first.parts]
                    expectTrue(maker.gadgets.count == 1 && before.price == 7)
                    throw Undo()
                }
                for gadget in inner + [before] {
                    expectTrue(!gadget.isInvalidated && gadget.name.hasPrefix("gadget"))
                    expectTrue(gadget.price == 2.5 && gadget.maker == nil)
                    expectTrue(gadget.tags.isEmpty && gadget.parts.isEmpty)
                }
                expectTrue(lists[0].isEmpty && tags.isEmpty)
                expectTrue(tx.objects(New.Maker.self).isEmpty)
            }
        }
        expectEqual(realm.snapshot().version, version)
        try await realm.write { tx in
            let gadgets = Array(tx.objects(New.Gadget.self))
            try? tx.savepoint {
                gadgets[0].price = 7
                throw Undo()
            }
            expectEqual(gadgets.map(\.price), [2.5, 2.5, 2.5])
            // The same accessors, now that the class is stored completely.
            gadgets[1].price = 8
            gadgets[1].parts.append(gadgets[2])
            gadgets[2].maker = New.Maker(value: ["name": "M"])
            expectEqual(gadgets.map(\.price), [2.5, 8, 2.5])
            expectEqual(gadgets[1].parts.map(\.number), [2])
        }
        let stored = realm.snapshot().objects(New.Gadget.self)
        expectEqual(stored.map(\.price), [2.5, 8, 2.5])
        await realm.close()
    }

    /// A list in a value whose property is taken back doesn't read as empty.
    @Test func listsInValuesThatJoinedInsideAreGone() async throws {
        let folder = try RealmFolder()
        let old = try await Realm.open(folder.configuration())
        try await old.write { tx in
            _ = try tx.create(Old.Gadget.self, value: [0, "gadget"])
        }
        await old.close()
        let realm = try await Realm.open(folder.configuration())
        for use in 0..<3 {
            let error = await realmError {
                try await realm.write { tx in
                    let gadget = try requireValue(tx.object(New.Gadget.self, forPrimaryKey: 0))
                    var list: List<AnyRealmValue>?
                    try? tx.savepoint {
                        gadget.notes = .list(List([AnyRealmValue.int(1)]))
                        if case .list(let notes) = gadget.notes { list = notes }
                        throw Undo()
                    }
                    let notes = try requireValue(list)
                    expectTrue(notes.isInvalidated)
                    switch use {
                    case 0: _ = notes.count
                    case 1: _ = Array(notes)
                    default: _ = notes.index(of: .int(1))
                    }
                }
            }
            expectEqual(error?.code, .invalidInput, "use \(use)")
            expectTrue(error?.className == "Gadget" && error?.property == "notes", "use \(use)")
        }
        await realm.close()
    }

    /// Collections by name that joined inside are empty, and can be stored again: also if another
    /// class has got the table that the elements had.
    @Test(arguments: [false, true])
    func collectionsByNameThatJoinedInsideAreEmpty(_ isTableTaken: Bool) async throws {
        let folder = try RealmFolder()
        let old = try await Realm.open(folder.configuration())
        try await old.write { tx in
            _ = try tx.create(Old.Gadget.self, value: [0, "gadget"])
        }
        await old.close()
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in
            let gadget = try requireValue(tx.object(New.Gadget.self, forPrimaryKey: 0))
            var lists: [DynamicList] = []
            try? tx.savepoint {
                lists = [try gadget.dynamicList("tags"), try gadget.dynamicList("parts")]
                try lists[0].append("a")
                throw Undo()
            }
            expectTrue(lists.count == 2 && lists.allSatisfy { $0.isEmpty && !$0.isInvalidated })
            if isTableTaken {
                try tx.add(New.Poster(value: ["text": "poster"]))
                gadget.price = 3
                expectTrue(lists.allSatisfy { $0.isEmpty })
            }
            try lists[0].append("b")
            try lists[1].append(gadget)
            expectTrue(lists[0][0] as? String == "b" && lists[1].count == 1)
            expectEqual(Array(gadget.tags), ["b"])
            expectEqual(gadget.parts.map(\.number), [0])
            expectTrue(tx.objects(New.Maker.self).isEmpty)
        }
        let stored = realm.snapshot().objects(New.Gadget.self)[0]
        expectEqual(Array(stored.tags), ["b"])
        expectEqual(stored.parts.map(\.number), [0])
        await realm.close()
    }
}
