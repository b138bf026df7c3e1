import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Generic code over collections.
@Suite struct RealmCollectionTests {
    /// Checks a collection of the pets Rex, Max and Tom in this order, in generic code.
    private func check<C: RealmCollection>(_ collection: C, isManaged: Bool = true) throws
    where C.ElementType == GenericPet {
        try checkAsCollection(collection, isManaged)
        let pets = AnyRealmCollection(collection)
        try checkAsCollection(pets, isManaged)
        try checkQueries(pets, isManaged)
    }

    private func checkAsCollection<C: RealmCollection>(_ pets: C, _ isManaged: Bool) throws
    where C.Element == GenericPet {
        expectTrue(pets.count == 3 && !pets.isEmpty && pets.map(\.name) == ["Rex", "Max", "Tom"])
        expectTrue(pets.startIndex == 0 && pets.endIndex == 3 && pets.index(after: 1) == 2)
        expectTrue(pets.first?.name == "Rex" && pets.last?.name == "Tom" && pets[1].age == 5)
        expectTrue(
            pets[1..<3].map(\.name) == ["Max", "Tom"] && pets.reversed().first?.name == "Tom")
        expectTrue(pets.index(of: pets[2]) == 2 && pets.index(of: GenericPet("Rex")) == nil)
        expectEqual(pets.objects(at: [2, 0]).map(\.name), ["Tom", "Rex"])
        expectTrue(!pets.isInvalidated && (pets.realm != nil) == isManaged)
    }

    private func checkQueries(_ pets: AnyRealmCollection<GenericPet>, _ isManaged: Bool) throws {
        expectTrue(
            pets.sum(of: \.age) == 11 && pets.max(of: \.age) == 5 && pets.min(of: \.age) == 3)
        expectEqual(pets.average(of: \.weight), 4.5)
        guard isManaged else { return }
        expectEqual(pets.where { $0.age == 3 }.map(\.name), ["Rex", "Tom"])
        expectEqual(pets.sorted(by: \.name).map(\.name), ["Max", "Rex", "Tom"])
        let orders: [Regnum.SortOrder<GenericPet>] = [.descending(\.age), .descending(\.name)]
        expectEqual(pets.sorted(by: orders).map(\.name), ["Max", "Tom", "Rex"])
        expectEqual(pets.distinct(by: [\.age]).map(\.name), ["Rex", "Max"])
        expectEqual(pets.index(matching: { $0.age > 4 }), 1)
    }

    // Covers 2.6, 2.7, 2.104
    @Test func everyCollectionOfObjectsIsOne() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            try check(ann.pets)
            try check(ann.friends)
            try check(tx.objects(GenericPet.self))
            try check(tx.objects(GenericPet.self).where { $0.age > 0 })
            try check(ann.pets.where { $0.age > 0 })
            try check(AnyRealmCollection(ann.pets))
            try check(AnyRealmCollection(ann.friends))
            try check(AnyRealmCollection(tx.objects(GenericPet.self)))
            try check(AnyRealmCollection(AnyRealmCollection(ann.pets)))
            let list = List([GenericPet("Rex", 3), GenericPet("Max", 5), GenericPet("Tom", 3)])
            list[1].weight = 4.5
            try check(list, isManaged: false)
            try check(AnyRealmCollection(list), isManaged: false)
            try check(MutableSet(list), isManaged: false)
        }
    }

    private func names(_ owners: some RealmCollection<GenericOwner>) -> [String] {
        AnyRealmCollection(owners).where { $0.name != "Cem" }.sorted(by: \.name, ascending: false)
            .map(\.name)
    }

    // Covers 2.103
    @Test func inversesAreCollectionsToo() async throws {
        let realm = try await genericRealm()
        try await realm.read { tx in
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            expectEqual(names(rex.owners), ["Bob", "Ann"])
            expectEqual(names(AnyRealmCollection(rex.owners)), ["Bob", "Ann"])
            expectEqual(rex.owners.index(of: rex.owners[1]), 1)
            let any = try requireValue(rex["owners"] as? LinkingObjects<GenericOwner>)
            expectTrue(
                any.map(\.name) == ["Ann", "Bob"] && any.where { $0.name == "Bob" }.count == 1)
        }
    }

    private func total<C: RealmCollection>(_ values: C) -> (sum: Int, max: Int?, ordered: [Int])
    where C.Element == Int {
        let values = AnyRealmCollection(values)
        return (values.sum(), values.max(), values.sorted(ascending: true))
    }

    // Covers 2.6
    @Test func collectionsOfValuesAreToo() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            for scores in [ann.scores, List([4, 1, 4, 9])] {
                expectTrue(total(scores) == (18, 9, [1, 4, 4, 9]))
                let any = AnyRealmCollection(scores)
                expectTrue(total(any) == (18, 9, [1, 4, 4, 9]) && any.distinct() == [4, 1, 9])
                expectTrue(any.index(of: 9) == 3 && any.average() == 4.5 && any.min() == 1)
                expectTrue(any.objects(at: [3]) == [9] && any.reversed() == [9, 4, 1, 4])
            }
            for grades in [ann.grades, MutableSet([2.5, nil, 1])] {
                let any = AnyRealmCollection(grades)
                expectTrue(any.sum() == 3.5 && any.max() == 2.5 && any.count == 3)
                expectEqual(any.sorted(ascending: false), [2.5, 1, nil])
            }
        }
    }

    // Covers 2.104
    @Test func wrappedCollectionIsLiveAndOverWithItsBody() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let (list, all) = (
                AnyRealmCollection(ann.pets), AnyRealmCollection(tx.objects(GenericPet.self))
            )
            var walked: [String] = []
            for pet in list {
                walked.append(pet.name)
                if pet.name == "Rex" { tx.delete(try requireValue(ann.pets.last)) }
                if walked.count == 2 { ann.pets.append(GenericPet("New")) }
                if walked.count == 2 { break }
            }
            expectEqual(walked, ["Rex", "Max"])
            expectTrue(list.map(\.name) == ["Rex", "Max", "New"] && all.count == 3)
            tx.delete(ann)
            expectTrue(list.isInvalidated && !all.isInvalidated && all.count == 3)
        }
    }

    // Covers 2.104
    @Test func wrappersAreEqualIfWhatTheyWrapIs() async throws {
        let realm = try await genericRealm()
        try await realm.read { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            let all = tx.objects(GenericPet.self)
            expectEqual(AnyRealmCollection(ann.pets), AnyRealmCollection(ann.pets))
            expectTrue(AnyRealmCollection(ann.pets) != AnyRealmCollection(ann.friends))
            expectEqual(AnyRealmCollection(ann.friends), AnyRealmCollection(ann.friends))
            expectEqual(AnyRealmCollection(all), AnyRealmCollection(tx.objects(GenericPet.self)))
            expectTrue(AnyRealmCollection(all) != AnyRealmCollection(all.where { $0.age > 3 }))
            expectTrue(AnyRealmCollection(all) != AnyRealmCollection(ann.pets))
            expectEqual(AnyRealmCollection(rex.owners), AnyRealmCollection(rex.owners))
            expectTrue(AnyRealmCollection(rex.owners) != AnyRealmCollection(rex.employers))
            expectEqual("\(AnyRealmCollection(ann.scores))", "\(ann.scores)")
        }
    }

    private func rename<C: RealmCollection>(_ pets: C, _ age: Any?) throws
    where C.Element == GenericPet {
        try AnyRealmCollection(pets).setValue(age, forKey: "age")
    }

    // Covers 2.28
    @Test func valueIsSetInAllObjectsOfAnyCollection() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            try rename(tx.objects(GenericPet.self).where { $0.age == 3 }, 4)
            expectEqual(ann.pets.map(\.age), [4, 5, 4])
            try rename(ann.pets, 6)
            expectEqual(ann.pets.map(\.age), [6, 6, 6])
            try rename(AnyRealmCollection(ann.friends.where { $0.name == "Max" }), 7)
            expectEqual(ann.pets.map(\.age), [6, 7, 6])
            try AnyRealmCollection(ann.pets).setValue(8, forKey: "age")
            expectEqual(ann.friends.map(\.age), [8, 8, 8])
            let list = List([GenericPet("a"), GenericPet("b")])
            try rename(list, 2)
            expectEqual(list.map(\.age), [2, 2])
            try ann.pets[0].owners.setValue([1, 2], forKey: "scores")
            expectEqual(tx.objects(GenericOwner.self).map { Array($0.scores) }, [[1, 2], [1, 2]])
            for (key, value) in [("nothing", 1), ("name", "x"), ("owners", 1), ("age", "x")]
                as [(String, Any)]
            {
                #expect(throws: Realm.Error.self) {
                    try AnyRealmCollection(ann.pets).setValue(value, forKey: key)
                }
            }
            expectEqual(ann.pets.map(\.age), [8, 8, 8])
        }
    }

    private func swap<M: RealmKeyedCollection>(_ map: M, _ a: M.Key, _ b: M.Key) {
        (map[a], map[b]) = (map[b], map[a])
    }

    // Covers 2.100
    @Test func mapsAreKeyedCollections() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let map = Map<String, GenericPet?>()
            (map["a"], map["b"]) = (GenericPet("1"), .some(nil))
            swap(map, "a", "b")
            expectTrue(map["b"]??.name == "1" && map["a"] == .some(nil))
            func use<M: RealmKeyedCollection<String, GenericPet?>>(_ map: M) {
                map.updateValue(tx.object(GenericPet.self, forPrimaryKey: "Max"), forKey: "cook")
                map.merge([("guard", nil)]) { old, _ in old }
                expectTrue(map.keys == ["cook", "guard"] && map.count == 2 && !map.isEmpty)
                expectEqual(map.map { $0.value?.name }, ["Max", "Rex"])
                expectTrue(map.values.count == 2 && map.contains { $1?.name == "Rex" })
                expectTrue(map.isManaged && !map.isInvalidated && map.realm === realm)
                map.setValue(nil, forKey: "cook")
                map.removeObject(for: "none")
                expectTrue(map.object(forKey: "guard")??.name == "Rex" && map.count == 1)
                map.removeAll()
                expectTrue(map.isEmpty)
            }
            use(ann.byRole)
        }
    }

    @Test func pageOfResultsIsFoundWithoutTheRest() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            for number in 0..<5_000 { try tx.add(GenericPet("\(number)", number % 7)) }
        }
        try await realm.read { tx in
            let sorted = AnyRealmCollection(tx.objects(GenericPet.self).sorted(by: \.age))
            expectEqual(sorted.prefix(3).map(\.age), [0, 0, 0])
            expectEqual(sorted[10..<13].map(\.name), ["70", "77", "84"])
            expectTrue(sorted.first?.name == "0" && sorted.count == 5_000)
        }
    }

    // Covers 2.67, 8.30
    @Test func propertyOfTheObjectsOfASetIsACollection() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let ages: ProjectedCollection<Int> = ann.friends.projectTo.age
            expectTrue(Array(ages) == [3, 5, 3] && ages.index(of: 5) == 1 && ages.isManaged)
            ages[2] = 9
            expectTrue(ann.pets[2].age == 9 && Array(ages) == [3, 5, 9])
            tx.delete(ann.pets[0])
            expectTrue(Array(ages) == [5, 9] && ages.count == 2)
            let unmanaged = MutableSet([GenericPet("a", 1), GenericPet("b", 2)])
            expectEqual(Array(unmanaged.projectTo.name), ["a", "b"])
        }
    }
}

private final class GenericCard: Projection<GenericOwner> {
    @Projected(\GenericOwner.friends.projectTo.name) var friendNames: ProjectedCollection<String>
}

/// Class projections with a property of the objects in a set.
@Suite struct ProjectedSetTests {
    // Covers 8.30
    @Test func projectionShowsAndStreamsTheObjectsOfASet() async throws {
        let realm = try await Realm.temporary(genericClasses + [GenericCard.self])
        try await realm.write { tx in
            let ann = GenericOwner("Ann")
            ann.friends.insert(objectsIn: [GenericPet("Rex"), GenericPet("Max")])
            try tx.add(ann)
        }
        let card = try requireValue(realm.snapshot().objects(GenericCard.self).first)
        expectEqual(card.friendNames, ["Rex", "Max"])
        var stream = realm.objects(GenericCard.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.object(GenericPet.self, forPrimaryKey: "Max")?.age = 4
        }
        try await realm.write { tx in
            tx.objects(GenericOwner.self)[0].friends.insert(GenericPet("Tom"))
        }
        guard case .update(let cards, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(cards[0].friendNames == ["Rex", "Max", "Tom"] && delta.modifications == [0])
        expectEqual(delta.version, realm.snapshot().version)
    }
}
