import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Code that is generic over `RealmCollection`, without wrapping its arguments.
@Suite struct GenericCodeTests {
    // MARK: Objects

    /// Uses every member, on a collection of the pets Rex, Max and Tom in this order.
    private func query<C: RealmCollection>(_ pets: C) throws where C.Element == GenericPet {
        expectEqual(pets.where { $0.age == 3 }.map(\.name), ["Rex", "Tom"])
        expectEqual(pets.where { $0.age == 3 && $0.name != "Rex" }.count, 1)
        expectEqual(pets.sorted(by: \.name).map(\.name), ["Max", "Rex", "Tom"])
        expectEqual(pets.sorted(by: \.name, ascending: false).map(\.name), ["Tom", "Rex", "Max"])
        expectEqual(
            pets.sorted(by: .descending(\.age), .descending(\.name)).map(\.name),
            ["Max", "Tom", "Rex"])
        let orders: [Regnum.SortOrder<GenericPet>] = [.ascending(\.age), .descending(\.name)]
        expectEqual(pets.sorted(by: orders).map(\.name), ["Tom", "Rex", "Max"])
        try expectEqual(pets.sorted(byKeyPath: "name").map(\.name), ["Max", "Rex", "Tom"])
        try expectEqual(
            pets.sorted(byKeyPath: "name", ascending: false).map(\.name), ["Tom", "Rex", "Max"])
        expectEqual(pets.distinct(by: \.age).map(\.name), ["Rex", "Max"])
        expectEqual(pets.distinct(by: [\.age, \.weight]).map(\.name), ["Rex", "Max"])
        try expectEqual(pets.distinct(byKeyPaths: ["age"]).map(\.name), ["Rex", "Max"])
        #expect(throws: Realm.Error.self) { try pets.sorted(byKeyPath: "nothing") }
        #expect(throws: Realm.Error.self) { try pets.distinct(byKeyPaths: ["owners"]) }
        expectEqual(pets.index(matching: { $0.age > 4 }), 1)
        expectNil(pets.index(matching: { $0.age > 5 }))
        expectEqual(pets.where { $0.age < 5 }.sorted(by: \.name).distinct(by: \.age).count, 1)
    }

    private func fold<C: RealmCollection>(_ pets: C) where C.Element == GenericPet {
        expectTrue(
            pets.sum(of: \.age) == 11 && pets.min(of: \.age) == 3 && pets.max(of: \.age) == 5)
        expectTrue(pets.average(of: \.weight) == 4.5 && pets.average(of: \.age) == 11.0 / 3)
        expectTrue(pets.index(of: pets[2]) == 2 && pets.firstIndex { $0.age == 5 } == 1)
        expectEqual(pets.objects(at: [1]).map(\.name), ["Max"])
    }

    private func names<C: RealmCollection>(
        frozen pets: C
    ) throws(Realm.Error) -> FrozenResults<GenericPet> where C.Element == GenericPet {
        try pets.freeze()
    }

    /// Doesn't depend on the class.
    private func ordered<T: Object, C: RealmCollection>(
        _ objects: C, by keyPath: KeyPath<T, String>
    ) -> [String] where C.Element == T {
        objects.sorted(by: keyPath).map { $0[keyPath: keyPath] }
    }

    private func describe(_ pets: some RealmCollection<GenericPet>) -> [String] {
        pets.where { $0.age >= 3 }.sorted(by: \.name).map(\.name)
    }

    // Covers 2.10, 2.13, 2.16, 2.19, 2.104
    @Test func queriesAreAskedOfAnyCollectionOfObjects() async throws {
        let realm = try await genericRealm()
        try await realm.read { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let all = tx.objects(GenericPet.self)
            try query(ann.pets)
            try query(ann.friends)
            try query(all)
            try query(all.where { $0.age > 0 })
            try query(ann.pets.where { $0.age > 0 })
            try query(AnyRealmCollection(ann.pets))
            try query(AnyRealmCollection(ann.friends))
            try query(AnyRealmCollection(all))
            for names in [
                ordered(ann.pets, by: \.name), ordered(ann.friends, by: \.name),
                ordered(all, by: \.name), ordered(AnyRealmCollection(all), by: \.name),
                describe(ann.pets), describe(ann.friends), describe(all),
                describe(AnyRealmCollection(ann.pets)),
            ] {
                expectEqual(names, ["Max", "Rex", "Tom"])
            }
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            expectEqual(ordered(rex.owners, by: \.name), ["Ann", "Bob"])
            expectEqual(ordered(AnyRealmCollection(rex.owners), by: \.name), ["Ann", "Bob"])
        }
    }

    // Covers 2.24, 2.104
    @Test func propertiesAreFoldedOfAnyCollectionOfObjects() async throws {
        let realm = try await genericRealm()
        try await realm.read { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            fold(ann.pets)
            fold(ann.friends)
            fold(tx.objects(GenericPet.self))
            fold(AnyRealmCollection(ann.pets))
            fold(AnyRealmCollection(tx.objects(GenericPet.self)))
        }
        let list = List([GenericPet("Rex", 3), GenericPet("Max", 5), GenericPet("Tom", 3)])
        list[1].weight = 4.5
        fold(list)
        fold(AnyRealmCollection(list))
        fold(MutableSet(list))
    }

    // Covers 2.32, 2.104, 5.62
    @Test func anyCollectionOfObjectsIsFrozen() async throws {
        let realm = try await genericRealm()
        let frozen = try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            ann.pets.append(GenericPet("New", 1))
            rex.age = 30
            let any = AnyRealmCollection(rex.owners)
            try expectEqual(any.freeze().map(\.name), ["Ann", "Bob"])
            let cat = GenericOwner("Cat")
            #expect(throws: Realm.Error.self) { try names(frozen: cat.pets) }
            try tx.add(cat)
            for pets in [AnyRealmCollection(cat.pets), AnyRealmCollection(cat.friends)] {
                let error = #expect(throws: Realm.Error.self) { try names(frozen: pets) }
                expectTrue(error?.code == .invalidInput && error?.className == "GenericOwner")
            }
            return [
                try names(frozen: ann.pets), try names(frozen: ann.friends),
                try names(frozen: tx.objects(GenericPet.self)),
                try names(frozen: ann.pets.where { $0.age > 0 }),
                try names(frozen: AnyRealmCollection(ann.pets)),
                try AnyRealmCollection(tx.objects(GenericPet.self)).freeze(),
            ]
        }
        expectEqual(frozen.count, 6)
        for pets in frozen {
            expectTrue(pets.map(\.name) == ["Rex", "Max", "Tom"] && pets.map(\.age) == [3, 5, 3])
        }
    }

    private func age<C: RealmCollection>(_ pets: C, _ age: Int) throws
    where C.Element == GenericPet {
        try pets.setValue(age, forKey: "age")
    }

    // Covers 2.28
    @Test func valueIsSetInAllObjectsByGenericCode() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            try age(ann.pets, 1)
            expectEqual(ann.pets.map(\.age), [1, 1, 1])
            try age(ann.friends.where { $0.name == "Max" }, 2)
            expectEqual(ann.pets.map(\.age), [1, 2, 1])
            try age(AnyRealmCollection(ann.friends), 3)
            expectEqual(ann.pets.map(\.age), [3, 3, 3])
            let list = List([GenericPet("a"), GenericPet("b")])
            try age(list, 4)
            expectEqual(list.map(\.age), [4, 4])
            #expect(throws: Realm.Error.self) { try list.setValue("x", forKey: "age") }
        }
    }

    // MARK: Values

    private func fold<C: RealmCollection>(values: C) where C.Element == Int {
        expectTrue(values.sum() == 18 && values.average() == 4.5)
        expectTrue(values.min() == 1 && values.max() == 9)
        expectEqual(values.sorted(ascending: true), [1, 4, 4, 9])
        expectEqual(values.sorted(ascending: false), [9, 4, 4, 1])
        expectEqual(values.distinct(), [4, 1, 9])
    }

    private func bounds<V: BoundedValue & SummableValue, C: RealmCollection>(
        _ values: C
    ) -> (sum: V.Total, least: V.Required?, greatest: V.Required?) where C.Element == V {
        (values.sum(), values.min(), values.max())
    }

    private func frozen<V: ScalarValue & RealmCollectionValue & Sendable>(
        _ values: some RealmCollection<V>
    ) throws(Realm.Error) -> FrozenValues<V> {
        try values.freeze()
    }

    // Covers 2.24
    @Test func valuesAreFoldedByGenericCode() async throws {
        let realm = try await genericRealm()
        try await realm.read { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            for scores in [ann.scores, List([4, 1, 4, 9])] {
                fold(values: scores)
                fold(values: AnyRealmCollection(scores))
            }
            for grades in [ann.grades, MutableSet([2.5, nil, 1])] {
                expectTrue(bounds(grades) == (3.5, 1, 2.5))
                expectTrue(bounds(AnyRealmCollection(grades)) == (3.5, 1, 2.5))
                expectTrue(bounds(AnyRealmCollection(grades).distinctList) == (3.5, 1, 2.5))
            }
            let (numbers, none) = (List<Double>([2, .nan, -1]), List<Int>())
            expectTrue(bounds(numbers).least == -1 && bounds(numbers).greatest == 2)
            expectTrue(bounds(none) == (0, nil, nil))
        }
    }

    // Covers 2.32, 2.104
    @Test func anyCollectionOfValuesIsFrozen() async throws {
        let realm = try await genericRealm()
        let (scores, same, grades) = try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            ann.scores.append(7)
            ann.grades.insert(8)
            #expect(throws: Realm.Error.self) { try frozen(List([1])) }
            #expect(throws: Realm.Error.self) { try AnyRealmCollection(List([1])).freeze() }
            return (
                try frozen(ann.scores), try AnyRealmCollection(ann.scores).freeze(),
                try frozen(AnyRealmCollection(ann.grades))
            )
        }
        expectTrue(
            scores.array == [4, 1, 4, 9] && same == scores && grades.array == [nil, 1, 2.5])
    }
}

extension AnyRealmCollection where Element == Double? {
    /// An unmanaged list of the distinct elements.
    fileprivate var distinctList: List<Double?> { List(distinct()) }
}
