import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The equality of frozen collections of values of any type.
@Suite struct AnyEqualityTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            for id in 1...2 {
                let note = AnyNote(id)
                note.list.append(objectsIn: [
                    .fromArray([.int(1), .double(.nan)]), .fromDictionary(["k": .fromArray([])]),
                    .int(3), .double(.nan),
                ])
                try tx.add(note)
            }
        }
        return realm
    }

    private func lists(_ realm: Realm) -> [FrozenValues<FrozenAnyValue>] {
        realm.snapshot().objects(AnyNote.self).map { $0.list }
    }

    // Covers 1.91, 2.38
    @Test func changeWithinAListIsAnotherContent() async throws {
        let realm = try await realm()
        let before = lists(realm)
        let note = realm.snapshot().objects(AnyNote.self)[0]
        try await realm.write { tx in
            tx.objects(AnyNote.self)[0].list[0].listValue?.append(.int(2))
        }
        let after = lists(realm)
        expectTrue(before[0] != after[0] && before[1] == after[1])
        expectEqual(before[1].hashValue, after[1].hashValue)
        expectTrue(realm.snapshot().objects(AnyNote.self)[0] != note)
        try await realm.write { tx in
            let list = tx.objects(AnyNote.self)[0].list
            list[1].dictionaryValue?["k"]?.listValue?.append(.int(5))
        }
        expectTrue(lists(realm)[0] != after[0])
    }

    @Test func listsOfTwoObjectsWithEqualValuesAreEqual() async throws {
        let realm = try await realm()
        let lists = lists(realm)
        expectTrue(lists[0] == lists[1] && lists[0].hashValue == lists[1].hashValue)
        expectEqual(Set(lists).count, 1)
        let other = try await self.realm()
        expectEqual(self.lists(other)[0], lists[0])
    }

    @Test func elementsAreFoundByWhatTheyAre() async throws {
        let realm = try await realm()
        let list = lists(realm)[0]
        for (position, element) in list.enumerated() {
            expectTrue(list.contains(element) && list.index(of: element) == position)
        }
        expectTrue(list.contains(.dictionary(["k": .list([])])))
        expectTrue(!list.contains(.list([.int(1)])) && !list.contains(.dictionary([:])))
        expectEqual(list.firstIndex(of: .list([.int(1), .double(.nan)])), 0)
    }

    /// The values of a linked object aren't content.
    @Test func objectsAreComparedByTheirRows() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let note = tx.objects(AnyNote.self)[0]
            note.list.removeAll()
            note.list.append(objectsIn: [
                .object(AnyPet("Rex")), .fromArray([.object(AnyPet("Max"))]),
            ])
        }
        let before = lists(realm)[0]
        try await realm.write { tx in
            for pet in tx.objects(AnyPet.self) { pet.keeper = .int(1) }
        }
        let after = lists(realm)[0]
        expectTrue(before == after && after.contains(before[0]) && after.contains(before[1]))
        let other = try await self.realm()
        try await other.write { tx in
            let note = tx.objects(AnyNote.self)[0]
            note.list.removeAll()
            note.list.append(objectsIn: [
                .object(AnyPet("Rex")), .fromArray([.object(AnyPet("Max"))]),
            ])
        }
        expectTrue(!after.contains(lists(other)[0][1]))
    }

    @Test func objectAsAValueSeesItsLists() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            tx.objects(AnyNote.self)[1].label = .object(tx.objects(AnyNote.self)[0])
        }
        let before = realm.snapshot().objects(AnyNote.self)[1].label
        try await realm.write { tx in try tx.add(AnyPet("Rex")) }
        let same = realm.snapshot().objects(AnyNote.self)[1].label
        try await realm.write { tx in tx.objects(AnyNote.self)[0].list.append(.int(4)) }
        let after = realm.snapshot().objects(AnyNote.self)[1].label
        expectTrue(before == same && before.hashValue == same.hashValue && same != after)
    }
}
