import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Loops over slices and reversed collections whose bodies change the collection.
@Suite struct SliceLoopTests {
    private let names = (0..<10).map { "\($0)" }

    /// Makes an owner with ten new pets, aged 0, in both her list and her set.
    private func fill(_ tx: Transaction) throws -> GenericOwner {
        tx.deleteAll()
        let owner = GenericOwner("Ann")
        owner.pets.append(objectsIn: names.map { GenericPet($0) })
        owner.friends.insert(objectsIn: owner.pets)
        try tx.add(owner)
        return owner
    }

    private func deleted(_ pets: some Sequence<GenericPet>, _ tx: Transaction) -> [String] {
        var seen: [String] = []
        for pet in pets {
            seen.append(pet.name)
            tx.delete(pet)
        }
        return seen
    }

    private func aged(_ pets: some Sequence<GenericPet>, by years: Int = 1) -> [String] {
        var seen: [String] = []
        for pet in pets {
            seen.append(pet.name)
            pet.age += years
        }
        return seen
    }

    /// Deletes the pets in parts of a collection of ten.
    private func check<C: RealmCollection>(
        _ tx: Transaction, _ collection: (GenericOwner) -> C
    ) throws where C.Element == GenericPet {
        let loops: [(Range<Int>, (C) -> [String])] = [
            (2..<5, { deleted($0[2..<5], tx) }), (2..<5, { deleted($0[1..<6][2..<5], tx) }),
            (0..<3, { deleted($0.prefix(3), tx) }), (7..<10, { deleted($0.suffix(3), tx) }),
            (2..<10, { deleted($0.dropFirst(2), tx) }), (0..<8, { deleted($0.dropLast(2), tx) }),
            (3..<5, { deleted($0.dropFirst(3).prefix(2), tx) }),
            (0..<10, { deleted($0.reversed(), tx).reversed() }),
            (8..<10, { deleted($0.reversed().prefix(2), tx).reversed() }),
            (2..<5, { deleted($0[2..<5].reversed(), tx).reversed() }),
            (2..<5, { deleted($0[2..<5].enumerated().lazy.map(\.element), tx) }),
            (2..<5, { deleted(zip($0[2..<5], 0...).lazy.map(\.0), tx) }),
            (2..<5, { $0[2..<5].map { pet in deleted([pet], tx)[0] } }),
            (0..<10, { $0.map { pet in deleted([pet], tx)[0] } }),
        ]
        for (index, (range, loop)) in loops.enumerated() {
            let owner = try fill(tx)
            expectEqual(loop(collection(owner)), Array(names[range]), "\(C.self), loop \(index)")
            let left = names.indices.filter { !range.contains($0) }.map { names[$0] }
            expectTrue(owner.pets.map(\.name) == left && owner.friends.map(\.name) == left)
        }
    }

    // Covers 2.5, 2.7, 7.58
    @Test func partsCanBeDeleted() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let pets = tx.objects(GenericPet.self)
            try check(tx) { _ in pets }
            try check(tx) { _ in pets.where { $0.age == 0 } }
            try check(tx) { _ in pets.sorted(by: \.name) }
            try check(tx) { _ in AnyRealmCollection(pets.sorted(by: \.name)) }
            try check(tx) { $0.pets }
            try check(tx) { $0.pets.where { $0.age == 0 } }
            try check(tx) { AnyRealmCollection($0.pets) }
            try check(tx) { $0.friends }
        }
    }

    // Covers 2.5, 2.7
    @Test func changedObjectsMayLeaveTheQuery() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let loops: [(Range<Int>, (Results<GenericPet>) -> [String])] = [
                (0..<4, { aged($0.prefix(4)) }), (2..<10, { aged($0.dropFirst(2)) }),
                (6..<10, { aged($0.suffix(4)) }), (2..<5, { aged($0[2..<5]) }),
                (0..<10, { aged($0.reversed()).reversed() }),
                (0..<10, { $0.map { pet in aged([pet])[0] } }),
                (0..<10, { aged($0.enumerated().lazy.map(\.element)) }),
                (0..<4, { aged(zip($0, 0..<4).lazy.map(\.0)) }),
            ]
            for (index, (range, loop)) in loops.enumerated() {
                let owner = try fill(tx)
                let young = tx.objects(GenericPet.self).where { $0.age == 0 }
                expectEqual(loop(young), Array(names[range]), "loop \(index)")
                expectEqual(young.count, 10 - range.count)
                expectTrue(owner.pets.map(\.age) == (0..<10).map { range.contains($0) ? 1 : 0 })
            }
        }
    }

    // Covers 2.7
    @Test func changedObjectsMayMoveInTheOrder() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = try fill(tx)
            for (age, pet) in owner.pets.enumerated() { pet.age = age }
            let byAge = tx.objects(GenericPet.self).sorted(by: \.age)
            expectEqual(aged(byAge.reversed(), by: -100), names.reversed())
            expectEqual(aged(byAge[0..<5], by: 1_000), Array(names[0..<5]))
            expectEqual(byAge.map(\.name), Array(names[5...] + names[..<5]))
        }
    }

    // Covers 2.7, 7.58
    @Test func objectsThatAreGoneAreLeftOut() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let deleteSome = {
                tx.delete(tx.objects(GenericPet.self).where { $0.name.in(["2", "4", "9"]) })
            }
            func visited(_ pets: some Sequence<GenericPet>) -> [String] {
                var seen: [String] = []
                for pet in pets {
                    seen.append(pet.name)
                    deleteSome()
                }
                return seen
            }
            _ = try fill(tx)
            expectEqual(visited(tx.objects(GenericPet.self)[1..<6]), ["1", "3", "5"])
            expectEqual(visited(try fill(tx).pets[1..<6]), ["1", "3", "5"])
            expectEqual(visited(try fill(tx).friends.prefix(4)), ["0", "1", "3"])
            let pets = try fill(tx).pets
            expectEqual(visited(pets.dropLast().reversed()), ["8", "7", "6", "5", "3", "1", "0"])
        }
    }

    // Covers 2.5, 2.52
    @Test func partsOfListsAndSetsOfValuesCanBeRemoved() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            var seen: [Int] = []
            for score in ann.scores[1...] {  // 4, 1, 4, 9
                seen.append(score)
                ann.scores.remove(at: 1)
            }
            expectTrue(seen == [1, 4, 9] && Array(ann.scores) == [4])
            var grades: [Double?] = []
            for grade in ann.grades.prefix(2) {  // nil, 1, 2.5
                grades.append(grade)
                ann.grades.remove(grade)
            }
            expectTrue(grades == [nil, 1] && Array(ann.grades) == [2.5])
            let ages = ann.pets.projectTo.age  // 3, 5, 3
            var found: [Int] = []
            for age in ages {
                found.append(age)
                if found.count == 1 { tx.delete(ann.pets[1]) }
            }
            expectTrue(found == [3, 3] && Array(ages.prefix(1)) == [3])
        }
    }

    // Covers 2.103
    @Test func inversesCanLoseTheirOrigins() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            for name in ["Cem", "Dan"] { try tx.add(GenericOwner(name)) }
            for owner in tx.objects(GenericOwner.self).suffix(2) { owner.pets.append(rex) }
            var seen: [String] = []
            for owner in rex.owners.dropFirst() {  // Ann, Bob, Cem, Dan
                seen.append(owner.name)
                owner.pets.removeAll()
                if owner.name == "Bob" { tx.delete(rex.owners[1]) }
            }
            expectTrue(seen == ["Bob", "Dan"] && rex.owners.map(\.name) == ["Ann"])
        }
    }

    // Covers 2.5
    @Test func sliceFollowsTheCollection() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = try fill(tx)
            let pets = tx.objects(GenericPet.self).prefix(5)
            let (listed, friends) = (owner.pets[6..<10], owner.friends.suffix(4))
            tx.delete(pets.dropFirst(1))
            expectEqual(pets.map(\.name), ["0", "5", "6", "7", "8"])
            expectTrue(listed.isEmpty && listed.count == 0 && Array(friends).isEmpty)
            tx.delete(pets)
            expectTrue(pets.map(\.name) == ["9"] && pets.count == 1 && pets.indices == 0..<1)
            expectTrue(Array(pets).count == 1 && pets.first?.name == "9" && pets.last?.name == "9")
            let unmanaged = List([1, 2, 3, 4])
            expectEqual(Array(unmanaged[1..<3]), [2, 3])
            expectEqual(Array(unmanaged.reversed()[2...]), [2, 1])
            expectEqual(Array(MutableSet([1, 2, 3]).dropFirst()), [2, 3])
        }
    }

    // Covers 2.5, 2.60
    @Test func partsOfListsAreChangedInPlace() async throws {
        let realm = try await genericRealm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            for scores in [ann.scores, List([4, 1, 4, 9])] {
                scores[0..<3].sort()
                expectEqual(Array(scores), [1, 4, 4, 9])
                scores[1...].reverse()
                expectEqual(Array(scores), [1, 9, 4, 4])
                scores[0..<2] = scores[1..<3]
                expectEqual(Array(scores), [9, 4, 4, 4])
                scores[1..<3][2] = 5
                expectEqual(Array(scores), [9, 4, 5, 4])
                scores[0..<3].swapAt(0, 2)
                expectEqual(Array(scores), [5, 4, 9, 4])
            }
            ann.pets[1..<3].reverse()
            expectEqual(ann.pets.map(\.name), ["Rex", "Tom", "Max"])
        }
    }

    // Covers 2.4, 2.5
    @Test func rangesThatAreNotThereTrap() async {
        let range = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await genericRealm()
            try await realm.read { tx in _ = tx.objects(GenericPet.self)[1..<4] }
        }
        expectTrue(
            sentence(range).contains(
                "The range 1..<4 of Results<GenericPet> is out of range: the count is 3. "
                    + "The transaction is at CollectionsTests/SliceLoopTests.swift:"))
        let position = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await genericRealm()
            try await realm.read { tx in _ = tx.objects(GenericPet.self)[0..<2][2].name }
        }
        expectTrue(
            sentence(position).contains("a slice of Results<GenericPet> has the positions 0..<2"))
    }

    private func sentence(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
